//===- SpirvExpand.cpp - What SPIR-V lacks, by what it has ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GLSL.std.450 leaves open what FMax makes of a NaN or of zeros, and which way
// Round goes from a half; its integer functions are for 32 bits. Upstream's
// conversion of a loop compares with sign.
//
//===----------------------------------------------------------------------===//

#include "SpirvBuild.h"
#include "SpirvImpl.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

/// The larger or smaller operand; -0 is less than +0. Of equal operands only
/// zeros differ, and their bits do in the sign: `and` gives +0 if there is one.
static Value expandMax(Build &b, Value x, Value y, bool isMax, bool wantsNaN) {
  auto predicate =
      isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value either =
      isMax ? arith::AndIOp::create(b, b.bits(x), b.bits(y)).getResult()
            : arith::OrIOp::create(b, b.bits(x), b.bits(y)).getResult();
  Value equal = arith::BitcastOp::create(b, x.getType(), either);
  Value result = b.select(b.compare(predicate, x, y), x, y);
  result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, y), equal, result);
  result = b.select(b.isNaN(y), wantsNaN ? y : x, result);
  return b.select(b.isNaN(x), wantsNaN ? x : y, result);
}

/// The integer towards zero, for which MLIR has no SPIR-V operation.
static Value expandTrunc(Build &b, Value x) {
  Value floor = math::FloorOp::create(b, math::AbsFOp::create(b, x));
  return b.copySign(floor, x);
}

/// A cast between index, which is 64 bits wide, and an integer.
static Value expandCast(Build &b, Value x, Type type, bool isSigned) {
  Type i64 = b.getI64Type();
  if (x.getType().isIndex())
    x = arith::IndexCastOp::create(b, i64, x);
  else if (x.getType() != i64)
    x = isSigned ? arith::ExtSIOp::create(b, i64, x).getResult()
                 : arith::ExtUIOp::create(b, i64, x).getResult();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, x);
  return type == i64 ? x : arith::TruncIOp::create(b, type, x).getResult();
}

/// To the nearest integer, halves to even: what is left of a number when one is
/// added whose last digit is the unit. Mesa's RoundEven of f64 is another one.
static Value expandRoundEven(Build &b, Value x) {
  Type type = x.getType();
  Value large = b.real(type, type.isF64() ? 0x1p52 : 0x1p23);
  Value a = math::AbsFOp::create(b, x);
  Value rounded =
      arith::SubFOp::create(b, arith::AddFOp::create(b, a, large), large);
  Value isSmall = b.compare(arith::CmpFPredicate::OLT, a, large);
  return b.copySign(b.select(isSmall, rounded, a), x);
}

/// To the nearest integer, halves away from zero.
static Value expandRound(Build &b, Value x) {
  Type type = x.getType();
  Value whole = expandTrunc(b, x);
  Value rest = math::AbsFOp::create(b, arith::SubFOp::create(b, x, whole));
  Value away =
      arith::AddFOp::create(b, whole, b.copySign(b.real(type, 1.0), x));
  Value isFar = b.compare(arith::CmpFPredicate::OGE, rest, b.real(type, 0.5));
  return b.copySign(b.select(isFar, away, whole), x);
}

/// The bits set in an integer of any width, by sums of ever larger fields.
static Value expandCtPop(Build &b, Value x) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto shift = [&](Value value, unsigned by) -> Value {
    return arith::ShRUIOp::create(b, value, b.integer(type, by));
  };
  for (unsigned field = 1; field < width; field *= 2) {
    APInt mask = APInt::getSplat(width, APInt::getLowBitsSet(2 * field, field));
    Value low = arith::AndIOp::create(b, x, b.integer(type, mask));
    Value high =
        arith::AndIOp::create(b, shift(x, field), b.integer(type, mask));
    x = arith::AddIOp::create(b, low, high);
  }
  return x;
}

/// The zeros above the highest bit: fill all bits below it, count, subtract.
static Value expandCtlz(Build &b, Value x) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  for (unsigned by = 1; by < width; by *= 2)
    x = arith::OrIOp::create(b, x,
                             arith::ShRUIOp::create(b, x, b.integer(type, by)));
  return arith::SubIOp::create(b, b.integer(type, width), expandCtPop(b, x));
}

/// A loop that compares without sign as one that compares with sign, both of
/// whose bounds and whose index have the sign bit flipped.
static void expandUnsignedLoop(scf::ForOp loop) {
  Build b(loop.getLoc(), loop);
  Type type = loop.getInductionVar().getType();
  Type wide = type.isIndex() ? b.getI64Type() : type;
  auto flip = [&](Value value) -> Value {
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, wide, value);
    Value sign =
        b.integer(wide, APInt::getSignMask(wide.getIntOrFloatBitWidth()));
    value = arith::XOrIOp::create(b, value, sign);
    return type.isIndex()
               ? arith::IndexCastOp::create(b, type, value).getResult()
               : value;
  };
  loop.setLowerBound(flip(loop.getLowerBound()));
  loop.setUpperBound(flip(loop.getUpperBound()));
  loop.setUnsignedCmp(false);
  b.setInsertionPointToStart(loop.getBody());
  Value index = flip(loop.getInductionVar());
  loop.getInductionVar().replaceUsesWithIf(index, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user->getBlock() != loop.getBody() ||
           index.getDefiningOp()->isBeforeInBlock(user);
  });
}

void mlir::tang::expandForSpirv(Operation *root) {
  root->walk([](Operation *op) {
    Build b(op->getLoc(), op);
    Value result;
    if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(op)) {
      result = expandMax(b, op->getOperand(0), op->getOperand(1),
                         isa<arith::MaximumFOp, arith::MaxNumFOp>(op),
                         isa<arith::MaximumFOp, arith::MinimumFOp>(op));
    } else if (isa<math::TruncOp>(op)) {
      result = expandTrunc(b, op->getOperand(0));
    } else if (isa<math::RoundEvenOp>(op)) {
      result = expandRoundEven(b, op->getOperand(0));
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      Value x = op->getOperand(0);
      Type type = op->getResult(0).getType();
      bool isUnsigned = isa<arith::IndexCastUIOp>(op);
      if (isUnsigned || type.isInteger(1) || x.getType().isInteger(1))
        result = expandCast(b, x, type, !isUnsigned);
    } else if (auto choice = dyn_cast<arith::SelectOp>(op)) {
      // Mesa (22.3) computes it as -(condition ? 1 : 0), whose zero is
      // negative.
      APFloat value(0.0);
      if (matchPattern(choice.getTrueValue(), m_ConstantFloat(&value)) &&
          value.isExactlyValue(-1.0) &&
          matchPattern(choice.getFalseValue(), m_PosZeroFloat())) {
        Type type = choice.getType();
        Value zero = choice.getFalseValue();
        Value one = b.select(choice.getCondition(), b.real(type, 1.0), zero);
        result =
            arith::SubFOp::create(b, one, arith::AddFOp::create(b, one, one));
      }
    } else if (auto round = dyn_cast<math::RoundOp>(op)) {
      result = expandRound(b, round.getOperand());
    } else if (auto sign = dyn_cast<math::CopySignOp>(op)) {
      result = b.copySign(sign.getLhs(), sign.getRhs());
    } else if (auto rest = dyn_cast<arith::RemSIOp>(op)) {
      // Legalisation has excluded zero, and an overflow of the division.
      Value x = rest.getLhs(), y = rest.getRhs();
      result = arith::SubIOp::create(
          b, x, arith::MulIOp::create(b, arith::DivSIOp::create(b, x, y), y));
    } else if (isa<math::CtPopOp>(op)) {
      result = expandCtPop(b, op->getOperand(0));
    } else if (isa<math::CountLeadingZerosOp>(op)) {
      result = expandCtlz(b, op->getOperand(0));
    } else if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
      arith::CmpFPredicate predicate = compare.getPredicate();
      if (predicate == arith::CmpFPredicate::AlwaysFalse ||
          predicate == arith::CmpFPredicate::AlwaysTrue)
        result =
            b.integer(b.getI1Type(),
                      APInt(1, predicate == arith::CmpFPredicate::AlwaysTrue));
      // A test for NaN, as legalisation and many programs write it.
      else if (predicate == arith::CmpFPredicate::UNO &&
               compare.getLhs() == compare.getRhs())
        result = b.isNaN(compare.getLhs());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (loop.getUnsignedCmp())
        expandUnsignedLoop(loop);
    }
    if (!result)
      return;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}
