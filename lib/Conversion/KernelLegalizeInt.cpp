//===- KernelLegalizeInt.cpp - Integer operations -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLegalizeImpl.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/InstrTypes.h"

using namespace mlir;
using namespace mlir::tang;
using arith::CmpIPredicate;
using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Wider than one bit
//===----------------------------------------------------------------------===//

static llvm::CmpInst::Predicate toLLVM(CmpIPredicate predicate) {
  using P = llvm::CmpInst::Predicate;
  switch (predicate) {
  case CmpIPredicate::eq:
    return P::ICMP_EQ;
  case CmpIPredicate::ne:
    return P::ICMP_NE;
  case CmpIPredicate::slt:
    return P::ICMP_SLT;
  case CmpIPredicate::sle:
    return P::ICMP_SLE;
  case CmpIPredicate::sgt:
    return P::ICMP_SGT;
  case CmpIPredicate::sge:
    return P::ICMP_SGE;
  case CmpIPredicate::ult:
    return P::ICMP_ULT;
  case CmpIPredicate::ule:
    return P::ICMP_ULE;
  case CmpIPredicate::ugt:
    return P::ICMP_UGT;
  case CmpIPredicate::uge:
    return P::ICMP_UGE;
  }
  llvm_unreachable("unknown predicate");
}

/// The value of a comparison that does not depend on its operands. C compilers
/// warn about such ones.
static std::optional<bool> knownResult(arith::CmpIOp op) {
  llvm::ConstantRange lhs = knownRange(op.getLhs());
  llvm::ConstantRange rhs = knownRange(op.getRhs());
  llvm::CmpInst::Predicate predicate = toLLVM(op.getPredicate());
  if (lhs.icmp(predicate, rhs))
    return true;
  if (lhs.icmp(llvm::CmpInst::getInversePredicate(predicate), rhs))
    return false;
  return std::nullopt;
}

FailureOr<Values> mlir::tang::expandIntOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  TotalArith total(b);
  Value lhs = op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  Value rhs = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](arith::DivSIOp) { return Values{total.divSI(lhs, rhs)}; })
      .Case([&](arith::DivUIOp) { return Values{total.divUI(lhs, rhs)}; })
      .Case([&](arith::RemSIOp) { return Values{total.remSI(lhs, rhs)}; })
      .Case([&](arith::RemUIOp) { return Values{total.remUI(lhs, rhs)}; })
      .Case(
          [&](arith::CeilDivSIOp) { return Values{total.ceilDivSI(lhs, rhs)}; })
      .Case(
          [&](arith::CeilDivUIOp) { return Values{total.ceilDivUI(lhs, rhs)}; })
      .Case([&](arith::FloorDivSIOp) {
        return Values{total.floorDivSI(lhs, rhs)};
      })
      .Case([&](arith::ShLIOp) { return Values{total.shl(lhs, rhs)}; })
      .Case([&](arith::ShRUIOp) { return Values{total.shrUI(lhs, rhs)}; })
      .Case([&](arith::ShRSIOp) { return Values{total.shrSI(lhs, rhs)}; })
      .Case([&](arith::CmpIOp compare) {
        std::optional<bool> result = knownResult(compare);
        if (!result)
          return Values{};
        return Values{total.constant(b.getI1Type(), int64_t(*result))};
      })
      .Case([&](arith::AddUIExtendedOp) {
        Value sum = arith::AddIOp::create(b, lhs, rhs);
        return Values{sum, total.compare(CmpIPredicate::ult, sum, lhs)};
      })
      .Case<arith::MulSIExtendedOp, arith::MulUIExtendedOp>([&](auto) {
        auto [low, high] =
            total.mulExtended(lhs, rhs, isa<arith::MulSIExtendedOp>(op));
        return Values{low, high};
      })
      .Case([&](math::AbsIOp) {
        Value zero = total.constant(lhs.getType(), 0);
        Value isNegative = total.compare(CmpIPredicate::slt, lhs, zero);
        return Values{
            total.select(isNegative, arith::SubIOp::create(b, zero, lhs), lhs)};
      })
      .Case([&](math::CountTrailingZerosOp) {
        // The zeros below the lowest one, as ones; all ones for 0.
        Type type = lhs.getType();
        Value below = arith::AndIOp::create(
            b, arith::XOrIOp::create(b, lhs, total.constant(type, -1)),
            arith::SubIOp::create(b, lhs, total.constant(type, 1)));
        return Values{math::CtPopOp::create(b, below)};
      })
      .Default([](Operation *) { return Values{}; });
}

//===----------------------------------------------------------------------===//
// One bit
//===----------------------------------------------------------------------===//

/// Signed comparisons of one bit, where true is -1, are unsigned ones the
/// other way round, and those are logic.
static Value compareBools(arith::CmpIOp op,
                          llvm::function_ref<Value(Value)> inverse,
                          llvm::function_ref<Value(Value, Value)> both,
                          llvm::function_ref<Value(Value, Value)> either) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  APInt constant;
  switch (op.getPredicate()) {
  case CmpIPredicate::eq:
    if (matchPattern(rhs, m_ConstantInt(&constant)))
      return constant.isZero() ? inverse(lhs) : lhs;
    return {};
  case CmpIPredicate::ne:
    if (matchPattern(rhs, m_ConstantInt(&constant)))
      return constant.isZero() ? lhs : inverse(lhs);
    return {};
  case CmpIPredicate::ult:
  case CmpIPredicate::sgt:
    return both(inverse(lhs), rhs);
  case CmpIPredicate::ule:
  case CmpIPredicate::sge:
    return either(inverse(lhs), rhs);
  case CmpIPredicate::ugt:
  case CmpIPredicate::slt:
    return both(lhs, inverse(rhs));
  case CmpIPredicate::uge:
  case CmpIPredicate::sle:
    return either(lhs, inverse(rhs));
  }
  llvm_unreachable("unknown predicate");
}

FailureOr<Values> mlir::tang::expandBoolOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  TotalArith total(b);
  Type i1 = b.getI1Type();
  Value lhs = op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  Value rhs = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  // Folding keeps constants out of the result; C compilers warn about them.
  auto inverse = [&](Value x) -> Value {
    return b.createOrFold<arith::XOrIOp>(x, total.constant(i1, -1));
  };
  auto both = [&](Value x, Value y) -> Value {
    return b.createOrFold<arith::AndIOp>(x, y);
  };
  auto either = [&](Value x, Value y) -> Value {
    return b.createOrFold<arith::OrIOp>(x, y);
  };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case<arith::AddIOp, arith::SubIOp>(
          [&](auto) { return Values{b.createOrFold<arith::XOrIOp>(lhs, rhs)}; })
      .Case<arith::MulIOp, arith::MaxSIOp, arith::MinUIOp, arith::DivSIOp,
            arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::FloorDivSIOp>([&](auto) { return Values{both(lhs, rhs)}; })
      .Case<arith::MinSIOp, arith::MaxUIOp>(
          [&](auto) { return Values{either(lhs, rhs)}; })
      .Case<arith::RemSIOp, arith::RemUIOp, arith::ShLIOp, arith::ShRUIOp>(
          [&](auto) { return Values{both(lhs, inverse(rhs))}; })
      .Case<arith::ShRSIOp, math::AbsIOp, math::CtPopOp>(
          [&](auto) { return Values{lhs}; })
      .Case<math::CountLeadingZerosOp, math::CountTrailingZerosOp>(
          [&](auto) { return Values{inverse(lhs)}; })
      .Case([&](math::IPowIOp) { return Values{either(lhs, inverse(rhs))}; })
      .Case([&](arith::AddUIExtendedOp) {
        return Values{arith::XOrIOp::create(b, lhs, rhs), both(lhs, rhs)};
      })
      .Case<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(
          [&](auto) { return Values{both(lhs, rhs), total.constant(i1, 0)}; })
      .Case([&](arith::CmpIOp compare) {
        Value result = compareBools(compare, inverse, both, either);
        return result ? Values{result} : Values{};
      })
      .Case([&](arith::SIToFPOp conversion) {
        Type type = conversion.getType();
        return Values{
            total.select(lhs, total.real(type, -1.0), total.real(type, 0.0))};
      })
      .Case([&](arith::FPToSIOp) {
        Value bound = total.real(lhs.getType(), -1.0);
        return Values{total.compare(arith::CmpFPredicate::OLE, lhs, bound)};
      })
      .Case([&](arith::FPToUIOp) {
        Value bound = total.real(lhs.getType(), 1.0);
        return Values{total.compare(arith::CmpFPredicate::OGE, lhs, bound)};
      })
      .Case([&](arith::BitcastOp) { return Values{lhs}; })
      .Default([](Operation *) { return Values{}; });
}
