//===- TileProgram.h - How much can be done with so much memory -*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The most iterations that can be run while touching X bytes,
//
//   F(X) = max ∏ᵢ bᵢ  with  Σⱼ wⱼ ∏_{i∈φⱼ} bᵢ ≤ X,  1 ≤ bᵢ ≤ Lᵢ
//
// a geometric program: convex in log bᵢ. It gives both a bound on the traffic
// of all schedules (with S bytes of fast memory |V| iterations move at least
// (X − S)·(|V|/F(X) − 1) bytes, for any X; G. Kwasniewski et al.: "Red-blue
// pebbling revisited", 2019) and, at X = S, the tile that a schedule should
// use.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_TILEPROGRAM_H
#define TANG_ANALYSIS_FLOOR_TILEPROGRAM_H

#include "Tang/Analysis/Floor/Nest.h"

namespace mlir::tang {

struct TileSolution {
  /// At least F(X): a feasible point of the dual, so that rounding cannot make
  /// a bound too high. Infinite where memory bounds nothing.
  double points;
  /// bᵢ of each loop, not rounded; empty where no tile was sought.
  std::vector<double> tile;
};

/// F(X) of a nest for X = `bytes`. Where an array is indexed by sums of loops
/// (a window), loops of few iterations are run one by one, or the
/// Hölder-Brascamp-Lieb inequality is used.
TileSolution solveTile(const Nest &nest, double bytes);

/// The least number of bytes that any schedule of `points` iterations moves
/// into and out of memories of `capacity` bytes, `memories` of which share the
/// work; at least 0. `points` may be less than the product of the nest's sizes.
double boundTraffic(const Nest &nest, double points, double capacity,
                    double memories = 1);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_TILEPROGRAM_H
