//===- LivePoints.h - Points that a mask leaves -----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `select(s <= t, x, constant)`: where the comparison fails x is not needed.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_LIVEPOINTS_H
#define TANG_ANALYSIS_FLOOR_LIVEPOINTS_H

#include "Tang/Dialect/TangDialect.h"

#include <map>

namespace mlir::tang {

/// A conjunction of inequalities Σ factors[d]·d + constant ≥ 0 over numbered
/// dimensions.
class LivePoints {
public:
  struct Inequality {
    std::map<int64_t, int64_t> factors;
    int64_t constant;
    bool operator<(const Inequality &other) const {
      return std::tie(factors, constant) <
             std::tie(other.factors, other.constant);
    }
    bool operator==(const Inequality &other) const = default;
  };

  /// Adds what the masks in a body leave; `dims` numbers the operation's
  /// dimensions (-1: there is none). Masks that are no such conjunction, or
  /// compare with values that only a run knows, leave everything.
  void add(StructuredOp op, ArrayRef<int64_t> dims);

  /// The dimensions that are compared.
  SmallVector<int64_t> getDims() const;
  /// Whether a box may hold a point that is left: false only if it holds none.
  /// `range` gives a dimension's least and greatest index in the box.
  bool
  mayMeet(llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> range) const;
  /// The share of points of a box that is left; 1 where it cannot be counted.
  double share(llvm::function_ref<int64_t(int64_t)> sizeOf) const;

private:
  std::vector<Inequality> inequalities;
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_LIVEPOINTS_H
