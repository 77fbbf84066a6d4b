//===- KernelLegalizeImpl.h - Parts of kernel legalisation -----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_KERNELLEGALIZEIMPL_H
#define TANG_LIB_CONVERSION_KERNELLEGALIZEIMPL_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/IR/ConstantRange.h"

namespace mlir::tang {

/// The values that an integer or index can have, as far as its definition
/// tells. It holds under the total meaning of docs/KernelIR.md, not only where
/// upstream's is defined. `depth` bounds the walk up the definitions.
llvm::ConstantRange knownRange(Value value, unsigned depth = 6);

/// Width in bits of an integer; index counts as 64.
unsigned integerWidth(Type type);

/// Builds arithmetic with the total meaning of docs/KernelIR.md: what it
/// returns never runs into undefined behaviour. Guards that `knownRange` shows
/// to be unnecessary are left out.
class TotalArith {
public:
  explicit TotalArith(ImplicitLocOpBuilder &b) : b(b) {}

  Value divSI(Value lhs, Value rhs);
  Value divUI(Value lhs, Value rhs);
  Value remSI(Value lhs, Value rhs);
  Value remUI(Value lhs, Value rhs);
  Value ceilDivSI(Value lhs, Value rhs);
  Value ceilDivUI(Value lhs, Value rhs);
  Value floorDivSI(Value lhs, Value rhs);
  Value shl(Value lhs, Value rhs);
  Value shrUI(Value lhs, Value rhs);
  Value shrSI(Value lhs, Value rhs);
  Value toSigned(Value x, Type to);
  Value toUnsigned(Value x, Type to);
  /// Low and high half of the double-width product.
  std::pair<Value, Value> mulExtended(Value lhs, Value rhs, bool isSigned);

  Value constant(Type type, const APInt &value);
  Value constant(Type type, int64_t value);
  Value real(Type type, const APFloat &value);
  Value real(Type type, double value);
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs);
  Value select(Value condition, Value yes, Value no);

private:
  /// rhs with the divisors that a division cannot take replaced by one.
  struct Divisor {
    Value safe, isZero, isMinusOne;
  };
  Divisor guard(Value lhs, Value rhs, bool isSigned);
  std::pair<Value, Value> mulExtended64(Value lhs, Value rhs, bool isSigned);

  ImplicitLocOpBuilder &b;
};

/// What an operation becomes; empty if it stays as it is.
FailureOr<SmallVector<Value>> expandIntOp(Operation *op);
FailureOr<SmallVector<Value>> expandBoolOp(Operation *op);
FailureOr<SmallVector<Value>> expandMathOp(Operation *op,
                                           gpu::GPUModuleOp module);

/// An error naming the first operation that is not kernel IR.
LogicalResult verifyKernelIR(gpu::GPUModuleOp module);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_KERNELLEGALIZEIMPL_H
