//===- ScalarOps.cpp - Scalar arithmetic of host programs ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Means what docs/KernelIR.md says: wrap-around, division by zero gives 0,
// shifts past the width give 0 or the sign, float to integer saturates.
// Operations on f16, bf16 and f8 are done in f32 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"

#include "Tang/Runtime/FloatFormats.h"

#include <bit>
#include <cmath>
#include <iterator>

namespace tang_rt {

namespace {
using I = int64_t;
using U = uint64_t;

U mask(I value, unsigned bits) {
  return bits == 64 ? U(value) : U(value) & ((U(1) << bits) - 1);
}

I divs(I a, I b) { return b == 0 ? 0 : b == -1 ? I(-U(a)) : a / b; }
I rems(I a, I b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
I floorDiv(I a, I b) {
  I q = divs(a, b), r = rems(a, b);
  return b != 0 && r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
I ceilDiv(I a, I b) {
  I q = divs(a, b), r = rems(a, b);
  return b != 0 && r != 0 && (r < 0) == (b < 0) ? q + 1 : q;
}
I powInteger(I base, I exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  U result = 1, factor = U(base);
  for (U e = U(exponent); e; e >>= 1, factor *= factor)
    if (e & 1)
      result *= factor;
  return I(result);
}

/// IEEE 754-2019 maximum and minimum: NaN wins, -0 is below +0.
template <typename T> T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
template <typename T> T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
template <typename T> T maxNumber(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximum(a, b);
}
template <typename T> T minNumber(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimum(a, b);
}

// One row an op: the same expression for double and float.
#define INT1(NAME, ...)                                                        \
  {NAME, ScalarOp::IntUnary,                                                   \
   [](I a, [[maybe_unused]] I b, [[maybe_unused]] unsigned bits) -> I {        \
     return __VA_ARGS__;                                                       \
   }}
#define INT2(NAME, ...)                                                        \
  {NAME, ScalarOp::IntBinary,                                                  \
   [](I a, I b, [[maybe_unused]] unsigned bits) -> I { return __VA_ARGS__; }}
#define REAL(KIND, NAME, ...)                                                  \
  {NAME, ScalarOp::KIND, nullptr,                                              \
   []([[maybe_unused]] double a, [[maybe_unused]] double b,                    \
      [[maybe_unused]] double c) -> double {                                   \
     using T [[maybe_unused]] = double;                                        \
     return __VA_ARGS__;                                                       \
   },                                                                          \
   []([[maybe_unused]] float a, [[maybe_unused]] float b,                      \
      [[maybe_unused]] float c) -> float {                                     \
     using T [[maybe_unused]] = float;                                         \
     return __VA_ARGS__;                                                       \
   }}

const ScalarOp kOps[] = {
    INT2("addi", I(U(a) + U(b))),
    INT2("subi", I(U(a) - U(b))),
    INT2("muli", I(U(a) * U(b))),
    INT2("divsi", divs(a, b)),
    INT2("remsi", rems(a, b)),
    INT2("floordivsi", floorDiv(a, b)),
    INT2("ceildivsi", ceilDiv(a, b)),
    INT2("divui", mask(b, bits) ? I(mask(a, bits) / mask(b, bits)) : 0),
    INT2("remui", mask(b, bits) ? I(mask(a, bits) % mask(b, bits)) : a),
    INT2("ceildivui", mask(b, bits) ? I(mask(a, bits) / mask(b, bits) +
                                        (mask(a, bits) % mask(b, bits) != 0))
                                    : 0),
    INT2("andi", a &b),
    INT2("ori", a | b),
    INT2("xori", a ^ b),
    INT2("shli", mask(b, bits) >= bits ? 0 : I(U(a) << mask(b, bits))),
    INT2("shrui",
         mask(b, bits) >= bits ? 0 : I(mask(a, bits) >> mask(b, bits))),
    INT2("shrsi",
         mask(b, bits) >= bits ? (a < 0 ? -1 : 0) : a >> mask(b, bits)),
    INT2("maxsi", a > b ? a : b),
    INT2("minsi", a < b ? a : b),
    INT2("maxui", mask(a, bits) > mask(b, bits) ? a : b),
    INT2("minui", mask(a, bits) < mask(b, bits) ? a : b),
    INT2("ipowi", powInteger(a, b)),
    INT1("absi", a < 0 ? I(-U(a)) : a),
    INT1("ctpop", std::popcount(mask(a, bits))),
    INT1("ctlz", std::countl_zero(mask(a, bits)) - I(64 - bits)),
    INT1("cttz", mask(a, bits) ? I(std::countr_zero(mask(a, bits))) : I(bits)),
    {"cmpi", ScalarOp::CmpI},
    {"cmpf", ScalarOp::CmpF},
    {"select", ScalarOp::Select},

    REAL(RealBinary, "addf", a + b),
    REAL(RealBinary, "subf", a - b),
    REAL(RealBinary, "mulf", a *b),
    REAL(RealBinary, "divf", a / b),
    REAL(RealBinary, "remf", std::fmod(a, b)),
    REAL(RealBinary, "maximumf", maximum(a, b)),
    REAL(RealBinary, "minimumf", minimum(a, b)),
    REAL(RealBinary, "maxnumf", maxNumber(a, b)),
    REAL(RealBinary, "minnumf", minNumber(a, b)),
    REAL(RealBinary, "powf", std::pow(a, b)),
    REAL(RealBinary, "atan2", std::atan2(a, b)),
    REAL(RealBinary, "copysign", std::copysign(a, b)),
    REAL(RealTernary, "fma", std::fma(a, b, c)),
    REAL(RealTernary, "clampf", minimum(maximum(a, b), c)),
    REAL(RealUnary, "negf", -a),
    REAL(RealUnary, "absf", std::fabs(a)),
    REAL(RealUnary, "ceil", std::ceil(a)),
    REAL(RealUnary, "floor", std::floor(a)),
    REAL(RealUnary, "trunc", std::trunc(a)),
    REAL(RealUnary, "round", std::round(a)),
    REAL(RealUnary, "roundeven", std::nearbyint(a)),
    REAL(RealUnary, "sqrt", std::sqrt(a)),
    REAL(RealUnary, "rsqrt", T(1) / std::sqrt(a)),
    REAL(RealUnary, "cbrt", std::cbrt(a)),
    REAL(RealUnary, "exp", std::exp(a)),
    REAL(RealUnary, "exp2", std::exp2(a)),
    REAL(RealUnary, "expm1", std::expm1(a)),
    REAL(RealUnary, "log", std::log(a)),
    REAL(RealUnary, "log2", std::log2(a)),
    REAL(RealUnary, "log10", std::log10(a)),
    REAL(RealUnary, "log1p", std::log1p(a)),
    REAL(RealUnary, "sin", std::sin(a)),
    REAL(RealUnary, "cos", std::cos(a)),
    REAL(RealUnary, "tan", std::tan(a)),
    REAL(RealUnary, "asin", std::asin(a)),
    REAL(RealUnary, "acos", std::acos(a)),
    REAL(RealUnary, "atan", std::atan(a)),
    REAL(RealUnary, "sinh", std::sinh(a)),
    REAL(RealUnary, "cosh", std::cosh(a)),
    REAL(RealUnary, "tanh", std::tanh(a)),
    REAL(RealUnary, "asinh", std::asinh(a)),
    REAL(RealUnary, "acosh", std::acosh(a)),
    REAL(RealUnary, "atanh", std::atanh(a)),
    REAL(RealUnary, "erf", std::erf(a)),
    REAL(RealUnary, "erfc", std::erfc(a)),
    REAL(RealTest, "isnan", std::isnan(a)),
    REAL(RealTest, "isinf", std::isinf(a)),
    REAL(RealTest, "isfinite", std::isfinite(a)),
    {"fpowi", ScalarOp::RealPower},

    {"index_cast", ScalarOp::IntCast},
    {"extsi", ScalarOp::IntCast},
    {"trunci", ScalarOp::IntCast},
    {"index_castui", ScalarOp::IntCastUnsigned},
    {"extui", ScalarOp::IntCastUnsigned},
    {"sitofp", ScalarOp::IntToReal},
    {"uitofp", ScalarOp::IntToRealUnsigned},
    {"fptosi", ScalarOp::RealToInt},
    {"fptoui", ScalarOp::RealToIntUnsigned},
    {"extf", ScalarOp::RealCast},
    {"truncf", ScalarOp::RealCast},
    {"bitcast", ScalarOp::Bitcast},
};
#undef INT1
#undef INT2
#undef REAL

constexpr std::string_view kIntPredicates[] = {
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
// Bit 0: equal, bit 1: greater, bit 2: less, bit 3: unordered.
constexpr std::string_view kRealPredicates[] = {
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};

bool compareIntegers(int predicate, I a, I b, unsigned bits) {
  U x = mask(a, bits), y = mask(b, bits);
  switch (predicate) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  case 5:
    return a >= b;
  case 6:
    return x < y;
  case 7:
    return x <= y;
  case 8:
    return x > y;
  default:
    return x >= y;
  }
}

bool compareReals(int predicate, double a, double b) {
  int outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
  return predicate & outcome;
}

ScalarValue bitcast(DType type, DType to, ScalarValue value) {
  U bits = isFloat(type) ? encodeFloat(type, value.real) : U(value.integer);
  return isFloat(to) ? ScalarValue::ofReal(decodeFloat(to, bits))
                     : ScalarValue::ofInteger(wrapInteger(to, I(bits)));
}
} // namespace

unsigned ScalarOp::arity() const {
  switch (kind) {
  case IntBinary:
  case CmpI:
  case RealBinary:
  case CmpF:
  case RealPower:
    return 2;
  case RealTernary:
  case Select:
    return 3;
  default:
    return 1;
  }
}

bool ScalarOp::takesReal() const {
  switch (kind) {
  case RealUnary:
  case RealBinary:
  case RealTernary:
  case CmpF:
  case RealTest:
  case RealPower:
  case RealToInt:
  case RealToIntUnsigned:
  case RealCast:
    return true;
  default:
    return false;
  }
}

const ScalarOp *findScalarOp(std::string_view name) {
  for (const ScalarOp &op : kOps)
    if (name == op.name)
      return &op;
  return nullptr;
}

int parsePredicate(ScalarOp::Kind kind, std::string_view name) {
  int number = 0;
  if (kind == ScalarOp::CmpI) {
    for (std::string_view known : kIntPredicates) {
      if (known == name)
        return number;
      ++number;
    }
    return -1;
  }
  for (std::string_view known : kRealPredicates) {
    if (known == name)
      return number;
    ++number;
  }
  return -1;
}

ScalarValue evaluateScalarOp(const ScalarOp &op, int predicate, DType type,
                             DType to, const ScalarValue *args) {
  unsigned bits = dtypeBits(type);
  // An i1 is kept as 0 or 1, but its sign bit is its only bit.
  auto asSigned = [&](int i) {
    return type == DType::I1 ? -(args[i].integer & 1) : args[i].integer;
  };
  auto integer = [](DType t, I value) {
    return ScalarValue::ofInteger(wrapInteger(t, value));
  };
  auto real = [](DType t, double value) {
    return ScalarValue::ofReal(roundToType(t, value));
  };
  switch (op.kind) {
  case ScalarOp::IntUnary:
    return integer(type, op.integer(asSigned(0), 0, bits));
  case ScalarOp::IntBinary:
    return integer(type, op.integer(asSigned(0), asSigned(1), bits));
  case ScalarOp::CmpI:
    return ScalarValue::ofInteger(
        compareIntegers(predicate, asSigned(0), asSigned(1), bits));
  case ScalarOp::CmpF:
    return ScalarValue::ofInteger(
        compareReals(predicate, args[0].real, args[1].real));
  case ScalarOp::RealUnary:
  case ScalarOp::RealBinary:
  case ScalarOp::RealTernary:
  case ScalarOp::RealTest: {
    double a = args[0].real, b = op.arity() > 1 ? args[1].real : 0,
           c = op.arity() > 2 ? args[2].real : 0;
    double value = type == DType::F64
                       ? op.f64(a, b, c)
                       : double(op.f32(float(a), float(b), float(c)));
    return op.kind == ScalarOp::RealTest ? ScalarValue::ofInteger(value != 0)
                                         : real(type, value);
  }
  case ScalarOp::RealPower:
    return real(type, std::pow(args[0].real, double(args[1].integer)));
  case ScalarOp::IntCast:
    return integer(to, asSigned(0));
  case ScalarOp::IntCastUnsigned:
    return integer(to, I(mask(args[0].integer, bits)));
  case ScalarOp::IntToReal:
    return ScalarValue::ofReal(integerToFloat(to, asSigned(0), false));
  case ScalarOp::IntToRealUnsigned:
    return ScalarValue::ofReal(
        integerToFloat(to, I(mask(args[0].integer, bits)), true));
  case ScalarOp::RealToInt:
    return ScalarValue::ofInteger(floatToInteger(to, args[0].real, false));
  case ScalarOp::RealToIntUnsigned:
    return ScalarValue::ofInteger(floatToInteger(to, args[0].real, true));
  case ScalarOp::RealCast:
    return real(to, args[0].real);
  case ScalarOp::Bitcast:
    return bitcast(type, to, args[0]);
  case ScalarOp::Select:
    break;
  }
  return {};
}

} // namespace tang_rt
