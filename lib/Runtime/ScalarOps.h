//===- ScalarOps.h - Scalar arithmetic of host programs ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_SCALAROPS_H
#define TANG_LIB_RUNTIME_SCALAROPS_H

#include "Tang/Runtime/DType.h"

#include <string_view>

namespace tang_rt {

/// A scalar: an integer kept sign-extended (i1 as 0 or 1), or a double that
/// holds a value of its type.
struct ScalarValue {
  bool isReal = false;
  int64_t integer = 0;
  double real = 0;

  static ScalarValue ofInteger(int64_t value) { return {false, value, 0}; }
  static ScalarValue ofReal(double value) { return {true, 0, value}; }
};

/// An op of `arith` or `math` on scalars.
struct ScalarOp {
  enum Kind : uint8_t {
    IntUnary,
    IntBinary,
    CmpI,
    RealUnary,
    RealBinary,
    RealTernary,
    CmpF,
    RealTest,  // isnan and the like
    RealPower, // fpowi
    Select,
    IntCast,
    IntCastUnsigned,
    IntToReal,
    IntToRealUnsigned,
    RealToInt,
    RealToIntUnsigned,
    RealCast,
    Bitcast,
  };
  const char *name;
  Kind kind;
  /// Integers arrive sign-extended with i1 as 0 or -1; the low bits of the
  /// result count. Unsigned ops mask with `bits` themselves.
  int64_t (*integer)(int64_t a, int64_t b, unsigned bits) = nullptr;
  double (*f64)(double a, double b, double c) = nullptr;
  float (*f32)(float a, float b, float c) = nullptr;

  unsigned arity() const;
  /// Are the operands (the first one, for fpowi; the values, for select, go by
  /// their type) floats?
  bool takesReal() const;
  bool isCast() const { return kind >= IntCast; }
  /// The type of the result is i1.
  bool givesBool() const {
    return kind == CmpI || kind == CmpF || kind == RealTest;
  }
  bool resultIsReal() const {
    return kind == IntToReal || kind == IntToRealUnsigned || kind == RealCast;
  }
};

/// The op called `name` (without the dialect), or null.
const ScalarOp *findScalarOp(std::string_view name);

/// A predicate of cmpi or cmpf as a number, or -1.
int parsePredicate(ScalarOp::Kind kind, std::string_view name);

/// Evaluates an op other than `select`. `type` is that of the first operand,
/// `to` that of a cast's result.
ScalarValue evaluateScalarOp(const ScalarOp &op, int predicate, DType type,
                             DType to, const ScalarValue *args);

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_SCALAROPS_H
