//===- Simplify.h - Patterns on imported modules ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_SIMPLIFY_H
#define TANG_LIB_FRONTEND_SIMPLIFY_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tang::detail {

/// `tang.at` with affine indices that are in range becomes one of `ins`.
void populateIndexReads(RewritePatternSet &patterns);

/// Elements of tensors filled with a constant are that constant.
void populateUniformReads(RewritePatternSet &patterns);

/// Scalars that the host would read from tensors for a body are read there;
/// elements of maps that are known are folded.
void populateHostReads(RewritePatternSet &patterns);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_SIMPLIFY_H
