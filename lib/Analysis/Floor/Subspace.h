//===- Subspace.h - Rational subspaces, exactly -----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_ANALYSIS_FLOOR_SUBSPACE_H
#define TANG_LIB_ANALYSIS_FLOOR_SUBSPACE_H

#include "mlir/Analysis/Presburger/Fraction.h"

#include <cstdint>
#include <vector>

namespace mlir::tang {

/// A subspace of ℚⁿ by its reduced row echelon basis, which is unique. Ranks of
/// subgroups of ℤⁿ are dimensions of the subspaces that they span.
class Subspace {
public:
  using Row = std::vector<presburger::Fraction>;

  /// The span of rows of `n` integers each.
  Subspace(size_t n, const std::vector<std::vector<int64_t>> &rows);
  static Subspace whole(size_t n);

  size_t rank() const { return basis.size(); }
  bool operator==(const Subspace &other) const { return basis == other.basis; }

  Subspace operator+(const Subspace &other) const;
  /// The intersection.
  Subspace operator&(const Subspace &other) const;
  /// What is orthogonal to everything in it; of a map's rows, its kernel.
  Subspace complement() const;
  /// The rank of its image under a map.
  size_t imageRank(const std::vector<std::vector<int64_t>> &map) const;

private:
  Subspace(size_t n, std::vector<Row> rows);

  size_t n;
  std::vector<Row> basis;
};

} // namespace mlir::tang

#endif // TANG_LIB_ANALYSIS_FLOOR_SUBSPACE_H
