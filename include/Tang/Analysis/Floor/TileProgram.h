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
// (X − S)·|V|/F(X) bytes, for any X; G. Kwasniewski et al.: "Red-blue
// pebbling revisited", 2019) and, at X = S, the tile that a schedule should
// use.
//
// The lemma is stated with |V|/F(X) − 1. A memory that is empty at first gives
// the 1 back as long as F grows at least as fast as X: it holds nothing of S
// for its first segment, and the first and the last together run no more than
// one.
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
  /// d log F / d log X, which falls as X grows.
  double slope = 0;
};

/// The most iterations of a nest that touch `bytes` of memory while they run:
/// F(X), and more where results that are finished take less.
TileSolution mostPoints(const Nest &nest, double bytes);

/// F(X) of a nest for X = `bytes`. Where an array is indexed by sums of loops
/// (a window), loops of few iterations are run one by one, or the
/// Hölder-Brascamp-Lieb inequality is used.
TileSolution solveTile(const Nest &nest, double bytes);

/// The least number of bytes that any schedule of `points` iterations moves
/// into and out of memories of `capacity` bytes, empty at first, that share the
/// work. `points` may be less than the product of the nest's sizes.
double boundTraffic(const Nest &nest, double points, double capacity);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_TILEPROGRAM_H
