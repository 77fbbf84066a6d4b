//===- Elementwise.cpp - Scalar operations applied to tensors -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// An elementwise operation of any dialect with tensors for operands becomes a
/// map whose body is the same operation on scalars.
struct ImportElementwise : RewritePattern {
  ImportElementwise(MLIRContext *context, ImportState &state)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        state(state) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return failure();
    Location loc = op->getLoc();
    SmallVector<Value> ins, captures;
    for (Value operand : op->getOperands())
      (isa<RankedTensorType>(operand.getType()) ? ins : captures)
          .push_back(operand);
    state.sizes.addEqualShapes(ins);
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, ins.front());
    SmallVector<Value> outs;
    SmallVector<Type> scalars;
    for (Type type : op->getResultTypes()) {
      outs.push_back(
          makeEmpty(rewriter, loc, cast<RankedTensorType>(type), sizes));
      scalars.push_back(getElementTypeOrSelf(type));
    }
    SmallVector<AffineMap> maps(ins.size(),
                                rewriter.getMultiDimIdentityMap(sizes.size()));
    auto map = rewriter.create<MapOp>(
        loc, outs, ins, maps, captures, ValueRange(),
        [&](OpBuilder &builder, Location, ValueRange args) {
          SmallVector<Value> operands;
          size_t nextIn = 0, nextCapture = ins.size();
          for (Value operand : op->getOperands())
            operands.push_back(isa<RankedTensorType>(operand.getType())
                                   ? args[nextIn++]
                                   : args[nextCapture++]);
          Operation *scalar = builder.create(loc, op->getName().getIdentifier(),
                                             operands, scalars, op->getAttrs());
          builder.create<YieldOp>(loc, scalar->getResults());
        });
    rewriter.replaceOp(op, map);
    return success();
  }
  ImportState &state;
};

} // namespace

void mlir::tang::detail::populateElementwise(RewritePatternSet &patterns,
                                             ImportState &state) {
  patterns.add<ImportElementwise>(patterns.getContext(), state);
}
