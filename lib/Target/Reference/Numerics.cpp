//===- Numerics.cpp - Numbers as the interpreter holds them ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"

#include <cstring>

using namespace mlir;
using namespace mlir::tang::reference;

//===----------------------------------------------------------------------===//
// Types and memory
//===----------------------------------------------------------------------===//

std::optional<ElemType> ElemType::get(Type type) {
  ElemType result;
  if (isa<IndexType>(type)) {
    result.isIndex = true;
    return result;
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (!integer.isSignless() || integer.getWidth() < 1 ||
        integer.getWidth() > 64)
      return std::nullopt;
    result.bits = integer.getWidth();
    return result;
  }
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return std::nullopt;
  result.isFloat = true;
  result.bits = floatType.getWidth();
  if (floatType.isF64())
    result.format = DType::F64;
  else if (floatType.isF32())
    result.format = DType::F32;
  else if (floatType.isF16())
    result.format = DType::F16;
  else if (floatType.isBF16())
    result.format = DType::BF16;
  else if (isa<Float8E4M3FNType>(floatType))
    result.format = DType::F8E4M3FN;
  else if (isa<Float8E5M2Type>(floatType))
    result.format = DType::F8E5M2;
  else
    return std::nullopt;
  return result;
}

Store ElemType::store() const {
  if (isFloat)
    return Store::F64;
  if (bits == 1)
    return Store::I1;
  return bits <= 8    ? Store::I8
         : bits <= 16 ? Store::I16
         : bits <= 32 ? Store::I32
                      : Store::I64;
}

std::optional<DType> ElemType::dtype() const {
  if (isFloat)
    return format;
  if (isIndex)
    return DType::Index;
  switch (bits) {
  case 64:
    return DType::I64;
  case 32:
    return DType::I32;
  case 16:
    return DType::I16;
  case 8:
    return DType::I8;
  case 4:
    return DType::I4;
  case 1:
    return DType::I1;
  default:
    return std::nullopt;
  }
}

Cell tang::reference::loadCell(const char *data, Store store, int64_t index) {
  switch (store) {
  case Store::F64:
    return real(reinterpret_cast<const double *>(data)[index]);
  case Store::I1:
    return integer(-int64_t(data[index] != 0));
  case Store::I8:
    return integer(reinterpret_cast<const int8_t *>(data)[index]);
  case Store::I16:
    return integer(reinterpret_cast<const int16_t *>(data)[index]);
  case Store::I32:
    return integer(reinterpret_cast<const int32_t *>(data)[index]);
  case Store::I64:
    break;
  }
  return integer(reinterpret_cast<const int64_t *>(data)[index]);
}

void tang::reference::storeCell(char *data, Store store, int64_t index,
                                Cell value) {
  switch (store) {
  case Store::F64:
    reinterpret_cast<double *>(data)[index] = value.f;
    return;
  case Store::I1:
    data[index] = value.i & 1;
    return;
  case Store::I8:
    reinterpret_cast<int8_t *>(data)[index] = int8_t(value.i);
    return;
  case Store::I16:
    reinterpret_cast<int16_t *>(data)[index] = int16_t(value.i);
    return;
  case Store::I32:
    reinterpret_cast<int32_t *>(data)[index] = int32_t(value.i);
    return;
  case Store::I64:
    reinterpret_cast<int64_t *>(data)[index] = value.i;
    return;
  }
}

int64_t tang::reference::powerInteger(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, square = base;
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return int64_t(result);
}

//===----------------------------------------------------------------------===//
// Float formats
//===----------------------------------------------------------------------===//

namespace {
/// A format below f64: explicit mantissa bits, the exponent of the least
/// normal number and the greatest finite value.
struct Format {
  int mantissa;
  int exponentBits;
  int minExponent;
  double maxFinite;
  bool hasInfinity;
};

const Format &formatOf(DType type) {
  static constexpr Format f32{23, 8, -126, 0x1.fffffep127, true};
  static constexpr Format f16{10, 5, -14, 65504, true};
  static constexpr Format bf16{7, 8, -126, 0x1.fep127, true};
  static constexpr Format e4m3{3, 4, -6, 448, false};
  static constexpr Format e5m2{2, 5, -14, 57344, true};
  switch (type) {
  case DType::F16:
    return f16;
  case DType::BF16:
    return bf16;
  case DType::F8E4M3FN:
    return e4m3;
  case DType::F8E5M2:
    return e5m2;
  default:
    return f32;
  }
}

int exponentOf(double value) {
  return int(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023;
}
double powerOfTwo(int exponent) {
  return std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
} // namespace

double tang::reference::roundNarrow(DType type, double value) {
  const Format &format = formatOf(type);
  double overflow = format.hasInfinity ? std::copysign(kInfinity, value) : kNaN;
  int exponent = exponentOf(value);
  if (exponent > 128)
    return value != value ? value : overflow;
  // Adding 1.5 * 2^52 units of the last place leaves whole units, rounded to
  // nearest even by the addition itself; subtracting it again is exact.
  int unit = std::max(exponent, format.minExponent) - format.mantissa;
  double shifter = 1.5 * powerOfTwo(52 + unit);
  double rounded = std::copysign((value + shifter) - shifter, value);
  return std::fabs(rounded) > format.maxFinite ? overflow : rounded;
}

uint64_t tang::reference::encode(DType type, double value) {
  if (type == DType::F64)
    return std::bit_cast<uint64_t>(value);
  const Format &format = formatOf(type);
  uint64_t raw = std::bit_cast<uint64_t>(value);
  int man = format.mantissa;
  uint64_t sign = (raw >> 63) << (man + format.exponentBits);
  uint64_t manMask = (uint64_t(1) << man) - 1;
  uint64_t ones = ((uint64_t(1) << format.exponentBits) - 1) << man;
  double rounded = roundTo(type, value);
  if (rounded != rounded) {
    if (!format.hasInfinity)
      return sign | ones | manMask;
    uint64_t payload =
        value != value ? raw >> (52 - man) & manMask : uint64_t(0);
    return sign | ones | (payload ? payload : uint64_t(1) << (man - 1));
  }
  double magnitude = std::fabs(rounded);
  if (magnitude == kInfinity)
    return sign | ones;
  // Exact: in units of the least denormal's binade or of the own one.
  int exponent = std::max(exponentOf(magnitude), format.minExponent);
  auto units = uint64_t(std::ldexp(magnitude, man - exponent));
  return sign | ((uint64_t(exponent - format.minExponent) << man) + units);
}

double tang::reference::decode(DType type, uint64_t bits) {
  if (type == DType::F64)
    return std::bit_cast<double>(bits);
  const Format &format = formatOf(type);
  int man = format.mantissa;
  uint64_t manMask = (uint64_t(1) << man) - 1;
  uint64_t mantissa = bits & manMask;
  uint64_t ones = (uint64_t(1) << format.exponentBits) - 1;
  uint64_t exponent = bits >> man & ones;
  uint64_t sign = bits >> (man + format.exponentBits) & 1;
  if (exponent == ones && format.hasInfinity)
    return std::bit_cast<double>(sign << 63 | uint64_t(0x7ff) << 52 |
                                 mantissa << (52 - man));
  if (exponent == ones && mantissa == manMask)
    return std::copysign(kNaN, sign ? -1.0 : 1.0);
  double magnitude =
      exponent ? std::ldexp(double(mantissa + manMask + 1),
                            int(exponent) - 1 + format.minExponent - man)
               : std::ldexp(double(mantissa), format.minExponent - man);
  return sign ? -magnitude : magnitude;
}

double tang::reference::fromUnsigned(DType type, uint64_t value) {
  if (type == DType::F64)
    return double(value);
  if (type == DType::F32)
    return double(float(value));
  // A sticky last bit keeps the second rounding exact.
  int shift = 0;
  for (uint64_t rest = value; rest >> 53; rest >>= 1)
    ++shift;
  uint64_t kept = value >> shift;
  if (kept << shift != value)
    kept |= 1;
  return roundNarrow(type, std::ldexp(double(kept), shift));
}

double tang::reference::fromSigned(DType type, int64_t value) {
  return value < 0 ? -fromUnsigned(type, -uint64_t(value))
                   : fromUnsigned(type, uint64_t(value));
}

int64_t tang::reference::toSigned(double value, unsigned bits) {
  if (value != value)
    return 0;
  int64_t greatest = int64_t((~uint64_t(0) >> 1) >> (64 - bits));
  double bound = std::ldexp(1.0, int(bits) - 1);
  if (value >= bound)
    return greatest;
  if (value <= -bound)
    return -greatest - 1;
  return int64_t(value);
}

int64_t tang::reference::toUnsigned(double value, unsigned bits) {
  if (!(value > 0))
    return 0;
  if (value >= std::ldexp(1.0, int(bits)))
    return -1;
  return wrap(int64_t(uint64_t(value)), bits);
}

double tang::reference::precisionOf(DType type) {
  return powerOfTwo(type == DType::F64 ? -52 : -formatOf(type).mantissa);
}

double tang::reference::leastNormal(DType type) {
  return type == DType::F64 ? std::numeric_limits<double>::min()
                            : powerOfTwo(formatOf(type).minExponent);
}

double tang::reference::leastValue(DType type) {
  return type == DType::F64 || formatOf(type).hasInfinity
             ? -kInfinity
             : -formatOf(type).maxFinite;
}
