//===- EmulateTypesImpl.h - Parts of type emulation ------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_EMULATETYPESIMPL_H
#define TANG_LIB_CONVERSION_EMULATETYPESIMPL_H

#include "EmulateTypesFormats.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tang {

/// An operation with the types that it had before emulation. By the time that
/// it is put right, its values already have their emulated types.
struct EmulatedOp {
  Operation *op;
  SmallVector<Type, 3> operandTypes;
  SmallVector<Type, 1> resultTypes;
};

/// Inserts conversions, sharing the helper functions of one gpu.module.
class EmulationContext {
public:
  explicit EmulationContext(gpu::GPUModuleOp module)
      : module(module), helpers(module) {}

  gpu::GPUModuleOp getModule() const { return module; }

  /// Bits in memory to the f32 of the same value.
  Value decode(ImplicitLocOpBuilder &b, const SmallFormat &format, Value bits);
  /// f32 to the bits of the nearest value. A value that came from `decode` or
  /// `round` needs no second rounding.
  Value encode(ImplicitLocOpBuilder &b, const SmallFormat &format, Value x);
  /// f32 or f64 to the f32 that holds the nearest value of the format.
  Value round(ImplicitLocOpBuilder &b, const SmallFormat &format, Value x);
  /// An integer to the f32 that holds the nearest value of the format.
  Value fromInteger(ImplicitLocOpBuilder &b, const SmallFormat &format, Value x,
                    bool isSigned);
  /// Rounds a result of an operation for all its users.
  void roundResult(const SmallFormat &format, Value result);

  /// Erases conversions whose results nobody uses.
  void dropDeadConversions();

private:
  Value call(ImplicitLocOpBuilder &b, func::FuncOp callee, Value argument);

  gpu::GPUModuleOp module;
  FormatHelpers helpers;
  SmallVector<Operation *> calls;
};

/// Puts an operation on f16, bf16 or f8 right.
LogicalResult emulateFloatOp(EmulationContext &context,
                             const EmulatedOp &entry);
/// Puts an operation with i4 among its operands or results right.
LogicalResult emulateInt4Op(EmulationContext &context, const EmulatedOp &entry);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_EMULATETYPESIMPL_H
