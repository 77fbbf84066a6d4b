//===- FoldSplit.h - A folding body as lift and combination -----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body that reads its own result folds: s' = body(x, s). Values that do not
// depend on s are the *lift*; the rest, from s and the lift's values to s', is
// the *combination*. For s + a·b the lift is a·b and the combination a sum.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_FOLDSPLIT_H
#define TANG_LIB_FRONTEND_FOLDSPLIT_H

#include "FlatBody.h"
#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang::detail {

/// A split fold. `lift` are values of the flat body, in the order in which the
/// combination takes them after the state. `monoid` is built in, or null and
/// then `declaration` is the left fold. The combination's state i is the
/// caller's state `order[i]`.
struct FoldSplit {
  SmallVector<unsigned> order;
  SmallVector<Value> lift;
  MonoidAttr monoid;
  OwningOpRef<MonoidOp> declaration;
};

/// What is known about a fold beyond its body.
struct FoldFacts {
  /// Initial states, null where not a known constant.
  SmallVector<TypedAttr> init;
  /// Whether the value of the flat body is an integer that is not negative and
  /// grows from point to point of the fold.
  function_ref<bool(Value)> isIncreasing;
};

/// Splits the computation of the new state `results` from `state`, arguments of
/// the body.
FoldSplit splitFold(const FlatBody &body, ArrayRef<Value> state,
                    ArrayRef<Value> results, const FoldFacts &facts);

/// Proves that a left fold with `body` (state arguments, then values of the
/// same types) is one with a built-in monoid that chooses one of its operands:
/// a minimum or maximum, or one with the index of where it was found. Only
/// bodies that compare and select are looked at; since such a body depends on
/// the order of its arguments alone, trying every order of the special values
/// (NaN, zeros, infinities, equal ones) is a proof. Zeros of both signs count
/// as equal. Null if there is none.
MonoidAttr proveChoosingMonoid(Block &body, ArrayRef<TypedAttr> init,
                               bool indexIncreases);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_FOLDSPLIT_H
