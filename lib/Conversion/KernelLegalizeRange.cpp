//===- KernelLegalizeRange.cpp - What an integer can be -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's integer range analysis assumes that undefined behaviour does not
// happen. Here division by zero and wide shifts are defined, so ranges come
// from a short walk up the definitions that knows these cases.
//
//===----------------------------------------------------------------------===//

#include "KernelLegalizeImpl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using llvm::ConstantRange;

unsigned mlir::tang::integerWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The induction variable of a signed loop stays in [lower, upper).
static std::optional<ConstantRange> inductionRange(BlockArgument argument,
                                                   unsigned depth) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return std::nullopt;
  APInt lower = knownRange(loop.getLowerBound(), depth).getSignedMin();
  APInt upper = knownRange(loop.getUpperBound(), depth).getSignedMax();
  if (lower.sge(upper))
    return std::nullopt;
  return ConstantRange(lower, upper);
}

static ConstantRange binaryRange(Operation *op, const ConstantRange &lhs,
                                 const ConstantRange &rhs) {
  ConstantRange full = ConstantRange::getFull(lhs.getBitWidth());
  APInt zero = APInt::getZero(lhs.getBitWidth());
  APInt width(lhs.getBitWidth(), lhs.getBitWidth());
  return llvm::TypeSwitch<Operation *, ConstantRange>(op)
      .Case([&](arith::AddIOp) { return lhs.add(rhs); })
      .Case([&](arith::SubIOp) { return lhs.sub(rhs); })
      .Case([&](arith::MulIOp) { return lhs.multiply(rhs); })
      .Case([&](arith::AndIOp) { return lhs.binaryAnd(rhs); })
      .Case([&](arith::OrIOp) { return lhs.binaryOr(rhs); })
      .Case([&](arith::XOrIOp) { return lhs.binaryXor(rhs); })
      .Case([&](arith::MinSIOp) { return lhs.smin(rhs); })
      .Case([&](arith::MaxSIOp) { return lhs.smax(rhs); })
      .Case([&](arith::MinUIOp) { return lhs.umin(rhs); })
      .Case([&](arith::MaxUIOp) { return lhs.umax(rhs); })
      .Case([&](arith::DivUIOp) {
        return rhs.contains(zero) ? full : lhs.udiv(rhs);
      })
      .Case([&](arith::RemUIOp) {
        return rhs.contains(zero) ? full : lhs.urem(rhs);
      })
      .Case([&](arith::DivSIOp) {
        return rhs.contains(zero) || rhs.isAllNonNegative() == false
                   ? full
                   : lhs.sdiv(rhs);
      })
      .Case([&](arith::RemSIOp) {
        return rhs.contains(zero) ? full : lhs.srem(rhs);
      })
      .Case([&](arith::ShRUIOp) {
        return rhs.getUnsignedMax().ult(width) ? lhs.lshr(rhs) : full;
      })
      .Default(full);
}

ConstantRange mlir::tang::knownRange(Value value, unsigned depth) {
  unsigned width = integerWidth(value.getType());
  ConstantRange full = ConstantRange::getFull(width);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ConstantRange(constant);
  if (depth-- == 0)
    return full;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return inductionRange(argument, depth).value_or(full);

  Operation *op = value.getDefiningOp();
  auto operandRange = [&](unsigned i) {
    return knownRange(op->getOperand(i), depth);
  };
  // Grid coordinates are 32-bit in every API that Tang launches through.
  if (isa<gpu::BlockIdOp, gpu::ThreadIdOp>(op))
    return ConstantRange(APInt(64, 0), APInt(64, uint64_t(1) << 32));
  if (isa<gpu::BlockDimOp>(op))
    return ConstantRange(APInt(64, 1), APInt(64, uint64_t(1) << 32));
  if (isa<arith::ExtUIOp>(op))
    return operandRange(0).zeroExtend(width);
  if (isa<arith::ExtSIOp>(op))
    return operandRange(0).signExtend(width);
  if (isa<arith::TruncIOp>(op))
    return operandRange(0).truncate(width);
  if (isa<arith::IndexCastOp>(op))
    return operandRange(0).sextOrTrunc(width);
  if (isa<arith::IndexCastUIOp>(op))
    return operandRange(0).zextOrTrunc(width);
  if (isa<arith::SelectOp>(op))
    return operandRange(1).unionWith(operandRange(2));
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      op->getOperand(0).getType() != value.getType() ||
      op->getOperand(1).getType() != value.getType() ||
      !isa<arith::ArithDialect>(op->getDialect()))
    return full;
  return binaryRange(op, operandRange(0), operandRange(1));
}
