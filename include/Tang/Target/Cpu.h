//===- Cpu.h - Kernels on this machine through LLVM ------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel IR after `tang-emulate-types` and `tang-legalize-kernel` to machine
// code. Each kernel becomes an exported function of the kernel ABI
// (docs/Bundle.md):
//
//   void NAME(void *const *buffers, const int64_t *scalars,
//             int64_t first, int64_t last);
//
// No fast math and no contraction anywhere. Errors are diagnostics at the
// module's or the operation's location.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_CPU_H
#define TANG_TARGET_CPU_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace mlir::tang {

struct CpuOptions {
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 2;
  /// Compile in at most this many threads; 0: one a hardware thread.
  unsigned threads = 0;
  /// Compile for this machine's processor rather than the baseline.
  bool native = true;
};

/// The signature of a compiled kernel.
using CpuKernelFn = void (*)(void *const *buffers, const int64_t *scalars,
                             int64_t first, int64_t last);

/// All kernels of the `gpu.module`s in `module` as one module of the LLVM
/// dialect. The source is not changed.
FailureOr<OwningOpRef<ModuleOp>> lowerToCpuModule(ModuleOp module);

/// Kernels compiled into this process. Lives as long as their code runs.
class CpuKernels {
public:
  static FailureOr<std::shared_ptr<CpuKernels>>
  create(ModuleOp module, const CpuOptions &options = {});
  ~CpuKernels();

  /// The address of a kernel (a CpuKernelFn), or null if there is none.
  void *lookup(StringRef name) const;

private:
  struct Impl;
  explicit CpuKernels(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// One relocatable object file (position independent) with all kernels.
FailureOr<std::string> emitCpuObject(ModuleOp module,
                                     const CpuOptions &options = {});

/// The contents of a shared object with all kernels, linked with the system's
/// compiler driver or ld.lld; an error says so if there is neither.
FailureOr<std::string> emitCpuSharedObject(ModuleOp module,
                                           const CpuOptions &options = {});

/// Textual LLVM IR, before optimisation or (`optimized`) after it.
FailureOr<std::string> emitCpuLLVMIR(ModuleOp module, bool optimized = false,
                                     const CpuOptions &options = {});

} // namespace mlir::tang

#endif // TANG_TARGET_CPU_H
