//===- Compare.cpp - Comparing results with expected values --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Compare.h"

#include "Tang/Runtime/FloatFormats.h"
#include "Tang/Runtime/PrintTensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tang_rt {

static std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

static std::string indexText(const std::vector<int64_t> &shape, int64_t at) {
  std::string text = "]";
  for (size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(at % shape[d]) + text;
    at /= shape[d];
    if (d)
      text = ", " + text;
  }
  return "[" + text;
}

bool compareTensors(const HostTensor &got, const HostTensor &want, DType type,
                    Tolerance tolerance, Comparison &result,
                    std::string &error) {
  result = Comparison();
  if (got.shape != want.shape) {
    error = "shape of the result is " + got.typeStr() +
            ", expected output is " + want.typeStr();
    return false;
  }
  constexpr double inf = std::numeric_limits<double>::infinity();
  bool integers = !isFloat(got.dtype) && !isFloat(want.dtype);
  result.elements = got.numElements();
  double worstExcess = -inf;
  for (int64_t i = 0; i < result.elements; ++i) {
    double w = want.getDouble(i), distance;
    if (integers) {
      __int128 difference = __int128(got.getInt(i)) - want.getInt(i);
      distance = double(difference < 0 ? -difference : difference);
    } else {
      double g = got.getDouble(i);
      if (g == w || (std::isnan(g) && std::isnan(w)))
        continue;
      distance = std::isfinite(g) && std::isfinite(w) ? std::fabs(g - w) : inf;
    }
    if (distance == 0)
      continue;
    double allowed = tolerance.atol + tolerance.rtol * std::fabs(w);
    // With an infinity wanted the tolerance is infinite too: still a mismatch.
    bool mismatch = distance == inf || !(distance <= allowed);
    result.mismatches += mismatch;
    if (distance != inf)
      result.maxAbsError = std::max(result.maxAbsError, distance);
    double excess = distance == inf ? inf : distance - allowed;
    if (result.worst < 0 || excess > worstExcess) {
      worstExcess = excess;
      result.worst = i;
      result.worstAbsError = distance;
    }
  }
  if (result.worst < 0)
    return true;
  result.worstIndex = indexText(got.shape, result.worst);
  result.gotText = elementText(got, result.worst);
  result.wantText = elementText(want, result.worst);
  result.worstUlps =
      isFloat(type) && std::isfinite(result.worstAbsError)
          ? result.worstAbsError /
                unitInLastPlace(type, want.getDouble(result.worst))
          : std::numeric_limits<double>::quiet_NaN();
  return true;
}

std::string Comparison::report() const {
  if (worst < 0)
    return "all " + std::to_string(elements) + " elements are equal";
  std::string text = matches()
                         ? "all " + std::to_string(elements) +
                               " elements are within the tolerance"
                         : std::to_string(mismatches) + " of " +
                               std::to_string(elements) + " elements differ";
  text += "; worst at " + worstIndex + ": got " + gotText + ", want " +
          wantText + ", error " + numberText(worstAbsError);
  if (std::isfinite(worstUlps))
    text += " (" + numberText(worstUlps) + " ULPs)";
  return text;
}

} // namespace tang_rt
