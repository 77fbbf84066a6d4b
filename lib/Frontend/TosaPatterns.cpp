//===- TosaPatterns.cpp - Tang's own TOSA patterns ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tosa.h"

#include "Import.h"
#include "Tang/Dialect/Monoid.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// The fold that keeps the greatest or least number of a type.
MonoidAttr extremeMonoid(MLIRContext *context, Type element, bool greatest,
                         tosa::NanPropagationMode mode) {
  using K = MonoidKind;
  bool ignoresNan = mode == tosa::NanPropagationMode::IGNORE;
  K kind = !isa<FloatType>(element) ? (greatest ? K::MaxS : K::MinS)
           : ignoresNan             ? (greatest ? K::MaxNum : K::MinNum)
                                    : (greatest ? K::Maximum : K::Minimum);
  return MonoidAttr::get(context, kind);
}

/// The start of such a fold. Where NaN loses, an empty or all-NaN fold is NaN.
Attribute extremeStart(OpBuilder &builder, Type element, bool greatest,
                       tosa::NanPropagationMode mode) {
  auto type = dyn_cast<FloatType>(element);
  if (type && mode == tosa::NanPropagationMode::IGNORE)
    return FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()));
  return getExtremeAttr(element, /*least=*/greatest);
}

/// tosa.reduce_max and tosa.reduce_min; the reduced dimension stays as 1.
template <typename OpTy, bool greatest>
struct ImportReduceExtreme : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getInput().getType()))
      return failure();
    Location loc = op.getLoc();
    Type element = type.getElementType();
    int64_t axis = op.getAxis(), rank = type.getRank();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getInput());
    OpFoldResult over = sizes[axis];
    sizes[axis] = rewriter.getIndexAttr(1);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    SmallVector<AffineExpr> exprs;
    for (int64_t d = 0; d < rank; ++d)
      exprs.push_back(rewriter.getAffineDimExpr(d == axis ? rank : d));
    Value empty =
        makeEmpty(rewriter, loc, RankedTensorType::get(shape, element), sizes);
    Value result = rewriter
                       .create<ReduceOp>(
                           loc,
                           extremeMonoid(op.getContext(), element, greatest,
                                         op.getNanMode()),
                           empty, over, op.getInput(),
                           AffineMap::get(rank + 1, 0, exprs, op.getContext()),
                           ValueRange(), ValueRange(),
                           rewriter.getArrayAttr(extremeStart(
                               rewriter, element, greatest, op.getNanMode())),
                           [](OpBuilder &b, Location loc, ValueRange args) {
                             b.create<YieldOp>(loc, args);
                           })
                       .getResult(0);
    if (result.getType() != type)
      result = rewriter.create<tensor::CastOp>(loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A window fold whose padding takes no part: points outside of the input give
/// the identity.
struct ImportMaxPool : OpRewritePattern<tosa::MaxPool2dOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::MaxPool2dOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto inputType = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || !inputType || inputType.getRank() != 4)
      return failure();
    Location loc = op.getLoc();
    Type element = type.getElementType();
    ArrayRef<int64_t> kernel = op.getKernel(), stride = op.getStride(),
                      pad = op.getPad();
    SmallVector<OpFoldResult> input = getSizes(rewriter, loc, op.getInput());
    SmallVector<OpFoldResult> sizes = input;
    SmallVector<Value> captures{op.getInput()};
    for (int64_t d : {0, 1}) {
      Value in = toValue(rewriter, loc, input[1 + d]);
      captures.push_back(in);
      // (in + pads − kernel) / stride + 1
      auto number = [&](int64_t n) -> Value {
        return rewriter.create<arith::ConstantIndexOp>(loc, n);
      };
      Value span = rewriter.createOrFold<arith::AddIOp>(
          loc, in, number(pad[2 * d] + pad[2 * d + 1] - kernel[d]));
      span =
          rewriter.createOrFold<arith::DivUIOp>(loc, span, number(stride[d]));
      sizes[1 + d] = rewriter.createOrFold<arith::AddIOp>(loc, span, number(1));
    }
    Attribute start = extremeStart(rewriter, element, true, op.getNanMode());
    Value empty = makeEmpty(rewriter, loc, type, sizes);
    rewriter.replaceOpWithNewOp<ReduceOp>(
        op, extremeMonoid(op.getContext(), element, true, op.getNanMode()),
        empty,
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(kernel[0]),
                               rewriter.getIndexAttr(kernel[1])},
        ValueRange(), ArrayRef<AffineMap>(), captures, ValueRange(),
        rewriter.getArrayAttr(start),
        [&](OpBuilder &b, Location, ValueRange args) {
          auto number = [&](int64_t n) -> Value {
            return b.create<arith::ConstantIndexOp>(loc, n);
          };
          SmallVector<Value> indices;
          for (int64_t d = 0; d < 4; ++d)
            indices.push_back(b.create<IndexOp>(loc, d));
          Value inside;
          auto require = [&](arith::CmpIPredicate p, Value x, Value y) {
            Value holds = b.create<arith::CmpIOp>(loc, p, x, y);
            inside =
                inside ? b.create<arith::AndIOp>(loc, inside, holds).getResult()
                       : holds;
          };
          for (int64_t d : {0, 1}) {
            Value at =
                b.create<arith::MulIOp>(loc, indices[1 + d], number(stride[d]));
            at =
                b.create<arith::AddIOp>(loc, at, b.create<IndexOp>(loc, 4 + d));
            if (pad[2 * d] != 0) {
              at = b.create<arith::SubIOp>(loc, at, number(pad[2 * d]));
              require(arith::CmpIPredicate::sge, at, number(0));
            }
            if (pad[2 * d + 1] != 0)
              require(arith::CmpIPredicate::slt, at, args[1 + d]);
            indices[1 + d] = at;
          }
          Value read = b.create<AtOp>(loc, element, args[0], indices, Value());
          if (inside) {
            Value outside =
                b.create<arith::ConstantOp>(loc, cast<TypedAttr>(start));
            read = b.create<arith::SelectOp>(loc, inside, read, outside);
          }
          b.create<YieldOp>(loc, read);
        });
    return success();
  }
};

/// values_out[n, indices[n, w], c] = input[n, w, c]; no two are equal.
struct ImportTosaScatter : OpRewritePattern<tosa::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || op.getValuesIn().getType() != type ||
        !isa<RankedTensorType>(op.getInput().getType()))
      return failure();
    Location loc = op.getLoc();
    AffineExpr n, w, c;
    bindDims(op.getContext(), n, w, c);
    SmallVector<AffineMap> maps{
        AffineMap::get(3, 0, {n, w, c}, op.getContext()),
        AffineMap::get(3, 0, {n, w}, op.getContext())};
    rewriter.replaceOpWithNewOp<ScatterOp>(
        op, Attribute(), /*unique=*/true, op.getValuesIn(),
        getSizes(rewriter, loc, op.getInput()),
        ValueRange{op.getInput(), op.getIndices()}, maps, ValueRange(),
        ValueRange(), [&](OpBuilder &b, Location, ValueRange args) {
          Value row =
              b.create<arith::IndexCastOp>(loc, b.getIndexType(), args[1]);
          b.create<YieldOp>(loc, ValueRange{args[0], b.create<IndexOp>(loc, 0),
                                            row, b.create<IndexOp>(loc, 2)});
        });
    return success();
  }
};

/// result[i] = input[i mod size]; upstream goes through twice the rank.
struct ImportTile : OpRewritePattern<tosa::TileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::TileOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto inputType = dyn_cast<RankedTensorType>(op.getInput1().getType());
    SmallVector<int64_t> multiples;
    if (!type || !inputType || failed(op.getConstantMultiples(multiples)))
      return failure();
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getInput1());
    SmallVector<AffineExpr> exprs;
    SmallVector<Value> symbols;
    for (auto [d, multiple] : llvm::enumerate(multiples)) {
      if (multiple < 0)
        return failure();
      AffineExpr dim = rewriter.getAffineDimExpr(d);
      std::optional<int64_t> size = getConstantIntValue(sizes[d]);
      if (multiple == 1) {
        exprs.push_back(dim);
        continue;
      }
      if (size) {
        exprs.push_back(*size == 1   ? rewriter.getAffineConstantExpr(0)
                        : *size == 0 ? dim
                                     : dim % *size);
        sizes[d] = rewriter.getIndexAttr(*size * multiple);
        continue;
      }
      Value dynamic = cast<Value>(sizes[d]);
      exprs.push_back(dim % rewriter.getAffineSymbolExpr(symbols.size()));
      symbols.push_back(dynamic);
      sizes[d] = rewriter.createOrFold<arith::MulIOp>(
          loc, dynamic, rewriter.create<arith::ConstantIndexOp>(loc, multiple));
    }
    Value empty = makeEmpty(rewriter, loc, type, sizes);
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, op.getInput1(),
        AffineMap::get(type.getRank(), symbols.size(), exprs, op.getContext()),
        ValueRange(), symbols, [](OpBuilder &b, Location loc, ValueRange args) {
          b.create<YieldOp>(loc, args);
        });
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateTosa(RewritePatternSet &patterns) {
  patterns.add<ImportReduceExtreme<tosa::ReduceMaxOp, true>,
               ImportReduceExtreme<tosa::ReduceMinOp, false>, ImportMaxPool,
               ImportTosaScatter, ImportTile>(patterns.getContext());
}
