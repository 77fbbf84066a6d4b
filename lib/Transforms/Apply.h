//===- Apply.h - From scheduled operations to tiles -------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_APPLY_H
#define TANG_LIB_TRANSFORMS_APPLY_H

#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tang {

/// Reports the first operation of a body that has no form on tiles.
LogicalResult checkTileBody(StructuredOp op);

/// Replaces a bufferised, scheduled tang.kernel by the launch of a `gpu.func`
/// of that name. A kernel that cannot be run as its plan says is reported.
LogicalResult applyKernel(KernelOp kernel, gpu::GPUModuleOp module,
                          StringRef name);

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_APPLY_H
