//===- KernelLegalizeTotal.cpp - Arithmetic without undefined cases -------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLegalizeImpl.h"

using namespace mlir;
using namespace mlir::tang;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

Value TotalArith::constant(Type type, const APInt &value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}
Value TotalArith::constant(Type type, int64_t value) {
  return constant(type, APInt(integerWidth(type), value, true, true));
}
Value TotalArith::real(Type type, const APFloat &value) {
  return arith::ConstantOp::create(b, FloatAttr::get(type, value));
}
Value TotalArith::real(Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}
Value TotalArith::compare(CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, predicate, lhs, rhs);
}
Value TotalArith::compare(CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, predicate, lhs, rhs);
}
Value TotalArith::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

TotalArith::Divisor TotalArith::guard(Value lhs, Value rhs, bool isSigned) {
  Type type = rhs.getType();
  unsigned width = integerWidth(type);
  llvm::ConstantRange range = knownRange(rhs);
  Divisor divisor{rhs, {}, {}};
  if (range.contains(APInt::getZero(width)))
    divisor.isZero = compare(CmpIPredicate::eq, rhs, constant(type, 0));
  if (isSigned && range.contains(APInt::getAllOnes(width)) &&
      knownRange(lhs).contains(APInt::getSignedMinValue(width)))
    divisor.isMinusOne = compare(CmpIPredicate::eq, rhs, constant(type, -1));
  Value unsafe = divisor.isZero;
  if (divisor.isMinusOne)
    unsafe =
        unsafe ? arith::OrIOp::create(b, unsafe, divisor.isMinusOne).getResult()
               : divisor.isMinusOne;
  if (unsafe)
    divisor.safe = select(unsafe, constant(type, 1), rhs);
  return divisor;
}

Value TotalArith::divSI(Value lhs, Value rhs) {
  Divisor divisor = guard(lhs, rhs, /*isSigned=*/true);
  Type type = lhs.getType();
  Value result = arith::DivSIOp::create(b, lhs, divisor.safe);
  if (divisor.isMinusOne)
    result = select(divisor.isMinusOne,
                    arith::SubIOp::create(b, constant(type, 0), lhs), result);
  if (divisor.isZero)
    result = select(divisor.isZero, constant(type, 0), result);
  return result;
}

Value TotalArith::divUI(Value lhs, Value rhs) {
  Divisor divisor = guard(lhs, rhs, /*isSigned=*/false);
  Value result = arith::DivUIOp::create(b, lhs, divisor.safe);
  if (divisor.isZero)
    result = select(divisor.isZero, constant(lhs.getType(), 0), result);
  return result;
}

Value TotalArith::remSI(Value lhs, Value rhs) {
  // The remainder by one is zero, as is that by minus one.
  Divisor divisor = guard(lhs, rhs, /*isSigned=*/true);
  Value result = arith::RemSIOp::create(b, lhs, divisor.safe);
  return divisor.isZero ? select(divisor.isZero, lhs, result) : result;
}

Value TotalArith::remUI(Value lhs, Value rhs) {
  Divisor divisor = guard(lhs, rhs, /*isSigned=*/false);
  Value result = arith::RemUIOp::create(b, lhs, divisor.safe);
  return divisor.isZero ? select(divisor.isZero, lhs, result) : result;
}

Value TotalArith::ceilDivUI(Value lhs, Value rhs) {
  Divisor divisor = guard(lhs, rhs, /*isSigned=*/false);
  Type type = lhs.getType();
  Value zero = constant(type, 0);
  Value quotient = arith::DivUIOp::create(b, lhs, divisor.safe);
  Value product = arith::MulIOp::create(b, quotient, divisor.safe);
  Value isInexact = compare(CmpIPredicate::ne, product, lhs);
  Value result =
      select(isInexact, arith::AddIOp::create(b, quotient, constant(type, 1)),
             quotient);
  return divisor.isZero ? select(divisor.isZero, zero, result) : result;
}

Value TotalArith::ceilDivSI(Value lhs, Value rhs) {
  Type type = lhs.getType();
  Value zero = constant(type, 0);
  Value quotient = divSI(lhs, rhs);
  Value remainder =
      arith::SubIOp::create(b, lhs, arith::MulIOp::create(b, quotient, rhs));
  // Truncation rounded down if remainder and divisor have the same sign.
  Value isInexact = compare(CmpIPredicate::ne, remainder, zero);
  Value sameSign = compare(CmpIPredicate::sge,
                           arith::XOrIOp::create(b, remainder, rhs), zero);
  Value roundedDown = arith::AndIOp::create(b, isInexact, sameSign);
  if (knownRange(rhs).contains(APInt::getZero(integerWidth(type))))
    roundedDown = arith::AndIOp::create(b, roundedDown,
                                        compare(CmpIPredicate::ne, rhs, zero));
  return select(roundedDown,
                arith::AddIOp::create(b, quotient, constant(type, 1)),
                quotient);
}

Value TotalArith::floorDivSI(Value lhs, Value rhs) {
  Type type = lhs.getType();
  Value zero = constant(type, 0);
  Value quotient = divSI(lhs, rhs);
  Value remainder =
      arith::SubIOp::create(b, lhs, arith::MulIOp::create(b, quotient, rhs));
  Value isInexact = compare(CmpIPredicate::ne, remainder, zero);
  Value otherSign = compare(CmpIPredicate::slt,
                            arith::XOrIOp::create(b, remainder, rhs), zero);
  Value roundedUp = arith::AndIOp::create(b, isInexact, otherSign);
  if (knownRange(rhs).contains(APInt::getZero(integerWidth(type))))
    roundedUp = arith::AndIOp::create(b, roundedUp,
                                      compare(CmpIPredicate::ne, rhs, zero));
  return select(roundedUp,
                arith::SubIOp::create(b, quotient, constant(type, 1)),
                quotient);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static bool isShiftInRange(Value amount) {
  unsigned width = integerWidth(amount.getType());
  return knownRange(amount).getUnsignedMax().ult(width);
}

template <typename ShiftOp>
static Value guardedShift(TotalArith &total, ImplicitLocOpBuilder &b, Value lhs,
                          Value rhs) {
  if (isShiftInRange(rhs))
    return ShiftOp::create(b, lhs, rhs);
  Type type = lhs.getType();
  unsigned width = integerWidth(type);
  Value masked = arith::AndIOp::create(b, rhs, total.constant(type, width - 1));
  Value inRange =
      total.compare(CmpIPredicate::ult, rhs, total.constant(type, width));
  return total.select(inRange, ShiftOp::create(b, lhs, masked),
                      total.constant(type, 0));
}

Value TotalArith::shl(Value lhs, Value rhs) {
  return guardedShift<arith::ShLIOp>(*this, b, lhs, rhs);
}

Value TotalArith::shrUI(Value lhs, Value rhs) {
  return guardedShift<arith::ShRUIOp>(*this, b, lhs, rhs);
}

Value TotalArith::shrSI(Value lhs, Value rhs) {
  if (!isShiftInRange(rhs)) {
    Type type = rhs.getType();
    rhs =
        arith::MinUIOp::create(b, rhs, constant(type, integerWidth(type) - 1));
  }
  return arith::ShRSIOp::create(b, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Float to integer
//===----------------------------------------------------------------------===//

/// 2^exponent as a constant of a float type.
static APFloat powerOfTwo(Type type, int exponent, bool isNegative = false) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  APFloat value = scalbn(APFloat::getOne(semantics), exponent,
                         APFloat::rmNearestTiesToEven);
  if (isNegative)
    value.changeSign();
  return value;
}

Value TotalArith::toSigned(Value x, Type to) {
  Type from = x.getType();
  unsigned width = integerWidth(to);
  Value low = real(from, powerOfTwo(from, width - 1, /*isNegative=*/true));
  Value high = real(from, powerOfTwo(from, width - 1));
  // Both comparisons are false for a NaN, which so becomes 0.
  Value fits = arith::AndIOp::create(b, compare(CmpFPredicate::OGE, x, low),
                                     compare(CmpFPredicate::OLT, x, high));
  Value safe = select(fits, x, real(from, 0.0));
  Value result = arith::FPToSIOp::create(b, to, safe);
  result = select(compare(CmpFPredicate::OLT, x, low),
                  constant(to, APInt::getSignedMinValue(width)), result);
  return select(compare(CmpFPredicate::OGE, x, high),
                constant(to, APInt::getSignedMaxValue(width)), result);
}

Value TotalArith::toUnsigned(Value x, Type to) {
  Type from = x.getType();
  unsigned width = integerWidth(to);
  Value zero = real(from, 0.0);
  Value high = real(from, powerOfTwo(from, width));
  Value fits = arith::AndIOp::create(b, compare(CmpFPredicate::OGE, x, zero),
                                     compare(CmpFPredicate::OLT, x, high));
  Value result = arith::FPToUIOp::create(b, to, select(fits, x, zero));
  return select(compare(CmpFPredicate::OGE, x, high),
                constant(to, APInt::getMaxValue(width)), result);
}

//===----------------------------------------------------------------------===//
// Double-width products
//===----------------------------------------------------------------------===//

std::pair<Value, Value> TotalArith::mulExtended(Value lhs, Value rhs,
                                                bool isSigned) {
  Type type = lhs.getType();
  unsigned width = integerWidth(type);
  if (type.isIndex()) {
    Type i64 = b.getI64Type();
    auto [low, high] =
        mulExtended64(arith::IndexCastOp::create(b, i64, lhs),
                      arith::IndexCastOp::create(b, i64, rhs), isSigned);
    return {arith::IndexCastOp::create(b, type, low),
            arith::IndexCastOp::create(b, type, high)};
  }
  if (width == 64)
    return mulExtended64(lhs, rhs, isSigned);
  Type wide = b.getIntegerType(2 * width);
  auto extend = [&](Value x) -> Value {
    if (isSigned)
      return arith::ExtSIOp::create(b, wide, x);
    return arith::ExtUIOp::create(b, wide, x);
  };
  Value product = arith::MulIOp::create(b, extend(lhs), extend(rhs));
  Value high =
      arith::ShRUIOp::create(b, product, constant(wide, int64_t(width)));
  return {arith::TruncIOp::create(b, type, product),
          arith::TruncIOp::create(b, type, high)};
}

std::pair<Value, Value> TotalArith::mulExtended64(Value lhs, Value rhs,
                                                  bool isSigned) {
  Type type = lhs.getType();
  Value mask = constant(type, 0xFFFFFFFF), half = constant(type, 32);
  auto low = [&](Value x) -> Value {
    return arith::AndIOp::create(b, x, mask);
  };
  auto high = [&](Value x) -> Value {
    return arith::ShRUIOp::create(b, x, half);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, x, y);
  };
  // Schoolbook on 32-bit halves; no sum below exceeds 64 bits.
  Value l0 = low(lhs), l1 = high(lhs), r0 = low(rhs), r1 = high(rhs);
  Value middle = add(mul(l1, r0), high(mul(l0, r0)));
  Value cross = add(low(middle), mul(l0, r1));
  Value result = add(add(mul(l1, r1), high(middle)), high(cross));
  if (isSigned) {
    // Each negative factor counted 2^64 times the other too much.
    Value zero = constant(type, 0);
    auto correction = [&](Value sign, Value other) {
      return select(compare(CmpIPredicate::slt, sign, zero), other, zero);
    };
    result = arith::SubIOp::create(b, result, correction(lhs, rhs));
    result = arith::SubIOp::create(b, result, correction(rhs, lhs));
  }
  return {mul(lhs, rhs), result};
}
