//===- Pack.cpp - linalg.pack and linalg.unpack ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed tensor has the tiles' positions first (perhaps permuted), then the
// positions within a tile: source index = outer · tile + inner.
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// Where the tiles of each dimension of the unpacked tensor are found in the
/// packed one.
struct PackedDims {
  /// The packed dimension that counts the tiles, and the one within a tile (-1
  /// if not tiled).
  SmallVector<int64_t> outer, inner;

  PackedDims(ArrayRef<int64_t> perm, ArrayRef<int64_t> innerPos, int64_t rank)
      : outer(rank), inner(rank, -1) {
    for (int64_t d = 0; d < rank; ++d)
      outer[perm.empty() ? d : perm[d]] = d;
    for (auto [i, pos] : llvm::enumerate(innerPos))
      inner[pos] = rank + i;
  }
};

/// Tiles as captures, one for each dimension, null where not tiled or static.
struct Tiles {
  SmallVector<int64_t> sizes;
  SmallVector<Value> dynamic;
  SmallVector<int64_t> dynamicDims;

  Tiles(ArrayRef<OpFoldResult> tiles, ArrayRef<int64_t> pos, int64_t rank)
      : sizes(rank, 1) {
    for (auto [tile, p] : llvm::zip(tiles, pos)) {
      std::optional<int64_t> constant = getConstantIntValue(tile);
      sizes[p] = constant.value_or(ShapedType::kDynamic);
      if (!constant) {
        dynamic.push_back(cast<Value>(tile));
        dynamicDims.push_back(p);
      }
    }
  }
  Value get(OpBuilder &builder, Location loc, int64_t dim,
            ValueRange captures) const {
    if (!ShapedType::isDynamic(sizes[dim]))
      return builder.create<arith::ConstantIndexOp>(loc, sizes[dim]);
    return captures[llvm::find(dynamicDims, dim) - dynamicDims.begin()];
  }
};

struct ImportPack : ImportPattern<linalg::PackOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return refuse(op, "it works on buffers; only tensors are imported");
    Location loc = op.getLoc();
    int64_t rank = tensorType(op.getSource()).getRank();
    PackedDims dims(op.getOuterDimsPerm(), op.getInnerDimsPos(), rank);
    Tiles tiles(op.getMixedTiles(), op.getInnerDimsPos(), rank);
    Value padding = op.getPaddingValue();
    SmallVector<Value> captures(tiles.dynamic);
    captures.push_back(op.getSource());
    if (padding) {
      captures.push_back(padding);
      for (OpFoldResult size : getSizes(rewriter, loc, op.getSource()))
        captures.push_back(toValue(rewriter, loc, size));
    }
    size_t source = tiles.dynamic.size();
    auto map = rewriter.create<MapOp>(
        loc, op.getDest(), ValueRange(), ArrayRef<AffineMap>(), captures,
        ValueRange(), [&](OpBuilder &b, Location, ValueRange args) {
          SmallVector<Value> indices;
          Value inside;
          for (int64_t d = 0; d < rank; ++d) {
            Value index = b.create<IndexOp>(loc, dims.outer[d]);
            if (dims.inner[d] >= 0) {
              index = b.create<arith::MulIOp>(loc, index,
                                              tiles.get(b, loc, d, args));
              index = b.create<arith::AddIOp>(
                  loc, index, b.create<IndexOp>(loc, dims.inner[d]));
              if (padding) {
                Value fits =
                    b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                            index, args[source + 2 + d]);
                inside =
                    inside
                        ? b.create<arith::AndIOp>(loc, inside, fits).getResult()
                        : fits;
              }
            }
            indices.push_back(index);
          }
          Value read =
              b.create<AtOp>(loc, tensorType(op.getSource()).getElementType(),
                             args[source], indices, Value());
          if (inside)
            read =
                b.create<arith::SelectOp>(loc, inside, read, args[source + 1]);
          b.create<YieldOp>(loc, read);
        });
    rewriter.replaceOp(op, map);
    return success();
  }
};

struct ImportUnPack : ImportPattern<linalg::UnPackOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return refuse(op, "it works on buffers; only tensors are imported");
    Location loc = op.getLoc();
    int64_t rank = tensorType(op.getDest()).getRank();
    PackedDims dims(op.getOuterDimsPerm(), op.getInnerDimsPos(), rank);
    Tiles tiles(op.getMixedTiles(), op.getInnerDimsPos(), rank);
    SmallVector<Value> captures(tiles.dynamic);
    captures.push_back(op.getSource());
    auto map = rewriter.create<MapOp>(
        loc, op.getDest(), ValueRange(), ArrayRef<AffineMap>(), captures,
        ValueRange(), [&](OpBuilder &b, Location, ValueRange args) {
          SmallVector<Value> indices(tensorType(op.getSource()).getRank());
          for (int64_t d = 0; d < rank; ++d) {
            Value index = b.create<IndexOp>(loc, d);
            if (dims.inner[d] >= 0) {
              Value tile = tiles.get(b, loc, d, args);
              indices[dims.inner[d]] =
                  b.create<arith::RemUIOp>(loc, index, tile);
              index = b.create<arith::DivUIOp>(loc, index, tile);
            }
            indices[dims.outer[d]] = index;
          }
          Value read =
              b.create<AtOp>(loc, tensorType(op.getSource()).getElementType(),
                             args.back(), indices, Value());
          b.create<YieldOp>(loc, read);
        });
    rewriter.replaceOp(op, map);
    return success();
  }
};

} // namespace

void mlir::tang::detail::populatePack(RewritePatternSet &patterns,
                                      ImportState &state) {
  patterns.add<ImportPack, ImportUnPack>(patterns.getContext(), state);
}
