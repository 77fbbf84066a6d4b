//===- TensorGather.cpp - tensor.gather and tensor.scatter ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last dimension of `indices` holds coordinates along some dimensions of
// the source; the others are taken whole.
//
//===----------------------------------------------------------------------===//

#include "Import.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// How a slice of the tensor with coordinates is laid out in the other one: the
/// batch dimensions of the indices first, then the slice, with its dimensions
/// of size 1 kept or dropped.
struct SliceLayout {
  int64_t batch;
  bool keepsUnitDims;
  ArrayRef<int64_t> coordinateDims;

  SliceLayout(RankedTensorType slices, RankedTensorType indices,
              RankedTensorType whole, ArrayRef<int64_t> dims)
      : batch(indices.getRank() - 1),
        keepsUnitDims(slices.getRank() == batch + whole.getRank()),
        coordinateDims(dims) {}

  /// The index into the whole tensor at a point of the slices.
  SmallVector<Value> build(OpBuilder &b, Location loc, int64_t rank,
                           ValueRange coordinates) const {
    SmallVector<Value> indices;
    int64_t dim = batch;
    for (int64_t d = 0; d < rank; ++d) {
      const auto *found = llvm::find(coordinateDims, d);
      if (found == coordinateDims.end()) {
        indices.push_back(b.create<IndexOp>(loc, dim++));
        continue;
      }
      Value index = coordinates[found - coordinateDims.begin()];
      if (!index.getType().isIndex())
        index = b.create<arith::IndexCastOp>(loc, b.getIndexType(), index);
      indices.push_back(index);
      dim += keepsUnitDims;
    }
    return indices;
  }

  /// The maps that read the coordinates.
  SmallVector<AffineMap> coordinateMaps(int64_t numDims,
                                        MLIRContext *context) const {
    SmallVector<AffineMap> maps;
    for (size_t c = 0; c < coordinateDims.size(); ++c) {
      SmallVector<AffineExpr> exprs;
      for (int64_t d = 0; d < batch; ++d)
        exprs.push_back(getAffineDimExpr(d, context));
      exprs.push_back(getAffineConstantExpr(c, context));
      maps.push_back(AffineMap::get(numDims, 0, exprs, context));
    }
    return maps;
  }
};

struct ImportGather : ImportPattern<tensor::GatherOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = op.getResultType();
    auto sourceType = tensorType(op.getSource());
    SliceLayout layout(type, tensorType(op.getIndices()), sourceType,
                       op.getGatherDims());
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getIndices());
    sizes.pop_back();
    for (int64_t d = 0; d < sourceType.getRank(); ++d) {
      if (!llvm::is_contained(op.getGatherDims(), d))
        sizes.push_back(getSize(rewriter, loc, op.getSource(), d));
      else if (layout.keepsUnitDims)
        sizes.push_back(rewriter.getIndexAttr(1));
    }
    SmallVector<AffineMap> maps =
        layout.coordinateMaps(type.getRank(), op.getContext());
    SmallVector<Value> ins(maps.size(), op.getIndices());
    Value empty = makeEmpty(rewriter, loc, type, sizes);
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, ins, maps, op.getSource(), ValueRange(),
        [&](OpBuilder &b, Location, ValueRange args) {
          SmallVector<Value> indices =
              layout.build(b, loc, sourceType.getRank(), args.drop_back());
          Value read = b.create<AtOp>(loc, type.getElementType(), args.back(),
                                      indices, Value());
          b.create<YieldOp>(loc, read);
        });
    return success();
  }
};

struct ImportScatter : ImportPattern<tensor::ScatterOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto sourceType = tensorType(op.getSource());
    auto destType = tensorType(op.getDest());
    SliceLayout layout(sourceType, tensorType(op.getIndices()), destType,
                       op.getScatterDims());
    SmallVector<AffineMap> maps =
        layout.coordinateMaps(sourceType.getRank(), op.getContext());
    SmallVector<Value> ins(maps.size(), op.getIndices());
    ins.push_back(op.getSource());
    maps.push_back(rewriter.getMultiDimIdentityMap(sourceType.getRank()));
    rewriter.replaceOpWithNewOp<ScatterOp>(
        op, Attribute(), op.getUnique(), op.getDest(),
        getSizes(rewriter, loc, op.getSource()), ins, maps, ValueRange(),
        ValueRange(), [&](OpBuilder &b, Location, ValueRange args) {
          SmallVector<Value> yields{args.back()};
          llvm::append_range(yields, layout.build(b, loc, destType.getRank(),
                                                  args.drop_back()));
          b.create<YieldOp>(loc, yields);
        });
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateTensorGather(RewritePatternSet &patterns,
                                              ImportState &state) {
  patterns.add<ImportGather, ImportScatter>(patterns.getContext(), state);
}
