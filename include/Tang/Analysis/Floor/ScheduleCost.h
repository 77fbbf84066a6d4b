//===- ScheduleCost.h - What a schedule makes of the floor ------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_SCHEDULECOST_H
#define TANG_ANALYSIS_FLOOR_SCHEDULECOST_H

#include "Tang/Analysis/Floor/Floor.h"
#include "Tang/Analysis/KernelPlan.h"

namespace mlir::tang {

/// The floor's resources as a schedule uses them: tiles read again what other
/// tiles read too, the last ones are padded, and the last wave of programs does
/// not fill the device. Perfect code for this schedule would take as long; the
/// floor over it is the schedule's gap.
struct ScheduleCost {
  /// The floor's terms with the schedule's amounts, the slowest first.
  std::vector<FloorTerm> terms;
  /// How much longer units are busy than if every wave were full; 1 at best.
  double waves = 1;

  /// Of a resource; 0 if there is none.
  double amountOf(StringRef resource) const;
  /// Empty if no term has a peak.
  std::optional<double> seconds() const;

  /// Nothing where sizes are dynamic.
  static std::optional<ScheduleCost> get(KernelOp kernel,
                                         const KernelPlan &plan,
                                         ScheduleAttr schedule,
                                         TargetAttr target, const Floor &floor);
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_SCHEDULECOST_H
