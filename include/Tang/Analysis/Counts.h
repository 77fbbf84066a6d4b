//===- Counts.h - How much work an operation is -----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_COUNTS_H
#define TANG_ANALYSIS_COUNTS_H

#include "Tang/Dialect/TangDialect.h"

#include <optional>

namespace mlir::tang {

/// Floating-point operations of a structured operation: those of its body and
/// of its monoid's combination, once a point of the domain. Additions,
/// multiplications, divisions, comparisons and functions count as one, fused
/// multiply-adds as two, casts and selections as none. Empty if a size is
/// dynamic or the count does not fit 63 bits.
std::optional<int64_t> countFloatOps(StructuredOp op);

/// The same at one point of the domain.
int64_t countFloatOpsAtPoint(StructuredOp op);

/// The same of one combination of its monoid; 0 without one.
int64_t countCombination(StructuredOp op);

/// The same of everything in a kernel, each operation once (a value that two
/// passes need is computed in both).
std::optional<int64_t> countFloatOps(KernelOp kernel);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_COUNTS_H
