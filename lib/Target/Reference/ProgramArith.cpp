//===- ProgramArith.cpp - From bodies to programs: arith
//-------------------===//
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
    value =
        emit(Instr{Opcode::BitsOf, to.bits, uint8_t(from.format), 0, value});
  if (to.isFloat && (!from.isFloat || from.format != to.format))
    value =
        emit(Instr{Opcode::FromBits, to.bits, uint8_t(to.format), 0, value});
  map(op->getResult(0), value);
  return success();
}

/// Rounding modes other than to nearest even are not supported.
template <typename OpTy> static bool roundsToNearest(OpTy op) {
  std::optional<arith::RoundingMode> mode = op.getRoundingmode();
  return !mode || *mode == arith::RoundingMode::to_nearest_even;
}

/// The outcomes for which a comparison holds: 1 for equal, 2 for greater, 4 for
/// less, 8 for unordered.
static uint8_t outcomesOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::UEQ:
    return 8 | 1;
  case arith::CmpFPredicate::UGT:
    return 8 | 2;
  case arith::CmpFPredicate::UGE:
    return 8 | 2 | 1;
  case arith::CmpFPredicate::ULT:
    return 8 | 4;
  case arith::CmpFPredicate::ULE:
    return 8 | 4 | 1;
  case arith::CmpFPredicate::UNE:
    return 8 | 4 | 2;
  case arith::CmpFPredicate::UNO:
    return 8;
  default:
    return uint8_t(predicate); // Ordered ones are numbered so.
  }
}

LogicalResult ProgramBuilder::compileArith(Operation *op) {
  auto operandType = [&](unsigned i) { return typeOf(op->getOperand(i)); };
  auto resultType = [&] { return typeOf(op->getResult(0)); };
  auto set = [&](Reg reg) {
    map(op->getResult(0), reg);
    return success();
  };
  // A float operation that rounds, and one that is always exact.
  auto binary = [&](Opcode code) {
    SmallVector<Reg> x = get(op->getOperands());
    return set(rounded(resultType().format, emit(code, x[0], x[1])));
  };
  auto exactly = [&](Opcode code) {
    SmallVector<Reg> x = get(op->getOperands());
    return set(emit(code, x[0], x.size() > 1 ? x[1] : 0));
  };
  auto integers = [&](Opcode code) {
    SmallVector<Reg> x = get(op->getOperands());
    return set(emitInt(resultType().bits, code, x[0], x[1]));
  };
  auto extended = [&](Opcode low, Opcode high) {
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
      .Case([&](arith::AddFOp) { return binary(Opcode::AddF); })
      .Case([&](arith::SubFOp) { return binary(Opcode::SubF); })
      .Case([&](arith::MulFOp) { return binary(Opcode::MulF); })
      .Case([&](arith::DivFOp) { return binary(Opcode::DivF); })
      .Case([&](arith::RemFOp) { return exactly(Opcode::RemF); })
      .Case([&](arith::MaximumFOp) { return exactly(Opcode::MaximumF); })
      .Case([&](arith::MinimumFOp) { return exactly(Opcode::MinimumF); })
      .Case([&](arith::MaxNumFOp) { return exactly(Opcode::MaxNumF); })
      .Case([&](arith::MinNumFOp) { return exactly(Opcode::MinNumF); })
      .Case([&](arith::NegFOp) { return exactly(Opcode::NegF); })
      .Case([&](arith::AddIOp) { return integers(Opcode::AddI); })
      .Case([&](arith::SubIOp) { return integers(Opcode::SubI); })
      .Case([&](arith::MulIOp) { return integers(Opcode::MulI); })
      .Case([&](arith::DivSIOp) { return integers(Opcode::DivSI); })
      .Case([&](arith::DivUIOp) { return integers(Opcode::DivUI); })
      .Case([&](arith::RemSIOp) { return integers(Opcode::RemSI); })
      .Case([&](arith::RemUIOp) { return integers(Opcode::RemUI); })
      .Case([&](arith::FloorDivSIOp) { return integers(Opcode::FloorDivSI); })
      .Case([&](arith::CeilDivSIOp) { return integers(Opcode::CeilDivSI); })
      .Case([&](arith::CeilDivUIOp) { return integers(Opcode::CeilDivUI); })
      .Case([&](arith::AndIOp) { return integers(Opcode::And); })
      .Case([&](arith::OrIOp) { return integers(Opcode::Or); })
      .Case([&](arith::XOrIOp) { return integers(Opcode::Xor); })
      .Case([&](arith::ShLIOp) { return integers(Opcode::ShL); })
      .Case([&](arith::ShRUIOp) { return integers(Opcode::ShRUI); })
      .Case([&](arith::ShRSIOp) { return integers(Opcode::ShRSI); })
      .Case([&](arith::MaxSIOp) { return integers(Opcode::MaxSI); })
      .Case([&](arith::MinSIOp) { return integers(Opcode::MinSI); })
      .Case([&](arith::MaxUIOp) { return integers(Opcode::MaxUI); })
      .Case([&](arith::MinUIOp) { return integers(Opcode::MinUI); })
      .Case([&](arith::MulSIExtendedOp) {
        return extended(Opcode::MulI, Opcode::MulHighS);
      })
      .Case([&](arith::MulUIExtendedOp) {
        return extended(Opcode::MulI, Opcode::MulHighU);
      })
      .Case([&](arith::AddUIExtendedOp) {
        SmallVector<Reg> x = get(op->getOperands());
        uint8_t bits = resultType().bits;
        Reg sum = emitInt(bits, Opcode::AddI, x[0], x[1]);
        map(op->getResult(0), sum);
        map(op->getResult(1),
            emit(Instr{Opcode::CmpI, bits, uint8_t(arith::CmpIPredicate::ult),
                       0, sum, x[0]}));
        return success();
      })
      .Case([&](arith::CmpFOp cmp) {
        return set(emit(Instr{Opcode::CmpF, 64, outcomesOf(cmp.getPredicate()),
                              0, get(cmp.getLhs()), get(cmp.getRhs())}));
      })
      .Case([&](arith::CmpIOp cmp) {
        return set(emit(Instr{Opcode::CmpI, operandType(0).bits,
                              uint8_t(cmp.getPredicate()), 0, get(cmp.getLhs()),
                              get(cmp.getRhs())}));
      })
      .Case([&](arith::SelectOp select) {
        return set(emit(Opcode::Select, get(select.getCondition()),
                        get(select.getTrueValue()),
                        get(select.getFalseValue())));
      })
      .Case<arith::ExtSIOp, arith::ExtFOp>(
          [&](auto ext) { return set(get(ext.getIn())); })
      .Case<arith::TruncIOp, arith::IndexCastOp>([&](auto cast) {
        return set(emitInt(resultType().bits, Opcode::Wrap, get(cast.getIn())));
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto cast) {
        Reg value =
            emitInt(operandType(0).bits, Opcode::ZeroExtend, get(cast.getIn()));
        return set(emitInt(resultType().bits, Opcode::Wrap, value));
      })
      .Case([&](arith::TruncFOp trunc) -> LogicalResult {
        if (!roundsToNearest(trunc))
          return unsupported(op);
        return set(emit(Instr{Opcode::Round, 64, uint8_t(resultType().format),
                              0, get(trunc.getIn())}));
      })
      .Case([&](arith::SIToFPOp cast) {
        return set(
            emit(Instr{Opcode::FromSigned, operandType(0).bits,
                       uint8_t(resultType().format), 0, get(cast.getIn())}));
      })
      .Case([&](arith::UIToFPOp cast) {
        return set(
            emit(Instr{Opcode::FromUnsigned, operandType(0).bits,
                       uint8_t(resultType().format), 0, get(cast.getIn())}));
      })
      .Case([&](arith::FPToSIOp cast) {
        return set(
            emitInt(resultType().bits, Opcode::ToSigned, get(cast.getIn())));
      })
      .Case([&](arith::FPToUIOp cast) {
        return set(
            emitInt(resultType().bits, Opcode::ToUnsigned, get(cast.getIn())));
      })
      .Case([&](arith::BitcastOp) { return compileBitcast(op); })
      .Default([](Operation *other) { return unsupported(other); });
}
