//===- SliceBounds.h - Slices stay inside of their tensor -------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_SLICEBOUNDS_H
#define TANG_LIB_FRONTEND_SLICEBOUNDS_H

#include "IndexTrace.h"
#include "mlir/IR/Builders.h"

namespace mlir::tang::detail {

/// Bounds of a scalar that the host computes, from constants, clamps, loops and
/// sizes.
IndexRange getHostRange(Value value);

/// Makes a `cf.assert` for each dimension of `tensor` in which the slice is not
/// known to be inside. `what` names the operation in the message.
void checkSliceBounds(OpBuilder &builder, Location loc, StringRef what,
                      Value tensor, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes,
                      ArrayRef<OpFoldResult> strides);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_SLICEBOUNDS_H
