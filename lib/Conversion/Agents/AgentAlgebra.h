//===- AgentAlgebra.h - Tiles in the form that agents want ------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_AGENTALGEBRA_H
#define TANG_LIB_CONVERSION_AGENTS_AGENTALGEBRA_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tang {

/// Rewrites a kernel's tiles so that work on whole tiles becomes work on rows.
/// AgentAlgebra.cpp has the laws and what they do to values.
void simplifyForAgents(gpu::GPUFuncOp kernel);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_AGENTALGEBRA_H
