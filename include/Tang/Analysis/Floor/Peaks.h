//===- Peaks.h - How fast a device can be -----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_PEAKS_H
#define TANG_ANALYSIS_FLOOR_PEAKS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace mlir::tang {

/// Rates that no program exceeds; 0 where nothing is published, in which case
/// nothing is said about that resource.
struct Peaks {
  /// Memory, and the cache before it that all units share.
  double memoryPerSecond = 0;
  int64_t cacheBytes = 0;
  double cachePerSecond = 0;
  /// What a unit keeps for itself: workgroup memory, or L1, and registers.
  int64_t unitBytes = 0;
  /// Flops a second by type (`bf16`): of contractions where there is a matrix
  /// unit, and of everything else.
  std::map<std::string, double> matrix, arithmetic;
  double specialPerSecond = 0, integerPerSecond = 0;

  /// Of contractions of a type: the matrix unit's, else the others'; sums are
  /// f32 at least. 0 if neither is known.
  double contractionsPerSecond(llvm::StringRef type) const;
  double arithmeticPerSecond(llvm::StringRef type) const;
};

/// Of a target by its name; all zero where a name stands for many devices.
Peaks lookupPeaks(llvm::StringRef target);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_PEAKS_H
