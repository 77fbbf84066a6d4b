//===- EmulateTypesFloat.cpp - Operations on small floats -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum, difference, product, quotient or square root of f16 (11 significant
// bits) computed in f32 (24 ≥ 2·11 + 2 bits) and rounded again is rounded
// correctly; the other formats are smaller.
//
//===----------------------------------------------------------------------===//

#include "EmulateTypesImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value EmulationContext::call(ImplicitLocOpBuilder &b, func::FuncOp callee,
                             Value argument) {
  auto call = func::CallOp::create(b, callee, argument);
  calls.push_back(call);
  return call.getResult(0);
}

Value EmulationContext::decode(ImplicitLocOpBuilder &b,
                               const SmallFormat &format, Value bits) {
  return call(b, helpers.decode(format), bits);
}

/// The argument of a call of `callee` that defines `x`, or null.
static Value argumentOfCall(Value x, func::FuncOp callee) {
  auto call = x.getDefiningOp<func::CallOp>();
  if (!call || call.getCallee() != callee.getSymName())
    return {};
  return call.getOperand(0);
}

Value EmulationContext::encode(ImplicitLocOpBuilder &b,
                               const SmallFormat &format, Value x) {
  if (Value bits = argumentOfCall(x, helpers.decode(format)))
    return bits;
  if (Value unrounded = argumentOfCall(x, helpers.round(format, false)))
    x = unrounded;
  return call(b, helpers.encode(format), x);
}

Value EmulationContext::round(ImplicitLocOpBuilder &b,
                              const SmallFormat &format, Value x) {
  bool isDouble = x.getType().isF64();
  Value rounded = call(b, helpers.round(format, isDouble), x);
  if (!isDouble)
    return rounded;
  auto exact = arith::TruncFOp::create(b, b.getF32Type(), rounded);
  calls.push_back(exact);
  return exact;
}

Value EmulationContext::fromInteger(ImplicitLocOpBuilder &b,
                                    const SmallFormat &format, Value x,
                                    bool isSigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (width >= 32)
    return round(b, format, call(b, helpers.intToOdd(width, isSigned), x));
  // Up to 16 bits an f32 is exact.
  Value exact = isSigned
                    ? arith::SIToFPOp::create(b, b.getF32Type(), x).getResult()
                    : arith::UIToFPOp::create(b, b.getF32Type(), x).getResult();
  return round(b, format, exact);
}

void EmulationContext::roundResult(const SmallFormat &format, Value result) {
  Operation *op = result.getDefiningOp();
  ImplicitLocOpBuilder b(op->getLoc(), op->getContext());
  b.setInsertionPointAfter(op);
  Value rounded = round(b, format, result);
  result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
}

void EmulationContext::dropDeadConversions() {
  // Users were recorded after what they use.
  for (Operation *op : llvm::reverse(calls))
    if (op->use_empty())
      op->erase();
  // A helper may have been asked for and not called after all.
  for (auto helper : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (helper.isPrivate() && helper.getSymName().starts_with("tang_") &&
        SymbolTable::symbolKnownUseEmpty(helper, module))
      helper.erase();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static LogicalResult emulateConstant(arith::ConstantOp op, Type before) {
  auto attr = dyn_cast<FloatAttr>(op.getValue());
  if (!attr)
    return op.emitOpError("has a value that is no float");
  APFloat value = attr.getValue();
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  op.setValueAttr(FloatAttr::get(Float32Type::get(op.getContext()), value));
  return success();
}

/// The smallest normal number of a format decides math.isnormal.
static void emulateIsNormal(math::IsNormalOp op, const SmallFormat &format) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    Value limit = arith::ConstantOp::create(b, b.getF32FloatAttr(bound));
    Value magnitude = math::AbsFOp::create(b, op.getOperand());
    return arith::CmpFOp::create(b, predicate, magnitude, limit);
  };
  Value result = arith::AndIOp::create(
      b,
      compare(arith::CmpFPredicate::OGE, std::ldexp(1.0, format.minExponent())),
      compare(arith::CmpFPredicate::OLE, format.maxValue));
  op.replaceAllUsesWith(result);
  op.erase();
}

static LogicalResult emulateBitcast(EmulationContext &context,
                                    const EmulatedOp &entry) {
  auto op = cast<arith::BitcastOp>(entry.op);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value value = op.getOperand();
  if (auto format = SmallFormat::get(entry.operandTypes[0]))
    value = context.encode(b, *format, value);
  if (auto format = SmallFormat::get(entry.resultTypes[0]))
    value = context.decode(b, *format, value);
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

/// Conversions between floats; the operand already is an f32 or f64.
static LogicalResult emulateFloatCast(EmulationContext &context,
                                      const EmulatedOp &entry) {
  Operation *op = entry.op;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value value = op->getOperand(0);
  if (auto format = SmallFormat::get(entry.resultTypes[0])) {
    // An extension between small formats is exact.
    if (isa<arith::TruncFOp>(op))
      value = context.round(b, *format, value);
  } else if (value.getType() != entry.resultTypes[0]) {
    value = arith::ExtFOp::create(b, entry.resultTypes[0], value);
  }
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

LogicalResult mlir::tang::emulateFloatOp(EmulationContext &context,
                                         const EmulatedOp &entry) {
  Operation *op = entry.op;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emulateConstant(constant, entry.resultTypes[0]);
  if (isa<arith::BitcastOp>(op))
    return emulateBitcast(context, entry);
  if (isa<arith::TruncFOp, arith::ExtFOp>(op)) {
    if (auto truncate = dyn_cast<arith::TruncFOp>(op))
      if (auto mode = truncate.getRoundingmode();
          mode && *mode != arith::RoundingMode::to_nearest_even)
        return op->emitOpError("rounds otherwise than to nearest even, which "
                               "type emulation does not support");
    return emulateFloatCast(context, entry);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value value =
        context.fromInteger(b, *SmallFormat::get(entry.resultTypes[0]),
                            op->getOperand(0), isa<arith::SIToFPOp>(op));
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }
  if (auto isNormal = dyn_cast<math::IsNormalOp>(op)) {
    emulateIsNormal(isNormal, *SmallFormat::get(entry.operandTypes[0]));
    return success();
  }
  // The result is one of the format's values, or no float at all.
  if (isa<arith::CmpFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::FPToSIOp, arith::FPToUIOp,
          math::AbsFOp, math::CopySignOp, math::ClampFOp, math::FloorOp,
          math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp,
          math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op))
    return success();
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return op->emitOpError("cannot be emulated on ")
           << (entry.resultTypes.empty() ? entry.operandTypes[0]
                                         : entry.resultTypes[0]);
  for (auto [result, before] : llvm::zip(op->getResults(), entry.resultTypes))
    if (auto format = SmallFormat::get(before))
      context.roundResult(*format, result);
  return success();
}
