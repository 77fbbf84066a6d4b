//===- UniformReads.cpp - Reads of tensors that are one constant ----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "Simplify.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// An element of a tensor filled with a constant is that constant. Frontends
/// fill a tensor for every scalar.
struct ReadUniform : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StructuredOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    for (auto [i, in] : llvm::enumerate(op.getIns())) {
      BlockArgument arg = op.getBody()->getArgument(i);
      if (arg.use_empty())
        continue;
      TypedAttr value = getUniformConstant(in);
      if (!value)
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(op.getBody());
      rewriter.replaceAllUsesWith(
          arg, rewriter.create<arith::ConstantOp>(op.getLoc(), value));
      return success();
    }
    return failure();
  }
};

} // namespace

void mlir::tang::detail::populateUniformReads(RewritePatternSet &patterns) {
  patterns.add<ReadUniform>(patterns.getContext());
}
