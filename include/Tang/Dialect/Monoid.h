//===- Monoid.h - What a fold combines with -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A monoid (S, ∨, e): an associative ∨ on states S with e ∨ s = s ∨ e = s. A
// fold of x₁ … x_n is e ∨ x₁ ∨ … ∨ x_n; associativity lets it be split into
// blocks, an identity lets blocks be padded, commutativity lets them be merged
// in any order. Rewrites ask this class for the laws and build the combination
// through it, so that none of them knows a particular monoid.
//
// Example: logsumexp has states (m, l), standing for l·exp(m), and
// (m₁,l₁) ∨ (m₂,l₂) = (m, l₁·exp(m₁−m) + l₂·exp(m₂−m)) with m = max(m₁, m₂).
//
//===----------------------------------------------------------------------===//

#ifndef TANG_DIALECT_MONOID_H
#define TANG_DIALECT_MONOID_H

#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang {

/// A monoid, whether built in (`#tang.monoid`) or declared (`tang.monoid`).
class Monoid {
public:
  /// Resolves `attr`, a MonoidAttr or a symbol visible from `from`. Fails
  /// without a message if the symbol does not exist.
  static FailureOr<Monoid> get(Attribute attr, Operation *from);

  /// The number of values in a state.
  int64_t getNumStates() const;

  /// Checks that a state of types `states` can combine values of types
  /// `values`; says why not through `emitError`.
  LogicalResult verify(TypeRange states, TypeRange values,
                       function_ref<InFlightDiagnostic()> emitError) const;

  /// Builds `state ∨ value` on scalars; sums and products on vectors, too.
  SmallVector<Value> combine(OpBuilder &builder, Location loc, ValueRange state,
                             ValueRange value) const;

  /// The identity for states of `types`; fails if none is known.
  FailureOr<SmallVector<TypedAttr>> getIdentity(TypeRange types) const;

  bool isAssociative() const;
  bool isCommutative() const;
  bool isIdempotent() const;
  /// Whether combining in another order gives the same bits: integer add, max.
  bool isReorderExact(TypeRange states) const;

  /// The declaration, or null for a built-in.
  MonoidOp getDeclaration() const { return declaration; }
  MonoidAttr getBuiltin() const { return builtin; }
  /// For messages and comments: `add`, `@absmax`.
  std::string getName() const;

private:
  MonoidAttr builtin;
  MonoidOp declaration;
};

/// Recognises a combining body (state arguments, then value arguments) as a
/// built-in monoid by its structure; a null attribute if it is none.
MonoidAttr matchBuiltinMonoid(Block &body);

/// Builds whether (x, i) goes before (y, j): the better value, then the lower
/// index. With `nanWins` NaN is better than every number, else worse; two NaNs
/// are equal.
Value buildIsBefore(OpBuilder &builder, Location loc, Value x, Value i, Value y,
                    Value j, bool greatest, bool nanWins);

/// The least (`least`) or greatest finite-or-infinite value of a type.
TypedAttr getExtremeAttr(Type type, bool least, bool isSigned = true);

} // namespace mlir::tang

#endif // TANG_DIALECT_MONOID_H
