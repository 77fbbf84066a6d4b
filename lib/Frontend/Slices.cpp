//===- Slices.cpp - Slices of tensors -------------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "SliceBounds.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// An integer as an affine expression: a constant, or the next symbol.
AffineExpr asExpr(OpFoldResult value, SmallVectorImpl<Value> &symbols,
                  MLIRContext *context) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  symbols.push_back(cast<Value>(value));
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

/// result[i] = source[offset + i · stride].
struct ImportExtractSlice : ImportPattern<tensor::ExtractSliceOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    checkSliceBounds(rewriter, loc, "tensor.extract_slice", op.getSource(),
                     op.getMixedOffsets(), op.getMixedSizes(),
                     op.getMixedStrides());
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<Value> symbols;
    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> sizes;
    unsigned dim = 0;
    for (auto [d, offset, size, stride] : llvm::enumerate(
             op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
      AffineExpr expr = asExpr(offset, symbols, context);
      if (!dropped.test(d)) {
        expr = expr + getAffineDimExpr(dim++, context) *
                          asExpr(stride, symbols, context);
        sizes.push_back(size);
      }
      exprs.push_back(expr);
    }
    AffineMap map = AffineMap::get(dim, symbols.size(), exprs, context);
    Value empty = makeEmpty(rewriter, loc, op.getType(), sizes);
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, op.getSource(), map, ValueRange(), symbols,
        [](OpBuilder &builder, Location loc, ValueRange args) {
          builder.create<YieldOp>(loc, args);
        });
    return success();
  }
};

/// destination[offset + i · stride] = source[i].
template <typename OpTy> struct ImportInsertSlice : ImportPattern<OpTy> {
  using ImportPattern<OpTy>::ImportPattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    checkSliceBounds(rewriter, loc, "tensor.insert_slice", op.getDest(),
                     op.getMixedOffsets(), op.getMixedSizes(),
                     op.getMixedStrides());
    llvm::SmallBitVector dropped = op.getDroppedDims();
    int64_t sourceRank = tensorType(op.getSource()).getRank();
    SmallVector<Value> captures;
    auto capture = [&](OpFoldResult value) -> std::optional<int64_t> {
      if (std::optional<int64_t> constant = getConstantIntValue(value))
        return constant;
      captures.push_back(cast<Value>(value));
      return std::nullopt;
    };
    SmallVector<std::optional<int64_t>> numbers;
    for (auto [offset, stride] :
         llvm::zip(op.getMixedOffsets(), op.getMixedStrides())) {
      numbers.push_back(capture(offset));
      numbers.push_back(capture(stride));
    }
    auto scatter = rewriter.create<ScatterOp>(
        loc, Attribute(), /*unique=*/true, op.getDest(),
        getSizes(rewriter, loc, op.getSource()), op.getSource(),
        rewriter.getMultiDimIdentityMap(sourceRank), captures, ValueRange(),
        [&](OpBuilder &b, Location, ValueRange args) {
          SmallVector<Value> yields{args.front()};
          unsigned next = 1, dim = 0;
          auto number = [&](std::optional<int64_t> constant) -> Value {
            if (constant)
              return b.create<arith::ConstantIndexOp>(loc, *constant);
            return args[next++];
          };
          for (size_t d = 0; d < numbers.size() / 2; ++d) {
            Value offset = number(numbers[2 * d]);
            std::optional<int64_t> unit = numbers[2 * d + 1];
            Value stride = number(unit);
            if (!dropped.test(d)) {
              Value index = b.create<IndexOp>(loc, dim++);
              if (unit != 1)
                index = b.create<arith::MulIOp>(loc, index, stride);
              offset =
                  numbers[2 * d] == 0
                      ? index
                      : b.create<arith::AddIOp>(loc, index, offset).getResult();
            }
            yields.push_back(offset);
          }
          b.create<YieldOp>(loc, yields);
        });
    rewriter.replaceOp(op, scatter);
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateSlices(RewritePatternSet &patterns,
                                        ImportState &state) {
  patterns.add<ImportExtractSlice, ImportInsertSlice<tensor::InsertSliceOp>>(
      patterns.getContext(), state);
}
