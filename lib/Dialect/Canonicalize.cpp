//===- Canonicalize.cpp - Canonical forms of structured operations
//---------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

/// The number of distinct operands among `ins` after dropping those whose
/// block argument is not used and those read twice at the same map.
struct DropUnusedOperands : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StructuredOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    Block *body = op.getBody();
    SmallVector<AffineMap> maps = op.getInMapArray();
    size_t numIns = op.getIns().size();
    for (size_t i = 0; i < numIns; ++i) {
      BlockArgument arg = body->getArgument(i);
      bool drop = arg.use_empty();
      for (size_t j = 0; !drop && j < i; ++j)
        if (op.getIns()[i] == op.getIns()[j] && maps[i] == maps[j]) {
          rewriter.replaceAllUsesWith(arg, body->getArgument(j));
          drop = true;
        }
      if (!drop)
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        body->eraseArgument(i);
        op.getInsMutable().erase(i);
        maps.erase(maps.begin() + i);
        op.setInMapArray(maps);
      });
      return success();
    }
    for (size_t i = 0; i < op.getCaptures().size(); ++i) {
      BlockArgument arg = body->getArgument(numIns + i);
      bool drop = arg.use_empty();
      for (size_t j = 0; !drop && j < i; ++j)
        if (op.getCaptures()[i] == op.getCaptures()[j]) {
          rewriter.replaceAllUsesWith(arg, body->getArgument(numIns + j));
          drop = true;
        }
      if (!drop)
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        body->eraseArgument(numIns + i);
        op.getCapturesMutable().erase(i);
      });
      return success();
    }
    return failure();
  }
};

/// The only index of a dimension of size 1 is 0.
struct UnitDims : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StructuredOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    SmallVector<int64_t> domain = op.getStaticDomain();
    if (!llvm::is_contained(domain, 1))
      return failure();
    SmallVector<AffineExpr> dims;
    for (auto [d, size] : llvm::enumerate(domain))
      dims.push_back(size == 1 ? rewriter.getAffineConstantExpr(0)
                               : rewriter.getAffineDimExpr(d));
    SmallVector<AffineMap> maps = op.getInMapArray(), simple;
    for (AffineMap map : maps)
      simple.push_back(simplifyAffineMap(map.replaceDimsAndSymbols(
          dims, {}, map.getNumDims(), map.getNumSymbols())));
    SmallVector<IndexOp> indices;
    for (IndexOp index : op.getBody()->getOps<IndexOp>())
      if (domain[index.getDim()] == 1)
        indices.push_back(index);
    if (maps == simple && indices.empty())
      return failure();
    for (IndexOp index : indices) {
      rewriter.setInsertionPoint(index);
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, 0);
    }
    rewriter.modifyOpInPlace(op, [&] { op.setInMapArray(simple); });
    return success();
  }
};

/// Scalar constants move into the body, constant symbols into the maps,
/// symbols of no map go, and splat or one-element constants that are read
/// become constants.
struct AbsorbConstants : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StructuredOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    Block *body = op.getBody();
    auto replace = [&](BlockArgument arg, TypedAttr value) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(body);
      Value constant = rewriter.create<arith::ConstantOp>(op.getLoc(), value);
      rewriter.replaceAllUsesWith(arg, constant);
    };
    for (auto [i, in] : llvm::enumerate(op.getIns())) {
      DenseElementsAttr dense;
      BlockArgument arg = body->getArgument(i);
      if (arg.use_empty() || !matchPattern(in, m_Constant(&dense)) ||
          !dense.isSplat())
        continue;
      replace(arg, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
      return success();
    }
    for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
      TypedAttr value;
      BlockArgument arg = op.getCaptureArg(i);
      if (isa<ShapedType>(capture.getType()) || arg.use_empty() ||
          !matchPattern(capture, m_Constant(&value)))
        continue;
      replace(arg, value);
      return success();
    }
    return foldSymbols(op, rewriter);
  }

  static LogicalResult foldSymbols(StructuredOp op, PatternRewriter &rewriter) {
    SmallVector<AffineExpr> replacement;
    SmallVector<Value> kept;
    SmallVector<AffineMap> maps = op.getInMapArray();
    for (auto [s, symbol] : llvm::enumerate(op.getSymbols())) {
      IntegerAttr value;
      if (llvm::none_of(maps, [&, s = s](AffineMap map) {
            return map.isFunctionOfSymbol(s);
          })) {
        replacement.push_back(rewriter.getAffineConstantExpr(0));
        continue;
      }
      if (matchPattern(symbol, m_Constant(&value))) {
        replacement.push_back(rewriter.getAffineConstantExpr(value.getInt()));
        continue;
      }
      auto *known = llvm::find(kept, symbol);
      replacement.push_back(rewriter.getAffineSymbolExpr(known - kept.begin()));
      if (known == kept.end())
        kept.push_back(symbol);
    }
    if (kept.size() == op.getSymbols().size())
      return failure();
    for (AffineMap &map : maps)
      map = simplifyAffineMap(map.replaceDimsAndSymbols(
          {}, replacement, map.getNumDims(), kept.size()));
    rewriter.modifyOpInPlace(op, [&] {
      op.setInMapArray(maps);
      op.getSymbolsMutable().assign(kept);
    });
    return success();
  }
};

/// Dynamic sizes that are constants become static.
template <typename Op> struct StaticSizes : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes =
        getMixedValues(op.getStaticSizes(), op.getSizes(), rewriter);
    if (op.isBufferized() || failed(foldDynamicIndexList(sizes)))
      return failure();
    SmallVector<int64_t> statics;
    SmallVector<Value> dynamics;
    dispatchIndexOpFoldResults(sizes, dynamics, statics);
    if (llvm::any_of(statics, [](int64_t s) {
          return s < 0 && !ShapedType::isDynamic(s);
        }))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getSizesMutable().assign(dynamics);
      op.setStaticSizes(statics);
    });
    return success();
  }
};

/// Initial values that are the same constant everywhere become `init`.
struct ConstantInit : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The constant that every element of `value` has, or null.
  static TypedAttr getUniform(Value value) {
    DenseElementsAttr dense;
    if (matchPattern(value, m_Constant(&dense)) && dense.isSplat())
      return cast<TypedAttr>(dense.getSplatValue<Attribute>());
    auto map = value.getDefiningOp<MapOp>();
    if (!map)
      return {};
    TypedAttr constant;
    Value yielded =
        map.getYield()->getOperand(cast<OpResult>(value).getResultNumber());
    if (!matchPattern(yielded, m_Constant(&constant)))
      return {};
    return constant;
  }

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized() || op.getInit())
      return failure();
    SmallVector<Attribute> init;
    for (Value out : op.getOuts()) {
      TypedAttr uniform = getUniform(out);
      if (!uniform)
        return failure();
      init.push_back(uniform);
    }
    SmallVector<Value> empties;
    for (Value out : op.getOuts()) {
      auto type = cast<RankedTensorType>(out.getType());
      SmallVector<Value> sizes;
      for (auto [d, size] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(size))
          sizes.push_back(rewriter.create<tensor::DimOp>(op.getLoc(), out, d));
      empties.push_back(
          rewriter.create<tensor::EmptyOp>(op.getLoc(), type, sizes));
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.setInitAttr(rewriter.getArrayAttr(init));
      op.getOutsMutable().assign(empties);
    });
    return success();
  }
};

/// Where `outs` are not read, they need not be computed. One that is not
/// computed, such as a slice or a loop's carried tensor, is a place to write to
/// and stays.
template <typename Op> struct ForgetOuts : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    if constexpr (std::is_same_v<Op, ReduceOp>)
      if (!op.getInit())
        return failure();
    for (auto [i, out] : llvm::enumerate(op.getOuts())) {
      if (!isa_and_nonnull<StructuredOp, arith::ConstantOp>(
              out.getDefiningOp()))
        continue;
      auto type = cast<RankedTensorType>(out.getType());
      SmallVector<Value> sizes;
      for (auto [d, size] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(size))
          sizes.push_back(rewriter.create<tensor::DimOp>(op.getLoc(), out, d));
      Value empty = rewriter.create<tensor::EmptyOp>(op.getLoc(), type, sizes);
      rewriter.modifyOpInPlace(op, [&] { op.getOutsMutable()[i].set(empty); });
      return success();
    }
    return failure();
  }
};

} // namespace

template <typename Op> static void addCommon(RewritePatternSet &patterns) {
  // Interface patterns serve all four; one registration is enough.
  if constexpr (std::is_same_v<Op, MapOp>)
    patterns.add<DropUnusedOperands, AbsorbConstants, UnitDims>(
        patterns.getContext());
}

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  addCommon<MapOp>(patterns);
  patterns.add<ForgetOuts<MapOp>>(context);
}
void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<StaticSizes<ReduceOp>, ConstantInit, ForgetOuts<ReduceOp>>(
      context);
}
void ScanOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<StaticSizes<ScatterOp>>(context);
}
