//===- NamedLinalg.cpp - Named linalg operations to linalg.generic --------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every named operation states itself as a generic; the few that are not one
// loop nest (softmax, winograd transforms) decompose into several.
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

struct Generalize : OpInterfaceRewritePattern<linalg::LinalgOp> {
  Generalize(MLIRContext *context, ImportState &state)
      : OpInterfaceRewritePattern(context), state(state) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp>(op))
      return failure();
    if (!op.hasPureTensorSemantics())
      return state.refuse(op, "it works on buffers; only tensors are imported");
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return state.refuse(op, "it has no form as a linalg.generic");
    return success();
  }
  ImportState &state;
};

struct Decompose : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  Decompose(MLIRContext *context, ImportState &state)
      : OpInterfaceRewritePattern(context), state(state) {}

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::LinalgOp>(op.getOperation()) ||
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return failure();
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return state.refuse(op, "it does not decompose");
    rewriter.replaceOp(op, *results);
    return success();
  }
  ImportState &state;
};

} // namespace

void mlir::tang::detail::populateNamedLinalg(RewritePatternSet &patterns,
                                             ImportState &state) {
  patterns.add<Generalize, Decompose>(patterns.getContext(), state);
  linalg::populateDecomposeWinogradOpsPatterns(patterns);
}
