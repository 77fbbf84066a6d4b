//===- GeometricProgram.cpp - Tiles as a convex problem -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/GeometricProgram.h"

#include <cmath>
#include <limits>

using namespace mlir::tang;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Posynomial::add(double factor, std::vector<double> powers) {
  logFactors.push_back(std::log(factor));
  exponents.push_back(std::move(powers));
}

double Posynomial::log(const std::vector<double> &y,
                       std::vector<double> &shares) const {
  shares.assign(size(), 0);
  double greatest = -kInfinity;
  for (size_t j = 0; j < size(); ++j) {
    double sum = logFactors[j];
    for (size_t i = 0; i < y.size(); ++i)
      sum += exponents[j][i] * y[i];
    shares[j] = sum;
    greatest = std::max(greatest, sum);
  }
  double total = 0;
  for (double &share : shares)
    total += share = std::exp(share - greatest);
  for (double &share : shares)
    share /= total;
  return greatest + std::log(total);
}

double Posynomial::log(const std::vector<double> &y) const {
  std::vector<double> shares;
  return log(y, shares);
}

GeometricProgram::GeometricProgram(size_t n) : n(n), most(n, kInfinity) {}

double GeometricProgram::barrier(const std::vector<double> &y, double weight,
                                 double logX) const {
  double value = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!(y[i] > 0) || !(most[i] - y[i] > 0))
      return -kInfinity;
    value += std::log(y[i]);
    if (cost.empty())
      value += weight * y[i];
    if (most[i] != kInfinity)
      value += std::log(most[i] - y[i]);
  }
  double slack = logX - memory.log(y);
  if (!(slack > 0))
    return -kInfinity;
  if (!cost.empty())
    value -= weight * cost.log(y);
  return value + std::log(slack);
}

/// One damped step of Newton's method; false at the top.
bool GeometricProgram::step(std::vector<double> &y, double weight,
                            double logX) const {
  // Gradient and curvature of a posynomial's logarithm.
  auto moments = [&](const Posynomial &sum, const std::vector<double> &shares,
                     std::vector<double> &mean,
                     std::vector<std::vector<double>> &covariance) {
    mean.assign(n, 0);
    covariance.assign(n, std::vector<double>(n));
    for (size_t j = 0; j < shares.size(); ++j)
      for (size_t i = 0; i < n; ++i) {
        mean[i] += sum.exponent(j, i) * shares[j];
        for (size_t k = 0; k < n; ++k)
          covariance[i][k] +=
              sum.exponent(j, i) * sum.exponent(j, k) * shares[j];
      }
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < n; ++k)
        covariance[i][k] -= mean[i] * mean[k];
  };
  std::vector<double> shares, mean, gradient(n);
  std::vector<std::vector<double>> covariance, h;
  double slack = logX - memory.log(y, shares);
  moments(memory, shares, mean, covariance);
  // The negated Hessian is positive definite.
  h.assign(n, std::vector<double>(n));
  for (size_t i = 0; i < n; ++i) {
    double above = most[i] - y[i];
    gradient[i] = 1 / y[i] - 1 / above - mean[i] / slack;
    if (cost.empty())
      gradient[i] += weight;
    for (size_t k = 0; k < n; ++k)
      h[i][k] = covariance[i][k] / slack + mean[i] * mean[k] / (slack * slack);
    h[i][i] += 1 / (y[i] * y[i]) + 1 / (above * above);
  }
  if (!cost.empty()) {
    cost.log(y, shares);
    moments(cost, shares, mean, covariance);
    for (size_t i = 0; i < n; ++i) {
      gradient[i] -= weight * mean[i];
      for (size_t k = 0; k < n; ++k)
        h[i][k] += weight * covariance[i][k];
    }
  }
  // Gauss' elimination without pivoting, which such a matrix allows.
  std::vector<double> move = gradient;
  for (size_t i = 0; i < n; ++i)
    for (size_t r = i + 1; r < n; ++r) {
      double factor = h[r][i] / h[i][i];
      for (size_t c = i; c < n; ++c)
        h[r][c] -= factor * h[i][c];
      move[r] -= factor * move[i];
    }
  for (size_t i = n; i-- > 0;) {
    for (size_t c = i + 1; c < n; ++c)
      move[i] -= h[i][c] * move[c];
    move[i] /= h[i][i];
  }
  double gain = 0;
  for (size_t i = 0; i < n; ++i)
    gain += gradient[i] * move[i];
  if (!(gain > 1e-12))
    return false;
  double before = barrier(y, weight, logX);
  for (double size = 1; size > 1e-10; size /= 2) {
    std::vector<double> next = y;
    for (size_t i = 0; i < n; ++i)
      next[i] += size * move[i];
    if (barrier(next, weight, logX) >= before + 0.1 * size * gain) {
      y = std::move(next);
      return true;
    }
  }
  return false;
}

bool GeometricProgram::climb(double logX, std::vector<double> &y) const {
  y.assign(n, 0);
  double slack = logX - memory.log(y);
  if (!(slack > 1e-9)) // not one iteration
    return false;
  double steepest = 1;
  for (size_t j = 0; j < memory.size(); ++j)
    for (size_t i = 0; i < n; ++i)
      steepest = std::max(steepest, memory.exponent(j, i));
  for (size_t i = 0; i < n; ++i)
    y[i] = std::min(most[i] / 2, slack / (2 * n * steepest));
  for (double weight = 1; weight < 1e9; weight *= 8)
    for (int steps = 0; steps < 60 && step(y, weight, logX); ++steps)
      ;
  return true;
}

/// The dual function at s = λ·shares: at least log F for every λ ≥ 0.
double GeometricProgram::dual(const std::vector<double> &shares, double lambda,
                              double logX) const {
  double value = 0;
  for (size_t i = 0; i < n; ++i) {
    double rest = 1;
    for (size_t j = 0; j < shares.size(); ++j)
      rest -= memory.exponent(j, i) * lambda * shares[j];
    if (rest > 0)
      value += rest * most[i];
  }
  for (size_t j = 0; j < shares.size(); ++j)
    if (shares[j] > 0)
      value += lambda * shares[j] *
               (std::log(shares[j]) + logX - memory.logFactor(j));
  return value;
}

double GeometricProgram::maximise(double logX, std::vector<double> &y,
                                  double &slope) {
  slope = 0;
  // A variable in no term fills its bound, or has none.
  for (size_t i = 0; i < n; ++i) {
    bool used = false;
    for (size_t j = 0; j < memory.size(); ++j)
      used |= memory.exponent(j, i) != 0;
    if (!used && most[i] == kInfinity)
      return kInfinity;
  }
  if (!climb(logX, y))
    return 0;
  std::vector<double> shares;
  memory.log(y, shares);
  // The dual is convex in λ.
  double low = 0, high = n + 1;
  for (int steps = 0; steps < 80; ++steps) {
    double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (dual(shares, a, logX) < dual(shares, b, logX))
      high = b;
    else
      low = a;
  }
  slope = (low + high) / 2;
  return dual(shares, slope, logX);
}

bool GeometricProgram::minimise(double logX, std::vector<double> &y) {
  return climb(logX, y);
}
