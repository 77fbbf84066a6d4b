//===- SpirvImpl.h - Inside the SPIR-V target -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_SPIRV_SPIRVIMPL_H
#define TANG_LIB_TARGET_SPIRV_SPIRVIMPL_H

#include "Tang/Target/SPIRV.h"

namespace mlir::tang {

/// Vulkan guarantees no more push constants (`maxPushConstantsSize`).
constexpr uint32_t kMaxPushConstantBytes = 128;

/// Where a scalar argument stands in the block of a kernel's arguments.
struct ArgumentSlot {
  std::string name;
  /// The type in the block: integers narrower than 32 bits are widened.
  Type type;
  uint32_t offset;
};

/// The scalars and last the number of blocks (i32), each aligned to its size.
struct ArgumentBlock {
  std::vector<ArgumentSlot> slots;
  uint32_t bytes = 0;
  /// Else it is a storage buffer after the others.
  bool isPushConstant() const { return bytes <= kMaxPushConstantBytes; }
};
ArgumentBlock layoutArguments(gpu::GPUFuncOp kernel);

/// The `tang.name` of an argument.
std::string argumentName(gpu::GPUFuncOp kernel, unsigned i);

/// All kernels of the `gpu.module`s in `module`; two of one name are an error.
FailureOr<std::vector<gpu::GPUFuncOp>> collectKernels(ModuleOp module);

/// Rewrites what upstream's conversions to SPIR-V lack, or do with less than
/// docs/KernelIR.md promises, by other operations of kernel IR.
void expandForSpirv(Operation *root);

/// Replaces functions of `math` by calls of functions that are added to the
/// module `root`, computed in f64 and accurate to 4 units in the last place.
void callMathLibrary(Operation *root);

/// The same for devices without f64: only for functions that shading languages
/// lack, in f32.
void approximateMath(Operation *root);

/// SPIRV-Cross's text with its loops and their counters as a person would write
/// them.
std::string tidyLoops(StringRef source);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_SPIRV_SPIRVIMPL_H
