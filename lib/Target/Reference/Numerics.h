//===- Numerics.h - Numbers as the interpreter holds them ----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every float is held as a double and every integer as 64 bits, sign-extended
// from its width (so i1 true is -1). The conversions here are written on their
// own, apart from those of the runtime and of the lowering, which are tested
// against them.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_NUMERICS_H
#define TANG_LIB_TARGET_REFERENCE_NUMERICS_H

#include "Tang/Runtime/DType.h"
#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace mlir::tang::reference {

using tang_rt::DType;

/// A number in a register; its type says which member holds it.
union Cell {
  double f;
  int64_t i;
};
inline Cell real(double value) {
  Cell cell;
  cell.f = value;
  return cell;
}
inline Cell integer(int64_t value) {
  Cell cell;
  cell.i = value;
  return cell;
}

/// How an element lies in memory. Floats of every type are doubles; i2 to i8
/// take a sign-extended byte, i1 a byte that is 0 or 1.
enum class Store : uint8_t { F64, I1, I8, I16, I32, I64 };

/// An element type that the interpreter has.
struct ElemType {
  bool isFloat = false;
  bool isIndex = false;
  uint8_t bits = 64;
  /// The format, where `isFloat`.
  DType format = DType::F64;

  /// Nothing for types that are not supported: complex, i128, ...
  static std::optional<ElemType> get(Type type);
  Store store() const;
  /// The type at the runtime's boundary; nothing for i7 and the like.
  std::optional<DType> dtype() const;
};

inline unsigned storeBytes(Store store) {
  constexpr uint8_t bytes[] = {8, 1, 1, 2, 4, 8};
  return bytes[unsigned(store)];
}

/// One element at `index` of a buffer.
Cell loadCell(const char *data, Store store, int64_t index);
void storeCell(char *data, Store store, int64_t index, Cell value);

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Sign-extends the low `bits` bits.
inline int64_t wrap(int64_t value, unsigned bits) {
  unsigned shift = 64 - bits;
  return int64_t(uint64_t(value) << shift) >> shift;
}
/// Zero-extends the low `bits` bits.
inline uint64_t unsignedOf(int64_t value, unsigned bits) {
  return uint64_t(value) & (~uint64_t(0) >> (64 - bits));
}

// Total: division by zero gives 0 and leaves the dividend as remainder.
inline int64_t divideSigned(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? int64_t(-uint64_t(a)) : a / b;
}
inline int64_t remainderSigned(int64_t a, int64_t b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}
inline int64_t divideFloor(int64_t a, int64_t b) {
  int64_t q = divideSigned(a, b), r = remainderSigned(a, b);
  return b && r && ((r ^ b) < 0) ? q - 1 : q;
}
inline int64_t divideCeil(int64_t a, int64_t b) {
  int64_t q = divideSigned(a, b), r = remainderSigned(a, b);
  return b && r && ((r ^ b) >= 0) ? q + 1 : q;
}
/// `base` to the power of `exponent`; a negative one gives 1 / base^-exponent
/// rounded to zero.
int64_t powerInteger(int64_t base, int64_t exponent);

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// `value` rounded once, to nearest even, to a format narrower than f32.
double roundNarrow(DType format, double value);

/// `value` rounded once, to nearest even, to `format`.
inline double roundTo(DType format, double value) {
  if (format == DType::F64)
    return value;
  if (format == DType::F32)
    return float(value);
  return roundNarrow(format, value);
}

/// The rounding of an operation on `format` under exact numerics: types below
/// f32 are computed in f32 and rounded from there.
inline double roundOperation(DType format, double value) {
  if (format == DType::F64)
    return value;
  double single = float(value);
  return format == DType::F32 ? single : roundNarrow(format, single);
}

/// The bits of `value` rounded to `format`, and the value of such bits.
uint64_t encode(DType format, double value);
double decode(DType format, uint64_t bits);

/// An integer rounded once to `format`.
double fromSigned(DType format, int64_t value);
double fromUnsigned(DType format, uint64_t value);
/// Truncates and saturates to `bits` bits; NaN gives 0.
int64_t toSigned(double value, unsigned bits);
int64_t toUnsigned(double value, unsigned bits);

/// The distance from 1 to the next greater number of `format`.
double precisionOf(DType format);
/// The least normal magnitude of `format`.
double leastNormal(DType format);
/// The least value of `format`: -inf, or the most negative finite one.
double leastValue(DType format);

// IEEE 754-2019 maximum and minimum: NaN wins, -0 is less than +0.
inline double maximum(double a, double b) {
  if (a != a || b != b)
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline double minimum(double a, double b) {
  if (a != a || b != b)
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
// NaN loses.
inline double maxNumber(double a, double b) {
  return a != a ? b : b != b ? a : maximum(a, b);
}
inline double minNumber(double a, double b) {
  return a != a ? b : b != b ? a : minimum(a, b);
}

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_NUMERICS_H
