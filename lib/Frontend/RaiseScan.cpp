//===- RaiseScan.cpp - Loops along slices to scans ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step of the loop does is read backwards from what it yields: every
// element of a carried tensor after the step, as a scalar computation on
// elements of tensors from outside of the loop and on the same element of the
// carried tensors before it. Where that succeeds, the loop is pointwise along
// all other dimensions, so a scan. Loops with a reduction in each step stay.
//
//===----------------------------------------------------------------------===//

#include "IndexTrace.h"
#include "ScanBuilder.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tang {
#define GEN_PASS_DEF_RAISESCAN
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// A carried tensor that each step writes one slice of.
struct Output {
  unsigned carried;
  ScatterOp write;
};

class LoopRaiser {
public:
  LoopRaiser(scf::ForOp loop, RewriterBase &rewriter)
      : loop(loop), rewriter(rewriter), context(loop.getContext()),
        body(context), parts(body) {}
  LogicalResult run();

private:
  LogicalResult findTrips();
  LogicalResult sortCarried();
  LogicalResult placeOutput(Output &output);
  LogicalResult describe();
  void replace(const ScanResults &results);

  /// The loop's index, and scalars derived from it, as expressions of the
  /// domain; with `asSymbol` as symbol 0.
  AffineExpr traceLoopIndex(Value value, bool asSymbol);
  bool isOutside(Value value) {
    return !loop.getRegion().isAncestor(value.getParentRegion());
  }

  // Reading backwards; null where that fails.
  Value readElement(Value tensor, ArrayRef<AffineExpr> given);
  Value readNew(Value tensor, ArrayRef<AffineExpr> indices);
  Value readMap(MapOp map, unsigned result, ArrayRef<AffineExpr> indices);
  Value readOperand(Value tensor, ArrayRef<AffineExpr> indices);
  Value readScalar(Value value);
  Value makeIndex(AffineExpr expr);

  scf::ForOp loop;
  RewriterBase &rewriter;
  MLIRContext *context;
  FlatBody body;
  ScanParts parts;
  int64_t trips = 0;
  AffineExpr loopIndex;
  /// Carried values by what they are.
  SmallVector<unsigned> stateArgs;
  SmallVector<Output> outputs;
  /// Expressions of the domain for the states' dimensions.
  SmallVector<AffineExpr> stateDims;
  std::map<std::pair<void *, std::vector<const void *>>, Value> memo;
};

/// 0, 1, … to a constant.
LogicalResult LoopRaiser::findTrips() {
  IntegerAttr lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_Constant(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_Constant(&upper)) ||
      !matchPattern(loop.getStep(), m_Constant(&step)) ||
      !lower.getValue().isZero() || !step.getValue().isOne())
    return failure();
  trips = std::max<int64_t>(upper.getInt(), 0);
  return success();
}

AffineExpr LoopRaiser::traceLoopIndex(Value value, bool asSymbol) {
  IndexTracer tracer;
  if (asSymbol) {
    // Dimension 0 stands for the loop in this one.
    tracer.domain = {trips};
    tracer.getLeaf = [&](Value leaf) {
      return leaf == loop.getInductionVar() ? getAffineDimExpr(0, context)
                                            : AffineExpr();
    };
    AffineExpr expr = tracer.trace(value);
    return expr ? expr.replace(getAffineDimExpr(0, context),
                               getAffineSymbolExpr(0, context))
                : expr;
  }
  tracer.domain = parts.domain;
  tracer.getLeaf = [&](Value leaf) {
    return leaf == loop.getInductionVar() ? loopIndex : AffineExpr();
  };
  return tracer.trace(value);
}

/// Sorts the carried values into states and outputs; all states have one
/// static shape.
LogicalResult LoopRaiser::sortCarried() {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type || !type.hasStaticShape())
      return failure();
    Value next = yield->getOperand(i);
    auto write = next.getDefiningOp<ScatterOp>();
    if (write && arg.hasOneUse() && next.hasOneUse() && write.getUnique() &&
        write.getOuts().size() == 1 && write.getOuts().front() == arg &&
        !write.getMonoid()) {
      outputs.push_back({static_cast<unsigned>(i), write});
      continue;
    }
    if (!stateArgs.empty() &&
        cast<ShapedType>(loop.getRegionIterArg(stateArgs.front()).getType())
                .getShape() != type.getShape())
      return failure();
    stateArgs.push_back(i);
  }
  return success(!stateArgs.empty() || !outputs.empty());
}

/// Finds along which dimension `output` is written, and that each step writes
/// all of it at its index and nothing else. The first output decides what the
/// domain is.
LogicalResult LoopRaiser::placeOutput(Output &output) {
  ScatterOp write = output.write;
  auto type = cast<RankedTensorType>(write.getOuts().front().getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> domain = write.getStaticDomain();
  OperandRange yields = write.getYield()->getOperands();
  if (static_cast<int64_t>(yields.size()) != 1 + rank ||
      llvm::any_of(domain, ShapedType::isDynamic))
    return failure();
  IndexTracer tracer;
  tracer.domain = domain;
  tracer.getLeaf = [&](Value leaf) -> AffineExpr {
    auto arg = dyn_cast<BlockArgument>(leaf);
    if (!arg || arg.getArgNumber() < write.getIns().size())
      return {};
    return traceLoopIndex(
        write.getCaptures()[arg.getArgNumber() - write.getIns().size()],
        /*asSymbol=*/true);
  };
  std::optional<int64_t> along;
  bool reverse = false;
  AffineExpr symbol = getAffineSymbolExpr(0, context);
  int64_t nextDim = 0;
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr expr = tracer.trace(yields[1 + d]);
    if (!expr)
      return failure();
    expr = simplifyIndex(expr, domain);
    if (expr.isFunctionOfSymbol(0)) {
      reverse = expr == (-symbol + (trips - 1));
      if (along || (expr != symbol && !reverse) || type.getDimSize(d) != trips)
        return failure();
      along = d;
      continue;
    }
    while (nextDim < static_cast<int64_t>(domain.size()) &&
           domain[nextDim] == 1)
      ++nextDim;
    if (type.getDimSize(d) == 1 && expr == getAffineConstantExpr(0, context))
      continue;
    if (expr != getAffineDimExpr(nextDim, context) ||
        domain[nextDim] != type.getDimSize(d))
      return failure();
    ++nextDim;
  }
  while (nextDim < static_cast<int64_t>(domain.size()) && domain[nextDim] == 1)
    ++nextDim;
  if (!along || nextDim != static_cast<int64_t>(domain.size()))
    return failure();
  if (!parts.domain.empty())
    return success(parts.dim == *along && parts.reverse == reverse &&
                   ArrayRef<int64_t>(parts.domain) == type.getShape());
  parts.domain.assign(type.getShape().begin(), type.getShape().end());
  parts.dim = *along;
  parts.reverse = reverse;
  return success();
}

//===----------------------------------------------------------------------===//
// Reading backwards
//===----------------------------------------------------------------------===//

Value LoopRaiser::makeIndex(AffineExpr expr) {
  OpBuilder builder = body.getBuilder();
  Location loc = loop.getLoc();
  SmallVector<Value> indices;
  for (size_t d = 0; d < parts.domain.size(); ++d)
    indices.push_back(expr.isFunctionOfDim(d)
                          ? builder.create<IndexOp>(loc, d).getResult()
                          : Value());
  return affine::expandAffineExpr(builder, loc, expr, indices, {});
}

Value LoopRaiser::readOperand(Value tensor, ArrayRef<AffineExpr> indices) {
  AffineMap map = AffineMap::get(parts.domain.size(), 0, indices, context);
  for (auto [i, operand] : llvm::enumerate(parts.operands))
    if (operand == tensor && parts.maps[i] == map)
      return body.getElements()[i];
  parts.operands.push_back(tensor);
  parts.maps.push_back(map);
  return body.addElement(getElementTypeOrSelf(tensor), tensor.getLoc());
}

Value LoopRaiser::readElement(Value tensor, ArrayRef<AffineExpr> given) {
  SmallVector<AffineExpr> indices;
  std::vector<const void *> key;
  for (AffineExpr expr : given) {
    indices.push_back(simplifyIndex(expr, parts.domain));
    key.push_back(indices.back().getAsOpaquePointer());
  }
  Value &known = memo[{tensor.getAsOpaquePointer(), key}];
  if (!known)
    known = readNew(tensor, indices);
  return known;
}

Value LoopRaiser::readNew(Value tensor, ArrayRef<AffineExpr> indices) {
  if (isOutside(tensor))
    return readOperand(tensor, indices);
  if (auto arg = dyn_cast<BlockArgument>(tensor)) {
    // The same element of a state.
    if (arg.getOwner() != loop.getBody())
      return {};
    const auto *it = llvm::find(stateArgs, arg.getArgNumber() - 1);
    if (it == stateArgs.end())
      return {};
    for (auto [expr, dim] : llvm::zip(indices, stateDims))
      if (expr != simplifyIndex(dim, parts.domain))
        return {};
    return parts.states[it - stateArgs.begin()];
  }
  Operation *op = tensor.getDefiningOp();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getResultType().hasStaticShape()
               ? readElement(expand.getSrc(),
                             throughReshape(expand.getReassociationIndices(),
                                            expand.getResultType(),
                                            /*toFiner=*/false, indices))
               : Value();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse.getSrcType().hasStaticShape()
               ? readElement(collapse.getSrc(),
                             throughReshape(collapse.getReassociationIndices(),
                                            collapse.getSrcType(),
                                            /*toFiner=*/true, indices))
               : Value();
  if (auto map = dyn_cast<MapOp>(op))
    return readMap(map, cast<OpResult>(tensor).getResultNumber(), indices);
  if (op->hasTrait<OpTrait::ConstantLike>())
    return readOperand(tensor, indices);
  return {};
}

Value LoopRaiser::readMap(MapOp map, unsigned result,
                          ArrayRef<AffineExpr> indices) {
  SmallVector<AffineExpr> symbols;
  for (Value symbol : map.getSymbols()) {
    AffineExpr expr = traceLoopIndex(symbol, /*asSymbol=*/false);
    if (!expr)
      return {};
    symbols.push_back(expr);
  }
  IRMapping mapping;
  Block *block = map.getBody();
  for (auto [in, inMap, arg] :
       llvm::zip(map.getIns(), map.getInMapArray(), block->getArguments())) {
    if (arg.use_empty())
      continue;
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : inMap.getResults())
      exprs.push_back(expr.replaceDimsAndSymbols(indices, symbols));
    Value element = readElement(in, exprs);
    if (!element)
      return {};
    mapping.map(arg, element);
  }
  for (auto [i, capture] : llvm::enumerate(map.getCaptures())) {
    BlockArgument arg = map.getCaptureArg(i);
    if (arg.use_empty())
      continue;
    Value value;
    if (!isa<ShapedType>(capture.getType()))
      value = readScalar(capture);
    else if (isOutside(capture))
      value = body.addCapture(capture);
    if (!value)
      return {};
    mapping.map(arg, value);
  }
  OpBuilder builder = body.getBuilder();
  for (Operation &inner : block->without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inner))
      mapping.map(index.getResult(), makeIndex(indices[index.getDim()]));
    else
      builder.clone(inner, mapping);
  }
  return mapping.lookup(map.getYield()->getOperand(result));
}

/// A scalar of the loop's body.
Value LoopRaiser::readScalar(Value value) {
  Operation *def = value.getDefiningOp();
  OpBuilder builder = body.getBuilder();
  if (def && def->hasTrait<OpTrait::ConstantLike>())
    return builder.clone(*def)->getResult(0);
  if (isOutside(value))
    return body.addCapture(value);
  if (AffineExpr expr = traceLoopIndex(value, /*asSymbol=*/false)) {
    Value index = makeIndex(expr);
    return value.getType().isIndex()
               ? index
               : builder.create<arith::IndexCastOp>(loop.getLoc(),
                                                    value.getType(), index);
  }
  if (!def)
    return {};
  if (auto read = dyn_cast<tensor::ExtractOp>(def)) {
    SmallVector<AffineExpr> indices;
    for (Value index : read.getIndices()) {
      AffineExpr expr = traceLoopIndex(index, /*asSymbol=*/false);
      if (!expr)
        return {};
      indices.push_back(expr);
    }
    return readElement(read.getTensor(), indices);
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(def->getDialect()) ||
      !isPure(def))
    return {};
  IRMapping mapping;
  for (Value operand : def->getOperands()) {
    Value element = readScalar(operand);
    if (!element)
      return {};
    mapping.map(operand, element);
  }
  builder = body.getBuilder();
  Operation *clone = builder.clone(*def, mapping);
  return clone->getResult(cast<OpResult>(value).getResultNumber());
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Fills in `parts`.
LogicalResult LoopRaiser::describe() {
  for (Output &output : outputs)
    if (failed(placeOutput(output)))
      return failure();
  ArrayRef<int64_t> stateShape;
  if (!stateArgs.empty())
    stateShape =
        cast<ShapedType>(loop.getRegionIterArg(stateArgs.front()).getType())
            .getShape();
  if (outputs.empty()) {
    parts.domain.assign(stateShape.begin(), stateShape.end());
    parts.dim = parts.domain.size();
    parts.domain.push_back(trips);
  }
  SmallVector<int64_t> without = parts.domain;
  without.erase(without.begin() + parts.dim);
  if (!stateArgs.empty() && ArrayRef<int64_t>(without) != stateShape)
    return failure();
  AffineExpr along = getAffineDimExpr(parts.dim, context);
  loopIndex = parts.reverse ? -along + (trips - 1) : along;
  for (int64_t d = 0, e = parts.domain.size(); d < e; ++d)
    if (d != parts.dim)
      stateDims.push_back(getAffineDimExpr(d, context));

  for (unsigned arg : stateArgs) {
    Value init = loop.getInitArgs()[arg];
    parts.init.push_back(init);
    parts.operands.push_back(Value());
    parts.maps.push_back(AffineMap());
    parts.states.push_back(
        body.addElement(getElementTypeOrSelf(init), init.getLoc()));
  }
  Operation *yield = loop.getBody()->getTerminator();
  for (unsigned arg : stateArgs) {
    parts.next.push_back(readElement(yield->getOperand(arg), stateDims));
    if (!parts.next.back())
      return failure();
  }
  for (Output &output : outputs) {
    // The writer's domain in terms of this one: positions of size 1 are 0, the
    // others come in order.
    ScatterOp write = output.write;
    SmallVector<AffineExpr> dims;
    size_t nextDim = 0;
    SmallVector<AffineExpr> others;
    for (AffineExpr dim : stateDims)
      if (parts.domain[cast<AffineDimExpr>(dim).getPosition()] != 1)
        others.push_back(dim);
    for (int64_t size : write.getStaticDomain())
      dims.push_back(size == 1 ? getAffineConstantExpr(0, context)
                               : others[nextDim++]);
    Value stored = write.getYield()->getOperand(0);
    auto arg = dyn_cast<BlockArgument>(stored);
    Value value;
    if (arg && arg.getArgNumber() < write.getIns().size() &&
        write.getSymbols().empty()) {
      AffineMap map = write.getInMapArray()[arg.getArgNumber()];
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : map.getResults())
        exprs.push_back(expr.replaceDims(dims));
      value = readElement(write.getIns()[arg.getArgNumber()], exprs);
    } else if (arg && arg.getArgNumber() >= write.getIns().size()) {
      value = readScalar(
          write.getCaptures()[arg.getArgNumber() - write.getIns().size()]);
    }
    if (!value)
      return failure();
    parts.outputs.push_back(value);
  }
  // A state may not be read at an index that depends on a state.
  DenseSet<Value> dependents = body.getDependents(parts.states);
  for (Operation &op : body.getBlock())
    if (isa<AtOp>(op) && dependents.contains(op.getResult(0)))
      return failure();
  return success();
}

LogicalResult LoopRaiser::run() {
  if (loop.getNumResults() == 0 || failed(findTrips()) || failed(sortCarried()))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      return failure();
  if (failed(describe()))
    return failure();
  rewriter.setInsertionPoint(loop);
  ScanResults results = buildScan(rewriter, loop.getLoc(),
                                  loop->getParentOfType<ModuleOp>(), parts);
  SmallVector<Value> values(loop.getNumResults());
  for (auto [arg, value] : llvm::zip(stateArgs, results.states))
    values[arg] = value;
  for (auto [output, value] : llvm::zip(outputs, results.outputs))
    values[output.carried] = value;
  rewriter.replaceOp(loop, values);
  return success();
}

struct RaiseScanPass : mlir::tang::impl::RaiseScanBase<RaiseScanPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    // Inner loops first: an outer one may become a scan of what they were.
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      (void)LoopRaiser(loop, rewriter).run();
  }
};

} // namespace
