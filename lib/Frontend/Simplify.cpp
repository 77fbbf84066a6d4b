//===- Simplify.cpp - Reads that turn out simpler -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_IMPORTSIMPLIFY
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {
struct ImportSimplifyPass
    : mlir::tang::impl::ImportSimplifyBase<ImportSimplifyPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateIndexReads(patterns);
    populateUniformReads(patterns);
    populateHostReads(patterns);
    // Conditions are scalars only now.
    scf::populateUpliftWhileToForPatterns(patterns);
    scf::WhileOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
