//===- KernelLegalize.h - Kernel IR every target can spell -----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tang-legalize-kernel`: writes the guarantees of docs/KernelIR.md (division
// by zero, shifts out of range, saturating conversions) into the IR, expands
// what targets have no spelling for, and checks that nothing else is left.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_CONVERSION_KERNELLEGALIZE_H
#define TANG_CONVERSION_KERNELLEGALIZE_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace mlir::tang {

/// Creates `tang-legalize-kernel`, a pass on a builtin module. Run it after
/// `tang-emulate-types`; the emitters and the CPU target expect its output.
/// Do not fold with upstream patterns *before* it that exploit undefined
/// behaviour; canonicalisation and CSE after it are safe.
std::unique_ptr<Pass> createKernelLegalizePass();
void registerKernelLegalizePass();

} // namespace mlir::tang

#endif // TANG_CONVERSION_KERNELLEGALIZE_H
