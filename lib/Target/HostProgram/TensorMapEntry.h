//===- TensorMapEntry.h - A tensor map in a manifest -----------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_HOSTPROGRAM_TENSORMAPENTRY_H
#define TANG_LIB_TARGET_HOSTPROGRAM_TENSORMAPENTRY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/JSON.h"

namespace mlir::tang {

/// The manifest's entry (docs/Bundle.md) for argument `i` of `kernel`, a
/// `!llvm.ptr` with the attribute
/// \code
///   tang.tensor_map = {buffer = 0, dims = [64, {scalar = 0}],
///                      strides = [{scalar = 1, times = 2}], box = [64, 128],
///                      swizzle = 128, l2 = 128}
/// \endcode
/// `dims` and `box` count elements, the innermost dimension first; the other
/// numbers are bytes. `dtype = bf16` overrides the buffer's element type.
/// Emits an error for anything else; the ranges are the runtime's to check.
FailureOr<llvm::json::Object> describeTensorMap(gpu::GPUFuncOp kernel,
                                                unsigned i);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_HOSTPROGRAM_TENSORMAPENTRY_H
