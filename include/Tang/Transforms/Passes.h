//===- Passes.h - Passes from graph to tile ---------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TRANSFORMS_PASSES_H
#define TANG_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tang {

#define GEN_PASS_DECL
#include "Tang/Transforms/Passes.h.inc"

/// Lets one-shot bufferisation work on Tang's structured operations.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "Tang/Transforms/Passes.h.inc"

} // namespace mlir::tang

#endif // TANG_TRANSFORMS_PASSES_H
