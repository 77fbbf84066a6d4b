//===- Tosa.h - Tang's own TOSA patterns ------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_TOSA_H
#define TANG_LIB_FRONTEND_TOSA_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tang::detail {

/// What upstream converts to something else than TOSA says, or to loops: folds
/// to the greatest and least number (upstream starts them at the greatest
/// finite one, which infinities then lose against) and scatter.
void populateTosa(RewritePatternSet &patterns);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_TOSA_H
