//===- FuseMaps.cpp - Pointwise producers move into consumers -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Law: reading map f's result at M is running f's body on f's operands read at
// their maps after M. Nothing is rounded differently, since a fused value has
// the element type that the tensor had.
//
//===----------------------------------------------------------------------===//

#include "FuseMaps.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGFUSEMAPS
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

int64_t mlir::tang::costOfBody(Block &body) {
  int64_t cost = 0;
  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ConstantOp, IndexOp>(op))
      continue;
    if (isa<AtOp>(op))
      cost += 3;
    else if (isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp>(
                 op))
      cost += 1;
    else if (op.getDialect()->getNamespace() == "math")
      cost += 12;
    else if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
                 arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
                 arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      cost += 4;
    else
      cost += 1;
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

void mlir::tang::inlineMap(RewriterBase &rewriter, StructuredOp consumer,
                           MapOp producer, unsigned position) {
  MLIRContext *context = rewriter.getContext();
  Location loc = producer.getLoc();
  SmallVector<AffineMap> maps = consumer.getInMapArray();
  int64_t numDims = consumer.getNumDims();
  int64_t numOwn = consumer.getSymbols().size();
  int64_t numSymbols = numOwn + producer.getSymbols().size();
  AffineMap at = maps[position];
  unsigned result =
      cast<OpResult>(consumer.getIns()[position]).getResultNumber();

  // The producer's symbols come after the consumer's.
  SmallVector<AffineExpr> shifted;
  for (int64_t s = 0, e = producer.getSymbols().size(); s < e; ++s)
    shifted.push_back(getAffineSymbolExpr(numOwn + s, context));
  for (AffineMap &map : maps)
    map = AffineMap::get(numDims, numSymbols, map.getResults(), context);
  SmallVector<AffineMap> producerMaps;
  for (AffineMap map : producer.getInMapArray())
    producerMaps.push_back(simplifyAffineMap(map.replaceDimsAndSymbols(
        at.getResults(), shifted, numDims, numSymbols)));

  rewriter.modifyOpInPlace(consumer, [&] {
    Block *body = consumer.getBody();
    unsigned numIns = consumer.getIns().size();
    consumer.getSymbolsMutable().append(producer.getSymbols());
    maps.append(producerMaps.begin(), producerMaps.end());
    consumer.getInsMutable().append(producer.getIns());
    consumer.setInMapArray(maps);
    IRMapping mapping;
    for (auto [k, arg] :
         llvm::enumerate(producer.getBody()->getArguments().take_front(
             producer.getIns().size())))
      mapping.map(arg, body->insertArgument(numIns + k, arg.getType(), loc));
    consumer.getCapturesMutable().append(producer.getCaptures());
    for (BlockArgument arg : producer.getBody()->getArguments().drop_front(
             producer.getIns().size()))
      mapping.map(arg, body->addArgument(arg.getType(), loc));

    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(body);
    // Indices of the producer are the map's results; symbols that these
    // need come in as captures.
    SmallVector<Value> dims, symbols(numOwn);
    auto materialize = [&](AffineExpr expr) -> Value {
      if (dims.empty())
        for (int64_t d = 0; d < numDims; ++d)
          dims.push_back(rewriter.create<IndexOp>(loc, d));
      for (int64_t s = 0; s < numOwn; ++s)
        if (expr.isFunctionOfSymbol(s) && !symbols[s]) {
          consumer.getCapturesMutable().append(consumer.getSymbols()[s]);
          symbols[s] = body->addArgument(rewriter.getIndexType(), loc);
        }
      return affine::expandAffineExpr(rewriter, loc, expr, dims, symbols);
    };
    for (Operation &op : producer.getBody()->without_terminator()) {
      if (auto index = dyn_cast<IndexOp>(op))
        mapping.map(index.getResult(),
                    materialize(at.getResult(index.getDim())));
      else
        rewriter.clone(op, mapping);
    }
    Value value =
        mapping.lookupOrDefault(producer.getYield()->getOperand(result));
    body->getArgument(position).replaceAllUsesWith(value);
    body->eraseArgument(position);
    maps.erase(maps.begin() + position);
    consumer.getInsMutable().erase(position);
    consumer.setInMapArray(maps);
  });
}

namespace {

/// Limits of one kernel: targets guarantee few buffers, and a body must stay
/// quick to compile.
constexpr int64_t kMaxOperands = 24;
constexpr int64_t kMaxBodyOps = 400;
/// A body of at most this cost is cheaper to run in every reader than to store
/// once.
constexpr int64_t kCheap = 8;

/// Every dimension of the consumer that has more than one point shows up in
/// the map as it is: no element is computed twice.
bool isOneToOne(StructuredOp consumer, AffineMap map) {
  SmallVector<int64_t> domain = consumer.getStaticDomain();
  for (auto [d, size] : llvm::enumerate(domain)) {
    if (size == 1)
      continue;
    AffineExpr dim = getAffineDimExpr(d, map.getContext());
    if (!llvm::is_contained(map.getResults(), dim))
      return false;
  }
  return true;
}

bool readsWhole(StructuredOp op, Value value) {
  return llvm::is_contained(op.getCaptures(), value) ||
         llvm::is_contained(op.getOuts(), value);
}

bool shouldFuse(MapOp producer, StructuredOp consumer, AffineMap map) {
  int64_t cost = costOfBody(*producer.getBody());
  int64_t reads = producer.getIns().size();
  bool sameBlock = producer->getBlock() == consumer->getBlock();
  // Casts, broadcasts, slices, constants: never worth a store.
  if (cost <= 2 && reads <= 1)
    return true;
  if (!sameBlock)
    return false;
  SmallPtrSet<Operation *, 4> users;
  for (Operation *user : producer->getUsers()) {
    auto structured = dyn_cast<StructuredOp>(user);
    // Someone else needs the tensor: it is stored anyway.
    if (!structured || user->getBlock() != producer->getBlock())
      return false;
    for (Value result : producer->getResults())
      if (readsWhole(structured, result))
        return false;
    users.insert(user);
  }
  if (cost <= kFree && reads <= 3)
    return true;
  // Read at two maps, it would be computed for each.
  SmallVector<AffineMap> maps = consumer.getInMapArray();
  for (auto [in, other] : llvm::zip(consumer.getIns(), maps))
    if (in.getDefiningOp() == producer && other != map)
      return false;
  return isOneToOne(consumer, map) &&
         (users.size() == 1 || (cost <= kCheap && reads <= 3));
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

struct FuseProducer : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StructuredOp consumer,
                                PatternRewriter &rewriter) const override {
    if (consumer.isBufferized())
      return failure();
    SmallVector<AffineMap> maps = consumer.getInMapArray();
    for (auto [i, in] : llvm::enumerate(consumer.getIns())) {
      auto producer = in.getDefiningOp<MapOp>();
      if (!producer || !shouldFuse(producer, consumer, maps[i]))
        continue;
      int64_t operands =
          consumer.getIns().size() + consumer.getCaptures().size() +
          producer.getIns().size() + producer.getCaptures().size();
      int64_t ops = consumer.getBody()->getOperations().size() +
                    producer.getBody()->getOperations().size();
      if (operands > kMaxOperands || ops > kMaxBodyOps)
        continue;
      inlineMap(rewriter, consumer, producer, i);
      return success();
    }
    return failure();
  }
};

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Reads through an expand_shape or a collapse_shape become reads of its source
/// where the index stays affine without divisions.
struct ReadThroughReshape : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  static FailureOr<SmallVector<AffineExpr>> expand(tensor::ExpandShapeOp op,
                                                   AffineMap map) {
    SmallVector<AffineExpr> source;
    ArrayRef<int64_t> shape = op.getResultType().getShape();
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      AffineExpr index = getAffineConstantExpr(0, op.getContext());
      for (int64_t d : group) {
        bool first = d == group.front();
        // The size of the outermost dimension of a group does not matter.
        if (!first && ShapedType::isDynamic(shape[d]))
          return failure();
        index = (first ? index : index * shape[d]) + map.getResult(d);
      }
      source.push_back(index);
    }
    return source;
  }

  /// Splits a linear index, a sum of c·d over dimensions of known sizes, into
  /// the digits of `shape`: every term belongs to the digit whose stride
  /// divides c and below whose next stride it stays.
  static LogicalResult splitIndex(AffineExpr linear, ArrayRef<int64_t> domain,
                                  ArrayRef<int64_t> shape,
                                  SmallVectorImpl<AffineExpr> &digits) {
    SmallVector<std::pair<int64_t, unsigned>> terms;
    SmallVector<AffineExpr> work = {linear};
    while (!work.empty()) {
      AffineExpr expr = work.pop_back_val();
      if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
        if (binary.getKind() == AffineExprKind::Add) {
          work.push_back(binary.getLHS());
          work.push_back(binary.getRHS());
          continue;
        }
        auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
        auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
        if (binary.getKind() != AffineExprKind::Mul || !dim || !factor ||
            factor.getValue() <= 0)
          return failure();
        terms.push_back({factor.getValue(), dim.getPosition()});
        continue;
      }
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        terms.push_back({1, dim.getPosition()});
      else if (!isa<AffineConstantExpr>(expr) ||
               cast<AffineConstantExpr>(expr).getValue() != 0)
        return failure();
    }
    MLIRContext *context = linear.getContext();
    digits.assign(shape.size(), getAffineConstantExpr(0, context));
    int64_t stride = 1;
    for (int64_t i = shape.size() - 1; i >= 0; --i) {
      bool outermost = i == 0;
      if (!outermost && ShapedType::isDynamic(shape[i]))
        return failure();
      int64_t next = outermost ? 0 : stride * shape[i], most = 0;
      for (auto [factor, dim] : terms) {
        if (factor < stride || (!outermost && factor >= next))
          continue;
        if (factor % stride || ShapedType::isDynamic(domain[dim]))
          // A dynamic dimension may only be the outermost digit.
          if (factor % stride || !outermost)
            return failure();
        digits[i] =
            digits[i] + getAffineDimExpr(dim, context) * (factor / stride);
        if (!outermost)
          most += factor / stride * (domain[dim] - 1);
      }
      if (!outermost && most >= shape[i])
        return failure();
      stride = next;
    }
    return success();
  }

  static FailureOr<SmallVector<AffineExpr>> collapse(tensor::CollapseShapeOp op,
                                                     AffineMap map,
                                                     ArrayRef<int64_t> domain) {
    SmallVector<AffineExpr> source(op.getSrcType().getRank(),
                                   getAffineConstantExpr(0, op.getContext()));
    for (auto [r, group] : llvm::enumerate(op.getReassociationIndices())) {
      SmallVector<int64_t> kept, shape;
      for (int64_t d : group)
        if (op.getSrcType().getDimSize(d) != 1) {
          kept.push_back(d);
          shape.push_back(op.getSrcType().getDimSize(d));
        }
      if (kept.size() == 1)
        source[kept.front()] = map.getResult(r);
      if (kept.size() < 2)
        continue;
      SmallVector<AffineExpr> digits;
      if (failed(splitIndex(map.getResult(r), domain, shape, digits))) {
        // A cheap map moves into its reader, where most digits are dropped.
        auto source = op.getSrc().getDefiningOp<MapOp>();
        if (!source || costOfBody(*source.getBody()) > kFree ||
            llvm::any_of(ArrayRef(shape).drop_front(), ShapedType::isDynamic))
          return failure();
        AffineExpr rest = map.getResult(r);
        digits.assign(shape.size(), rest);
        for (size_t i = shape.size() - 1; i > 0; --i) {
          digits[i] = rest % shape[i];
          rest = rest.floorDiv(shape[i]);
        }
        digits[0] = rest;
      }
      for (auto [d, digit] : llvm::zip(kept, digits))
        source[d] = digit;
    }
    return source;
  }

  LogicalResult matchAndRewrite(StructuredOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    SmallVector<AffineMap> maps = op.getInMapArray();
    for (auto [i, in] : llvm::enumerate(op.getIns())) {
      FailureOr<SmallVector<AffineExpr>> exprs = failure();
      Value source;
      if (auto reshape = in.getDefiningOp<tensor::ExpandShapeOp>()) {
        exprs = expand(reshape, maps[i]);
        source = reshape.getSrc();
      } else if (auto reshape = in.getDefiningOp<tensor::CollapseShapeOp>()) {
        exprs = collapse(reshape, maps[i], op.getStaticDomain());
        source = reshape.getSrc();
      }
      if (failed(exprs))
        continue;
      maps[i] = simplifyAffineMap(AffineMap::get(maps[i].getNumDims(),
                                                 maps[i].getNumSymbols(),
                                                 *exprs, op.getContext()));
      rewriter.modifyOpInPlace(op, [&] {
        op.getInsMutable()[i].set(source);
        op.setInMapArray(maps);
      });
      return success();
    }
    return failure();
  }
};

struct FuseMapsPass : tang::impl::TangFuseMapsBase<FuseMapsPass> {
  void runOnOperation() override {
    RewritePatternSet shapes(&getContext());
    populateSplitDimsPatterns(shapes);
    if (failed(applyPatternsGreedily(getOperation(), std::move(shapes))))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseProducer, ReadThroughReshape>(&getContext());
    for (StringRef name : {"tang.map", "tang.reduce", "tang.scatter"})
      if (auto info = RegisteredOperationName::lookup(name, &getContext()))
        info->getCanonicalizationPatterns(patterns, &getContext());
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
