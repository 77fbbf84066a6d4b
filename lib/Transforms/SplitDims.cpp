//===- SplitDims.cpp - Reshaped results are computed in their shape -------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Law: a tensor over h that is read as one over (k, g) with h = k·G + g may as
// well be computed over (k, g). Dimensions of different operations then meet
// one to one, which is what fusing them needs. Nothing is rounded differently.
//
//===----------------------------------------------------------------------===//

#include "FuseMaps.h"
#include "mlir/Dialect/Affine/Utils.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

struct SplitDims : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<OpResult>(expand.getSrc());
    auto producer =
        result ? dyn_cast<StructuredOp>(result.getOwner()) : StructuredOp();
    if (!producer || !isa<MapOp, ReduceOp>(producer.getOperation()) ||
        producer->getNumResults() != 1 || producer.isBufferized())
      return rewriter.notifyMatchFailure(expand, "expands no map's result");
    // Everyone else must want the same shape.
    SmallVector<tensor::ExpandShapeOp> expands;
    for (Operation *user : producer->getUsers()) {
      auto other = dyn_cast<tensor::ExpandShapeOp>(user);
      if (!other || other.getResultType() != expand.getResultType() ||
          other.getReassociationIndices() != expand.getReassociationIndices())
        return rewriter.notifyMatchFailure(expand, "has other readers");
      expands.push_back(other);
    }
    auto reduce = dyn_cast<ReduceOp>(producer.getOperation());
    if (reduce && !reduce.getInitAttr())
      return rewriter.notifyMatchFailure(expand, "starts from a tensor");
    RankedTensorType type = expand.getResultType();
    int64_t rank = expand.getSrcType().getRank(), wide = type.getRank();
    int64_t extra = producer.getNumDims() - rank;

    // Old dimensions in terms of the new ones.
    MLIRContext *context = rewriter.getContext();
    SmallVector<AffineExpr> dims;
    auto groups = expand.getReassociationIndices();
    for (int64_t d = 0; d < rank; ++d) {
      AffineExpr index = getAffineConstantExpr(0, context);
      bool first = true;
      for (int64_t k : groups[d]) {
        if (!first && type.isDynamicDim(k))
          return rewriter.notifyMatchFailure(expand, "a stride is dynamic");
        index = (first ? index : index * type.getDimSize(k)) +
                getAffineDimExpr(k, context);
        first = false;
      }
      dims.push_back(index);
    }
    for (int64_t d = 0; d < extra; ++d)
      dims.push_back(getAffineDimExpr(wide + d, context));

    Location loc = producer.getLoc();
    rewriter.setInsertionPoint(producer);
    SmallVector<AffineMap> maps;
    for (AffineMap map : producer.getInMapArray())
      maps.push_back(simplifyAffineMap(map.replaceDimsAndSymbols(
          dims, getSymbols(map, context), wide + extra, map.getNumSymbols())));
    // The sizes must be known where the producer stands.
    SmallVector<OpFoldResult> sizes;
    for (OpFoldResult size : expand.getMixedOutputShape()) {
      auto value = dyn_cast<Value>(size);
      if (value && !dominates(value, producer))
        return rewriter.notifyMatchFailure(expand, "a size is known too late");
      sizes.push_back(size);
    }
    Value out =
        rewriter.create<tensor::EmptyOp>(loc, sizes, type.getElementType());
    Operation *made;
    if (reduce)
      made = rewriter.create<ReduceOp>(
          loc, reduce.getMonoid(), out,
          getMixedValues(reduce.getStaticSizes(), reduce.getSizes(), rewriter),
          reduce.getIns(), maps, reduce.getCaptures(), reduce.getSymbols(),
          reduce.getInitAttr());
    else
      made =
          rewriter.create<MapOp>(loc, out, producer.getIns(), maps,
                                 producer.getCaptures(), producer.getSymbols());
    rewriter.inlineRegionBefore(producer->getRegion(0), made->getRegion(0),
                                made->getRegion(0).begin());
    // Indices are those of the old dimensions.
    Block &body = made->getRegion(0).front();
    SmallVector<IndexOp> indices(body.getOps<IndexOp>());
    for (IndexOp index : indices) {
      rewriter.setInsertionPoint(index);
      SmallVector<Value> values;
      for (int64_t d = 0; d < wide + extra; ++d)
        values.push_back(rewriter.create<IndexOp>(index.getLoc(), d));
      rewriter.replaceOp(
          index, affine::expandAffineExpr(rewriter, index.getLoc(),
                                          dims[index.getDim()], values, {}));
    }
    Value split = made->getResult(0);
    for (tensor::ExpandShapeOp other : expands) {
      Value replacement = split;
      rewriter.setInsertionPoint(other);
      if (split.getType() != other.getType())
        replacement = rewriter.create<tensor::CastOp>(other.getLoc(),
                                                      other.getType(), split);
      rewriter.replaceOp(other, replacement);
    }
    rewriter.eraseOp(producer);
    return success();
  }

private:
  static SmallVector<AffineExpr> getSymbols(AffineMap map,
                                            MLIRContext *context) {
    SmallVector<AffineExpr> symbols;
    for (unsigned s = 0; s < map.getNumSymbols(); ++s)
      symbols.push_back(getAffineSymbolExpr(s, context));
    return symbols;
  }
  static bool dominates(Value value, Operation *op) {
    Operation *def = value.getDefiningOp();
    return !def ||
           (def->getBlock() == op->getBlock() && def->isBeforeInBlock(op)) ||
           def->getBlock() != op->getBlock();
  }
};

} // namespace

void mlir::tang::populateSplitDimsPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitDims>(patterns.getContext());
}
