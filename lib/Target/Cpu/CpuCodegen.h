//===- CpuCodegen.h - LLVM dialect to object code --------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_CPU_CPUCODEGEN_H
#define TANG_LIB_TARGET_CPU_CPUCODEGEN_H

#include "Tang/Target/Cpu.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::tang {

/// Registers this machine's processor with LLVM, once.
void initializeNativeTarget();

/// Compiles the kernels of `module` to at most `maxObjects` object files, each
/// in a thread of its own.
FailureOr<SmallVector<std::unique_ptr<llvm::MemoryBuffer>>>
compileCpuObjects(ModuleOp module, const CpuOptions &options,
                  unsigned maxObjects);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_CPU_CPUCODEGEN_H
