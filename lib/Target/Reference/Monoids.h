//===- Monoids.h - Combinations as programs -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built-in monoids are evaluated from their definitions, apart from
// `Monoid::combine`, which lowering uses.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_MONOIDS_H
#define TANG_LIB_TARGET_REFERENCE_MONOIDS_H

#include "ProgramBuilder.h"

namespace mlir::tang::reference {

/// Compiles state ∨ value. `types` are those of the state. `from` is where a
/// symbol is looked up and where errors go; without `monoid` it is the
/// declaration.
FailureOr<SmallVector<Reg>> emitCombine(ProgramBuilder &builder,
                                        Attribute monoid, Operation *from,
                                        TypeRange types, ArrayRef<Reg> state,
                                        ArrayRef<Reg> value);

/// Compiles a program that updates `program.states` by `program.values`.
LogicalResult compileCombine(Program &program, bool exact, Attribute monoid,
                             Operation *from, TypeRange states,
                             unsigned numValues);

/// Whether (x, i) goes before (y, j): the better value, then the lower index.
/// Integers are compared as signed numbers.
struct Ranking {
  bool isFloat = true;
  bool greatest = true;
  /// NaN is better than every number, or worse.
  bool nanWins = true;

  /// Negative: x is better; positive: y is; 0: they are equal.
  int compare(Cell x, Cell y) const;
  bool before(Cell x, Cell i, Cell y, Cell j) const {
    int order = compare(x, y);
    return order < 0 || (order == 0 && i.i < j.i);
  }
};

/// Checks the laws of every `tang.monoid` below `root` on random data.
LogicalResult checkAllMonoidLaws(Operation *root, uint64_t seed);

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_MONOIDS_H
