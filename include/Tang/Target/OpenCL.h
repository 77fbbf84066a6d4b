//===- OpenCL.h - Kernels as OpenCL C 1.2 source ---------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_OPENCL_H
#define TANG_TARGET_OPENCL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tang {

/// Writes the kernels of the `gpu.module`s in `module` (after
/// `tang-emulate-types` and `tang-legalize-kernel`) as one OpenCL C 1.2 file
/// with the kernel ABI of docs/Bundle.md. Build it with
/// `-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt` where the device
/// offers that (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT), so that division agrees
/// with the other targets. `module` is not changed.
LogicalResult emitOpenCL(ModuleOp module, llvm::raw_ostream &os);

} // namespace mlir::tang

#endif // TANG_TARGET_OPENCL_H
