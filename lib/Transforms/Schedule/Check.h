//===- Check.h - Whether a schedule is legal ------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_SCHEDULE_CHECK_H
#define TANG_LIB_TRANSFORMS_SCHEDULE_CHECK_H

#include "Tang/Analysis/KernelPlan.h"

namespace mlir::tang {

/// Emits an error that names the rule if a schedule would change what an
/// operation means, or cannot be run.
LogicalResult checkSchedule(StructuredOp op, ScheduleAttr schedule);
LogicalResult checkSchedule(KernelOp kernel, const KernelPlan &plan,
                            ScheduleAttr schedule);

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_SCHEDULE_CHECK_H
