//===- Hbl.h - The Hölder-Brascamp-Lieb exponent ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all sets V of iterations, |V| ≤ ∏ⱼ |φⱼ(V)|^sⱼ if and only if
//
//   rank H ≤ Σⱼ sⱼ · rank φⱼ(H)
//
// for every subgroup H of the lattice that the kernels of the φⱼ generate (M.
// Christ, J. Demmel, N. Knight, T. Scanlon, K. Yelick: "Communication lower
// bounds and optimal algorithms for programs that reference arrays", 2013).
// With M elements of fast memory a nest of |V| iterations moves Ω(|V|·M^(1−k))
// elements, where k, the exponent, is the least Σⱼ sⱼ. Everything is exact.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_HBL_H
#define TANG_ANALYSIS_FLOOR_HBL_H

#include "Tang/Analysis/Floor/Nest.h"
#include "mlir/Analysis/Presburger/Fraction.h"

namespace mlir::tang {

struct Hbl {
  presburger::Fraction exponent;
  /// sⱼ of each array; of those that give the exponent the lexicographically
  /// least.
  std::vector<presburger::Fraction> arrays;
  /// Where every array is indexed by loops alone, λᵢ of each loop: tiles of
  /// M^λᵢ reach the bound. Empty otherwise.
  std::vector<presburger::Fraction> tile;
  /// Subgroups in the lattice, 0 where it was not needed.
  int64_t subgroups = 0;

  /// The exponent of a nest, or nothing where no array bounds some loop: any
  /// number of its iterations need no further memory.
  ///
  /// `logSizes`, if given, has for each loop log_M of its size, or nothing for
  /// a loop without bound. A bounded loop acts as an array of that cost.
  static std::optional<Hbl>
  get(const Nest &nest,
      ArrayRef<std::optional<presburger::Fraction>> logSizes = {});
};

/// `3/2`, `2`.
std::string formatFraction(const presburger::Fraction &value);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_HBL_H
