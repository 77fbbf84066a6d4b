//===- WidenAccumulators.cpp - Narrow sums accumulate in f32 --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGWIDENACCUMULATORS
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

struct WidenReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  /// A map that casts every element of `tensor` to `type`.
  template <typename Cast>
  static Value castElements(OpBuilder &b, Location loc, Value tensor,
                            Type type) {
    SmallVector<OpFoldResult> shape = tensor::getMixedSizes(b, loc, tensor);
    Value empty = b.create<tensor::EmptyOp>(loc, shape, type);
    AffineMap identity = b.getMultiDimIdentityMap(shape.size());
    return b
        .create<MapOp>(loc, empty, tensor, identity, ValueRange{}, ValueRange{},
                       [&](OpBuilder &in, Location l, ValueRange args) {
                         Value v = in.create<Cast>(l, type, args[0]);
                         in.create<YieldOp>(l, v);
                       })
        .getResult(0);
  }

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto monoid = dyn_cast<MonoidAttr>(op.getMonoid());
    if (op.isBufferized() || !monoid ||
        (monoid.getKind() != MonoidKind::Add &&
         monoid.getKind() != MonoidKind::Mul))
      return rewriter.notifyMatchFailure(op, "is not a sum or a product");
    auto narrow =
        dyn_cast<FloatType>(getElementTypeOrSelf(op.getOuts().front()));
    if (!narrow || narrow.getWidth() >= 32)
      return rewriter.notifyMatchFailure(op, "accumulates in f32 or wider");

    Location loc = op.getLoc();
    Type wide = rewriter.getF32Type();
    auto outType = cast<RankedTensorType>(op.getOuts().front().getType());
    Value out;
    ArrayAttr init;
    if (ArrayAttr old = op.getInitAttr()) {
      APFloat value = cast<FloatAttr>(old[0]).getValue();
      bool lossy;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                    &lossy);
      init = rewriter.getArrayAttr(FloatAttr::get(wide, value));
      out = rewriter.create<tensor::EmptyOp>(
          loc, tensor::getMixedSizes(rewriter, loc, op.getOuts().front()),
          wide);
    } else {
      out = castElements<arith::ExtFOp>(rewriter, loc, op.getOuts().front(),
                                        wide);
    }
    SmallVector<OpFoldResult> over =
        getMixedValues(op.getStaticSizes(), op.getSizes(), rewriter);
    auto widened = rewriter.create<ReduceOp>(
        loc, op.getMonoid(), out, over, op.getIns(), op.getInMapArray(),
        op.getCaptures(), op.getSymbols(), init);
    rewriter.inlineRegionBefore(op.getRegion(), widened.getRegion(),
                                widened.getRegion().begin());
    Operation *yield = widened.getYield();
    rewriter.setInsertionPoint(yield);
    Value value = yield->getOperand(0);
    auto extend = [&](Value v) -> Value {
      return rewriter.create<arith::ExtFOp>(loc, wide, v);
    };
    auto product = value.getDefiningOp<arith::MulFOp>();
    Value lifted =
        product ? rewriter
                      .create<arith::MulFOp>(loc, extend(product.getLhs()),
                                             extend(product.getRhs()))
                      .getResult()
                : extend(value);
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, lifted); });
    rewriter.setInsertionPointAfter(widened);
    Value rounded = castElements<arith::TruncFOp>(rewriter, loc,
                                                  widened.getResult(0), narrow);
    if (rounded.getType() != outType)
      rounded = rewriter.create<tensor::CastOp>(loc, outType, rounded);
    rewriter.replaceOp(op, rounded);
    return success();
  }
};

struct WidenPass : tang::impl::TangWidenAccumulatorsBase<WidenPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<WidenReduce>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
