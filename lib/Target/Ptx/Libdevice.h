//===- Libdevice.h - Functions from CUDA's libdevice ------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_PTX_LIBDEVICE_H
#define TANG_LIB_TARGET_PTX_LIBDEVICE_H

#include "Tang/Target/Ptx.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tang {

/// Replaces the functions of `math` that PTX has no exact instruction for, and
/// arith.remf, by calls of libdevice's (`__nv_expf`), which are declared in
/// `module`. Their errors are a few units in the last place (CUDA programming
/// guide, "Mathematical Functions").
void callLibdevice(ModuleOp module);

/// Links the definitions of libdevice's functions that `module` calls, if any,
/// as internal functions. An error names a function if libdevice is missing.
LogicalResult linkLibdevice(Location loc, llvm::Module &module,
                            const PtxOptions &options);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_PTX_LIBDEVICE_H
