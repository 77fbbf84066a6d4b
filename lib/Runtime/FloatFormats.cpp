//===- FloatFormats.cpp - Bit-exact narrow floats ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tang_rt {

namespace {
/// A binary format: `man` explicit mantissa bits, `exp` exponent bits.
struct Format {
  int exp;
  int man;
  bool hasInfinity;
  int bias() const { return (1 << (exp - 1)) - 1; }
  /// The exponent of the smallest normal number.
  int minExponent() const { return 1 - bias(); }
};

Format formatOf(DType type) {
  switch (type) {
  case DType::F64:
    return {11, 52, true};
  case DType::F32:
    return {8, 23, true};
  case DType::F16:
    return {5, 10, true};
  case DType::BF16:
    return {8, 7, true};
  case DType::F8E4M3FN:
    return {4, 3, false};
  default:
    return {5, 2, true};
  }
}

double decodeSmall(Format f, uint64_t bits) {
  uint64_t sign = bits >> (f.exp + f.man) & 1;
  uint64_t exponent = bits >> f.man & ((uint64_t(1) << f.exp) - 1);
  uint64_t mantissa = bits & ((uint64_t(1) << f.man) - 1);
  uint64_t allOnes = (uint64_t(1) << f.exp) - 1;
  if (exponent == allOnes) {
    if (f.hasInfinity)
      return std::bit_cast<double>(sign << 63 | uint64_t(0x7ff) << 52 |
                                   mantissa << (52 - f.man));
    if (mantissa == (uint64_t(1) << f.man) - 1)
      return std::bit_cast<double>(sign << 63 | uint64_t(0x7ff8) << 48);
  }
  double magnitude = exponent == 0
                         ? std::ldexp(double(mantissa), f.minExponent() - f.man)
                         : std::ldexp(double(mantissa | uint64_t(1) << f.man),
                                      int(exponent) - f.bias() - f.man);
  return sign ? -magnitude : magnitude;
}

uint64_t encodeSmall(Format f, double value) {
  uint64_t raw = std::bit_cast<uint64_t>(value);
  uint64_t sign = (raw >> 63) << (f.exp + f.man);
  uint64_t allOnes = ((uint64_t(1) << f.exp) - 1) << f.man;
  uint64_t manMask = (uint64_t(1) << f.man) - 1;
  if (std::isnan(value)) {
    if (!f.hasInfinity)
      return sign | allOnes | manMask;
    uint64_t payload = raw >> (52 - f.man) & manMask;
    return sign | allOnes | (payload ? payload : uint64_t(1) << (f.man - 1));
  }
  uint64_t overflow = f.hasInfinity ? allOnes : allOnes | manMask;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | overflow;
  if (magnitude == 0)
    return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < f.minExponent())
    exponent = f.minExponent();
  if (exponent > f.bias() + 1)
    return sign | overflow;
  // Scaling by a power of two is exact, so this rounds once.
  double scaled = std::ldexp(magnitude, f.man - exponent);
  double whole = std::floor(scaled), rest = scaled - whole;
  uint64_t units = uint64_t(whole);
  if (rest > 0.5 || (rest == 0.5 && (units & 1)))
    ++units;
  // The exponent field and the mantissa carry into each other.
  uint64_t bits = (uint64_t(exponent - f.minExponent()) << f.man) + units;
  return sign | (bits > (f.hasInfinity ? allOnes : allOnes + manMask) ? overflow
                                                                      : bits);
}

/// Rounds to odd, so that a second rounding to a narrower type is exact.
double toOddDouble(uint64_t magnitude) {
  if (magnitude < uint64_t(1) << 53)
    return double(magnitude);
  int shift = 11 - std::countl_zero(magnitude);
  uint64_t kept = magnitude >> shift;
  if (kept << shift != magnitude)
    kept |= 1;
  return std::ldexp(double(kept), shift);
}
} // namespace

double decodeFloat(DType type, uint64_t bits) {
  if (type == DType::F64)
    return std::bit_cast<double>(bits);
  if (type == DType::F32)
    return double(std::bit_cast<float>(uint32_t(bits)));
  return decodeSmall(formatOf(type), bits);
}

uint64_t encodeFloat(DType type, double value) {
  if (type == DType::F64)
    return std::bit_cast<uint64_t>(value);
  if (type == DType::F32)
    return std::bit_cast<uint32_t>(float(value));
  return encodeSmall(formatOf(type), value);
}

double roundToType(DType type, double value) {
  if (type == DType::F64)
    return value;
  if (type == DType::F32)
    return double(float(value));
  return decodeFloat(type, encodeFloat(type, value));
}

double integerToFloat(DType type, int64_t value, bool isUnsigned) {
  bool negative = !isUnsigned && value < 0;
  uint64_t magnitude = negative ? -uint64_t(value) : uint64_t(value);
  double result = type == DType::F64
                      ? double(magnitude)
                      : roundToType(type, toOddDouble(magnitude));
  return negative ? -result : result;
}

int64_t floatToInteger(DType type, double value, bool isUnsigned) {
  if (std::isnan(value))
    return 0;
  unsigned bits = dtypeBits(type);
  value = std::trunc(value);
  double top = std::ldexp(1.0, int(isUnsigned ? bits : bits - 1));
  if (isUnsigned) {
    if (value <= 0)
      return 0;
    uint64_t max = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    return wrapInteger(type, int64_t(value >= top ? max : uint64_t(value)));
  }
  int64_t min = int64_t(~uint64_t(0) << (bits - 1));
  if (value <= -top)
    return wrapInteger(type, min);
  return wrapInteger(type, value >= top ? ~min : int64_t(value));
}

double unitInLastPlace(DType type, double value) {
  Format f = formatOf(type);
  double magnitude = std::fabs(roundToType(type, value));
  if (!std::isfinite(magnitude))
    return std::numeric_limits<double>::quiet_NaN();
  int exponent = magnitude == 0
                     ? f.minExponent()
                     : std::max(std::ilogb(magnitude), f.minExponent());
  return std::ldexp(1.0, exponent - f.man);
}

} // namespace tang_rt
