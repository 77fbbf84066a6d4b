//===- FlatBody.h - A body as straight-line code ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends' bodies hold branches, captured values and reads of tensors. A
// FlatBody is a detached copy without them: branches are speculated (both
// sides run, reads are guarded by the condition, results are selected), reads
// are `tang.at`, indices are `tang.index`, and everything from outside is a
// block argument. Slices of it are then cloned into tang operations.
//
// Speculation is exact because every operation of a body is total here: reads
// outside of a tensor give zero and divisions by zero something.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_FLATBODY_H
#define TANG_LIB_FRONTEND_FLATBODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tang::detail {

class FlatBody {
public:
  /// A body without operations, to be filled by hand.
  explicit FlatBody(MLIRContext *context);

  /// Flattens `source`, a block of an operation at `rewriter`'s insertion
  /// point. Its arguments become elements, or with `argsAreIndices`
  /// `tang.index`. Values that need not be computed for each point (sizes,
  /// casts of tensors) are made at the insertion point. Fails with `reason`
  /// before anything is changed if something in it has no flat form.
  static FailureOr<FlatBody> get(RewriterBase &rewriter, Block &source,
                                 std::string &reason,
                                 bool argsAreIndices = false);

  /// The values given to the source's terminator.
  ArrayRef<Value> getYields() const { return yields; }
  /// Values from outside, scalars and tensors.
  ArrayRef<Value> getCaptures() const { return captures.getArrayRef(); }
  /// The copies of the source's arguments (none with `argsAreIndices`).
  Block::BlockArgListType getElements() const {
    return region->front().getArguments().take_front(numElements);
  }
  BlockArgument getCaptureArg(size_t i) const {
    return region->front().getArgument(numElements + i);
  }
  Block &getBlock() const { return region->front(); }

  /// Adds a value from outside as a capture and returns its argument.
  Value addCapture(Value value);
  /// Adds an element.
  BlockArgument addElement(Type type, Location loc);
  /// Where operations are added.
  OpBuilder getBuilder() const;

  /// The operations that `wanted` depend on, in order, and the arguments; does
  /// not look behind `stops`, which count as arguments.
  void getSlice(ValueRange wanted, SetVector<Operation *> &ops,
                SetVector<Value> &args, ValueRange stops = {}) const;

  /// Operations and arguments that depend on one of `roots`.
  DenseSet<Value> getDependents(ValueRange roots) const;

private:
  MLIRContext *context;
  std::unique_ptr<Region> region;
  SmallVector<Value> yields;
  SetVector<Value> captures;
  size_t numElements = 0;
};

/// The operands of one structured operation that computes some values of a
/// flat body: only what they need.
struct Reads {
  SmallVector<Value> ins;
  SmallVector<AffineMap> maps;
  SmallVector<Value> captures;
  /// The flat body's arguments for `ins`, then `captures`.
  SmallVector<Value> args;
};

/// `operands[i]` is what the flat body's element i stands for: a tensor read at
/// `maps[i]`, or a scalar. What is only needed behind `stops` is left out.
Reads collectReads(const FlatBody &body, ArrayRef<Value> wanted,
                   ValueRange operands, ArrayRef<AffineMap> maps,
                   ValueRange stops = {});

/// Clones what `wanted` need to `builder`'s insertion point. `mapping` knows
/// the arguments (and may know more). Index d becomes `newDims[d]`.
SmallVector<Value> cloneSlice(OpBuilder &builder, const FlatBody &body,
                              ArrayRef<Value> wanted, IRMapping &mapping,
                              ArrayRef<int64_t> newDims);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_FLATBODY_H
