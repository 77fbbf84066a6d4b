//===- NativeKernel.h - Kernels beyond kernel IR ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass for one kind of chip may lower a kernel with that chip's own
// operations (docs/KernelIR.md, "Native kernels"). Passes on kernel IR leave it
// and what it shares alone; only the backend of its target can emit it.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_CONVERSION_NATIVEKERNEL_H
#define TANG_CONVERSION_NATIVEKERNEL_H

#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::tang {

/// Whether the function has the unit attribute `tang.native`.
inline bool isNativeKernel(gpu::GPUFuncOp kernel) {
  return kernel->hasAttr("tang.native");
}

/// Whether a kernel at the tile stage is to become a native one: its schedule
/// is asynchronous.
inline bool isAsyncKernel(gpu::GPUFuncOp kernel) {
  auto schedule = kernel->getAttrOfType<ScheduleAttr>("tang.schedule");
  return schedule && schedule.getAsync();
}

/// Whether an operation of a `gpu.module` is a native kernel, or the name of
/// the shared memory of one.
inline bool isNativeCode(Operation &op) {
  if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
    return isNativeKernel(kernel);
  return isa<LLVM::GlobalOp>(op);
}

} // namespace mlir::tang

#endif // TANG_CONVERSION_NATIVEKERNEL_H
