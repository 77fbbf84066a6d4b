//===- AgentPlan.h - Who does what in a kernel of agents --------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel at the tile stage with an asynchronous schedule is run by agents: a
// producer that issues copies into rings of slots in shared memory, and groups
// of threads that compute. The plan says which tiles lie in rings, which in
// registers, what may run behind, and in which steps of a stream nothing has to
// be masked. Both agents are made from it and from the same kernel, so they
// agree on the order of slots.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_AGENTPLAN_H
#define TANG_LIB_CONVERSION_AGENTS_AGENTPLAN_H

#include "Contraction.h"
#include "Fragment.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/MapVector.h"
#include <string>

namespace mlir::tang {

/// Elements of 16 bits in a row of a box: 128 bytes, what a swizzle spans.
constexpr int64_t kBoxColumns = 64;
constexpr int64_t kBoxRowBytes = 128;

/// A view of a kernel's buffer in boxes of 64 columns and so many rows; becomes
/// a tensor map that the runtime makes.
struct BoxedView {
  Value view;
  /// Of each dimension of the view, outermost first.
  SmallVector<int64_t> box;
};

/// A tile that copies put into shared memory: boxes of 64 elements along the
/// dimension that is dense in memory, each with all positions of the other.
struct SharedTile {
  LoadOp load;
  int64_t denseDim, otherDim;
  /// Positions in the dimension of memory that each of them is.
  int64_t denseResult, otherResult;
  int64_t boxes;
  /// Of a box: fewer than the tile has where memory has no more. The matrix
  /// unit then reads on in what lies behind, for rows or columns of the result
  /// that are none.
  int64_t rows;
  /// Of these, copied: one where a tile has one row.
  int64_t copiedRows;
  /// Among the plan's boxed views.
  size_t map;
  int64_t getBoxBytes() const { return rows * kBoxRowBytes; }
  int64_t getBytes() const { return boxes * getBoxBytes(); }
  int64_t getCopiedBytes() const { return boxes * copiedRows * kBoxRowBytes; }
};

/// Slots that are filled together.
struct Ring {
  SmallVector<SharedTile> tiles;
  /// Where each tile lies in a slot.
  SmallVector<int64_t> offsets;
  int64_t slotBytes = 0, copiedBytes = 0, depth = 1;
  /// Contractions that read a slot before it is free.
  int64_t readers = 0;
  /// Filled outside of any stream, once a program.
  bool perProgram = false;
  /// In bytes from the start of shared memory.
  int64_t slots = 0, full = 0, empty = 0;
  size_t index = 0;
};

/// coefficient · coordinate sums over tile dimensions, plus scalars.
struct LinearForm {
  llvm::MapVector<int64_t, int64_t> dims;
  llvm::MapVector<Value, int64_t> scalars;
  int64_t constant = 0;
};

/// A condition on positions, `form` ≤ 0, that holds up to some step.
struct StepBound {
  Value condition;
  LinearForm form;
};

struct StreamPlan {
  /// Contractions that run one step behind.
  SmallVector<FoldOp> delayed;
  /// Every fold only passes its state on to the next step's contraction.
  bool chained = false;
  /// Conditions that are true in all steps before some one.
  SmallVector<StepBound, 1> bounds;
  /// Where a bound's condition is false everywhere, a step changes nothing.
  bool skipsFalse = false;
  /// Some fold must leave out positions beyond the end.
  bool countsMatter = false;
};

/// How a tile is written.
struct StorePlan {
  /// Through shared memory by copies of boxes, else by each thread.
  bool boxed = false;
  size_t map = 0;
  int64_t rowResult = 0, columnResult = 0;
};

class AgentPlan {
public:
  /// The plan of a kernel, or why there is none.
  static FailureOr<AgentPlan> get(gpu::GPUFuncOp kernel, AsyncAttr async,
                                  int64_t sharedBytes, std::string &why);

  Fragment::Kind getKind(Type tile) const;
  int64_t getColumns(Type tile) const;
  bool isLive(Operation *op) const { return live.contains(op); }
  /// The ring that a load fills, or null.
  const Ring *getRing(Operation *load) const {
    auto it = ringOf.find(load);
    return it == ringOf.end() ? nullptr : &rings[it->second.first];
  }
  const SharedTile &getTile(Operation *load) const {
    auto [ring, i] = ringOf.find(load)->second;
    return rings[ring].tiles[i];
  }
  int64_t getOffset(Operation *load) const {
    auto [ring, i] = ringOf.find(load)->second;
    return rings[ring].offsets[i];
  }

  /// The dimension of rows; -1 where tiles have one row, which no dimension is.
  /// Every tile is then one row of 64, and the others hold anything.
  int64_t rowDim = -1, rows = 0, consumers = 1;
  llvm::MapVector<Operation *, Contraction> contractions;
  SmallVector<Ring, 2> rings;
  SmallVector<BoxedView> views;
  llvm::MapVector<Operation *, StreamPlan> streams;
  llvm::DenseMap<Operation *, StorePlan> stores;
  /// Staging of results: bytes of one group, and where it starts.
  int64_t stagingBytes = 0, staging = 0;
  /// Columns that one group stages at a time.
  int64_t stagingColumns = 0;
  int64_t sharedBytes = 0;

private:
  friend class AgentPlanner;
  llvm::DenseMap<Operation *, std::pair<size_t, size_t>> ringOf;
  llvm::DenseSet<Operation *> live;
};

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_AGENTPLAN_H
