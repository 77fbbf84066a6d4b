//===- C.h - Kernels as C11 source -----------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_C_H
#define TANG_TARGET_C_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::tang {

/// Writes the kernels of the `gpu.module`s in `module` (after
/// `tang-emulate-types` and `tang-legalize-kernel`) as one C11 file. It needs
/// libm and nothing else, and exports each kernel under the kernel ABI
/// (docs/Bundle.md). `module` is not changed.
LogicalResult emitC(ModuleOp module, llvm::raw_ostream &os);

/// Compiles C source to a shared object and returns its contents. Uses the
/// first of $CC, cc, gcc, clang and clang-22 that exists; what the compiler
/// complains about is part of the error, reported at `loc`. `compiler` (a
/// name or path) overrides the search.
FailureOr<std::string> compileCToSharedObject(Location loc, StringRef source,
                                              StringRef compiler = {});

/// The system's compiler driver as a path, or empty if there is none.
std::string findSystemCompiler();

} // namespace mlir::tang

#endif // TANG_TARGET_C_H
