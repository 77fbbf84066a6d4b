//===- LaunchGeometry.h - Grids for the readers of source ------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_PIPELINES_LAUNCHGEOMETRY_H
#define TANG_LIB_PIPELINES_LAUNCHGEOMETRY_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tang {

/// Notes on each kernel of a module at the kernel stage how many blocks the
/// host launches, in terms of the kernel's scalars (`tang.grid`, a text for
/// readers). Kernels whose number is no such term, or that are launched with
/// several, get none.
void noteLaunchGeometry(ModuleOp module);

} // namespace mlir::tang

#endif // TANG_LIB_PIPELINES_LAUNCHGEOMETRY_H
