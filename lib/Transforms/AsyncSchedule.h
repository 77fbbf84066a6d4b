//===- AsyncSchedule.h - Schedules for matrix units -------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_ASYNCSCHEDULE_H
#define TANG_LIB_TRANSFORMS_ASYNCSCHEDULE_H

#include "Tang/Analysis/KernelPlan.h"

namespace mlir::tang {

/// The asynchronous schedule of a kernel for a target with a matrix unit and
/// copies that run by themselves; a null attribute and the reason if the kernel
/// or the target is not fit for one.
ScheduleAttr deriveAsyncSchedule(KernelOp kernel, const KernelPlan &plan,
                                 TargetAttr target, std::string &why);

/// A reduction alone, as a kernel of one if the matrix unit of the target takes
/// that; else nothing is changed and the result is null.
KernelOp wrapForMatrix(ReduceOp reduce, TargetAttr target);

/// Gives the kernel's sums the blocks that an asynchronous schedule sums in, a
/// step of the stream, and takes the kernel's chunks away unless these have
/// programs of their own (`tang.split`): where there are few rows. Neither may
/// depend on how many programs there are, for a batch would change bits. Error
/// bounds follow.
void adoptBlocks(KernelOp kernel, const KernelPlan &plan,
                 ScheduleAttr schedule);

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_ASYNCSCHEDULE_H
