//===- KernelBody.h - Kernel IR on the way to the LLVM dialect *- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_LLVM_KERNELBODY_H
#define TANG_LIB_TARGET_LLVM_KERNELBODY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tang {

struct MemoryLowering {
  /// The address space of buffers; local arrays are in 0.
  unsigned bufferSpace = 0;
  /// Bytes. Wide enough for any vector the optimiser may load.
  unsigned arrayAlignment = 64;
};

/// Rewrites loads, stores and local arrays of a kernel with that entry block,
/// where all arrays go: one in a loop would eat the stack. Its memref arguments
/// become pointers.
void lowerMemory(Block &body, const MemoryLowering &options = {});

/// A function that is not exported and does not throw.
void makeInternal(func::FuncOp function, bool alwaysInline);

/// llvm.maxnum may return either zero; kernel IR wants -0 < +0. maximumf does
/// that and differs only in what it does with a NaN.
void lowerMaxNum(Operation *function);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_LLVM_KERNELBODY_H
