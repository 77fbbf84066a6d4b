//===- IndexTrace.h - Values that are affine in the domain's indices -*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_INDEXTRACE_H
#define TANG_LIB_FRONTEND_INDEXTRACE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

namespace mlir::tang::detail {

/// What an element argument of a body reads.
struct ElementRead {
  Value tensor;
  AffineMap map;
};

/// Follows an integer of a body (of `tang.index`, casts, sums, differences and
/// products with constants) to an affine expression of the domain's
/// dimensions; null if it is none. Elements are followed through the maps that
/// made them, by `getRead`, where given. Casts are taken not to lose bits:
/// indices of a tensor that exists fit.
AffineExpr traceIndex(Value value,
                      function_ref<std::optional<ElementRead>(Value)> getRead);

/// The same for the element of `tensor` at `indices`.
AffineExpr traceElement(Value tensor, ArrayRef<AffineExpr> indices);

/// Whether `expr` is never negative and grows strictly in lexicographic order
/// of `dims` (whose sizes are `sizes`, kDynamic if unknown), the others fixed.
bool growsAlong(AffineExpr expr, ArrayRef<int64_t> dims,
                ArrayRef<int64_t> sizes, unsigned numDims);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_INDEXTRACE_H
