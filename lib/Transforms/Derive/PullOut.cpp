//===- PullOut.cpp - Row factors leave sums -------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Law: Σ_c h·g(c) = h·Σ_c g(c) where h does not depend on c; the same with a
// division. A sum that had to wait for h (a normaliser, say) no longer does.
//
// Where it is done: h comes from a sum of exp(x − max x), which is at least 1
// (so that h is neither 0 nor infinite where g is not), and a factor of g is
// such an exponential, at most 1, so that the sum without h is no greater than
// n times its other factors. Numeric effect: one rounding in place of n, a
// rounding of h·g to a narrower type becomes one of g; the first-order bound is
// no worse. The sum of the other factors must stay in the accumulator's range.
//
// Under `fast` every h that is made from a fold leaves: the norm of a row, in
// front of a contraction. Roundings are as few, but nothing bounds h or g then:
// Σ g may overflow or underflow where Σ h·g does not.
//
//===----------------------------------------------------------------------===//

#include "../FuseMaps.h"
#include "Record.h"
#include "Tang/Analysis/Gauge.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGPULLOUT
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// Whether `value` in the body of `op` is exp(x − max x), through casts and
/// maps that `op` reads.
bool isBareExponential(StructuredOp op, Value value) {
  if (isAtMostOne(op, value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getArgNumber() >= op.getIns().size())
      return false;
    auto result = dyn_cast<OpResult>(op.getIns()[argument.getArgNumber()]);
    auto map = result ? dyn_cast<MapOp>(result.getOwner()) : MapOp();
    return map && isBareExponential(
                      cast<StructuredOp>(map.getOperation()),
                      map.getYield()->getOperand(result.getResultNumber()));
  }
  Operation *def = value.getDefiningOp();
  return isa<arith::TruncFOp, arith::ExtFOp>(def) &&
         isBareExponential(op, def->getOperand(0));
}

/// Whether a tensor is, maybe through maps, a sum of exp(x − max x): such a
/// normaliser is at least 1, or NaN. With `any`, whether it is a fold at all.
bool isNormaliser(Value value, bool any, int depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (any)
      return true;
    auto monoid = dyn_cast<MonoidAttr>(reduce.getMonoid());
    ArrayAttr init = reduce.getInitAttr();
    return monoid && monoid.getKind() == MonoidKind::Add && init &&
           isa<FloatAttr>(init[0]) &&
           cast<FloatAttr>(init[0]).getValue().isZero() &&
           isBareExponential(cast<StructuredOp>(op),
                             reduce.getYield()->getOperand(0));
  }
  auto map = dyn_cast<MapOp>(op);
  return map && llvm::any_of(map.getIns(), [&](Value in) {
           return isNormaliser(in, any, depth - 1);
         });
}

/// A body seen from a sum that reads it, whose reduced dimensions are given by
/// a predicate on the body's operands.
class Factors {
public:
  Factors(StructuredOp op, llvm::function_ref<bool(unsigned)> isRow, bool any)
      : op(op), isRow(isRow), any(any) {}

  /// An expression of row operands only, one of which is a normaliser (with
  /// `any`, a fold).
  bool isRowFactor(Value value) {
    bool normalises = false;
    return isRowOnly(value, normalises) && normalises;
  }

  /// The multiplication or division by a row factor on the way of products
  /// from `value` down.
  Operation *find(Value value) {
    Operation *def = value.getDefiningOp();
    // What is read twice, as in a square, would leave twice.
    if (!def || !value.hasOneUse())
      return nullptr;
    if (isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp>(def))
      return find(def->getOperand(0));
    if (isa<arith::DivFOp>(def)) {
      if (isRowFactor(def->getOperand(1)))
        return def;
      return find(def->getOperand(0));
    }
    if (isa<arith::MulFOp>(def)) {
      for (unsigned i : {0, 1})
        if (isRowFactor(def->getOperand(i)) &&
            !isRowFactor(def->getOperand(1 - i)))
          return def;
      for (unsigned i : {0, 1})
        if (Operation *found = find(def->getOperand(i)))
          return found;
    }
    return nullptr;
  }

  /// Whether a factor of the product is at most 1; with `any` it need not be.
  bool isBounded(Value value) {
    if (any || isAtMostOne(op, value))
      return true;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getArgNumber() >= op.getIns().size())
        return false;
      auto result = dyn_cast<OpResult>(op.getIns()[arg.getArgNumber()]);
      auto map = result ? dyn_cast<MapOp>(result.getOwner()) : MapOp();
      return map && Factors(cast<StructuredOp>(map.getOperation()), isRow, any)
                        .isBounded(map.getYield()->getOperand(
                            result.getResultNumber()));
    }
    Operation *def = value.getDefiningOp();
    if (isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp, arith::DivFOp>(def))
      return isBounded(def->getOperand(0));
    if (isa<arith::MulFOp>(def))
      return isBounded(def->getOperand(0)) || isBounded(def->getOperand(1));
    if (auto select = dyn_cast<arith::SelectOp>(def)) {
      auto good = [&](Value v) {
        return matchPattern(v, m_AnyZeroFloat()) || isBounded(v);
      };
      return good(select.getTrueValue()) && good(select.getFalseValue());
    }
    return false;
  }

private:
  bool isRowOnly(Value value, bool &normalises) {
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      unsigned i = arg.getArgNumber();
      if (i >= op.getIns().size() || !isRow(i))
        return false;
      normalises |= isNormaliser(op.getIns()[i], any);
      return true;
    }
    Operation *def = value.getDefiningOp();
    if (isa<IndexOp, AtOp>(def))
      return false;
    return llvm::all_of(def->getOperands(),
                        [&](Value v) { return isRowOnly(v, normalises); });
  }

  StructuredOp op;
  llvm::function_ref<bool(unsigned)> isRow;
  bool any;
};

bool dependsOnReduced(ReduceOp reduce, AffineMap map) {
  for (int64_t d = reduce.getNumResultDims(),
               e = cast<StructuredOp>(reduce.getOperation()).getNumDims();
       d < e; ++d)
    if (map.isFunctionOfDim(d))
      return true;
  return false;
}

struct PullOut : OpRewritePattern<ReduceOp> {
  PullOut(MLIRContext *context, bool fast)
      : OpRewritePattern(context), fast(fast) {}

  LogicalResult matchAndRewrite(ReduceOp reduce,
                                PatternRewriter &rewriter) const override {
    auto monoid = dyn_cast<MonoidAttr>(reduce.getMonoid());
    ArrayAttr init = reduce.getInitAttr();
    if (reduce.isBufferized() || !monoid ||
        monoid.getKind() != MonoidKind::Add || !init ||
        !isa<FloatAttr>(init[0]) ||
        !cast<FloatAttr>(init[0]).getValue().isZero())
      return rewriter.notifyMatchFailure(reduce, "is not a sum from zero");
    // An empty sum is 0, not 0 divided by the empty normaliser.
    if (llvm::is_contained(reduce.getStaticSizes(), 0))
      return rewriter.notifyMatchFailure(reduce, "sums nothing");
    auto op = cast<StructuredOp>(reduce.getOperation());
    SmallVector<AffineMap> maps = op.getInMapArray();

    // A factor in a map that the sum reads: the map moves in first.
    for (auto [i, in] : llvm::enumerate(op.getIns())) {
      auto map = in.getDefiningOp<MapOp>();
      if (!map || !dependsOnReduced(reduce, maps[i]))
        continue;
      auto inner = cast<StructuredOp>(map.getOperation());
      AffineMap at = maps[i];
      auto isRow = [&](unsigned k) {
        return !dependsOnReduced(reduce, inner.getInMapArray()[k].compose(at));
      };
      if (at.getNumSymbols() || !inner.getSymbols().empty())
        continue;
      Factors factors(inner, isRow, fast);
      Value yielded =
          map.getYield()->getOperand(cast<OpResult>(in).getResultNumber());
      if (!onProductPath(op.getYield()->getOperand(0),
                         op.getBody()->getArgument(i)))
        continue;
      if (!factors.find(yielded) || !factors.isBounded(yielded))
        continue;
      inlineMap(rewriter, op, map, i);
      return success();
    }

    auto isRow = [&](unsigned k) { return !dependsOnReduced(reduce, maps[k]); };
    Factors factors(op, isRow, fast);
    Value yielded = op.getYield()->getOperand(0);
    Operation *found = factors.find(yielded);
    if (!found || !factors.isBounded(yielded))
      return rewriter.notifyMatchFailure(reduce, "has no bounded row factor");
    bool divides = isa<arith::DivFOp>(found);
    unsigned which =
        divides || factors.isRowFactor(found->getOperand(1)) ? 1 : 0;
    Value factor = found->getOperand(which);

    // The projection reads what the factor is made of.
    rewriter.setInsertionPointAfter(reduce);
    Location loc = reduce.getLoc();
    int64_t rank = reduce.getNumResultDims();
    SmallVector<Value> ins = {reduce.getResult(0)};
    SmallVector<AffineMap> inMaps = {rewriter.getMultiDimIdentityMap(rank)};
    SmallVector<unsigned> positions;
    for (auto [i, in] : llvm::enumerate(op.getIns()))
      if (isRow(i)) {
        positions.push_back(i);
        ins.push_back(in);
        inMaps.push_back(AffineMap::get(rank, maps[i].getNumSymbols(),
                                        maps[i].getResults(),
                                        rewriter.getContext()));
      }
    auto type = cast<RankedTensorType>(reduce.getResult(0).getType());
    Value empty = rewriter.create<tensor::EmptyOp>(
        loc, tensor::getMixedSizes(rewriter, loc, reduce.getOuts().front()),
        type.getElementType());
    auto projection = rewriter.create<MapOp>(
        loc, empty, ins, inMaps, reduce.getSizes(), op.getSymbols(),
        [&](OpBuilder &b, Location l, ValueRange args) {
          IRMapping mapping;
          for (auto [k, i] : llvm::enumerate(positions))
            mapping.map(op.getBody()->getArgument(i), args[k + 1]);
          Value h = cloneExpression(b, factor, mapping);
          auto from = cast<FloatType>(h.getType()),
               to = cast<FloatType>(type.getElementType());
          if (from.getWidth() < to.getWidth())
            h = b.create<arith::ExtFOp>(l, to, h);
          else if (from.getWidth() > to.getWidth())
            h = b.create<arith::TruncFOp>(l, to, h);
          Value value = divides
                            ? b.create<arith::DivFOp>(l, args[0], h).getResult()
                            : b.create<arith::MulFOp>(l, args[0], h);
          // Dynamic sizes may be 0.
          Value zero;
          for (Value size : args.take_back(reduce.getSizes().size())) {
            if (!zero)
              zero = b.create<arith::ConstantIndexOp>(l, 0);
            Value some = b.create<arith::CmpIOp>(l, arith::CmpIPredicate::ne,
                                                 size, zero);
            value = b.create<arith::SelectOp>(l, some, value, args[0]);
          }
          b.create<YieldOp>(l, value);
        });
    rewriter.replaceAllUsesExcept(reduce.getResult(0), projection.getResult(0),
                                  projection);
    rewriter.modifyOpInPlace(reduce, [&] {
      rewriter.replaceOp(found, found->getOperand(1 - which));
      addRecord(reduce, "tang.rules",
                Twine("pull-out: the sum of h * g is h times the sum of g; ") +
                    (fast ? "one rounding in place of one a term, and the "
                            "range of the sum of g"
                          : "one rounding in place of one a term"));
    });
    return success();
  }

private:
  bool fast;

  /// Whether an argument is a factor of the yielded product.
  static bool onProductPath(Value value, BlockArgument argument) {
    if (value == argument)
      return true;
    Operation *def = value.getDefiningOp();
    if (!def || !isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp,
                     arith::MulFOp, arith::DivFOp>(def))
      return false;
    if (isa<arith::DivFOp>(def))
      return onProductPath(def->getOperand(0), argument);
    return llvm::any_of(def->getOperands(),
                        [&](Value v) { return onProductPath(v, argument); });
  }

  static Value cloneExpression(OpBuilder &b, Value value, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *def = value.getDefiningOp();
    for (Value operand : def->getOperands())
      mapping.map(operand, cloneExpression(b, operand, mapping));
    return b.clone(*def, mapping)
        ->getResult(cast<OpResult>(value).getResultNumber());
  }
};

struct PullOutPass : tang::impl::TangPullOutBase<PullOutPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PullOut>(&getContext(), numerics == "fast");
    for (StringRef name : {"tang.map", "tang.reduce"})
      if (auto info = RegisteredOperationName::lookup(name, &getContext()))
        info->getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
