//===- HostProgram.h - The host side of a bundle ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_HOSTPROGRAM_H
#define TANG_TARGET_HOSTPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace mlir::tang {

/// What a bundle says about its kernels' source.
struct HostProgramOptions {
  std::string target;   ///< The target's name.
  std::string numerics; ///< The numerics that were compiled for.
  /// The bundle's file that holds the kernels; empty if the device knows.
  std::string kernelFile;
};

/// The parts of a bundle that describe the host side (docs/Bundle.md).
struct HostProgram {
  std::string manifest;  ///< manifest.json
  std::string constants; ///< constants.bin; may be empty
  std::string text;      ///< host.txt, the program for people
};

/// Serialises the bufferised functions of `module` and its kernels' signatures.
/// Emits an error at the first operation that a host program has no form for.
FailureOr<HostProgram> exportHostProgram(ModuleOp module,
                                         const HostProgramOptions &options);

/// Adds numbers that were found out later to the entry of kernel `name`.
void addKernelFacts(std::string &manifest, StringRef name,
                    ArrayRef<std::pair<StringRef, int64_t>> facts);

} // namespace mlir::tang

#endif // TANG_TARGET_HOSTPROGRAM_H
