//===- GeometricProgram.h - Tiles as a convex problem -----------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_GEOMETRICPROGRAM_H
#define TANG_ANALYSIS_FLOOR_GEOMETRICPROGRAM_H

#include <cstddef>
#include <vector>

namespace mlir::tang {

/// A sum of positive multiples of products of powers of variables, convex in
/// their logarithms.
class Posynomial {
public:
  void add(double factor, std::vector<double> exponents);
  bool empty() const { return logFactors.empty(); }
  size_t size() const { return logFactors.size(); }
  double logFactor(size_t term) const { return logFactors[term]; }
  double exponent(size_t term, size_t i) const { return exponents[term][i]; }
  /// log of the value at exp(y); each term's share of it in `shares`.
  double log(const std::vector<double> &y, std::vector<double> &shares) const;
  double log(const std::vector<double> &y) const;

private:
  std::vector<double> logFactors;
  std::vector<std::vector<double>> exponents;
};

/// Over 1 ≤ bᵢ ≤ Lᵢ with a posynomial of them, the memory, at most X: the
/// greatest ∏ bᵢ, or the least value of another posynomial. By Newton's method
/// on a logarithmic barrier, in y = log b. (S. Boyd et al.: "A tutorial on
/// geometric programming", 2007.)
class GeometricProgram {
public:
  explicit GeometricProgram(size_t n);

  /// Lᵢ; without it there is no bound.
  void bound(size_t i, double logSize) { most[i] = logSize; }
  void addMemory(double factor, std::vector<double> exponents) {
    memory.add(factor, std::move(exponents));
  }
  void addCost(double factor, std::vector<double> exponents) {
    cost.add(factor, std::move(exponents));
  }

  /// log of an upper bound on the greatest product, by a feasible point of the
  /// dual; log b in `y`, and how much it grows with log X.
  double maximise(double logX, std::vector<double> &y, double &slope);
  /// log b where the cost is least; false if not even b = 1 fits.
  bool minimise(double logX, std::vector<double> &y);

private:
  double barrier(const std::vector<double> &y, double weight,
                 double logX) const;
  bool step(std::vector<double> &y, double weight, double logX) const;
  bool climb(double logX, std::vector<double> &y) const;
  double dual(const std::vector<double> &shares, double lambda,
              double logX) const;

  size_t n;
  std::vector<double> most;
  Posynomial memory, cost;
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_GEOMETRICPROGRAM_H
