//===- Gauge.h - What a fold's state does when a gauge changes --*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gauge theorem: t = ⨁ ρ(r)·g(c), where r is itself a fold over the same
// points, is computed in one pass if ρ(r) is an invertible endomorphism of ⊕:
// keep t in the gauge of the r so far and apply ρ(r′)·ρ(r)⁻¹ when r becomes r′.
// This analysis proves it for a reduction's body by walking the expression: a
// value either does not depend on the gauges, or is scaled by a factor.
//
// The only source of a factor is exp(x − r): e^{x−r′} = e^{x−r}·e^{r−r′}. In
// floating point it is safe if r is the running maximum of this very x (or
// exp(r − x) with the running minimum), since then no exponent is ever positive
// and no term is smaller than it is written; anything else is refused.
//
// The other action is a translation, of rank 2: t = Σ (x − r)² is carried with
// u = Σ (x − r), and from r to r′ with Δ = r − r′ it becomes t + 2Δu + nΔ², and
// u becomes u + nΔ. Any reference will do until the end, so that r itself is
// not needed: the mean of the points so far keeps u near 0, and nothing
// cancels.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_GAUGE_H
#define TANG_ANALYSIS_GAUGE_H

#include "Tang/Analysis/KernelPlan.h"

#include <string>

namespace mlir::tang {

class Gauge {
public:
  /// Proves that `fold` follows the operands at positions `gauges`, or says
  /// why it does not. The plan of its kernel is for isNaNIfSpecial().
  static FailureOr<Gauge> analyze(ReduceOp fold, ArrayRef<int64_t> gauges,
                                  std::string &why,
                                  const KernelPlan *plan = nullptr);

  /// Builds τ·state for the change of the gauges from `before` to `after` (one
  /// value for each position; scalars, or tiles that broadcast to the state's).
  /// `broadcast` makes a factor's shape the state's.
  Value rescale(OpBuilder &builder, Location loc, Value state,
                ArrayRef<Value> before, ArrayRef<Value> after,
                function_ref<Value(Value)> broadcast) const;

  /// The x of a sum of (x − r)², which follows r by translation, in the fold's
  /// body; null where it follows by a factor.
  Value getTranslated() const { return translated; }
  /// For people: `exp(r - r')`.
  const std::string &getFactorText() const { return text; }
  /// Whether a factor moves past a rounding to a narrower type.
  bool movesRounding() const { return rounding; }
  /// Whether the fold, of one point at least, is NaN as it is written where one
  /// of the gauges ends infinite or NaN: some term has a factor that is NaN
  /// then, and all that follows keeps a NaN. False where there is no proof.
  bool isNaNIfSpecial() const { return nanIfSpecial; }

private:
  /// One exponential: its gauge's position, whether it is exp(r − x), whether
  /// its base is 2, and whether a special gauge makes a term NaN by it.
  struct Factor {
    unsigned position;
    bool reversed, binary, nan;
  };
  SmallVector<Factor> factors;
  Value translated;
  std::string text;
  bool rounding = false, nanIfSpecial = false;
  friend class GaugeWalk;
};

/// The reduction's result that an expression in the body of `op` is: maybe
/// through maps, exact casts, a constant floor (`greatest`; else a ceiling),
/// and a guard that replaces an infinite value by 0. Null if it is none.
Value getGaugeSource(StructuredOp op, Value gauge, bool greatest);

/// Whether a value in the body of `op` is exp(x − r) with r ≥ x, r being a
/// maximum of this x (or exp(r − x) with a minimum).
bool isAtMostOne(StructuredOp op, Value value);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_GAUGE_H
