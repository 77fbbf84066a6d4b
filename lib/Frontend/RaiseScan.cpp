//===- RaiseScan.cpp - Loops along slices to scans ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"

namespace mlir::tang {
#define GEN_PASS_DEF_RAISESCAN
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {
struct RaiseScanPass : mlir::tang::impl::RaiseScanBase<RaiseScanPass> {
  using Base::Base;
  void runOnOperation() override {}
};
} // namespace
