//===- EmulateTypesFormats.h - Helpers for small float formats -*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_EMULATETYPESFORMATS_H
#define TANG_LIB_CONVERSION_EMULATETYPESFORMATS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tang {

/// What the builder of helpers needs to know about a binary float format.
struct SmallFormat {
  StringRef name;    ///< as in helper names: "bf16", "f8e4m3"
  unsigned bits;     ///< storage width
  unsigned mantissa; ///< explicit mantissa bits
  int bias;          ///< exponent bias
  bool hasInf;       ///< IEEE-like: the top exponent holds inf and NaN
  uint64_t maxCode;  ///< magnitude bits of the largest finite value
  uint64_t nanCode;  ///< magnitude bits of the default quiet NaN
  double maxValue;   ///< the largest finite value

  int minExponent() const { return 1 - bias; }

  /// The format of `type`, or nothing if it is no emulated float type.
  static std::optional<SmallFormat> get(Type type);
};

/// Builds, once a module, the functions that convert between a small format
/// and the wide types. In registers a small float is an f32 that holds one of
/// the format's values, so "round" is what each arithmetic operation needs.
class FormatHelpers {
public:
  explicit FormatHelpers(gpu::GPUModuleOp module) : module(module) {}

  /// iN → f32, exact.
  func::FuncOp decode(const SmallFormat &format);
  /// f32 → iN, to nearest even; overflow to infinity (to NaN without one).
  func::FuncOp encode(const SmallFormat &format);
  /// f32 → f32 or f64 → f64: the nearest value of the format, ties to even.
  func::FuncOp round(const SmallFormat &format, bool fromDouble);
  /// Integer → f32 (i32) or f64 (i64), rounded to odd: rounding the result
  /// again to a small format is the same as rounding the integer once.
  func::FuncOp intToOdd(unsigned width, bool isSigned);

private:
  using Body =
      llvm::function_ref<Value(ImplicitLocOpBuilder &, Value argument)>;
  func::FuncOp getOrBuild(const Twine &name, Type from, Type to, Body body);

  gpu::GPUModuleOp module;
};

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_EMULATETYPESFORMATS_H
