//===- KernelLegalizeMath.cpp - Operations without a common spelling ------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLegalizeImpl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using Values = SmallVector<Value>;

/// A helper `i, i -> i` for math.ipowi by repeated squaring, built once a
/// module and type. A negative exponent is a division of 1 by the power, so 0
/// unless the base is 1 or -1 (and 0 for base 0, as division by zero is).
static func::FuncOp getIntegerPower(gpu::GPUModuleOp module, Type type) {
  std::string name =
      "tang_ipow_" + (type.isIndex()
                          ? std::string("index")
                          : "i" + std::to_string(integerWidth(type)));
  if (auto existing = module.lookupSymbol<func::FuncOp>(name))
    return existing;
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToStart(module.getBody());
  auto helper =
      func::FuncOp::create(b, name, b.getFunctionType({type, type}, {type}));
  helper.setPrivate();
  Block *entry = helper.addEntryBlock();
  b.setInsertionPointToStart(entry);
  TotalArith total(b);
  Value base = entry->getArgument(0), exponent = entry->getArgument(1);
  Value zero = total.constant(type, 0), one = total.constant(type, 1);

  Value isNegative = total.compare(CmpIPredicate::slt, exponent, zero);
  Value isOdd = total.compare(CmpIPredicate::ne,
                              arith::AndIOp::create(b, exponent, one), zero);
  Value minusOne = total.constant(type, -1);
  Value ofMinusOne =
      total.select(total.compare(CmpIPredicate::eq, base, minusOne),
                   total.select(isOdd, minusOne, one), zero);
  Value inverse = total.select(total.compare(CmpIPredicate::eq, base, one), one,
                               ofMinusOne);

  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type},
      ValueRange{one, base, total.select(isNegative, zero, exponent)},
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value more = arith::CmpIOp::create(nested, loc, CmpIPredicate::ne,
                                           args[2], zero);
        scf::ConditionOp::create(nested, loc, more, args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        ImplicitLocOpBuilder n(loc, nested);
        Value bit = arith::AndIOp::create(n, args[2], one);
        Value isSet = arith::CmpIOp::create(n, CmpIPredicate::ne, bit, zero);
        Value factor = arith::SelectOp::create(n, isSet, args[1], one);
        Value result = arith::MulIOp::create(n, args[0], factor);
        Value square = arith::MulIOp::create(n, args[1], args[1]);
        Value rest = arith::ShRUIOp::create(n, args[2], one);
        scf::YieldOp::create(n, ValueRange{result, square, rest});
      });
  func::ReturnOp::create(b,
                         total.select(isNegative, inverse, loop.getResult(0)));
  return helper;
}

/// x^n through powf in f64, where n is exact or the power is out of range
/// anyway; the sign comes from n's lowest bit.
static Value expandFPowI(math::FPowIOp op, ImplicitLocOpBuilder &b) {
  TotalArith total(b);
  Value base = op.getLhs(), exponent = op.getRhs();
  Type type = base.getType(), f64 = b.getF64Type();
  Type intType = exponent.getType();
  // f32 holds the exponents of up to 16 bits.
  bool isNarrow = type.isF32() && integerWidth(intType) <= 16;
  Type wide = isNarrow ? type : f64;
  Value x = math::AbsFOp::create(b, base);
  if (wide != type)
    x = arith::ExtFOp::create(b, wide, x);
  Value n = integerWidth(intType) == 1
                ? total.select(exponent, total.real(wide, -1.0),
                               total.real(wide, 0.0))
                : arith::SIToFPOp::create(b, wide, exponent).getResult();
  Value power = math::PowFOp::create(b, x, n);
  if (wide != type)
    power = arith::TruncFOp::create(b, type, power);
  Value isOdd = exponent;
  if (integerWidth(intType) > 1) {
    Value bit = arith::AndIOp::create(b, exponent, total.constant(intType, 1));
    isOdd = total.compare(CmpIPredicate::ne, bit, total.constant(intType, 0));
  }
  return total.select(isOdd, math::CopySignOp::create(b, power, base), power);
}

FailureOr<Values> mlir::tang::expandMathOp(Operation *op,
                                           gpu::GPUModuleOp module) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  TotalArith total(b);
  Value x = op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  auto infinity = [&](Type type) {
    return total.real(
        type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics()));
  };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](math::RsqrtOp) {
        return Values{arith::DivFOp::create(b, total.real(x.getType(), 1.0),
                                            math::SqrtOp::create(b, x))};
      })
      .Case([&](math::SincosOp) {
        return Values{math::SinOp::create(b, x), math::CosOp::create(b, x)};
      })
      .Case([&](math::ClampFOp clamp) {
        Value low =
            arith::MaximumFOp::create(b, clamp.getValue(), clamp.getMin());
        return Values{arith::MinimumFOp::create(b, low, clamp.getMax())};
      })
      .Case([&](math::IsNaNOp) {
        return Values{total.compare(CmpFPredicate::UNO, x, x)};
      })
      .Case([&](math::IsInfOp) {
        return Values{total.compare(CmpFPredicate::OEQ,
                                    math::AbsFOp::create(b, x),
                                    infinity(x.getType()))};
      })
      .Case([&](math::IsFiniteOp) {
        return Values{total.compare(CmpFPredicate::OLT,
                                    math::AbsFOp::create(b, x),
                                    infinity(x.getType()))};
      })
      .Case([&](math::IsNormalOp) {
        Type type = x.getType();
        APFloat smallest = APFloat::getSmallestNormalized(
            cast<FloatType>(type).getFloatSemantics());
        Value magnitude = math::AbsFOp::create(b, x);
        return Values{arith::AndIOp::create(
            b,
            total.compare(CmpFPredicate::OGE, magnitude,
                          total.real(type, smallest)),
            total.compare(CmpFPredicate::OLT, magnitude, infinity(type)))};
      })
      .Case([&](arith::FPToSIOp conversion) {
        return Values{total.toSigned(x, conversion.getType())};
      })
      .Case([&](arith::FPToUIOp conversion) {
        return Values{total.toUnsigned(x, conversion.getType())};
      })
      .Case([&](math::IPowIOp power) {
        auto helper = getIntegerPower(module, power.getType());
        return Values{
            func::CallOp::create(b, helper, op->getOperands()).getResult(0)};
      })
      .Case([&](math::FPowIOp power) { return Values{expandFPowI(power, b)}; })
      .Default([](Operation *) { return Values{}; });
}
