//===- SimulationTest.cpp - No schedule beats the floor -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random nests are run through a fully associative cache that evicts what is
// needed last, tile by tile, in random orders and in tiles that suit the cache.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"
#include "Tang/Analysis/Floor/TileProgram.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace mlir::tang;
using namespace nests;

namespace {

using Point = std::vector<int64_t>;

int64_t volume(const Nest &nest) {
  int64_t product = 1;
  for (int64_t size : nest.sizes)
    product *= size;
  return product;
}

/// All points, tile by tile; loops outermost first as `order` says, within
/// tiles as `inner` says.
std::vector<Point> run(const Nest &nest, const Point &tile,
                       const std::vector<size_t> &order,
                       const std::vector<size_t> &inner) {
  std::vector<Point> points;
  size_t n = nest.sizes.size();
  Point base(n), at(n);
  auto walk = [&](auto &self, size_t depth) -> void {
    if (depth == 2 * n) {
      points.push_back(at);
      return;
    }
    if (depth < n) {
      size_t i = order[depth];
      for (base[i] = 0; base[i] < nest.sizes[i]; base[i] += tile[i])
        self(self, depth + 1);
      return;
    }
    size_t i = inner[depth - n];
    for (at[i] = base[i]; at[i] < std::min(base[i] + tile[i], nest.sizes[i]);
         ++at[i])
      self(self, depth + 1);
  };
  walk(walk, 0);
  return points;
}

/// Elements loaded and stored by a cache that knows the future (Belady's
/// choice; that of storing what was changed counts once an eviction). The
/// results are the last array; these start at 0, so a first touch loads
/// nothing.
int64_t simulate(const Nest &nest, const std::vector<Point> &points,
                 size_t capacity) {
  using Element = std::pair<size_t, Point>;
  std::map<Element, std::vector<int64_t>> uses;
  std::vector<std::vector<Element>> touched(points.size());
  for (size_t t = 0; t < points.size(); ++t)
    for (size_t j = 0; j < nest.arrays.size(); ++j) {
      Point index;
      for (const auto &form : nest.arrays[j].forms)
        index.push_back(std::inner_product(form.begin(), form.end(),
                                           points[t].begin(), int64_t(0)));
      touched[t].push_back({j, index});
      uses[touched[t].back()].push_back(t);
    }
  int64_t moved = 0, never = points.size();
  size_t result = nest.arrays.size() - 1;
  std::map<Element, std::pair<int64_t, bool>> held; // next use, changed
  std::set<std::pair<int64_t, Element>> byUse;
  std::set<Element> made;
  std::map<Element, size_t> position;
  for (size_t t = 0; t < points.size(); ++t) {
    for (const Element &element : touched[t]) {
      size_t &at = position[element];
      const std::vector<int64_t> &times = uses[element];
      while (at < times.size() && times[at] <= static_cast<int64_t>(t))
        ++at;
      int64_t next = at < times.size() ? times[at] : never;
      auto it = held.find(element);
      if (it != held.end()) {
        byUse.erase({it->second.first, element});
      } else {
        bool first = element.first == result && made.insert(element).second;
        moved += !first;
        // What this point touches must not go.
        while (held.size() >= capacity) {
          auto victim = std::prev(byUse.end());
          while (std::find(touched[t].begin(), touched[t].end(),
                           victim->second) != touched[t].end())
            --victim;
          moved += held[victim->second].second;
          held.erase(victim->second);
          byUse.erase(victim);
        }
      }
      held[element] = {next, element.first == result};
      byUse.insert({next, element});
    }
  }
  for (auto &[element, state] : held)
    moved += state.second;
  return moved;
}

/// 2 to 4 loops of 2 to 12 iterations; two or three inputs and a result.
Nest randomNest(std::mt19937 &random) {
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  size_t n = draw(2, 4);
  std::vector<Forms> arrays;
  for (int j = 0, count = draw(2, 3); j <= count; ++j) {
    Forms forms;
    for (size_t i = 0; i < n; ++i) {
      if (draw(0, 1) == 0)
        continue;
      forms.emplace_back(n);
      forms.back()[i] = 1;
      // Now and then a window; results are plain.
      if (j < count && draw(0, 5) == 0)
        forms.back()[draw(0, n - 1)] = 1;
    }
    arrays.push_back(forms);
  }
  Nest nest = nestOf(n, arrays);
  for (int64_t &size : nest.sizes)
    size = draw(2, n == 2 ? 40 : n == 3 ? 14 : 7);
  return nest;
}

TEST(Simulation, NoScheduleBeatsTheBound) {
  std::mt19937 random(7);
  int bounds = 0;
  double closest = 0;
  for (int round = 0; round < 300; ++round) {
    Nest nest = randomNest(random);
    size_t n = nest.sizes.size();
    size_t capacity = nest.arrays.size() + random() % 40;
    double bound = boundTraffic(nest, volume(nest), capacity);
    bounds += bound > 0;
    for (int trial = 0; trial < 4; ++trial) {
      Point tile;
      TileSolution best = solveTile(nest, capacity);
      for (size_t i = 0; i < n; ++i)
        tile.push_back(trial < 2 && !best.tile.empty()
                           ? std::max<int64_t>(
                                 1, std::min<double>(nest.sizes[i],
                                                     std::round(best.tile[i])))
                           : 1 + random() % nest.sizes[i]);
      std::vector<size_t> order(n), inner(n);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      inner = order;
      std::shuffle(inner.begin(), inner.end(), random);
      int64_t moved = simulate(nest, run(nest, tile, order, inner), capacity);
      ASSERT_LE(bound, moved * (1 + 1e-9))
          << "round " << round << ", capacity " << capacity;
      closest = std::max(closest, bound / std::max<int64_t>(1, moved));
    }
  }
  // The bound says something, and is not far from what schedules reach.
  EXPECT_GT(bounds, 150);
  EXPECT_GT(closest, 0.5);
}

} // namespace
