//===- EmulateTypes.h - Small element types through wide ones --*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tang-emulate-types`: kernel IR to kernel IR without f16, bf16, f8 and i4,
// and without i1 and index in memory. docs/KernelIR.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_CONVERSION_EMULATETYPES_H
#define TANG_CONVERSION_EMULATETYPES_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace mlir::tang {

/// Creates `tang-emulate-types`, a pass on a builtin module. It rewrites every
/// `gpu.module` in it and adds the helper functions it needs to each.
std::unique_ptr<Pass> createEmulateTypesPass();
void registerEmulateTypesPass();

} // namespace mlir::tang

#endif // TANG_CONVERSION_EMULATETYPES_H
