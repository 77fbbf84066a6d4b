//===- SolveTest.cpp - Derived tiles against all tiles --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests.h"
#include "Schedule/Problem.h"
#include "Tang/Analysis/Floor/TileProgram.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

using namespace mlir::tang;
using namespace nests;

namespace {

/// Two to four loops of 4 to 200 iterations, two or three inputs of 1, 2 or 4
/// bytes and a result.
TileProblem randomProblem(std::mt19937 &random) {
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  size_t n = draw(2, 4);
  std::vector<Forms> arrays;
  for (int j = 0, count = draw(2, 3); j <= count; ++j) {
    Forms forms;
    for (size_t i = 0; i < n; ++i)
      if (draw(0, 1)) {
        forms.emplace_back(n);
        forms.back()[i] = 1;
        if (j < count && draw(0, 7) == 0)
          forms.back()[draw(0, n - 1)] = 1;
      }
    arrays.push_back(forms);
  }
  TileProblem problem;
  problem.nest = nestOf(n, arrays);
  for (int64_t &size : problem.nest.sizes)
    size = draw(4, 200);
  for (NestArray &array : problem.nest.arrays)
    array.bytes = 1 << draw(0, 2);
  problem.nest.arrays.back().finishedBytes = problem.nest.arrays.back().bytes;
  for (size_t i = 0; i < n; ++i) {
    problem.grains.push_back(draw(0, 2) ? 1 : 8);
    problem.pinned.push_back(0);
  }
  problem.capacity = 64 << draw(0, 8);
  return problem;
}

/// The least traffic over all orders and (of long loops a geometric selection
/// of) legal sizes.
double exhaustive(const TileProblem &problem) {
  size_t n = problem.nest.sizes.size();
  std::vector<std::vector<int64_t>> sizes(n);
  for (size_t i = 0; i < n; ++i) {
    double step = n <= 2 ? 1.0 : n == 3 ? 1.12 : 1.3;
    for (double size = problem.grains[i]; size < problem.nest.sizes[i];
         size = std::max(size + problem.grains[i], size * step)) {
      int64_t legal = int64_t(size) / problem.grains[i] * problem.grains[i];
      if (sizes[i].empty() || sizes[i].back() != legal)
        sizes[i].push_back(legal);
    }
    sizes[i].push_back(problem.nest.sizes[i]);
  }
  double best = INFINITY;
  Tiling tiling;
  tiling.tile.resize(n);
  auto walk = [&](auto &self, size_t i) -> void {
    if (i < n) {
      for (int64_t size : sizes[i]) {
        tiling.tile[i] = size;
        self(self, i + 1);
      }
      return;
    }
    if (memoryOf(problem, tiling.tile) > problem.capacity)
      return;
    tiling.order.resize(n);
    std::iota(tiling.order.begin(), tiling.order.end(), 0);
    do
      best = std::min(best, trafficOf(problem, tiling));
    while (std::next_permutation(tiling.order.begin(), tiling.order.end()));
  };
  walk(walk, 0);
  return best;
}

TEST(Solve, NearTheBestOfAll) {
  std::mt19937 random(11);
  double worst = 1, slowest = 0;
  int solved = 0;
  for (int round = 0; solved < 200; ++round) {
    ASSERT_LT(round, 1000);
    TileProblem problem = randomProblem(random);
    double best = exhaustive(problem);
    auto start = std::chrono::steady_clock::now();
    std::optional<Tiling> tiling = solve(problem);
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    ASSERT_EQ(tiling.has_value(), best < INFINITY) << "round " << round;
    if (!tiling)
      continue;
    ++solved;
    EXPECT_EQ(check(problem, tiling->tile), "");
    EXPECT_LE(tiling->traffic, 1.3 * best) << "round " << round;
    worst = std::max(worst, tiling->traffic / best);
    slowest = std::max(slowest, took.count());
  }
  RecordProperty("worst", std::to_string(worst));
  std::printf("worst ratio %.3f, slowest %.1f ms\n", worst, slowest * 1e3);
  // 50 ms on an idle machine.
  EXPECT_LT(slowest, 0.5);
}

TEST(Solve, AlwaysTheSame) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    TileProblem problem = randomProblem(random);
    std::optional<Tiling> a = solve(problem), b = solve(problem);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) {
      EXPECT_EQ(a->tile, b->tile);
      EXPECT_EQ(a->order, b->order);
    }
  }
}

TEST(Solve, MatmulKeepsItsResult) {
  // Sums stay while the reduced loop runs innermost: nearly √S by √S of them.
  TileProblem problem;
  problem.nest = matmul(1024, 1024, 1024);
  problem.nest.arrays[2].finishedBytes = 1;
  problem.grains = {1, 1, 1};
  problem.pinned = {0, 0, 0};
  problem.capacity = 10000;
  std::optional<Tiling> tiling = solve(problem);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->order.back(), 2u);
  EXPECT_GE(tiling->tile[0] * tiling->tile[1], 9000);
  double bound = boundTraffic(problem.nest, std::pow(1024., 3), 10000);
  EXPECT_GE(tiling->traffic, bound);
  EXPECT_LE(tiling->traffic, 1.15 * bound);
}

TEST(Solve, RulesHaveNames) {
  TileProblem problem;
  problem.nest = matmul(64, 64, 64);
  problem.grains = {8, 8, 1};
  problem.pinned = {0, 0, 16};
  problem.capacity = 1000;
  EXPECT_NE(check(problem, {7, 8, 16}).find("'grain'"), std::string::npos);
  EXPECT_NE(check(problem, {8, 8, 8}).find("'pinned'"), std::string::npos);
  EXPECT_NE(check(problem, {8, 72, 16}).find("'range'"), std::string::npos);
  EXPECT_NE(check(problem, {64, 64, 16}).find("'memory'"), std::string::npos);
  EXPECT_EQ(check(problem, {8, 16, 16}), "");
  std::optional<Tiling> tiling = solve(problem);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->tile[2], 16);
}

} // namespace
