//===- TileProgram.cpp - How much can be done with so much memory ---------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/TileProgram.h"

#include "Tang/Analysis/Floor/GeometricProgram.h"
#include "Tang/Analysis/Floor/Hbl.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tang;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static double productOf(const Nest &nest) {
  double product = 1;
  for (int64_t size : nest.sizes)
    product *= ShapedType::isDynamic(size) ? kInfinity : size;
  return product;
}

/// The exponents of a product of some of `n` variables.
static std::vector<double> productOf(ArrayRef<int64_t> loops, size_t n) {
  std::vector<double> exponents(n);
  for (int64_t i : loops)
    exponents[i] = 1;
  return exponents;
}

/// Where every array is indexed by loops alone.
static TileSolution solveProjective(const Nest &nest, double bytes) {
  size_t n = nest.sizes.size();
  GeometricProgram program(n);
  for (auto [i, size] : llvm::enumerate(nest.sizes))
    if (ShapedType::isStatic(size))
      program.bound(i, std::log(static_cast<double>(size)));
  for (const NestArray &array : nest.arrays)
    program.addMemory(array.bytes, productOf(*array.loops(), n));
  TileSolution solution;
  std::vector<double> y;
  solution.points =
      std::exp(program.maximise(std::log(bytes), y, solution.slope));
  for (double value : y)
    solution.tile.push_back(std::exp(value));
  if (double all = productOf(nest); solution.points > all) {
    solution.points = all;
    solution.slope = 0;
  }
  return solution;
}

/// |V| ≤ ∏ |φⱼ(V)|^sⱼ, with the memory shared out as suits it.
static TileSolution solveByExponent(const Nest &nest, double bytes) {
  std::optional<Hbl> hbl = Hbl::get(nest);
  if (!hbl)
    return {kInfinity, {}, 0};
  auto real = [](const presburger::Fraction &value) {
    return static_cast<double>(int64_t(value.num)) / int64_t(value.den);
  };
  double exponent = real(hbl->exponent), log = 0;
  for (auto [array, power] : llvm::zip(nest.arrays, hbl->arrays))
    if (double s = real(power))
      log += s * std::log(s / exponent * bytes / array.bytes);
  return {std::exp(log), {}, exponent};
}

/// The nest at one iteration of some loops.
static Nest without(const Nest &nest, uint64_t loops) {
  Nest rest;
  for (size_t i = 0; i < nest.sizes.size(); ++i)
    if (!(loops >> i & 1)) {
      rest.sizes.push_back(nest.sizes[i]);
      rest.names.push_back(nest.names[i]);
    }
  for (NestArray array : nest.arrays) {
    for (std::vector<int64_t> &form : array.forms)
      for (size_t i = nest.sizes.size(); i-- > 0;)
        if (loops >> i & 1)
          form.erase(form.begin() + i);
    rest.arrays.push_back(std::move(array));
  }
  return rest;
}

TileSolution mlir::tang::solveTile(const Nest &nest, double bytes) {
  if (nest.sizes.empty())
    return {1, {}, 0};
  if (llvm::any_of(nest.sizes, [](int64_t size) {
        return size <= 0 && ShapedType::isStatic(size);
      }))
    return {0, {}, 0};
  auto isProjective = [](const Nest &nest) {
    return llvm::all_of(nest.arrays, [](const NestArray &array) {
      return array.loops().has_value();
    });
  };
  if (isProjective(nest))
    return solveProjective(nest, bytes);

  TileSolution best = solveByExponent(nest, bytes);
  if (double all = productOf(nest); best.points > all)
    best = {all, {}, 0};
  // Loops that occur in sums, the short ones of which may be taken one by one.
  SmallVector<int64_t> inSums;
  for (auto [i, size] : llvm::enumerate(nest.sizes)) {
    bool summed = false;
    for (const NestArray &array : nest.arrays)
      for (const std::vector<int64_t> &form : array.forms)
        summed |= form[i] && llvm::count_if(form, [](int64_t factor) {
                               return factor != 0;
                             }) > 1;
    if (summed && ShapedType::isStatic(size) && i < 64 && inSums.size() < 8)
      inSums.push_back(i);
  }
  for (uint64_t subset = 1; subset < uint64_t(1) << inSums.size(); ++subset) {
    uint64_t loops = 0;
    double times = 1;
    for (auto [k, i] : llvm::enumerate(inSums))
      if (subset >> k & 1) {
        loops |= uint64_t(1) << i;
        times *= nest.sizes[i];
      }
    Nest rest = without(nest, loops);
    if (times >= best.points || !isProjective(rest))
      continue;
    TileSolution solution = solveProjective(rest, bytes);
    if (times * solution.points >= best.points)
      continue;
    best.points = times * solution.points;
    best.slope = solution.slope;
    best.tile.clear();
    for (size_t i = 0, k = 0; i < nest.sizes.size() && !solution.tile.empty();
         ++i)
      best.tile.push_back(loops >> i & 1 ? nest.sizes[i] : solution.tile[k++]);
  }
  return best;
}

/// The most elements of a result all of whose iterations touch `bytes`: each
/// input is needed along all of the loops that the result lacks.
static TileSolution mostFinished(const Nest &nest, const NestArray &result,
                                 double bytes) {
  std::optional<SmallVector<int64_t>> own = result.loops();
  if (!own)
    return {kInfinity, {}, 0};
  uint64_t others = 0;
  for (size_t i = 0; i < nest.sizes.size() && i < 64; ++i)
    if (!llvm::is_contained(*own, i))
      others |= uint64_t(1) << i;
  if (nest.sizes.size() > 64 || !others)
    return {kInfinity, {}, 0};
  Nest rest = nest;
  llvm::erase_if(rest.arrays, [&](const NestArray &array) {
    return array.finishedBytes >= 0 || !array.loops();
  });
  for (NestArray &array : rest.arrays) {
    SmallVector<int64_t> loops = *array.loops();
    for (int64_t i : loops)
      if (others >> i & 1 && ShapedType::isStatic(nest.sizes[i]))
        array.bytes *= nest.sizes[i];
  }
  return solveProjective(without(rest, others), bytes);
}

TileSolution mlir::tang::mostPoints(const Nest &nest, double bytes) {
  // Results in the making count in full; those that are finished give back
  // what they no longer take.
  double budget = bytes, slope = kInfinity;
  for (const NestArray &array : nest.arrays) {
    if (array.finishedBytes < 0 || array.finishedBytes >= array.bytes)
      continue;
    TileSolution finished = mostFinished(nest, array, bytes);
    budget += (array.bytes - array.finishedBytes) * finished.points;
    // A share that grows more slowly makes the whole grow more slowly.
    slope = std::min(slope, finished.slope);
  }
  if (!(budget < kInfinity))
    return {kInfinity, {}, 0};
  TileSolution solution = solveTile(nest, budget);
  if (slope < 1)
    solution.slope = std::min(solution.slope, slope);
  return solution;
}

double mlir::tang::boundTraffic(const Nest &nest, double points,
                                double capacity) {
  auto at = [&](double logRatio) {
    double bytes = capacity * std::exp(logRatio), segment = bytes - capacity;
    TileSolution most = mostPoints(nest, bytes);
    if (!(most.points > 0) || !(most.points < kInfinity))
      return 0.0;
    if (most.slope >= 1)
      return segment * points / most.points;
    // So many whole segments, after a first one that begins with nothing.
    double first = mostPoints(nest, segment).points;
    return segment *
           std::max(0.0, std::ceil((points - first) / most.points - 1e-9));
  };
  // One peak, but for steps: golden sections of log X/S.
  constexpr double golden = 0.6180339887498949;
  double low = 1e-3, high = 12, best = 0;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double atA = at(a), atB = at(b);
  for (int steps = 0; steps < 32; ++steps) {
    best = std::max({best, atA, atB});
    if (atA > atB || (atA == atB && atA == 0)) {
      high = b, b = a, atB = atA;
      atA = at(a = high - golden * (high - low));
    } else {
      low = a, a = b, atA = atB;
      atB = at(b = low + golden * (high - low));
    }
  }
  return best;
}
