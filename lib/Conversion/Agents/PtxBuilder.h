//===- PtxBuilder.h - Instructions of asynchronous kernels ------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars of 32 bits, barriers in shared memory, bulk tensor copies and the
// warpgroup matrix instruction, as LLVM and NVVM dialect operations. Shared
// memory addresses are i32.
//
// Inline assembly is used where the dialect lacks a form: contractions (several
// instructions that must stay together, operands in registers), waits that
// redefine what they wait for, and predicated accesses.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_PTXBUILDER_H
#define TANG_LIB_CONVERSION_AGENTS_PTXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::tang {

class PtxBuilder {
public:
  /// Constants are made at the start of `entry`.
  PtxBuilder(Block *entry, Location loc)
      : b(OpBuilder::atBlockEnd(entry)), entry(entry), loc(loc) {}

  OpBuilder b;

  // Scalars.
  Value i32(int64_t value);
  Value i64(int64_t value);
  Value f32(float value);
  Value undef(Type type);
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value add(Value x, int64_t y) { return y ? add(x, i32(y)) : x; }
  Value sub(Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  }
  Value mul(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  }
  Value mul(Value x, int64_t y) { return y == 1 ? x : mul(x, i32(y)); }
  Value div(Value x, int64_t y);
  Value rem(Value x, int64_t y);
  Value andi(Value x, Value y) {
    return b.createOrFold<arith::AndIOp>(loc, x, y);
  }
  Value ori(Value x, Value y) {
    return b.createOrFold<arith::OrIOp>(loc, x, y);
  }
  Value xori(Value x, Value y) {
    return b.createOrFold<arith::XOrIOp>(loc, x, y);
  }
  Value min(Value x, Value y) {
    return b.createOrFold<arith::MinSIOp>(loc, x, y);
  }
  Value max(Value x, Value y) {
    return b.createOrFold<arith::MaxSIOp>(loc, x, y);
  }
  Value cmp(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
  }
  Value toI32(Value i1) {
    return b.create<arith::ExtUIOp>(loc, b.getI32Type(), i1);
  }
  Value toI64(Value value) {
    return b.create<arith::ExtUIOp>(loc, b.getI64Type(), value);
  }

  // Threads.
  Value threadId();
  Value blockId();
  Value gridDim();
  /// A zero that no compiler knows: grids have one row.
  Value runtimeZero();
  /// `value` of lane 0: the same in the whole warp, and known to be.
  Value uniform(Value value);
  /// The value of the lane whose number differs in these bits.
  Value shuffle(Value value, int64_t lanes);
  /// A barrier among `threads` threads; ids 1 to 15.
  void barrier(Value id, int64_t threads);
  void blockBarrier();
  void setRegisters(int64_t count, bool increase);

  // Barriers in shared memory.
  void initBarrier(Value address, int64_t arrivals);
  void fenceInit();
  void expect(Value barrier, int64_t bytes);
  void waitBarrier(Value barrier, Value parity);
  /// Arrives if `predicate`, an i32, is not 0.
  void arrive(Value barrier, Value predicate);

  // Bulk tensor copies; coordinates innermost first.
  void copyIn(Value to, Value map, Value barrier, ValueRange coordinates);
  void copyOut(Value map, Value from, ValueRange coordinates);
  void commitCopies();
  void waitCopies(bool onlyRead);
  void fenceShared();

  // Matrices.
  /// Matrix descriptor of 128-byte swizzled shared memory at `address`.
  Value descriptor(Value address, int64_t leadingBytes, int64_t strideBytes);
  struct Step {
    /// Of 16 columns of depth: descriptors and what is added to them (16-byte
    /// units), or the four registers of the left operand.
    Value lhs;
    int64_t lhsOffset;
    Value rhs;
    int64_t rhsOffset;
    SmallVector<Value> lhsRegisters;
  };
  struct Shape {
    int64_t columns;
    StringRef element; // "bf16" or "f16"
    bool lhsTransposed, rhsTransposed;
  };
  /// One group: acc += Σ over the steps. `acc` empty: starts from zero. With
  /// `keep`, an i32, acc counts only if it is not 0.
  SmallVector<Value> multiply(const Shape &shape, ArrayRef<Step> steps,
                              ValueRange acc, Value keep);
  /// Waits until at most `pending` groups are under way; the values given are
  /// those after it.
  SmallVector<Value> waitGroups(int64_t pending, ValueRange tied);

  // Elements.
  Value exp2(Value value);
  /// Two f32 rounded to one register, `low` in the low half.
  Value pack(Value low, Value high, StringRef element);
  /// The two halves as f32.
  std::pair<Value, Value> unpack(Value packed, bool isBF16);
  void storeMatrix(Value address, ValueRange four);
  void storeIf(Value predicate, Value address, Value value);
  /// The i32 at `index` of read-only memory.
  Value loadConstant(Value pointer, Value index);
  Value loadIf(Value predicate, Value address, Type type);

  SmallVector<Value> assembly(StringRef text, StringRef constraints,
                              ValueRange operands, TypeRange results,
                              bool sideEffects);

private:
  Value sharedPointer(Value address);

  OpBuilder atStart();
  /// One of each, at the start.
  Value constant(TypedAttr attr);

  Block *entry;
  Location loc;
  DenseMap<Attribute, Value> known;
};

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_PTXBUILDER_H
