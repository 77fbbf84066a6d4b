//===- IndexTrace.h - Values that are affine in the domain's indices -*- C++
//-*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_INDEXTRACE_H
#define TANG_LIB_FRONTEND_INDEXTRACE_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>

namespace mlir::tang::detail {

/// What an element argument of a body reads.
struct ElementRead {
  Value tensor;
  AffineMap map;
};

/// Follows integers of a body to affine expressions of the domain's dimensions.
class IndexTracer {
public:
  /// What an element argument reads, so that elements can be followed through
  /// the maps that made them.
  std::function<std::optional<ElementRead>(Value)> getRead;
  /// An expression for another value, such as a symbol.
  std::function<AffineExpr(Value)> getLeaf;
  /// Sizes of the domain, kDynamic (or nothing at all) where not known. With
  /// them minima, maxima, quotients and remainders can often be resolved.
  SmallVector<int64_t> domain;

  /// Null if `value` is not affine in `tang.index`. Casts are taken not to
  /// lose bits: indices of a tensor that exists fit.
  AffineExpr trace(Value value) const;

private:
  AffineExpr traceOp(Operation *op) const;
};

/// Bounds of `expr` for indices in `domain`, symbols being anything.
struct IndexRange {
  int64_t min, max;
};
IndexRange getRange(AffineExpr expr, ArrayRef<int64_t> domain);

/// `expr` with quotients, remainders and dimensions of size 1 resolved where
/// `domain` allows.
AffineExpr simplifyIndex(AffineExpr expr, ArrayRef<int64_t> domain);

/// Indices into one side of a reshape from those into the other: `finer` is the
/// static shape with more dimensions, which `groups` join. With `toFiner` the
/// indices given are into the coarser shape.
SmallVector<AffineExpr> throughReshape(ArrayRef<ReassociationIndices> groups,
                                       ShapedType finer, bool toFiner,
                                       ArrayRef<AffineExpr> indices);

/// The element of the integer tensor `tensor` at `indices` as an expression of
/// the same dimensions; null if it is not affine in the indices.
AffineExpr traceElement(Value tensor, ArrayRef<AffineExpr> indices);

/// Whether `expr` is never negative and grows strictly in lexicographic order
/// of `dims` (whose sizes are `sizes`, kDynamic if unknown), the others fixed.
bool growsAlong(AffineExpr expr, ArrayRef<int64_t> dims,
                ArrayRef<int64_t> sizes, unsigned numDims);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_INDEXTRACE_H
