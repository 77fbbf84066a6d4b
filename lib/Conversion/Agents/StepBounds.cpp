//===- StepBounds.cpp - Steps in which nothing is masked ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comparison of affine forms of positions, such as s ≤ t, is true in all of a
// step's tile up to some step, and false in all of it from some later one on.
// In the first the mask is dropped. The last are left out altogether if with
// the condition false every fold gets its identity: this is seen by following
// the value that takes the place of a masked one, -∞ say, through the body.
//
// Numeric effect: a masked weight of exactly 0 no longer meets its factor, so a
// 0 · ∞ there does not become NaN.
//
//===----------------------------------------------------------------------===//

#include "StepBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

bool mlir::tang::isRunningBound(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<StreamOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (auto fold = dyn_cast<FoldOp>(op)) {
    auto monoid = dyn_cast<MonoidAttr>(fold.getMonoid());
    return monoid && (monoid.getKind() == MonoidKind::Maximum ||
                      monoid.getKind() == MonoidKind::Minimum ||
                      monoid.getKind() == MonoidKind::MaxNum ||
                      monoid.getKind() == MonoidKind::MinNum);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isRunningBound(select.getTrueValue()) ||
           isRunningBound(select.getFalseValue());
  if (isa<vector::BroadcastOp, KeepOp, arith::NegFOp>(op))
    return isRunningBound(op->getOperand(0));
  if (isa<arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(op))
    return isRunningBound(op->getOperand(0)) ||
           isRunningBound(op->getOperand(1));
  return false;
}

static std::optional<LinearForm> linearOf(Value value);

static std::optional<LinearForm> combine(Value x, Value y, int64_t sign) {
  std::optional<LinearForm> a = linearOf(x), b = linearOf(y);
  if (!a || !b)
    return std::nullopt;
  for (auto [d, c] : b->dims)
    a->dims[d] += sign * c;
  for (auto [v, c] : b->scalars)
    a->scalars[v] += sign * c;
  a->constant += sign * b->constant;
  return a;
}

/// An index as an affine form of its position, if it is one.
static std::optional<LinearForm> linearOf(Value value) {
  LinearForm form;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    form.constant = constant.getSExtValue();
    return form;
  }
  if (value.getType().isIndex()) {
    form.scalars[value] = 1;
    return form;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto coord = dyn_cast<CoordOp>(op)) {
    std::optional<LinearForm> base = linearOf(coord.getBase());
    base->dims[coord.getDim()] += 1;
    return base;
  }
  if (isa<vector::BroadcastOp, arith::IndexCastOp, arith::ExtSIOp, KeepOp>(op))
    return linearOf(op->getOperand(0));
  if (isa<arith::AddIOp>(op))
    return combine(op->getOperand(0), op->getOperand(1), 1);
  if (isa<arith::SubIOp>(op))
    return combine(op->getOperand(0), op->getOperand(1), -1);
  return std::nullopt;
}

/// The condition as `form` ≤ 0.
static std::optional<LinearForm> asUpperBound(Value condition) {
  while (auto broadcast = condition.getDefiningOp<vector::BroadcastOp>())
    condition = broadcast.getSource();
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  Value x = compare.getLhs(), y = compare.getRhs();
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  if (predicate == P::sge || predicate == P::sgt) {
    std::swap(x, y);
    predicate = predicate == P::sge ? P::sle : P::slt;
  }
  if (predicate != P::sle && predicate != P::slt)
    return std::nullopt;
  std::optional<LinearForm> form = combine(x, y, -1);
  if (form && predicate == P::slt)
    form->constant += 1;
  return form;
}

namespace {
/// What is known of all positions of a tile where a condition is false.
enum class Known { Nothing, Zero, MinusInfinity };

/// Follows the values that a false condition gives.
class FalseStep {
public:
  explicit FalseStep(Value condition) : condition(condition) {}

  Known of(Value value) {
    auto [it, isNew] = cache.try_emplace(value, Known::Nothing);
    if (!isNew)
      return it->second;
    Known known = compute(value);
    return cache[value] = known;
  }

private:
  /// Never -∞, and NaN only where the result is NaN anyway.
  static bool isFinite(Value value) {
    APFloat constant(0.0f);
    return isRunningBound(value) ||
           (matchPattern(value, m_ConstantFloat(&constant)) &&
            constant.isFinite());
  }

  static bool isPositive(Value value) {
    while (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
      value = broadcast.getSource();
    APFloat constant(0.0f);
    return matchPattern(value, m_ConstantFloat(&constant)) &&
           constant.isFinite() && !constant.isNegative() && !constant.isZero();
  }

  Known compute(Value value) {
    APFloat constant(0.0f);
    if (matchPattern(value, m_ConstantFloat(&constant))) {
      if (constant.isInfinity() && constant.isNegative())
        return Known::MinusInfinity;
      return constant.isZero() ? Known::Zero : Known::Nothing;
    }
    Operation *op = value.getDefiningOp();
    if (!op)
      return Known::Nothing;
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return select.getCondition() == condition ? of(select.getFalseValue())
                                                : Known::Nothing;
    if (isa<vector::BroadcastOp, arith::ExtFOp, arith::TruncFOp, KeepOp>(op))
      return of(op->getOperand(0));
    if (isa<math::ExpOp, math::Exp2Op>(op))
      return of(op->getOperand(0)) == Known::MinusInfinity ? Known::Zero
                                                           : Known::Nothing;
    // -∞ less a running bound, which is never -∞ itself.
    if (isa<arith::SubFOp>(op))
      return of(op->getOperand(0)) == Known::MinusInfinity &&
                     isFinite(op->getOperand(1))
                 ? Known::MinusInfinity
                 : Known::Nothing;
    if (auto fma = dyn_cast<math::FmaOp>(op))
      return of(fma.getA()) == Known::MinusInfinity && isPositive(fma.getB()) &&
                     isRunningBound(fma.getC())
                 ? Known::MinusInfinity
                 : Known::Nothing;
    if (isa<arith::MulFOp>(op)) {
      for (int i : {0, 1}) {
        Known known = of(op->getOperand(i));
        if (known == Known::Zero)
          return known;
        if (known == Known::MinusInfinity && isPositive(op->getOperand(1 - i)))
          return known;
      }
      return Known::Nothing;
    }
    return Known::Nothing;
  }

  Value condition;
  llvm::DenseMap<Value, Known> cache;
};
} // namespace

/// Whether a fold of such values leaves its state as it is.
static bool isIdentity(FoldOp fold, Known known) {
  auto monoid = dyn_cast<MonoidAttr>(fold.getMonoid());
  if (!monoid)
    return false;
  switch (monoid.getKind()) {
  case MonoidKind::Add:
    return known == Known::Zero;
  case MonoidKind::Maximum:
    return known == Known::MinusInfinity;
  default:
    return false;
  }
}

void mlir::tang::findStepBounds(StreamOp stream, const AgentPlan &plan,
                                StreamPlan &result) {
  Block *body = stream.getBody();
  Value iv = stream.getInductionVar();
  for (Operation &op : *body) {
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || llvm::any_of(result.bounds, [&](const StepBound &b) {
          return b.condition == select.getCondition();
        }))
      continue;
    std::optional<LinearForm> form = asUpperBound(select.getCondition());
    // True in the first steps: the form grows with the step, and the rest of it
    // is known before the stream.
    if (form && form->scalars.lookup(iv) == 1 &&
        llvm::all_of(form->scalars, [&](auto &entry) {
          return entry.first == iv ||
                 entry.first.getParentBlock() != stream.getBody();
        }))
      result.bounds.push_back({select.getCondition(), *form});
  }
  for (Operation &op : *body) {
    auto fold = dyn_cast<FoldOp>(op);
    if (!fold)
      continue;
    auto type = cast<VectorType>(fold.getValues().front().getType());
    auto it = plan.contractions.find(fold);
    // Copies fill what lies beyond the end with zeros: a sum of products of two
    // such tiles is right as it is.
    if (it != plan.contractions.end() && it->second.lhs.getDefiningOp<LoadOp>())
      continue;
    for (int64_t d : fold.getDims())
      result.countsMatter |=
          getConstantIntValue(fold.getCounts()[d]) != type.getDimSize(d);
  }
  if (result.bounds.size() != 1)
    return;
  FalseStep step(result.bounds.front().condition);
  result.skipsFalse = true;
  for (Operation &op : *body)
    if (auto fold = dyn_cast<FoldOp>(op)) {
      // One that every step starts anew is no state.
      auto it = plan.contractions.find(fold);
      bool local = it != plan.contractions.end() &&
                   it->second.lhs.getDefiningOp<LoadOp>() &&
                   it->second.rhs.getDefiningOp<LoadOp>() &&
                   !isa<BlockArgument>(it->second.getAcc());
      if (!local)
        result.skipsFalse &=
            isIdentity(fold, step.of(fold.getValues().front()));
    }
}
