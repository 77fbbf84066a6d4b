//===- SpirvBuild.h - Arithmetic in short -----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_SPIRV_SPIRVBUILD_H
#define TANG_LIB_TARGET_SPIRV_SPIRVBUILD_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tang {

struct Build : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Type bitsOf(Type type) {
    return getIntegerType(type.getIntOrFloatBitWidth());
  }
  Value bits(Value x) {
    return arith::BitcastOp::create(*this, bitsOf(x.getType()), x);
  }
  Value integer(Type type, const APInt &value) {
    return arith::ConstantOp::create(*this, getIntegerAttr(type, value));
  }
  Value integer(Type type, int64_t value) {
    return integer(type, APInt(type.getIntOrFloatBitWidth(), value, true));
  }
  Value real(Type type, double value) {
    return arith::ConstantOp::create(*this, getFloatAttr(type, value));
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(*this, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(*this, condition, x, y);
  }
  /// A comparison that every device has; `uno` would be two tests.
  Value isNaN(Value x) { return compare(arith::CmpFPredicate::UNE, x, x); }
  Value allOf(Value x, Value y) { return arith::AndIOp::create(*this, x, y); }
  Value anyOf(Value x, Value y) { return arith::OrIOp::create(*this, x, y); }

  /// The magnitude of one number with the sign of another, by their bits.
  Value copySign(Value magnitude, Value sign) {
    Type type = bitsOf(magnitude.getType());
    unsigned width = type.getIntOrFloatBitWidth();
    Value low = arith::AndIOp::create(
        *this, bits(magnitude), integer(type, APInt::getSignedMaxValue(width)));
    Value high = arith::AndIOp::create(
        *this, bits(sign), integer(type, APInt::getSignMask(width)));
    return arith::BitcastOp::create(*this, magnitude.getType(),
                                    arith::OrIOp::create(*this, low, high));
  }
};

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_SPIRV_SPIRVBUILD_H
