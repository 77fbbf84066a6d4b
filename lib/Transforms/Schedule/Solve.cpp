//===- Solve.cpp - Tiles of least traffic ---------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include "Tang/Analysis/Floor/GeometricProgram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::tang;

namespace {

/// Nests of more loops have their orders cut down to which loop is innermost.
constexpr size_t kAllOrders = 4;
/// Orders that are searched further, the best ones.
constexpr size_t kImproved = 8;

/// Points of an index of a tile: Σ|factor|·(size − 1) + 1.
double extentOf(const std::vector<int64_t> &form,
                const std::vector<int64_t> &tile) {
  double extent = 1;
  bool single =
      llvm::count_if(form, [](int64_t factor) { return factor != 0; }) == 1;
  for (size_t i = 0; i < form.size(); ++i)
    if (form[i])
      extent += (single ? 1 : std::abs(form[i])) * (tile[i] - 1.);
  return extent;
}

double elementsOf(const NestArray &array, const std::vector<int64_t> &tile) {
  double elements = 1;
  for (const std::vector<int64_t> &form : array.forms)
    elements *= extentOf(form, tile);
  return elements;
}

bool depends(const NestArray &array, size_t loop) {
  return llvm::any_of(array.forms, [&](const std::vector<int64_t> &form) {
    return form[loop] != 0;
  });
}

/// How many tile loops, from outside, move an array's tile.
size_t depthOf(const NestArray &array, const std::vector<size_t> &order) {
  for (size_t depth = order.size(); depth > 0; --depth)
    if (depends(array, order[depth - 1]))
      return depth;
  return 0;
}

class Solver {
public:
  explicit Solver(const TileProblem &problem)
      : problem(problem), n(problem.nest.sizes.size()) {}

  std::optional<Tiling> run();

private:
  std::vector<std::vector<size_t>> orders() const;
  bool relax(const std::vector<size_t> &order, std::vector<double> &y) const;
  void consider(const std::vector<int64_t> &tile,
                const std::vector<size_t> &order);
  void snap(const std::vector<double> &y, const std::vector<size_t> &order);
  void improve(const std::vector<size_t> &order);
  int64_t greatest(std::vector<int64_t> tile, size_t loop) const;
  /// The legal size at or below (above) a real one.
  int64_t legal(size_t loop, double size, bool up) const;

  const TileProblem &problem;
  size_t n;
  std::optional<Tiling> best;
  double bestMemory = 0;
};

} // namespace

double mlir::tang::memoryOf(const TileProblem &problem,
                            const std::vector<int64_t> &tile) {
  double bytes = 0;
  for (const NestArray &array : problem.nest.arrays)
    bytes += array.bytes * elementsOf(array, tile);
  return bytes;
}

double mlir::tang::trafficOf(const TileProblem &problem, const Tiling &tiling) {
  double bytes = 0;
  for (const NestArray &array : problem.nest.arrays) {
    double times = 1, distinct = 1;
    size_t depth = depthOf(array, tiling.order);
    for (size_t k = 0; k < depth; ++k) {
      size_t i = tiling.order[k];
      double tiles = llvm::divideCeil(problem.nest.sizes[i], tiling.tile[i]);
      times *= tiles;
      if (depends(array, i))
        distinct *= tiles;
    }
    double tileBytes = array.bytes * elementsOf(array, tiling.tile);
    // A result is stored each time, and loaded where it was stored before.
    bytes += array.finishedBytes >= 0 ? tileBytes * (2 * times - distinct)
                                      : tileBytes * times;
  }
  return bytes;
}

std::string mlir::tang::check(const TileProblem &problem,
                              const std::vector<int64_t> &tile) {
  for (size_t i = 0; i < tile.size(); ++i) {
    const std::string &name = problem.nest.names[i];
    if (tile[i] < 1 || tile[i] > problem.nest.sizes[i])
      return "rule 'range': loop " + name + " has " +
             std::to_string(problem.nest.sizes[i]) + " iterations, a tile of " +
             std::to_string(tile[i]);
    if (problem.pinned[i] && tile[i] != problem.pinned[i])
      return "rule 'pinned': the tile of loop " + name + " is given";
    if (!problem.pinned[i] && tile[i] != problem.nest.sizes[i] &&
        tile[i] % problem.grains[i])
      return "rule 'grain': a tile of loop " + name + " is a multiple of " +
             std::to_string(problem.grains[i]) + ", or whole";
  }
  if (memoryOf(problem, tile) > problem.capacity)
    return "rule 'memory': a tile does not fit";
  return "";
}

int64_t Solver::legal(size_t loop, double size, bool up) const {
  int64_t whole = problem.nest.sizes[loop], grain = problem.grains[loop];
  if (problem.pinned[loop])
    return problem.pinned[loop];
  if (size >= whole - 1e-6)
    return whole;
  int64_t multiple = static_cast<int64_t>(up ? std::ceil(size / grain - 1e-9)
                                             : std::floor(size / grain + 1e-9));
  return std::min(whole, std::max<int64_t>(1, multiple) * grain);
}

std::vector<std::vector<size_t>> Solver::orders() const {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<size_t>> all;
  if (n <= kAllOrders) {
    do
      all.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    return all;
  }
  for (size_t inner = 0; inner < n; ++inner) {
    std::vector<size_t> own = order;
    std::rotate(own.begin() + inner, own.begin() + inner + 1, own.end());
    all.push_back(std::move(own));
  }
  return all;
}

/// The best tile if sizes were real and windows were products.
bool Solver::relax(const std::vector<size_t> &order,
                   std::vector<double> &y) const {
  GeometricProgram program(n);
  for (size_t i = 0; i < n; ++i)
    program.bound(
        i, std::log(std::max(
               1.0000001, static_cast<double>(problem.pinned[i]
                                                  ? problem.pinned[i]
                                                  : problem.nest.sizes[i]))));
  for (const NestArray &array : problem.nest.arrays) {
    // An index that is a sum of loops is as long as the sum of their tiles:
    // expanded, one term for each choice of a loop of every index.
    std::vector<std::pair<double, std::vector<double>>> terms = {
        {array.bytes, std::vector<double>(n)}};
    for (const std::vector<int64_t> &form : array.forms) {
      std::vector<std::pair<double, std::vector<double>>> next;
      bool single =
          llvm::count_if(form, [](int64_t factor) { return factor != 0; }) == 1;
      for (auto &[factor, exponents] : terms)
        for (size_t i = 0; i < n; ++i)
          if (form[i]) {
            next.push_back(
                {factor * (single ? 1 : std::abs(form[i])), exponents});
            next.back().second[i] += 1;
          }
      terms = std::move(next);
    }
    size_t depth = depthOf(array, order);
    for (auto &[factor, exponents] : terms) {
      program.addMemory(factor, exponents);
      double moved = factor * (array.finishedBytes >= 0 ? 2 : 1);
      std::vector<double> powers = exponents;
      for (size_t k = 0; k < depth; ++k) {
        moved *= problem.nest.sizes[order[k]];
        powers[order[k]] -= 1;
      }
      program.addCost(moved, powers);
    }
  }
  return program.minimise(std::log(problem.capacity), y);
}

void Solver::consider(const std::vector<int64_t> &tile,
                      const std::vector<size_t> &order) {
  double memory = memoryOf(problem, tile);
  if (memory > problem.capacity)
    return;
  Tiling tiling{tile, order, 0};
  tiling.traffic = trafficOf(problem, tiling);
  if (!best ||
      std::tie(tiling.traffic, memory, tiling.tile, tiling.order) <
          std::tie(best->traffic, bestMemory, best->tile, best->order)) {
    best = std::move(tiling);
    bestMemory = memory;
  }
}

/// Every corner of legal sizes around the best real ones.
void Solver::snap(const std::vector<double> &y,
                  const std::vector<size_t> &order) {
  for (size_t corner = 0; corner < size_t(1) << std::min<size_t>(n, 8);
       ++corner) {
    std::vector<int64_t> tile;
    for (size_t i = 0; i < n; ++i)
      tile.push_back(
          legal(i, std::exp(y[i]), /*up=*/i < 8 && (corner >> i & 1)));
    consider(tile, order);
  }
  std::vector<int64_t> least;
  for (size_t i = 0; i < n; ++i)
    least.push_back(legal(i, 1, false));
  consider(least, order);
}

/// The greatest legal size of a loop's tile that fits with the others; 0 if
/// none does.
int64_t Solver::greatest(std::vector<int64_t> tile, size_t loop) const {
  auto fits = [&](int64_t size) {
    tile[loop] = size;
    return memoryOf(problem, tile) <= problem.capacity;
  };
  int64_t whole = legal(loop, problem.nest.sizes[loop], true);
  if (problem.pinned[loop] || fits(whole))
    return fits(whole) ? whole : 0;
  int64_t low = 0, high = whole / problem.grains[loop];
  while (low + 1 < high) {
    int64_t middle = low + (high - low) / 2;
    (fits(middle * problem.grains[loop]) ? low : high) = middle;
  }
  return low * problem.grains[loop];
}

/// One loop after another takes any of a range of sizes, and each of the others
/// in turn what is left, as long as that gains anything.
void Solver::improve(const std::vector<size_t> &order) {
  for (int round = 0; best && round < 6; ++round) {
    std::vector<int64_t> before = best->tile;
    for (size_t i = 0; i < n; ++i) {
      std::vector<int64_t> start = best->tile;
      int64_t last = 0;
      for (double size = 1; last < problem.nest.sizes[i]; size *= 1.25) {
        std::vector<int64_t> tile = start;
        tile[i] = legal(i, size, true);
        if (tile[i] == last)
          continue;
        last = tile[i];
        consider(tile, order);
        for (size_t k = 0; k < n; ++k) {
          if (k == i)
            continue;
          std::vector<int64_t> other = tile;
          other[k] = greatest(other, k);
          if (other[k])
            consider(other, order);
        }
        if (problem.pinned[i])
          break;
      }
    }
    if (best->tile == before)
      break;
  }
}

std::optional<Tiling> Solver::run() {
  std::vector<std::tuple<double, std::vector<size_t>, std::vector<int64_t>>>
      snapped;
  for (const std::vector<size_t> &order : orders()) {
    std::vector<double> y;
    if (!relax(order, y))
      continue;
    best.reset();
    snap(y, order);
    if (best)
      snapped.push_back({best->traffic, order, best->tile});
  }
  std::sort(snapped.begin(), snapped.end());
  if (snapped.size() > kImproved)
    snapped.resize(kImproved);
  std::optional<Tiling> least;
  for (auto &[traffic, order, tile] : snapped) {
    best.reset();
    consider(tile, order);
    improve(order);
    // The same tile may do better in another order.
    for (const std::vector<size_t> &other : orders())
      consider(best->tile, other);
    improve(best->order);
    if (!least || std::tie(best->traffic, best->tile, best->order) <
                      std::tie(least->traffic, least->tile, least->order))
      least = best;
  }
  return least;
}

std::optional<Tiling> mlir::tang::solve(const TileProblem &problem) {
  return Solver(problem).run();
}
