//===- DropUnusedArguments.cpp - Kernels take what they use ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At the tile stage a kernel takes every dynamic size of its buffers, since a
// view has a shape. Addresses need fewer: the outermost size is in none.
//
//===----------------------------------------------------------------------===//

#include "Tang/Conversion/NativeKernel.h"
#include "Tang/Conversion/TileToKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
struct DropUnusedArgumentsPass
    : PassWrapper<DropUnusedArgumentsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropUnusedArgumentsPass)

  StringRef getArgument() const final { return "tang-drop-unused-arguments"; }
  StringRef getDescription() const final {
    return "Kernels and their launches lose scalars that are not used";
  }

  void runOnOperation() final {
    DenseMap<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (Operation *kernel =
              SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()))
        launches[kernel].push_back(launch);
    });
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      // Its tensor maps name scalars by their position.
      if (isNativeKernel(kernel))
        return;
      BitVector unused(kernel.getNumArguments());
      for (BlockArgument argument : kernel.getArguments())
        if (argument.use_empty() && !isa<MemRefType>(argument.getType()))
          unused.set(argument.getArgNumber());
      if (unused.none() || failed(kernel.eraseArguments(unused)))
        return;
      for (gpu::LaunchFuncOp launch : launches.lookup(kernel))
        for (int i = unused.size() - 1; i >= 0; --i)
          if (unused.test(i))
            launch.getKernelOperandsMutable().erase(i);
    });
  }
};
} // namespace

std::unique_ptr<Pass> mlir::tang::createDropUnusedArgumentsPass() {
  return std::make_unique<DropUnusedArgumentsPass>();
}
