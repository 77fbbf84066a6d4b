//===- KernelLowering.h - One kernel from the tile stage --------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_KERNELLOWERING_H
#define TANG_LIB_CONVERSION_KERNELLOWERING_H

#include "LoopNest.h"
#include "Tang/Analysis/VectorUnit.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tang {

/// Rewrites one kernel. Scalars are cloned as they are; tile operations that
/// end a tile (fold, store) become loop nests that compute, position by
/// position, what they need.
class KernelLowering {
public:
  KernelLowering(gpu::GPUFuncOp function, VectorUnit unit, bool fuses)
      : function(function), unit(unit), fuses(fuses), entry(new Block),
        constants(entry) {}

  LogicalResult run();

private:
  LogicalResult lowerBlock(Block &block, OpBuilder &b);
  LogicalResult lowerOp(Operation &op, OpBuilder &b);
  LogicalResult lowerStream(StreamOp stream, OpBuilder &b);
  LogicalResult lowerFold(FoldOp fold, OpBuilder &b);
  LogicalResult lowerStores(ArrayRef<StoreOp> stores, OpBuilder &b);
  LogicalResult lowerScatter(ScatterStoreOp store, OpBuilder &b);
  void lowerKeep(KeepOp keep, OpBuilder &b);

  /// The scalar that a tile value has at a position of the nest.
  Value element(Value tile, LoopNest &nest, ValueRange position,
                DenseMap<Value, Value> &cache);
  Value computeElement(Value tile, LoopNest &nest, ValueRange position,
                       DenseMap<Value, Value> &cache);

  /// A linear index from one index a dimension, row-major.
  Value linearize(LoopNest &nest, Value view, ValueRange indices);
  /// The indices of an access at a position.
  SmallVector<Value> access(LoopNest &nest, AffineMap map, ValueRange coords,
                            ValueRange position);
  Value sizeOf(Value view, int64_t dim);

  /// How much of a yielded value of a stream is there.
  SmallVector<Value> countsOf(Value next);

  /// A new local array that holds a tile value.
  Value makeArray(Value tile, ValueRange counts, OpBuilder &b, StringRef name);
  Value allocate(Location loc, ArrayRef<int64_t> shape, Type element,
                 StringRef name);
  void fillArray(Value array, Value tile, ValueRange counts, OpBuilder &b);
  /// The array of `tile` that its reader `op` may update in place: its own, or
  /// a copy where the value is needed again.
  Value arrayToUpdate(Value tile, Operation *op, ValueRange counts,
                      OpBuilder &b, StringRef name);
  SmallVector<Value> storageIndices(Value tile, ValueRange position);

  /// The product that a fused fold adds, or null.
  arith::MulFOp productOf(FoldOp fold);

  // Folds in vector registers (VectorFold.cpp).
  /// Lowers a fold into `arrays`, in vectors; false, with nothing built, where
  /// it has no such form.
  bool lowerVectorFold(FoldOp fold, const Monoid &monoid, Value array,
                       OpBuilder &b);
  /// The loop nest of a fold, of scalars.
  void lowerScalarFold(FoldOp fold, const Monoid &monoid,
                       ArrayRef<Value> arrays, OpBuilder &b);
  SmallVector<Value> mapped(ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value v) { return mapping.lookupOrDefault(v); });
  }

  gpu::GPUFuncOp function;
  VectorUnit unit;
  /// Whether the target has a fused multiply-add.
  bool fuses;
  /// The new body, swapped in at the end.
  Block *entry;
  ConstantPool constants;
  IRMapping mapping;
  /// Local arrays of the tile values that live across steps.
  DenseMap<Value, Value> storage;
  /// The dimensions of arrays that are not in the tile's order, slowest first.
  DenseMap<Value, SmallVector<int64_t>> layouts;
  /// Those that the current nest writes.
  Value written;
  ArrayRef<Value> updated;
};

inline ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<VectorType>(tile.getType()).getShape();
}

/// The order of loops: kept dimensions, folded ones, and innermost the last
/// kept one, which is dense in the result.
SmallVector<int64_t> nestingOrder(ArrayRef<int64_t> tile,
                                  ArrayRef<int64_t> folded);

/// Whether a fold's states have the folded dimensions, with size 1.
bool keepsDims(FoldOp fold);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_KERNELLOWERING_H
