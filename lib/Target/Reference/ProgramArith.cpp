//===- ProgramArith.cpp - From bodies to programs: arith -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

static ElemType typeOf(Value value) {
  return ElemType::get(getElementTypeOrSelf(value.getType()))
      .value_or(ElemType());
}

LogicalResult ProgramBuilder::compileBitcast(Operation *op) {
  ElemType from = typeOf(op->getOperand(0)), to = typeOf(op->getResult(0));
  Reg value = get(op->getOperand(0));
  if (from.isFloat && (!to.isFloat || from.format != to.format))
    value = emit(Instr{Op::BitsOf, to.bits, uint8_t(from.format), 0, value});
  if (to.isFloat && (!from.isFloat || from.format != to.format))
    value = emit(Instr{Op::FromBits, to.bits, uint8_t(to.format), 0, value});
  map(op->getResult(0), value);
  return success();
}

/// Rounding modes other than to nearest even are not supported.
template <typename OpTy> static bool roundsToNearest(OpTy op) {
  std::optional<arith::RoundingMode> mode = op.getRoundingmode();
  return !mode || *mode == arith::RoundingMode::to_nearest_even;
}

LogicalResult ProgramBuilder::compileArith(Operation *op) {
  auto operandType = [&](unsigned i) { return typeOf(op->getOperand(i)); };
  auto resultType = [&] { return typeOf(op->getResult(0)); };
  auto set = [&](Reg reg) {
    map(op->getResult(0), reg);
    return success();
  };
  // A float operation that rounds, and one that is always exact.
  auto binary = [&](Op code) {
    SmallVector<Reg> x = get(op->getOperands());
    return set(rounded(resultType().format, emit(code, x[0], x[1])));
  };
  auto exactly = [&](Op code) {
    SmallVector<Reg> x = get(op->getOperands());
    return set(emit(code, x[0], x.size() > 1 ? x[1] : 0));
  };
  auto integers = [&](Op code) {
    SmallVector<Reg> x = get(op->getOperands());
    return set(emitInt(resultType().bits, code, x[0], x[1]));
  };
  auto extended = [&](Op low, Op high) {
    SmallVector<Reg> x = get(op->getOperands());
    unsigned bits = resultType().bits;
    map(op->getResult(0), emitInt(bits, low, x[0], x[1]));
    map(op->getResult(1), emitInt(bits, high, x[0], x[1]));
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constantOp) -> LogicalResult {
        std::optional<Cell> value = constantCell(constantOp.getValue());
        return value ? set(constant(*value)) : unsupported(op);
      })
      .Case([&](arith::AddFOp) { return binary(Op::AddF); })
      .Case([&](arith::SubFOp) { return binary(Op::SubF); })
      .Case([&](arith::MulFOp) { return binary(Op::MulF); })
      .Case([&](arith::DivFOp) { return binary(Op::DivF); })
      .Case([&](arith::RemFOp) { return exactly(Op::RemF); })
      .Case([&](arith::MaximumFOp) { return exactly(Op::MaximumF); })
      .Case([&](arith::MinimumFOp) { return exactly(Op::MinimumF); })
      .Case([&](arith::MaxNumFOp) { return exactly(Op::MaxNumF); })
      .Case([&](arith::MinNumFOp) { return exactly(Op::MinNumF); })
      .Case([&](arith::NegFOp) { return exactly(Op::NegF); })
      .Case([&](arith::AddIOp) { return integers(Op::AddI); })
      .Case([&](arith::SubIOp) { return integers(Op::SubI); })
      .Case([&](arith::MulIOp) { return integers(Op::MulI); })
      .Case([&](arith::DivSIOp) { return integers(Op::DivSI); })
      .Case([&](arith::DivUIOp) { return integers(Op::DivUI); })
      .Case([&](arith::RemSIOp) { return integers(Op::RemSI); })
      .Case([&](arith::RemUIOp) { return integers(Op::RemUI); })
      .Case([&](arith::FloorDivSIOp) { return integers(Op::FloorDivSI); })
      .Case([&](arith::CeilDivSIOp) { return integers(Op::CeilDivSI); })
      .Case([&](arith::CeilDivUIOp) { return integers(Op::CeilDivUI); })
      .Case([&](arith::AndIOp) { return integers(Op::And); })
      .Case([&](arith::OrIOp) { return integers(Op::Or); })
      .Case([&](arith::XOrIOp) { return integers(Op::Xor); })
      .Case([&](arith::ShLIOp) { return integers(Op::ShL); })
      .Case([&](arith::ShRUIOp) { return integers(Op::ShRUI); })
      .Case([&](arith::ShRSIOp) { return integers(Op::ShRSI); })
      .Case([&](arith::MaxSIOp) { return integers(Op::MaxSI); })
      .Case([&](arith::MinSIOp) { return integers(Op::MinSI); })
      .Case([&](arith::MaxUIOp) { return integers(Op::MaxUI); })
      .Case([&](arith::MinUIOp) { return integers(Op::MinUI); })
      .Case([&](arith::MulSIExtendedOp) {
        return extended(Op::MulI, Op::MulHighS);
      })
      .Case([&](arith::MulUIExtendedOp) {
        return extended(Op::MulI, Op::MulHighU);
      })
      .Case([&](arith::AddUIExtendedOp) {
        SmallVector<Reg> x = get(op->getOperands());
        uint8_t bits = resultType().bits;
        Reg sum = emitInt(bits, Op::AddI, x[0], x[1]);
        map(op->getResult(0), sum);
        map(op->getResult(1),
            emit(Instr{Op::CmpI, bits, uint8_t(arith::CmpIPredicate::ult), 0,
                       sum, x[0]}));
        return success();
      })
      .Case([&](arith::CmpFOp cmp) {
        return set(emit(Instr{Op::CmpF, 64, uint8_t(cmp.getPredicate()), 0,
                              get(cmp.getLhs()), get(cmp.getRhs())}));
      })
      .Case([&](arith::CmpIOp cmp) {
        return set(emit(Instr{Op::CmpI, operandType(0).bits,
                              uint8_t(cmp.getPredicate()), 0,
                              get(cmp.getLhs()), get(cmp.getRhs())}));
      })
      .Case([&](arith::SelectOp select) {
        return set(emit(Op::Select, get(select.getCondition()),
                        get(select.getTrueValue()),
                        get(select.getFalseValue())));
      })
      .Case<arith::ExtSIOp, arith::ExtFOp>(
          [&](auto ext) { return set(get(ext.getIn())); })
      .Case<arith::TruncIOp, arith::IndexCastOp>([&](auto cast) {
        return set(emitInt(resultType().bits, Op::Wrap, get(cast.getIn())));
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto cast) {
        Reg value =
            emitInt(operandType(0).bits, Op::ZeroExtend, get(cast.getIn()));
        return set(emitInt(resultType().bits, Op::Wrap, value));
      })
      .Case([&](arith::TruncFOp trunc) -> LogicalResult {
        if (!roundsToNearest(trunc))
          return unsupported(op);
        return set(emit(Instr{Op::Round, 64, uint8_t(resultType().format), 0,
                              get(trunc.getIn())}));
      })
      .Case([&](arith::SIToFPOp cast) {
        return set(emit(Instr{Op::FromSigned, operandType(0).bits,
                              uint8_t(resultType().format), 0,
                              get(cast.getIn())}));
      })
      .Case([&](arith::UIToFPOp cast) {
        return set(emit(Instr{Op::FromUnsigned, operandType(0).bits,
                              uint8_t(resultType().format), 0,
                              get(cast.getIn())}));
      })
      .Case([&](arith::FPToSIOp cast) {
        return set(emitInt(resultType().bits, Op::ToSigned, get(cast.getIn())));
      })
      .Case([&](arith::FPToUIOp cast) {
        return set(
            emitInt(resultType().bits, Op::ToUnsigned, get(cast.getIn())));
      })
      .Case([&](arith::BitcastOp) { return compileBitcast(op); })
      .Default([](Operation *other) { return unsupported(other); });
}
