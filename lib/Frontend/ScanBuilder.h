//===- ScanBuilder.h - A loop along one dimension as a scan -----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_SCANBUILDER_H
#define TANG_LIB_FRONTEND_SCANBUILDER_H

#include "FlatBody.h"
#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang::detail {

/// A loop over dimension `dim` of a domain with pointwise steps:
/// state' = next(state, elements), output = outputs(state, elements).
struct ScanParts {
  explicit ScanParts(FlatBody &body) : body(body) {}

  /// Elements are operands and states, in any order.
  FlatBody &body;
  /// What each element reads; null for states.
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  /// Of the flat body: the states before a step and after it, and the outputs.
  SmallVector<Value> states, next, outputs;
  /// The states before the loop, tensors of the domain without `dim`.
  SmallVector<Value> init;
  /// The domain and the loop's place in it.
  SmallVector<int64_t> domain;
  int64_t dim = 0;
  bool reverse = false;
};

struct ScanResults {
  SmallVector<Value> states, outputs;
};

/// Builds a scan that gives the states from which the outputs are computed
/// pointwise (those after each step if that suffices, else those before); a
/// reduction if there are no outputs, a map if there is no state.
ScanResults buildScan(RewriterBase &rewriter, Location loc, ModuleOp module,
                      ScanParts &parts);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_SCANBUILDER_H
