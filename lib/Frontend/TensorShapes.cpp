//===- TensorShapes.cpp - Other shapes of the same elements ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// A size that becomes static is checked: at the function's entry where it is
/// that of an argument, else here.
struct CheckCast : ImportPattern<tensor::CastOp> {
  using ImportPattern::ImportPattern;
  static constexpr StringLiteral done = "tang.checked";

  LogicalResult matchAndRewrite(tensor::CastOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!from || !to)
      return refuse(op, "unranked tensors are not supported");
    if (op->hasAttr(done))
      return failure();
    for (int64_t d = 0; d < from.getRank(); ++d) {
      if (!from.isDynamicDim(d) || to.isDynamicDim(d) ||
          state.sizes.addStatic(op.getSource(), d, to.getDimSize(d)))
        continue;
      Location loc = op.getLoc();
      Value size = rewriter.create<tensor::DimOp>(loc, op.getSource(), d);
      Value want =
          rewriter.create<arith::ConstantIndexOp>(loc, to.getDimSize(d));
      Value same = rewriter.create<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, size, want);
      rewriter.create<cf::AssertOp>(
          loc, same,
          ("tensor.cast: dimension " + Twine(d) + " must be " +
           Twine(to.getDimSize(d)))
              .str());
    }
    rewriter.modifyOpInPlace(op, [&] {
      op->setDiscardableAttr(done, rewriter.getUnitAttr());
    });
    return success();
  }
};

/// Through one dimension that holds all elements. Sizes that are data are read
/// from the shape operand.
struct ImportReshape : ImportPattern<tensor::ReshapeOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!from || !to)
      return refuse(op, "unranked tensors are not supported");
    SmallVector<OpFoldResult> sizes;
    for (auto [d, size] : llvm::enumerate(to.getShape())) {
      if (!ShapedType::isDynamic(size)) {
        sizes.push_back(rewriter.getIndexAttr(size));
        continue;
      }
      Value at = rewriter.create<arith::ConstantIndexOp>(loc, d);
      Value read =
          rewriter.createOrFold<tensor::ExtractOp>(loc, op.getShape(), at);
      if (!read.getType().isIndex())
        read = rewriter.create<arith::IndexCastOp>(
            loc, rewriter.getIndexType(), read);
      sizes.push_back(read);
    }
    auto all = [&](int64_t rank) {
      SmallVector<ReassociationIndices> groups;
      if (rank != 0)
        groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
      return groups;
    };
    Value flat = op.getSource();
    if (from.getRank() == 0) {
      flat = rewriter.create<tensor::ExpandShapeOp>(
          loc, RankedTensorType::get({1}, from.getElementType()), flat,
          ArrayRef<ReassociationIndices>());
    } else if (from.getRank() > 1) {
      flat = rewriter.create<tensor::CollapseShapeOp>(loc, flat,
                                                      all(from.getRank()));
    }
    if (to.getRank() == 0) {
      if (tensorType(flat).isDynamicDim(0))
        flat = rewriter.create<tensor::CastOp>(
            loc, RankedTensorType::get({1}, to.getElementType()), flat);
      flat = rewriter.create<tensor::CollapseShapeOp>(
          loc, to, flat, ArrayRef<ReassociationIndices>());
    } else if (to.getRank() > 1) {
      // A dynamic group needs a dynamic source and the other way round.
      if (to.hasStaticShape() != tensorType(flat).hasStaticShape())
        flat = rewriter.create<tensor::CastOp>(
            loc,
            RankedTensorType::get({to.hasStaticShape() ? to.getNumElements()
                                                       : ShapedType::kDynamic},
                                  to.getElementType()),
            flat);
      flat = rewriter.create<tensor::ExpandShapeOp>(
          loc, to, flat, all(to.getRank()), sizes);
    } else if (flat.getType() != to) {
      flat = rewriter.create<tensor::CastOp>(loc, to, flat);
    }
    rewriter.replaceOp(op, flat);
    return success();
  }
};

struct ImportBitcast : ImportPattern<tensor::BitcastOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::BitcastOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getSource().getType()))
      return refuse(op, "unranked tensors are not supported");
    Value empty = makeEmpty(rewriter, op.getLoc(), type,
                            getSizes(rewriter, op.getLoc(), op.getSource()));
    Type element = type.getElementType();
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, op.getSource(),
        rewriter.getMultiDimIdentityMap(type.getRank()), ValueRange(),
        ValueRange(), [&](OpBuilder &b, Location loc, ValueRange args) {
          Value value = args.front();
          if (value.getType() != element)
            value = b.create<arith::BitcastOp>(loc, element, value);
          b.create<YieldOp>(loc, value);
        });
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateTensorShapes(RewritePatternSet &patterns,
                                              ImportState &state) {
  patterns.add<CheckCast, ImportReshape, ImportBitcast>(patterns.getContext(),
                                                        state);
}
