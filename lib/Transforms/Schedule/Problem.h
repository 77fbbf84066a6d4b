//===- Problem.h - What a schedule has to decide ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_SCHEDULE_PROBLEM_H
#define TANG_LIB_TRANSFORMS_SCHEDULE_PROBLEM_H

#include "Tang/Analysis/Floor/Nest.h"

namespace mlir::tang {

/// How to cut a nest of static loops into tiles that fit a memory: which sizes,
/// and in which order tiles follow one another. An array's tile stays in the
/// memory while the tile loops that move do not index it.
struct TileProblem {
  Nest nest;
  /// Bytes of the memory.
  double capacity = 0;
  /// Legal sizes of a loop's tile: multiples of this, and the whole loop.
  std::vector<int64_t> grains;
  /// Loops that may not be cut, and those whose tile is given (0: free).
  std::vector<int64_t> pinned;
};

struct Tiling {
  std::vector<int64_t> tile;
  /// Tile loops, outermost first.
  std::vector<size_t> order;
  /// Bytes moved into and out of the memory.
  double traffic = 0;
};

/// Bytes of memory that one tile takes.
double memoryOf(const TileProblem &problem, const std::vector<int64_t> &tile);
/// Bytes moved by a tiling: each array's tile once whenever a loop that it
/// depends on, or one outside of such, moves on. Results in the making are
/// loaded again, too.
double trafficOf(const TileProblem &problem, const Tiling &tiling);
/// Empty if the tiling is legal, else the rule that it breaks.
std::string check(const TileProblem &problem, const std::vector<int64_t> &tile);

/// The tiling of least traffic, by the geometric program of each order of the
/// tile loops, snapped to legal sizes; nothing if no legal tile fits. The same
/// problem always gives the same tiling: ties go to the smaller memory, then to
/// the lexicographically first.
std::optional<Tiling> solve(const TileProblem &problem);

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_SCHEDULE_PROBLEM_H
