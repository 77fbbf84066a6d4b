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

/// What upstream converts to something else than TOSA says (folds to the
/// greatest and least number start at a finite one, against which infinities
/// lose), to loops (scatter), or to tensors of twice the rank (tile).
void populateTosa(RewritePatternSet &patterns);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_TOSA_H
