//===- IndexReads.cpp - Computed reads that are affine --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tang.at guards every read; a map of `ins` need not, and says more. So a read
// at affine indices is moved there where no index can be out of range: always
// between the bounds of its expression, or the index of a dimension whose size
// is that of the tensor by construction.
//
//===----------------------------------------------------------------------===//

#include "IndexTrace.h"
#include "Simplify.h"
#include "Tang/Dialect/TangDialect.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

struct ReadThroughMap : OpRewritePattern<AtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AtOp at,
                                PatternRewriter &rewriter) const override {
    auto op = dyn_cast<StructuredOp>(at->getParentOp());
    auto arg = dyn_cast<BlockArgument>(at.getSource());
    if (!op || op.isBufferized() || !arg || at.getCondition())
      return failure();
    size_t numIns = op.getIns().size();
    Value source = op.getCaptures()[arg.getArgNumber() - numIns];
    auto type = cast<ShapedType>(source.getType());
    IndexTracer tracer;
    tracer.domain = op.getStaticDomain();
    SmallVector<AffineExpr> exprs;
    for (auto [d, index] : llvm::enumerate(at.getIndices())) {
      AffineExpr expr = tracer.trace(index);
      if (!expr || type.isDynamicDim(d))
        return rewriter.notifyMatchFailure(at, "no affine index in range");
      IndexRange range = getRange(expr, tracer.domain);
      if (range.min < 0 || range.max >= type.getDimSize(d))
        return rewriter.notifyMatchFailure(at, "an index may be out of range");
      exprs.push_back(simplifyIndex(expr, tracer.domain));
    }
    SmallVector<AffineMap> maps = op.getInMapArray();
    AffineMap map = AffineMap::get(op.getNumDims(), op.getSymbols().size(),
                                   exprs, rewriter.getContext());
    maps.push_back(simplifyAffineMap(map));
    rewriter.modifyOpInPlace(op, [&] {
      op.getInsMutable().append(source);
      op.setInMapArray(maps);
      BlockArgument element =
          op.getBody()->insertArgument(numIns, at.getType(), at.getLoc());
      rewriter.replaceAllUsesWith(at.getResult(), element);
    });
    rewriter.eraseOp(at);
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateIndexReads(RewritePatternSet &patterns) {
  patterns.add<ReadThroughMap>(patterns.getContext());
}
