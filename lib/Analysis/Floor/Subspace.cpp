//===- Subspace.cpp - Rational subspaces, exactly -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subspace.h"

#include <algorithm>

using namespace mlir::tang;
using mlir::presburger::Fraction;

/// Gauss and Jordan's elimination; rows of zeros go.
static void eliminate(size_t n, std::vector<Subspace::Row> &rows) {
  size_t done = 0;
  for (size_t column = 0; column < n && done < rows.size(); ++column) {
    auto pivot =
        std::find_if(rows.begin() + done, rows.end(), [&](const auto &row) {
          return row[column] != Fraction();
        });
    if (pivot == rows.end())
      continue;
    std::iter_swap(pivot, rows.begin() + done);
    Fraction scale = rows[done][column];
    for (Fraction &value : rows[done])
      value /= scale;
    for (size_t r = 0; r < rows.size(); ++r) {
      Fraction factor = rows[r][column];
      if (r == done || factor == Fraction())
        continue;
      for (size_t c = 0; c < n; ++c)
        rows[r][c] -= factor * rows[done][c];
    }
    ++done;
  }
  rows.resize(done);
}

static std::vector<Subspace::Row>
toRows(const std::vector<std::vector<int64_t>> &rows) {
  std::vector<Subspace::Row> result;
  for (const std::vector<int64_t> &row : rows) {
    result.emplace_back();
    for (int64_t value : row)
      result.back().push_back(Fraction(value, 1));
  }
  return result;
}

Subspace::Subspace(size_t n, std::vector<Row> rows)
    : n(n), basis(std::move(rows)) {
  eliminate(n, basis);
}

Subspace::Subspace(size_t n, const std::vector<std::vector<int64_t>> &rows)
    : Subspace(n, toRows(rows)) {}

Subspace Subspace::whole(size_t n) {
  std::vector<std::vector<int64_t>> rows(n, std::vector<int64_t>(n));
  for (size_t i = 0; i < n; ++i)
    rows[i][i] = 1;
  return Subspace(n, rows);
}

Subspace Subspace::operator+(const Subspace &other) const {
  std::vector<Row> rows = basis;
  rows.insert(rows.end(), other.basis.begin(), other.basis.end());
  return Subspace(n, std::move(rows));
}

Subspace Subspace::operator&(const Subspace &other) const {
  return (complement() + other.complement()).complement();
}

Subspace Subspace::complement() const {
  // In echelon form pivots' columns are solved for the others.
  std::vector<size_t> pivots;
  for (const Row &row : basis)
    pivots.push_back(std::find_if(row.begin(), row.end(),
                                  [](const Fraction &value) {
                                    return value != Fraction();
                                  }) -
                     row.begin());
  std::vector<Row> rows;
  for (size_t column = 0; column < n; ++column) {
    if (std::find(pivots.begin(), pivots.end(), column) != pivots.end())
      continue;
    Row row(n);
    row[column] = Fraction(1, 1);
    for (size_t r = 0; r < basis.size(); ++r)
      row[pivots[r]] = -basis[r][column];
    rows.push_back(std::move(row));
  }
  return Subspace(n, std::move(rows));
}

size_t Subspace::imageRank(const std::vector<std::vector<int64_t>> &map) const {
  std::vector<Row> images;
  for (const Row &row : basis) {
    images.emplace_back();
    for (const std::vector<int64_t> &form : map) {
      Fraction sum;
      for (size_t i = 0; i < n; ++i)
        sum += row[i] * Fraction(form[i], 1);
      images.back().push_back(sum);
    }
  }
  eliminate(map.size(), images);
  return images.size();
}
