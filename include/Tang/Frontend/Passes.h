//===- Passes.h - Passes that import frontends' modules ---------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_FRONTEND_PASSES_H
#define TANG_FRONTEND_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tang {

#define GEN_PASS_DECL
#include "Tang/Frontend/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tang/Frontend/Passes.h.inc"

} // namespace mlir::tang

#endif // TANG_FRONTEND_PASSES_H
