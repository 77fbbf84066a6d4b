//===- FuseMaps.h - Pointwise producers move into consumers -----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_FUSEMAPS_H
#define TANG_LIB_TRANSFORMS_FUSEMAPS_H

#include "Tang/Dialect/TangDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tang {

/// Inlines `producer` where `consumer` reads its operand `position`. The
/// producer stays.
void inlineMap(RewriterBase &rewriter, StructuredOp consumer, MapOp producer,
               unsigned position);

/// Rough cost of one evaluation of a body in units of an addition.
int64_t costOfBody(Block &body);

/// A body of at most this cost may run for every time that an element is read.
constexpr int64_t kFree = 3;

/// Operations whose results are only read in another shape compute that shape.
void populateSplitDimsPatterns(RewritePatternSet &patterns);

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_FUSEMAPS_H
