//===- Compare.h - Comparing results with expected values ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_COMPARE_H
#define TANG_RUNTIME_COMPARE_H

#include "Tang/Runtime/HostTensor.h"

namespace tang_rt {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// What a comparison found.
struct Comparison {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// The largest |got - want| over all finite pairs that are not equal.
  double maxAbsError = 0;
  /// The element furthest outside the tolerance, if any mismatches, and
  /// otherwise the one with the largest error, in memory order; -1 if every
  /// element is equal.
  int64_t worst = -1;
  double worstAbsError = 0;
  /// worstAbsError in units in the last place of the result's type at the
  /// wanted value; NaN for integers and where one side is not finite.
  double worstUlps = 0;
  std::string worstIndex;
  std::string gotText;
  std::string wantText;

  bool matches() const { return mismatches == 0; }
  /// `3 of 32 elements differ; worst at [1, 7]: got 1.5, want 1, ...`
  std::string report() const;
};

/// Compares in f64: |got - want| <= atol + rtol * |want|, NaN equal to NaN,
/// infinities equal in sign, -0 equal to +0. Two integer tensors are compared
/// in full precision. `want` may be of another (wider) type; `type` is the
/// declared type of the result, in which ULPs are counted. False with a
/// message if the shapes differ.
bool compareTensors(const HostTensor &got, const HostTensor &want, DType type,
                    Tolerance tolerance, Comparison &result,
                    std::string &error);

} // namespace tang_rt

#endif // TANG_RUNTIME_COMPARE_H
