//===- AgentEmitter.h - The code of one agent -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a kernel and emits what one agent does of it. The producer and the
// consumers walk the same operations in the same order; where a consumer waits
// for a slot, the producer fills one. So the order and the number of slots
// agree by construction.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_AGENTEMITTER_H
#define TANG_LIB_CONVERSION_AGENTS_AGENTEMITTER_H

#include "AgentPlan.h"
#include "PtxBuilder.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tang {

/// What both agents know at the start.
struct AgentContext {
  const AgentPlan &plan;
  PtxBuilder &p;
  /// Arguments of the new function, and tensor maps by the plan's views.
  DenseMap<Value, Value> arguments;
  SmallVector<Value> maps;
  /// Address of shared memory, i32.
  Value shared;
  Value thread;
  /// Where blocks have lists of programs: their address (a pointer to a row of
  /// `rowWords` i32 for each block: how many programs, then these).
  Value order;
  int64_t rowWords = 0;
};

class AgentEmitter {
public:
  AgentEmitter(AgentContext &context, bool consumer)
      : context(context), plan(context.plan), p(context.p), consumer(consumer),
        loc(p.b.getUnknownLoc()) {}

  LogicalResult run(gpu::GPUFuncOp kernel);

private:
  /// A position of a ring: slot and phase, i32.
  struct Cursor {
    Value slot, phase;
  };
  /// A slot that was waited for, until its readers are done.
  struct Held {
    const Ring *ring;
    Value slot;
    /// Contractions that have still to end, and to be issued.
    int64_t readers, unissued;
  };
  /// A contraction under way: its result and the slots that it reads.
  struct Flight {
    Value result;
    SmallVector<size_t> held;
  };

  // Walking.
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitLoop(Operation &op);
  LogicalResult emitScalar(Operation &op);

  // Streams.
  LogicalResult emitStream(StreamOp stream);
  LogicalResult emitChain(StreamOp stream, Value steps);
  LogicalResult emitPlain(StreamOp stream, Value first, Value last,
                          bool descending, SmallVector<Fragment> &carried);
  LogicalResult emitSkewed(StreamOp stream, Value total, Value full,
                           bool masks);
  LogicalResult emitStep(StreamOp stream, Value index,
                         ArrayRef<Fragment> carried);
  LogicalResult emitDelayed(StreamOp stream);
  SmallVector<Fragment> yieldedBy(StreamOp stream);
  /// A loop from `first` to `last` around ring cursors and fragments.
  LogicalResult emitCounted(
      Value first, Value last, SmallVectorImpl<Fragment> &carried,
      function_ref<LogicalResult(Value, SmallVectorImpl<Fragment> &)> body);
  void setStep(StreamOp stream, Value index);

  // Rings.
  Cursor &cursor(const Ring &ring) { return cursors[ring.index]; }
  void advance(const Ring &ring);
  void acquire(const Ring &ring);
  void fill(const Ring &ring, const SharedTile &tile, Value to, Value barrier);
  void release(const Held &held, Value condition = {});
  /// Frees what was loaded for this program and is not read after `op`.
  void releaseAfter(Operation *op);
  Value slotAddress(Operation *load);
  void settle(Value result);
  void settleAll();

  // Tiles.
  LogicalResult emitContraction(const Contraction &c);
  LogicalResult emitRowFold(FoldOp fold);
  LogicalResult emitElementwise(Operation &op);
  LogicalResult emitDirectLoad(LoadOp load);
  LogicalResult emitStore(StoreOp store);
  void emitBoxedStore(StoreOp store, const StorePlan &how);
  void emitDirectStore(StoreOp store);
  Fragment coord(CoordOp op);
  Fragment constantTile(Value tile, TypedAttr value);
  Fragment like(Value tile);
  /// A tile's registers, when what they come from has ended.
  Fragment flat(Value tile);
  Fragment unpacked(Value tile);
  /// Register operands of a contraction; positions of depth from `count` on are
  /// zero if it is given.
  Fragment packedOperand(Value tile, Value count);

  // Positions, i32.
  Value shortCount(FoldOp fold, int64_t dim);
  Value row(int64_t h);
  Value column(Fragment::Kind kind, int64_t i);
  Value scalar(Value index);
  Value evaluate(AffineExpr expr, ValueRange dims, ValueRange symbols);
  Value extreme(const LinearForm &form, bool greatest, ArrayRef<int64_t> shape,
                Value without);
  Value pointer(Value view);
  /// Where the element at these indices lies, i64.
  Value byteAddress(MemRefType type, Value base, ValueRange at);

  AgentContext &context;
  const AgentPlan &plan;
  PtxBuilder &p;
  bool consumer;
  Location loc;

  DenseMap<Value, Value> scalars;
  DenseMap<Value, Fragment> fragments;
  SmallVector<Cursor> cursors;
  SmallVector<Held> held;
  /// Slots that some contraction of this step has still to read.
  DenseMap<const Ring *, size_t> holding;
  DenseMap<const Ring *, Value> lastSlot;
  SmallVector<Flight> flights;
  /// In the current step conditions may be false and counts may be short.
  bool partial = true;
  /// What a delayed contraction reads, while it is not emitted.
  DenseSet<Operation *> postponed;
  function_ref<LogicalResult()> afterFirstIssue = nullptr;
  /// Carried values that stand for the result of a contraction in this step.
  DenseMap<Value, Value> aliases;
  /// Contractions whose accumulator counts only if this i32 is not 0.
  DenseMap<Operation *, Value> keeps;
  /// Of the current stream: where it starts, and its steps.
  Value streamLower, streamTotal;

  // Of consumers.
  Value group, lane, warp, leader, zero;
};

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_AGENTEMITTER_H
