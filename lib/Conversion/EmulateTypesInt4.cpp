//===- EmulateTypesInt4.cpp - Operations on i4 ----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An i4 lives in an i8 that holds its sign-extended value. An operation may
// read it as signed (as it is) or unsigned (its low four bits); its result is
// sign-extended again where the operation can leave the range. Guards against
// division by zero and the like follow from those of i8.
//
//===----------------------------------------------------------------------===//

#include "EmulateTypesImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

class Int4Rewriter {
public:
  Int4Rewriter(EmulationContext &context, const EmulatedOp &entry)
      : context(context), entry(entry), op(entry.op),
        b(entry.op->getLoc(), entry.op) {}

  LogicalResult run();

private:
  bool isInt4Operand(unsigned i) const {
    return entry.operandTypes[i].isInteger(4);
  }
  Value byte(int64_t value) {
    return arith::ConstantOp::create(b, b.getI8IntegerAttr(value));
  }
  Value unsignedView(Value x) { return arith::AndIOp::create(b, x, byte(15)); }
  Value signExtend(Value x) {
    return arith::ShRSIOp::create(b, arith::ShLIOp::create(b, x, byte(4)),
                                  byte(4));
  }
  void readUnsigned() {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (isInt4Operand(i))
        op->setOperand(i, unsignedView(op->getOperand(i)));
  }
  void signExtendResult(Value result) {
    b.setInsertionPointAfter(op);
    Value shifted = arith::ShLIOp::create(b, result, byte(4));
    Value extended = arith::ShRSIOp::create(b, shifted, byte(4));
    result.replaceAllUsesExcept(extended, shifted.getDefiningOp());
  }
  LogicalResult replace(ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
    return success();
  }
  LogicalResult rewriteIntCast();
  LogicalResult rewriteFloatCast();
  LogicalResult rewriteExtended();
  LogicalResult rewriteCount();

  EmulationContext &context;
  const EmulatedOp &entry;
  Operation *op;
  ImplicitLocOpBuilder b;
};

/// extsi, extui, trunci, index_cast, index_castui, bitcast.
LogicalResult Int4Rewriter::rewriteIntCast() {
  Value value = op->getOperand(0);
  Type to = op->getResult(0).getType();
  if (isInt4Operand(0)) {
    if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
      value = unsignedView(value);
    if (isa<arith::BitcastOp>(op) || value.getType() == to)
      return replace(value);
    op->setOperand(0, value);
    return success();
  }
  if (value.getType() != to) {
    // A one-bit value reaches i4 by extension and is in range.
    if (value.getType().isInteger(1))
      return success();
    value = value.getType().isIndex()
                ? arith::IndexCastOp::create(b, to, value).getResult()
                : arith::TruncIOp::create(b, to, value).getResult();
  }
  return replace(signExtend(value));
}

LogicalResult Int4Rewriter::rewriteFloatCast() {
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    bool isSigned = isa<arith::SIToFPOp>(op);
    if (!isSigned)
      readUnsigned();
    if (auto format = SmallFormat::get(entry.resultTypes[0]))
      return replace(
          context.fromInteger(b, *format, op->getOperand(0), isSigned));
    return success();
  }
  // Conversions saturate: first to i8, then to i4.
  Type byteType = b.getI8Type();
  Value x = op->getOperand(0);
  if (isa<arith::FPToSIOp>(op)) {
    Value wide = arith::FPToSIOp::create(b, byteType, x);
    return replace(arith::MaxSIOp::create(
                       b, arith::MinSIOp::create(b, wide, byte(7)), byte(-8))
                       .getResult());
  }
  Value wide = arith::FPToUIOp::create(b, byteType, x);
  return replace(signExtend(arith::MinUIOp::create(b, wide, byte(15))));
}

LogicalResult Int4Rewriter::rewriteExtended() {
  if (isa<arith::AddUIExtendedOp>(op)) {
    readUnsigned();
    Value sum = arith::AddIOp::create(b, op->getOperand(0), op->getOperand(1));
    Value carry =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, sum, byte(15));
    return replace({signExtend(sum), carry});
  }
  bool isSigned = isa<arith::MulSIExtendedOp>(op);
  if (!isSigned)
    readUnsigned();
  Value product =
      arith::MulIOp::create(b, op->getOperand(0), op->getOperand(1));
  Value high = arith::ShRSIOp::create(b, product, byte(4));
  return replace({signExtend(product), isSigned ? high : signExtend(high)});
}

LogicalResult Int4Rewriter::rewriteCount() {
  Value x = op->getOperand(0);
  Value count;
  if (isa<math::CountLeadingZerosOp>(op))
    count = arith::SubIOp::create(
        b, math::CountLeadingZerosOp::create(b, unsignedView(x)), byte(4));
  else if (isa<math::CountTrailingZerosOp>(op))
    count = math::CountTrailingZerosOp::create(
        b, arith::OrIOp::create(b, x, byte(16)));
  else
    count = math::CtPopOp::create(b, unsignedView(x));
  return replace(count);
}

LogicalResult Int4Rewriter::run() {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<IntegerAttr>(constant.getValue());
    constant.setValueAttr(b.getI8IntegerAttr(value.getValue().getSExtValue()));
    return success();
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp, arith::BitcastOp>(op))
    return rewriteIntCast();
  if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(
          op))
    return rewriteFloatCast();
  if (isa<arith::AddUIExtendedOp, arith::MulSIExtendedOp,
          arith::MulUIExtendedOp>(op))
    return rewriteExtended();
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp>(
          op))
    return rewriteCount();
  if (isa<math::FPowIOp>(op)) {
    if (auto format = SmallFormat::get(entry.resultTypes[0]))
      context.roundResult(*format, op->getResult(0));
    return success();
  }
  // In range whatever happens.
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
          arith::MinSIOp, arith::RemSIOp>(op))
    return success();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::ule:
    case arith::CmpIPredicate::ugt:
    case arith::CmpIPredicate::uge:
      readUnsigned();
      break;
    default:
      break;
    }
    return success();
  }
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::ShRUIOp,
          arith::MaxUIOp, arith::MinUIOp>(op)) {
    readUnsigned();
    signExtendResult(op->getResult(0));
    return success();
  }
  if (isa<arith::ShLIOp, arith::ShRSIOp>(op)) {
    op->setOperand(1, unsignedView(op->getOperand(1)));
    if (isa<arith::ShLIOp>(op))
      signExtendResult(op->getResult(0));
    return success();
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
          arith::CeilDivSIOp, arith::FloorDivSIOp, math::AbsIOp, math::IPowIOp>(
          op)) {
    signExtendResult(op->getResult(0));
    return success();
  }
  return op->emitOpError("cannot be emulated on i4");
}

} // namespace

LogicalResult mlir::tang::emulateInt4Op(EmulationContext &context,
                                        const EmulatedOp &entry) {
  return Int4Rewriter(context, entry).run();
}
