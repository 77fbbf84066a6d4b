//===- LoopNest.h - Loops over a tile with operations placed outermost -===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest of loops over the positions of a tile. Every operation is put into the
// outermost loop that knows its operands, so that what does not depend on an
// inner loop is computed before it: a[i, k] of a[i, k] · b[k, j] stays out of
// the loop over j. This is sound since no loop of a nest is empty: a program
// and a step of a stream exist only where they have points.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_LOOPNEST_H
#define TANG_LIB_CONVERSION_LOOPNEST_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace mlir::tang {

/// Constants at the start of a kernel, each made once.
class ConstantPool {
public:
  explicit ConstantPool(Block *entry) : entry(entry) {}
  Value get(TypedAttr value);
  Value index(int64_t value);

private:
  Block *entry;
  Operation *last = nullptr;
  DenseMap<Attribute, Value> known;
};

class LoopNest {
public:
  /// Makes loops over the positions below `counts`, in the nesting `order`.
  /// Dimensions of extent 1 (`tile`) get position 0 and no loop. The loops
  /// stand at `builder`'s insertion point.
  /// `steps` (all 1 if empty) says how far each dimension advances; one whose
  /// tile is a single step has no loop either.
  LoopNest(OpBuilder &builder, Location loc, ConstantPool &constants,
           ArrayRef<int64_t> tile, ValueRange counts, ArrayRef<int64_t> order,
           ArrayRef<int64_t> steps = {});

  /// Adds loops over `order` inside, by 1, that carry values from `inits`.
  void carry(ArrayRef<int64_t> tile, ValueRange counts, ArrayRef<int64_t> order,
             ValueRange inits);
  /// What the innermost of these loops has at hand.
  ValueRange carried() { return loops.back().getRegionIterArgs(); }
  /// Ends the loops that carry; what comes out of them, and a builder behind.
  std::pair<ValueRange, OpBuilder> yield(ValueRange values);

  /// Tells readers of emitted source what the loops do.
  void comment(StringRef text) {
    if (!loops.empty())
      loops.front()->setAttr("tang.comment",
                             StringAttr::get(loc.getContext(), text));
  }

  /// The position along each dimension.
  ArrayRef<Value> positions() const { return position; }

  /// A builder at the outermost place where all `operands` are known.
  OpBuilder at(ValueRange operands);
  /// A builder at the innermost place.
  OpBuilder innermost();

  /// Puts `clone`, built with a builder from `at`, on record.
  void placed(Operation *op, ValueRange operands);
  void placed(Value value, ValueRange operands);
  /// The same for a value built with `innermost`.
  void placedInnermost(Value value) { depths[value] = loops.size(); }

  /// Arithmetic on index values, folded where trivial.
  Value add(Value x, Value y);
  Value mul(Value x, Value y);
  Value expr(AffineExpr expr, ValueRange dims, ValueRange symbols);

private:
  unsigned depthOf(ValueRange operands) const;
  OpBuilder atDepth(unsigned depth);

  OpBuilder outside;
  Location loc;
  ConstantPool &constants;
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> position;
  DenseMap<Value, unsigned> depths;
  /// How many of the loops carry nothing.
  unsigned plain = 0;
};

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_LOOPNEST_H
