//===- FuseProducts.cpp - Sums of products add with one rounding ----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Σ x·y: each step may round once, as math.fma, in place of twice. The error of
// n steps is no greater (n roundings of partial sums, none of products), and on
// machines with vectors it is one instruction in place of two. Which of the two
// is computed shows in the result, so it is decided here, for all targets, and
// no backend may do it by itself.
//
//===----------------------------------------------------------------------===//

#include "Record.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGFUSEPRODUCTS
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {
struct FuseProductsPass : tang::impl::TangFuseProductsBase<FuseProductsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](ReduceOp reduce) {
      auto builtin = dyn_cast<MonoidAttr>(reduce.getMonoid());
      if (!builtin || builtin.getKind() != MonoidKind::Add ||
          reduce.getOuts().size() != 1)
        return;
      Operation *yield =
          cast<StructuredOp>(reduce.getOperation()).getBody()->getTerminator();
      Value value = yield->getOperand(0);
      Type type = getElementTypeOrSelf(reduce.getOuts().front());
      if ((type.isF32() || type.isF64()) && value.getType() == type &&
          value.getDefiningOp<arith::MulFOp>())
        reduce->setAttr("tang.fused", UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
