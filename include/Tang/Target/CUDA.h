//===- CUDA.h - Kernels as CUDA C++ source ----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_CUDA_H
#define TANG_TARGET_CUDA_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tang {

/// Writes the kernels of the `gpu.module`s in `module` (after
/// `tang-emulate-types` and `tang-legalize-kernel`) as one file of CUDA C++17
/// with the kernel ABI of docs/Bundle.md, for nvcc and NVRTC and compute
/// capability 7.0 and later. f16 and bf16 are kept in buffers as CUDA's own
/// types. Multiplications are written so that no compiler fuses them with an
/// addition; nothing else depends on options but for `-use_fast_math` and what
/// it consists of, which change results. `module` is not changed.
LogicalResult emitCuda(ModuleOp module, llvm::raw_ostream &os);

} // namespace mlir::tang

#endif // TANG_TARGET_CUDA_H
