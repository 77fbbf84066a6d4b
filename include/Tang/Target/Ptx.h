//===- Ptx.h - Kernels for NVIDIA GPUs --------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel IR, through the LLVM and NVVM dialects and LLVM's NVPTX target, to
// PTX, and through NVIDIA's assembler to machine code. Kernels that were
// lowered by other passes (`tang.native`, docs/KernelIR.md) come along.
//
// No fast math, no contraction, subnormal numbers kept; division and square
// root are rounded correctly. Functions that PTX has no exact instruction for
// come from CUDA's libdevice. Errors are diagnostics at the module's or the
// operation's location.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_PTX_H
#define TANG_TARGET_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace mlir::tang {

struct PtxOptions {
  /// The processor and the version of PTX, as LLVM spells them.
  std::string chip = "sm_70";
  std::string features = "+ptx63";
  /// Whether to make machine code for exactly this chip; otherwise the driver
  /// compiles the PTX for the chip that it finds.
  bool assemble = false;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// libdevice.10.bc; empty: in CUDA's usual places (`findCudaFile`).
  std::string libdevice;
};

/// What to compile for, by a target's name (`cuda`, `h200`).
PtxOptions getPtxOptions(StringRef target);

/// A file of the CUDA toolkit by its path in there (`bin/ptxas`): below
/// CUDA_HOME or CUDA_PATH if one is set, and otherwise of the toolkit whose
/// ptxas is on PATH, or where toolkits are installed. Empty if there is none.
std::string findCudaFile(StringRef name);

/// All kernels of the `gpu.module`s in `module` as one module of the LLVM and
/// NVVM dialects. The source is not changed.
FailureOr<OwningOpRef<ModuleOp>> lowerToPtxModule(ModuleOp module);

/// The kernels as PTX.
FailureOr<std::string> emitPtx(ModuleOp module, const PtxOptions &options = {});

/// What ptxas says about a kernel; per thread.
struct PtxKernelUse {
  std::string name;
  int64_t registers = 0;
  /// Bytes of registers that went to memory and came back, each way.
  int64_t spillBytes = 0;
};

struct AssembledPtx {
  std::string cubin;
  std::vector<PtxKernelUse> kernels;
};

/// Assembles PTX with ptxas (`findCudaFile`). Its warnings, also those about
/// lost performance, are warnings at `loc`; its log is in the error.
FailureOr<AssembledPtx> assemblePtx(Location loc, StringRef ptx,
                                    const PtxOptions &options);

} // namespace mlir::tang

#endif // TANG_TARGET_PTX_H
