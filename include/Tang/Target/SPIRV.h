//===- SPIRV.h - Kernels for Vulkan and Metal -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel IR, through the SPIR-V dialect, to a SPIR-V binary, and from there by
// SPIRV-Cross to the source of Vulkan GLSL and of the Metal Shading Language.
// A kernel's interface is in docs/Bundle.md, "Kernel ABI".
//
// No contraction and no relaxed precision; subnormal numbers, infinities and
// NaN are kept where the device can (the runtime drops what it cannot).
// `module` is not changed by any of these; errors are diagnostics at an
// operation.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_SPIRV_H
#define TANG_TARGET_SPIRV_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::tang {

/// What a chip's shaders may compute with.
struct SpirvOptions {
  /// 64-bit floats. With them, the functions of `math` are computed in f64 and
  /// rounded; without, they are those of the language.
  bool float64 = true;
  /// Decorate arithmetic with NoContraction.
  bool forbidContraction = true;
  /// Ask for subnormal numbers, signed zeros, infinities, NaN, and rounding to
  /// nearest even.
  bool floatControls = true;
};

/// By the language of a target, `spirv` or `metal`, and by its name.
SpirvOptions getSpirvOptions(StringRef language, StringRef chip = "");

/// Kernels as one `spirv.module` in a module. All kernels are of `module`.
FailureOr<OwningOpRef<ModuleOp>>
lowerToSpirvModule(ArrayRef<gpu::GPUFuncOp> kernels,
                   const SpirvOptions &options = {});

/// All kernels of `module` as one binary with an entry point for each.
FailureOr<std::string> emitSpirv(ModuleOp module,
                                 const SpirvOptions &options = {});

/// Each kernel by its name, as a binary of its own.
FailureOr<std::vector<std::pair<std::string, std::string>>>
emitSpirvKernels(ModuleOp module, const SpirvOptions &options = {});

/// Vulkan GLSL 4.5. There may be one `main` only: a kernel is chosen by
/// defining `KERNEL_name`, and is the first one otherwise.
FailureOr<std::string> emitGlsl(ModuleOp module,
                                const SpirvOptions &options = {});

/// The Metal Shading Language 2.3.
FailureOr<std::string> emitMetal(ModuleOp module,
                                 const SpirvOptions &options = {});

/// Objective-C with a function for each kernel of `module` that encodes a
/// launch of it, for programs that use a bundle of target metal.
FailureOr<std::string> emitMetalHost(ModuleOp module);

} // namespace mlir::tang

#endif // TANG_TARGET_SPIRV_H
