//===- TileProgramTest.cpp - Tiles and bounds on traffic ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/TileProgram.h"
#include "Nests.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::tang;
using namespace nests;

namespace {

TEST(TileProgram, Matmul) {
  Nest nest = matmul(8192, 8192, 8192);
  TileSolution tile = solveTile(nest, 3 * 1024 * 1024);
  EXPECT_NEAR(tile.points, 1024. * 1024 * 1024, 1e5);
  for (double size : tile.tile)
    EXPECT_NEAR(size, 1024, 0.1);
}

TEST(TileProgram, ShortLoops) {
  // k of 4 iterations: b·4 + 4·b + b² ≤ X.
  Nest nest = matmul(8192, 8192, 4);
  TileSolution tile = solveTile(nest, 8 * 100 + 10000);
  EXPECT_NEAR(tile.points, 40000, 1);
  // All of it fits.
  EXPECT_NEAR(solveTile(matmul(7, 5, 3), 1e6).points, 105, 1e-6);
}

TEST(TileProgram, PublishedFigures) {
  // 8N³/√S bytes for operands of two bytes and sums of four.
  Nest nest = matmul(8192, 8192, 8192);
  nest.arrays[0].bytes = nest.arrays[1].bytes = 2;
  nest.arrays[2].bytes = 4;
  double points = std::pow(8192., 3), shared = 228 * 1024;
  EXPECT_NEAR(boundTraffic(nest, points, shared) /
                  (8 * points / std::sqrt(shared)),
              1, 1e-3);
}

TEST(TileProgram, ResultsThatAreNotStored) {
  // Stored as two bytes: only the few sums that are finished within a segment
  // gain by that.
  Nest nest = matmul(8192, 8192, 8192);
  nest.arrays[0].bytes = nest.arrays[1].bytes = 2;
  nest.arrays[2].bytes = 4;
  double points = std::pow(8192., 3), capacity = 228 * 1024;
  double stored = boundTraffic(nest, points, capacity);
  nest.arrays[2].finishedBytes = 2;
  double narrower = boundTraffic(nest, points, capacity);
  nest.arrays[2].finishedBytes = 0;
  double never = boundTraffic(nest, points, capacity);
  EXPECT_LE(narrower, stored);
  EXPECT_LE(never, narrower);
  EXPECT_NEAR(narrower / stored, 1, 0.01);
  EXPECT_NEAR(never / stored, 1, 0.02);
  // Short sums are soon finished: hardly a bound.
  nest.sizes[2] = 128;
  EXPECT_LT(boundTraffic(nest, points / 64, capacity), stored / 64 / 4);
}

TEST(TileProgram, NothingToReuse) {
  Nest nest = project(1, {{0}, {0}});
  nest.sizes = {1 << 20};
  // Nearly 2 bytes an iteration.
  double bytes = boundTraffic(nest, 1 << 20, 1024);
  EXPECT_LE(bytes, 2 << 20);
  EXPECT_GE(bytes, 1.9 * (1 << 20));
}

TEST(TileProgram, Windows) {
  // Nine positions of a window, each a contraction over channels.
  Nest nest = convolution();
  nest.sizes = {8, 256, 256, 64, 64, 3, 3};
  Nest slice = project(5, {{0, 1, 3, 4}, {0, 2, 3, 4}, {2, 1}});
  slice.sizes = {8, 256, 256, 64, 64};
  double bytes = 1e5;
  EXPECT_LE(solveTile(nest, bytes).points,
            9 * solveTile(slice, bytes).points * (1 + 1e-9));
}

} // namespace
