//===- Decompose.cpp - Indirect operations become structured ones
//------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGDECOMPOSE
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

using Body = function_ref<void(OpBuilder &, Location, ValueRange)>;

Value emptyOf(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> shape,
              Type element) {
  return b.create<tensor::EmptyOp>(loc, shape, element);
}

Value toInteger(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isInteger(1)) // true is 1, not -1
    return type.isIndex()
               ? b.create<arith::IndexCastUIOp>(loc, type, value).getResult()
               : b.create<arith::ExtUIOp>(loc, type, value).getResult();
  if (type.isIndex() || value.getType().isIndex())
    return b.create<arith::IndexCastOp>(loc, type, value);
  if (type.getIntOrFloatBitWidth() > value.getType().getIntOrFloatBitWidth())
    return b.create<arith::ExtSIOp>(loc, type, value);
  return b.create<arith::TruncIOp>(loc, type, value);
}

/// The identity map on the first dimensions of a larger domain, with dimension
/// `dim` replaced by dimension `by`.
AffineMap replacedDim(MLIRContext *context, int64_t numDims, int64_t rank,
                      int64_t dim, int64_t by) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(d == dim ? by : d, context));
  return AffineMap::get(numDims, 0, exprs, context);
}

Value fill(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> shape,
           TypedAttr value) {
  Value empty = emptyOf(b, loc, shape, value.getType());
  return b
      .create<MapOp>(loc, empty, ValueRange{}, ArrayRef<AffineMap>{},
                     ValueRange{}, ValueRange{},
                     [&](OpBuilder &in, Location l, ValueRange) {
                       Value v = in.create<arith::ConstantOp>(l, value);
                       in.create<YieldOp>(l, v);
                     })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

struct DecomposeGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReifiedRankedShapedTypeDims shapes;
    if (failed(op.reifyResultShapes(rewriter, shapes)))
      return failure();
    auto resultType = cast<RankedTensorType>(op.getType());
    int64_t rank = resultType.getRank();
    int64_t axis = op.getAxis(), batch = op.getBatch();
    int64_t indexRank = cast<ShapedType>(op.getIndices().getType()).getRank();
    int64_t sourceRank = cast<ShapedType>(op.getSource().getType()).getRank();
    // Result dimensions: source [0, axis), indices [batch, …), source (axis,
    // …).
    SmallVector<AffineExpr> at;
    for (int64_t d = 0; d < batch; ++d)
      at.push_back(rewriter.getAffineDimExpr(d));
    for (int64_t d = batch; d < indexRank; ++d)
      at.push_back(rewriter.getAffineDimExpr(axis + d - batch));
    AffineMap map = AffineMap::get(rank, 0, at, op.getContext());
    Value out = emptyOf(rewriter, loc, shapes[0], resultType.getElementType());
    int64_t shift = indexRank - batch - 1;
    auto result = rewriter.create<MapOp>(
        loc, out, op.getIndices(), map, op.getSource(), ValueRange{},
        [&](OpBuilder &b, Location l, ValueRange args) {
          SmallVector<Value> where;
          for (int64_t d = 0; d < sourceRank; ++d)
            where.push_back(d == axis
                                ? toInteger(b, l, args[0], b.getIndexType())
                                : b.create<IndexOp>(l, d < axis ? d : d + shift)
                                      .getResult());
          Value v = b.create<AtOp>(l, resultType.getElementType(), args[1],
                                   where, Value());
          b.create<YieldOp>(l, v);
        });
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(),
                                                result.getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// sort: an element's place is the number of elements before it
//===----------------------------------------------------------------------===//

struct DecomposeSort : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    auto type = cast<RankedTensorType>(op.getKeys().getType());
    int64_t rank = type.getRank(), dim = op.getDim();
    SmallVector<OpFoldResult> shape =
        tensor::getMixedSizes(rewriter, loc, op.getKeys());
    Type i64 = rewriter.getI64Type();
    auto add = MonoidAttr::get(context, MonoidKind::Add);
    AffineMap own = replacedDim(context, rank + 1, rank, dim, dim);
    AffineMap other = replacedDim(context, rank + 1, rank, dim, rank);
    auto rank_ = rewriter.create<ReduceOp>(
        loc, add, emptyOf(rewriter, loc, shape, i64), shape[dim],
        ValueRange{op.getKeys(), op.getKeys()}, ArrayRef{own, other},
        ValueRange{}, ValueRange{},
        rewriter.getArrayAttr(rewriter.getI64IntegerAttr(0)),
        [&](OpBuilder &b, Location l, ValueRange args) {
          Value i = b.create<IndexOp>(l, dim), j = b.create<IndexOp>(l, rank);
          Value before = buildIsBefore(b, l, args[1], j, args[0], i,
                                       op.getDescending(), /*nanWins=*/false);
          Value one = b.create<arith::ExtUIOp>(l, i64, before);
          b.create<YieldOp>(l, one);
        });
    Type indexType = getElementTypeOrSelf(op.getPermutation());
    SmallVector<Value> outs = {
        emptyOf(rewriter, loc, shape, type.getElementType()),
        emptyOf(rewriter, loc, shape, indexType)};
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    auto scatter = rewriter.create<ScatterOp>(
        loc, Attribute(), /*unique=*/true, outs, shape,
        ValueRange{op.getKeys(), rank_.getResult(0)},
        ArrayRef{identity, identity}, ValueRange{}, ValueRange{},
        [&](OpBuilder &b, Location l, ValueRange args) {
          SmallVector<Value> yielded = {
              args[0], toInteger(b, l, b.create<IndexOp>(l, dim), indexType)};
          for (int64_t d = 0; d < rank; ++d)
            yielded.push_back(d == dim
                                  ? toInteger(b, l, args[1], b.getIndexType())
                                  : b.create<IndexOp>(l, d).getResult());
          b.create<YieldOp>(l, yielded);
        });
    Value permutation = rewriter.create<tensor::CastOp>(
        loc, op.getPermutation().getType(), scatter.getResult(1));
    Value sorted = rewriter.create<tensor::CastOp>(
        loc, op.getSorted().getType(), scatter.getResult(0));
    rewriter.replaceOp(op, {sorted, permutation});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// top_k: each round takes the best of those after the last one taken
//===----------------------------------------------------------------------===//

struct DecomposeTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TopKOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    auto type = cast<RankedTensorType>(op.getKeys().getType());
    Type element = type.getElementType(), i64 = rewriter.getI64Type();
    Type indexType = getElementTypeOrSelf(op.getIndices());
    int64_t rank = type.getRank(), dim = op.getDim();
    int64_t k = cast<ShapedType>(op.getValues().getType()).getDimSize(dim);
    SmallVector<OpFoldResult> shape =
        tensor::getMixedSizes(rewriter, loc, op.getKeys());
    SmallVector<OpFoldResult> rest = shape, resultShape = shape;
    rest.erase(rest.begin() + dim);
    resultShape[dim] = rewriter.getIndexAttr(k);

    TypedAttr worst = getExtremeAttr(element, /*least=*/true);
    TypedAttr nowhere = getExtremeAttr(i64, /*least=*/false);
    SmallVector<Value> carried = {
        fill(rewriter, loc, rest, worst), fill(rewriter, loc, rest, nowhere),
        emptyOf(rewriter, loc, resultShape, element),
        emptyOf(rewriter, loc, resultShape, indexType)};

    // Domain of a round: the other dimensions, then the reduced one.
    SmallVector<AffineExpr> key;
    for (int64_t d = 0, next = 0; d < rank; ++d)
      key.push_back(rewriter.getAffineDimExpr(d == dim ? rank - 1 : next++));
    AffineMap keyMap = AffineMap::get(rank, 0, key, context);
    AffineMap stateMap =
        rewriter.getMultiDimIdentityMap(rank).dropResult(rank - 1);
    auto best = MonoidAttr::get(context, MonoidKind::ArgMax);

    auto index = [&](int64_t i) -> Value {
      return rewriter.create<arith::ConstantIndexOp>(loc, i);
    };
    auto loop =
        rewriter.create<scf::ForOp>(loc, index(0), index(k), index(1), carried);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value round = loop.getInductionVar();
      ValueRange state = loop.getRegionIterArgs();
      auto reduce = rewriter.create<ReduceOp>(
          loc, best,
          ValueRange{emptyOf(rewriter, loc, rest, element),
                     emptyOf(rewriter, loc, rest, i64)},
          shape[dim], ValueRange{op.getKeys(), state[0], state[1]},
          ArrayRef{keyMap, stateMap, stateMap}, round, ValueRange{},
          rewriter.getArrayAttr({worst, nowhere}),
          [&](OpBuilder &b, Location l, ValueRange args) {
            Value i = toInteger(b, l, b.create<IndexOp>(l, rank - 1), i64);
            Value zero = b.create<arith::ConstantIndexOp>(l, 0);
            Value first = b.create<arith::CmpIOp>(l, arith::CmpIPredicate::eq,
                                                  args[3], zero);
            Value after = buildIsBefore(b, l, args[1], args[2], args[0], i,
                                        /*greatest=*/true, /*nanWins=*/true);
            Value free = b.create<arith::OrIOp>(l, first, after);
            Value none = b.create<arith::ConstantOp>(l, worst);
            Value nobody = b.create<arith::ConstantOp>(l, nowhere);
            b.create<YieldOp>(
                l, ValueRange{b.create<arith::SelectOp>(l, free, args[0], none),
                              b.create<arith::SelectOp>(l, free, i, nobody)});
          });
      AffineMap restMap = rewriter.getMultiDimIdentityMap(rank - 1);
      auto place = rewriter.create<ScatterOp>(
          loc, Attribute(), /*unique=*/true, state.drop_front(2), rest,
          reduce.getResults(), ArrayRef{restMap, restMap}, round, ValueRange{},
          [&](OpBuilder &b, Location l, ValueRange args) {
            Value nobody = b.create<arith::ConstantOp>(l, nowhere);
            Value none = b.create<arith::CmpIOp>(l, arith::CmpIPredicate::eq,
                                                 args[1], nobody);
            Value minusOne =
                b.create<arith::ConstantOp>(l, b.getIntegerAttr(i64, -1));
            Value found = b.create<arith::SelectOp>(l, none, minusOne, args[1]);
            SmallVector<Value> yielded = {args[0],
                                          toInteger(b, l, found, indexType)};
            for (int64_t d = 0, next = 0; d < rank; ++d)
              yielded.push_back(d == dim
                                    ? args[2]
                                    : b.create<IndexOp>(l, next++).getResult());
            b.create<YieldOp>(l, yielded);
          });
      SmallVector<Value> next(reduce.getResults());
      llvm::append_range(next, place.getResults());
      rewriter.create<scf::YieldOp>(loc, next);
    }
    Value values = rewriter.create<tensor::CastOp>(
        loc, op.getValues().getType(), loop.getResult(2));
    Value indices = rewriter.create<tensor::CastOp>(
        loc, op.getIndices().getType(), loop.getResult(3));
    rewriter.replaceOp(op, {values, indices});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// group_by: counts, their prefix sums, and each member's place
//===----------------------------------------------------------------------===//

struct DecomposeGroupBy : OpRewritePattern<GroupByOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupByOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    Type offsetType = getElementTypeOrSelf(op.getOffsets());
    Type memberType = getElementTypeOrSelf(op.getMembers());
    int64_t groups =
        cast<ShapedType>(op.getOffsets().getType()).getDimSize(0) - 1;
    SmallVector<OpFoldResult> keyShape =
        tensor::getMixedSizes(rewriter, loc, op.getKeys());
    SmallVector<OpFoldResult> offsetShape = {rewriter.getIndexAttr(groups + 1)};
    auto zero = [&](Type type) -> TypedAttr {
      return rewriter.getIntegerAttr(type, 0);
    };
    auto add = MonoidAttr::get(context, MonoidKind::Add);
    AffineMap id1 = rewriter.getMultiDimIdentityMap(1);
    auto inRange = [&](OpBuilder &b, Location l, Value key) -> Value {
      Value lo = b.create<arith::ConstantIndexOp>(l, 0);
      Value hi = b.create<arith::ConstantIndexOp>(l, groups);
      Value above =
          b.create<arith::CmpIOp>(l, arith::CmpIPredicate::sge, key, lo);
      Value below =
          b.create<arith::CmpIOp>(l, arith::CmpIPredicate::slt, key, hi);
      return b.create<arith::AndIOp>(l, above, below);
    };

    auto counts = rewriter.create<ScatterOp>(
        loc, add, /*unique=*/false,
        fill(rewriter, loc, offsetShape, zero(offsetType)), keyShape,
        op.getKeys(), id1, ValueRange{}, ValueRange{},
        [&](OpBuilder &b, Location l, ValueRange args) {
          Value key = toInteger(b, l, args[0], b.getIndexType());
          Value one =
              b.create<arith::ConstantOp>(l, b.getIntegerAttr(offsetType, 1));
          Value step = b.create<arith::ConstantIndexOp>(l, 1);
          Value at = b.create<arith::AddIOp>(l, key, step);
          b.create<YieldOp>(l, ValueRange{one, at, inRange(b, l, key)});
        });
    auto offsets = rewriter.create<ScanOp>(
        loc, add, emptyOf(rewriter, loc, offsetShape, offsetType),
        fill(rewriter, loc, {}, zero(offsetType)), /*dim=*/0,
        counts.getResults(), id1, ValueRange{}, ValueRange{},
        [](OpBuilder &b, Location l, ValueRange args) {
          b.create<YieldOp>(l, args);
        });
    // How many earlier elements share the key.
    AffineMap own = replacedDim(context, 2, 1, 0, 0);
    AffineMap other = replacedDim(context, 2, 1, 0, 1);
    auto earlier = rewriter.create<ReduceOp>(
        loc, add, emptyOf(rewriter, loc, keyShape, rewriter.getI64Type()),
        keyShape[0], ValueRange{op.getKeys(), op.getKeys()},
        ArrayRef{own, other}, ValueRange{}, ValueRange{},
        rewriter.getArrayAttr(zero(rewriter.getI64Type())),
        [](OpBuilder &b, Location l, ValueRange args) {
          Value i = b.create<IndexOp>(l, 0), j = b.create<IndexOp>(l, 1);
          Value same = b.create<arith::CmpIOp>(l, arith::CmpIPredicate::eq,
                                               args[0], args[1]);
          Value before =
              b.create<arith::CmpIOp>(l, arith::CmpIPredicate::slt, j, i);
          Value both = b.create<arith::AndIOp>(l, same, before);
          Value one = b.create<arith::ExtUIOp>(l, b.getI64Type(), both);
          b.create<YieldOp>(l, one);
        });
    auto members = rewriter.create<ScatterOp>(
        loc, Attribute(), /*unique=*/true,
        fill(rewriter, loc, keyShape, rewriter.getIntegerAttr(memberType, -1)),
        keyShape, ValueRange{op.getKeys(), earlier.getResult(0)},
        ArrayRef{id1, id1}, offsets.getResult(0), ValueRange{},
        [&](OpBuilder &b, Location l, ValueRange args) {
          Value key = toInteger(b, l, args[0], b.getIndexType());
          Value start = b.create<AtOp>(l, offsetType, args[2], key, Value());
          Value at = b.create<arith::AddIOp>(
              l, toInteger(b, l, start, b.getIndexType()),
              toInteger(b, l, args[1], b.getIndexType()));
          Value self = toInteger(b, l, b.create<IndexOp>(l, 0), memberType);
          b.create<YieldOp>(l, ValueRange{self, at, inRange(b, l, key)});
        });
    Value memberValue = rewriter.create<tensor::CastOp>(
        loc, op.getMembers().getType(), members.getResult(0));
    rewriter.replaceOp(op, {offsets.getResult(0), memberValue});
    return success();
  }
};

struct DecomposePass : tang::impl::TangDecomposeBase<DecomposePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<DecomposeGather, DecomposeSort, DecomposeTopK, DecomposeGroupBy>(
            &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
