//===- KernelFrame.h - What every kernel starts and ends with ---*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of a kernel is the same for every operation: its signature from
// host buffers and scalars, a program that finds its tile of the parallel
// dimensions from its number, serial dimensions as streams, one inside of the
// other, and the launch that replaces the operation.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_KERNELFRAME_H
#define TANG_LIB_TRANSFORMS_KERNELFRAME_H

#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tang {

/// Dense row-major, rank 0 as one element.
MemRefType viewTypeOf(Value buffer);
/// A map's results, or index 0 for a buffer of rank 0.
AffineMap withoutRank0(AffineMap map);

class KernelFrame {
public:
  KernelFrame(Operation *op, gpu::GPUModuleOp module, StringRef name)
      : module(module), name(name), host(op), b(op->getContext()),
        loc(op->getLoc()) {}

protected:
  /// What the kernel takes, in this order.
  void addBuffer(Value buffer, StringRef hint, bool isWritten);
  void addScalar(OpFoldResult scalar, const Twine &hint, bool isSize = false);
  /// Makes the function and the views of its buffers.
  void makeSignature(StringRef comment, std::optional<int64_t> flops);
  /// Finds the program's tile; `block`, `tile`, `hostSizes`, `parallel` are
  /// set.
  void makeProgram();
  /// Where in the parallel dimensions an asynchronous kernel's program lies.
  void placeProgram(Value program, ArrayRef<Value> tiles);
  /// Ends the kernel and launches it on the host.
  void launch();

  /// On the host: how many chunks there are, and a buffer for states of chunks.
  OpFoldResult countChunks(OpFoldResult size, int64_t chunk);
  Value makeBuffer(ArrayRef<OpFoldResult> shape, Type element);

  /// The kernel's value for a host scalar: an argument, or a constant.
  Value toKernel(OpFoldResult hostValue);
  Value constant(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  /// min(tile, size − base), a constant where the tile always fits.
  Value countOf(int64_t dim, Value base);
  /// Runs `inner` inside of streams over `dims`, outermost first; gives the
  /// final carried values. Sets `bases` and `counts` of these dimensions.
  /// `upper` replaces the size of the outermost dimension, `lower` its 0.
  SmallVector<Value> streams(ArrayRef<int64_t> dims, ValueRange carried,
                             function_ref<SmallVector<Value>(ValueRange)> inner,
                             bool reverse = false, Value upper = {},
                             Value lower = {});
  /// One stream; `inner` gets the index and the carried values.
  SmallVector<Value>
  stream(Value lower, Value upper, int64_t step, bool reverse,
         const Twine &comment, ValueRange carried,
         function_ref<SmallVector<Value>(Value, ValueRange)> inner);

  gpu::GPUModuleOp module;
  std::string name;
  OpBuilder host, b;
  Location loc;

  SmallVector<int64_t> tile;
  int64_t block = 1;
  /// How a block's threads share a program, or null: a program a thread.
  AsyncAttr async;
  /// Blocks that run at once, with `async`.
  int64_t units = 1;
  SmallVector<OpFoldResult> hostSizes;
  SmallVector<int64_t> parallel;

  SmallVector<Value> hostBuffers, hostScalars;
  SmallVector<std::string> bufferNames, scalarNames;
  /// Of the scalars: not negative.
  SmallVector<bool> areSizes;
  SmallVector<bool> written;
  gpu::GPUFuncOp kernel;
  DenseMap<Value, Value> views, scalars;

  /// Of the current tile, by dimension.
  SmallVector<Value> sizes, bases, counts;
};

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_KERNELFRAME_H
