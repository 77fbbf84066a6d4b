//===- TensorShapes.cpp - Other shapes of the same elements ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// Marks operations that stay and have been checked; gone after the import.
constexpr StringLiteral done = "tang.checked";

/// A size that becomes static is checked: at the function's entry where it is
/// that of an argument, else here.
struct CheckCast : ImportPattern<tensor::CastOp> {
  using ImportPattern::ImportPattern;

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
      Value same = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                  size, want);
      rewriter.create<cf::AssertOp>(loc, same,
                                    ("tensor.cast: dimension " + Twine(d) +
                                     " must be " + Twine(to.getDimSize(d)))
                                        .str());
    }
    rewriter.modifyOpInPlace(
        op, [&] { op->setDiscardableAttr(done, rewriter.getUnitAttr()); });
    return success();
  }
};

/// Sizes that a dynamic dimension is split into must multiply to it.
struct CheckExpand : ImportPattern<tensor::ExpandShapeOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr(done))
      return failure();
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes = getMixedValues(
        op.getStaticOutputShape(), op.getOutputShape(), rewriter);
    for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
      int64_t factor = 1;
      SmallVector<Value> dynamic;
      for (int64_t i : group) {
        std::optional<int64_t> constant = getConstantIntValue(sizes[i]);
        if (constant)
          factor *= *constant;
        else
          dynamic.push_back(cast<Value>(sizes[i]));
      }
      if (!op.getSrcType().isDynamicDim(d) && dynamic.empty())
        continue;
      if (factor == 1 && dynamic.size() == 1)
        if (auto dim = dynamic.front().getDefiningOp<tensor::DimOp>())
          if (dim.getSource() == op.getSrc() &&
              dim.getConstantIndex() == static_cast<int64_t>(d))
            continue;
      Value product = rewriter.create<arith::ConstantIndexOp>(loc, factor);
      for (Value size : dynamic)
        product = rewriter.createOrFold<arith::MulIOp>(loc, product, size);
      Value whole =
          toValue(rewriter, loc, getSize(rewriter, loc, op.getSrc(), d));
      Value same = rewriter.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, product, whole);
      if (!matchPattern(same, m_One()))
        rewriter.create<cf::AssertOp>(
            loc, same,
            ("tensor.expand_shape: the sizes that dimension " + Twine(d) +
             " is split into do not multiply to it")
                .str());
    }
    rewriter.modifyOpInPlace(
        op, [&] { op->setDiscardableAttr(done, rewriter.getUnitAttr()); });
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
        read = rewriter.create<arith::IndexCastOp>(loc, rewriter.getIndexType(),
                                                   read);
      sizes.push_back(read);
    }
    // Sizes that are data must hold as many elements.
    if (!to.hasStaticShape() || !from.hasStaticShape()) {
      auto count = [&](ArrayRef<OpFoldResult> shape) {
        Value product = rewriter.create<arith::ConstantIndexOp>(loc, 1);
        for (OpFoldResult size : shape)
          product = rewriter.createOrFold<arith::MulIOp>(
              loc, product, toValue(rewriter, loc, size));
        return product;
      };
      Value same = rewriter.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, count(sizes),
          count(getSizes(rewriter, loc, op.getSource())));
      rewriter.create<cf::AssertOp>(
          loc, same,
          "tensor.reshape: the shape holds another number of "
          "elements than the tensor");
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
      flat = rewriter.create<tensor::ExpandShapeOp>(loc, to, flat,
                                                    all(to.getRank()), sizes);
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
  patterns.add<CheckCast, CheckExpand, ImportReshape, ImportBitcast>(
      patterns.getContext(), state);
}
