//===- StepBounds.h - Steps in which nothing is masked ----------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_STEPBOUNDS_H
#define TANG_LIB_CONVERSION_AGENTS_STEPBOUNDS_H

#include "AgentPlan.h"

namespace mlir::tang {

/// Fills in which conditions in a stream's body are true up to some step, and
/// whether steps in which they are false everywhere change nothing.
void findStepBounds(StreamOp stream, const AgentPlan &plan, StreamPlan &result);

/// Whether a value is a maximum of what a stream has seen so far (or a
/// minimum), maybe scaled or guarded: the gauge of a fold, not something that
/// was loaded.
bool isRunningBound(Value value);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_STEPBOUNDS_H
