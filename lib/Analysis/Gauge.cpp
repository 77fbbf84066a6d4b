//===- Gauge.cpp - What a fold's state does when a gauge changes ----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Gauge.h"

#include "Tang/Analysis/Explain.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// The same expression in two bodies
//===----------------------------------------------------------------------===//

namespace {
/// Compares expressions of two bodies. Dimensions correspond as the operands
/// that both read say; what is found holds for later comparisons.
class SameExpression {
public:
  SameExpression(StructuredOp a, StructuredOp b) : a(a), b(b) {}

  /// For dimensions of `a` the corresponding ones of `b`, where any is known
  /// from what was found the same.
  const DenseMap<int64_t, int64_t> &getDims() const { return dims; }

  bool same(Value x, Value y) {
    auto [it, isNew] = known.try_emplace({x, y}, false);
    if (!isNew)
      return it->second;
    bool result = compare(x, y);
    known[{x, y}] = result;
    return result;
  }

private:
  bool matchDims(AffineExpr x, AffineExpr y) {
    if (auto dx = dyn_cast<AffineDimExpr>(x))
      if (auto dy = dyn_cast<AffineDimExpr>(y))
        return matchDim(dx.getPosition(), dy.getPosition());
    if (x.getKind() != y.getKind())
      return false;
    if (auto bx = dyn_cast<AffineBinaryOpExpr>(x)) {
      auto by = cast<AffineBinaryOpExpr>(y);
      return matchDims(bx.getLHS(), by.getLHS()) &&
             matchDims(bx.getRHS(), by.getRHS());
    }
    return x == y && isa<AffineConstantExpr>(x);
  }
  bool matchDim(int64_t x, int64_t y) {
    // Unit dimensions are index 0, whatever they are called.
    if (a.getStaticDomain()[x] == 1 && b.getStaticDomain()[y] == 1)
      return true;
    auto [it, isNew] = dims.try_emplace(x, y);
    return it->second == y;
  }

  bool compare(Value x, Value y) {
    if (x.getType() != y.getType())
      return false;
    auto argX = dyn_cast<BlockArgument>(x), argY = dyn_cast<BlockArgument>(y);
    if (argX || argY) {
      if (!argX || !argY)
        return false;
      unsigned i = argX.getArgNumber(), j = argY.getArgNumber();
      if (i >= a.getIns().size() || j >= b.getIns().size())
        return i >= a.getIns().size() && j >= b.getIns().size() &&
               a.getCaptures()[i - a.getIns().size()] ==
                   b.getCaptures()[j - b.getIns().size()];
      if (a.getIns()[i] != b.getIns()[j])
        return false;
      AffineMap mx = a.getInMapArray()[i], my = b.getInMapArray()[j];
      if (mx.getNumResults() != my.getNumResults())
        return false;
      for (auto [ex, ey] : llvm::zip(mx.getResults(), my.getResults()))
        if (!matchDims(ex, ey))
          return false;
      return true;
    }
    Operation *ox = x.getDefiningOp(), *oy = y.getDefiningOp();
    if (ox->getName() != oy->getName() ||
        ox->getNumOperands() != oy->getNumOperands() ||
        cast<OpResult>(x).getResultNumber() !=
            cast<OpResult>(y).getResultNumber())
      return false;
    if (auto ix = dyn_cast<IndexOp>(ox))
      return matchDim(ix.getDim(), cast<IndexOp>(oy).getDim());
    if (ox->getAttrDictionary() != oy->getAttrDictionary() ||
        ox->getPropertiesAsAttribute() != oy->getPropertiesAsAttribute())
      return false;
    for (auto [px, py] : llvm::zip(ox->getOperands(), oy->getOperands()))
      if (!same(px, py))
        return false;
    return true;
  }

  StructuredOp a, b;
  DenseMap<int64_t, int64_t> dims;
  DenseMap<std::pair<Value, Value>, bool> known;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Whether a condition only asks whether `value` is infinite.
static bool asksForInfinity(Value condition, Value value) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  auto isValue = [&](Value v) {
    auto abs = v.getDefiningOp<math::AbsFOp>();
    return v == value || (abs && abs.getOperand() == value);
  };
  auto isInfinity = [](Value v) {
    return matchPattern(v, m_PosInfFloat()) || matchPattern(v, m_NegInfFloat());
  };
  return (isValue(compare.getLhs()) && isInfinity(compare.getRhs())) ||
         (isValue(compare.getRhs()) && isInfinity(compare.getLhs()));
}

/// What the walk to a gauge's source may pass.
enum class Through { Casts, IdentityGuards, Guards };

/// Through exact casts; with guards also a floor (or ceiling, if not
/// `greatest`) that is constant, and a guard that puts 0 in the place of an
/// infinite value. Identity guards keep every finite value.
static Value throughGuards(Value value, bool greatest, Through through) {
  while (Operation *def = value.getDefiningOp()) {
    TypedAttr constant;
    if (isa<arith::ExtFOp>(def)) {
      value = def->getOperand(0);
    } else if (through == Through::Casts) {
      return value;
    } else if (greatest ? isa<arith::MaximumFOp, arith::MaxNumFOp>(def)
                        : isa<arith::MinimumFOp, arith::MinNumFOp>(def)) {
      unsigned floor = 1;
      if (!matchPattern(def->getOperand(1), m_Constant(&constant))) {
        floor = 0;
        if (!matchPattern(def->getOperand(0), m_Constant(&constant)))
          return value;
      }
      if (through == Through::IdentityGuards &&
          (greatest ? !matchPattern(constant, m_NegInfFloat())
                    : !matchPattern(constant, m_PosInfFloat())))
        return value;
      value = def->getOperand(1 - floor);
    } else if (auto select = dyn_cast<arith::SelectOp>(def)) {
      Value kept;
      if (matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
        kept = select.getTrueValue();
      else if (matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
        kept = select.getFalseValue();
      if (!kept || !asksForInfinity(select.getCondition(), kept))
        return value;
      value = kept;
    } else {
      return value;
    }
  }
  return value;
}

/// With `exact` only a source that the expression equals, whatever its value.
static Value findGaugeSource(StructuredOp op, Value gauge, bool greatest,
                             bool exact) {
  auto argument = dyn_cast<BlockArgument>(throughGuards(
      gauge, greatest, exact ? Through::Casts : Through::IdentityGuards));
  for (int depth = 0; depth < 8; ++depth) {
    if (!argument || argument.getArgNumber() >= op.getIns().size())
      return {};
    auto result = dyn_cast<OpResult>(op.getIns()[argument.getArgNumber()]);
    if (!result)
      return {};
    if (isa<ReduceOp>(result.getOwner()))
      return result;
    auto map = dyn_cast<MapOp>(result.getOwner());
    if (!map)
      return {};
    op = cast<StructuredOp>(map.getOperation());
    argument = dyn_cast<BlockArgument>(
        throughGuards(map.getYield()->getOperand(result.getResultNumber()),
                      greatest, exact ? Through::Casts : Through::Guards));
  }
  return {};
}

Value mlir::tang::getGaugeSource(StructuredOp op, Value gauge, bool greatest) {
  return findGaugeSource(op, gauge, greatest, /*exact=*/false);
}

/// Whether the gauge, an expression in the body of `op`, is an extremum of `x`
/// over the dimensions that the gauge lacks, or a floor of one. `dims` gets the
/// dimensions of `op` for those of the extremum that x runs through.
static bool bounds(StructuredOp op, Value gauge, Value x, bool greatest,
                   DenseMap<int64_t, int64_t> *dims = nullptr) {
  Value found = getGaugeSource(op, gauge, greatest);
  if (!found)
    return false;
  auto source = found.getDefiningOp<ReduceOp>();
  auto monoid = dyn_cast<MonoidAttr>(source.getMonoid());
  if (!monoid || source.getNumResults() != 1)
    return false;
  if (greatest ? monoid.getKind() != MonoidKind::Maximum &&
                     monoid.getKind() != MonoidKind::MaxNum
               : monoid.getKind() != MonoidKind::Minimum &&
                     monoid.getKind() != MonoidKind::MinNum)
    return false;
  SameExpression compare(cast<StructuredOp>(source.getOperation()), op);
  // Exact casts of both do not matter.
  auto strip = [](Value v) {
    while (auto ext = v.getDefiningOp<arith::ExtFOp>())
      v = ext.getIn();
    return v;
  };
  Value lift = source.getYield()->getOperand(0);
  bool result = compare.same(lift, x) || compare.same(strip(lift), strip(x));
  if (dims)
    *dims = compare.getDims();
  return result;
}

/// Whether a special gauge makes an exponential NaN. Let r be the greatest x of
/// some points, from a start that is not +∞ (the least one likewise).
///
///  - r = NaN: x − r is NaN at every point.
///  - r = −∞: every x is −∞ or NaN, and x − r is NaN at every point.
///  - r = +∞: a point attains it, and there x − r = ∞ − ∞ is NaN.
///
/// So exp(x − r) is NaN at a point of the maximum at least, which must be one
/// of the fold, and r must be read as it is, with no guard.
static bool isNaNIfSpecial(ReduceOp fold, Value gauge, bool greatest,
                           const DenseMap<int64_t, int64_t> &dims,
                           const KernelPlan &plan) {
  auto op = cast<StructuredOp>(fold.getOperation());
  Value found = findGaugeSource(op, gauge, greatest, /*exact=*/true);
  if (!found)
    return false;
  auto source = found.getDefiningOp<ReduceOp>();
  ArrayAttr init = source.getInitAttr();
  if (!init)
    return false;
  const APFloat &start = cast<FloatAttr>(init[0]).getValue();
  if (start.isInfinity() && start.isNegative() != greatest)
    return false;
  auto from = cast<StructuredOp>(source.getOperation());
  ArrayRef<int64_t> sourceDims = plan.dimsOf(source),
                    foldDims = plan.dimsOf(fold);
  return llvm::all_of(dims, [&](std::pair<int64_t, int64_t> pair) {
    auto [d, e] = pair;
    return sourceDims[d] == foldDims[e] &&
           from.isParallelDim(d) == op.isParallelDim(e);
  });
}

bool mlir::tang::isAtMostOne(StructuredOp op, Value value) {
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(value.getDefiningOp()))
    return false;
  auto difference =
      value.getDefiningOp()->getOperand(0).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return false;
  Value x = difference.getLhs(), y = difference.getRhs();
  return bounds(op, y, x, /*greatest=*/true) ||
         bounds(op, x, y, /*greatest=*/false);
}

//===----------------------------------------------------------------------===//
// The walk over a body
//===----------------------------------------------------------------------===//

namespace mlir::tang {
class GaugeWalk {
public:
  GaugeWalk(ReduceOp fold, ArrayRef<int64_t> gauges, std::string &why,
            const KernelPlan *plan)
      : fold(fold), why(why), plan(plan) {
    for (int64_t position : gauges)
      gaugeArgs.insert(fold.getBody()->getArgument(position));
  }

  FailureOr<Gauge> run();

private:
  /// A value's dependence: none, or the factors that scale it.
  struct Effect {
    SmallVector<Gauge::Factor> factors;
  };
  FailureOr<Effect> refuse(Value value, const Twine &text) {
    if (why.empty())
      why =
          (text + ": " + describeExpression(value, llvm::to_vector(gaugeArgs)))
              .str();
    return failure();
  }
  static void dropNaN(Effect &effect) {
    for (Gauge::Factor &factor : effect.factors)
      factor.nan = false;
  }
  static bool hasNaN(Type type) {
    return APFloat::semanticsHasNaN(cast<FloatType>(type).getFloatSemantics());
  }
  bool dependsOnGauge(Value value);
  FailureOr<Effect> effectOf(Value value);
  FailureOr<Effect> walk(Value value);
  FailureOr<Effect> exponential(Operation *op, Value exponent);
  Value findTranslated();

  ReduceOp fold;
  std::string &why;
  const KernelPlan *plan;
  llvm::SmallSetVector<Value, 2> gaugeArgs;
  DenseMap<Value, bool> depends;
  DenseMap<Value, FailureOr<Effect>> effects;
  Gauge result;
};
} // namespace mlir::tang

bool GaugeWalk::dependsOnGauge(Value value) {
  if (isa<BlockArgument>(value))
    return gaugeArgs.contains(value);
  if (auto it = depends.find(value); it != depends.end())
    return it->second;
  bool result = llvm::any_of(value.getDefiningOp()->getOperands(),
                             [&](Value v) { return dependsOnGauge(v); });
  return depends[value] = result;
}

FailureOr<GaugeWalk::Effect> GaugeWalk::exponential(Operation *op,
                                                    Value exponent) {
  auto difference = exponent.getDefiningOp<arith::SubFOp>();
  if (!difference)
    return refuse(op->getResult(0),
                  "the exponent is not a difference with the gauge");
  Value x = difference.getLhs(), r = difference.getRhs();
  bool reversed = !dependsOnGauge(r);
  if (reversed)
    std::swap(x, r);
  auto gauge = dyn_cast<BlockArgument>(
      throughGuards(r, !reversed, Through::IdentityGuards));
  if (!gauge || !gaugeArgs.contains(gauge) || dependsOnGauge(x))
    return refuse(op->getResult(0), "the exponent is not x - r with a gauge r");
  DenseMap<int64_t, int64_t> dims;
  if (!bounds(cast<StructuredOp>(fold.getOperation()), r, x, !reversed, &dims))
    return refuse(op->getResult(0),
                  "the gauge is no running bound of the exponent, so that "
                  "it might overflow");
  Effect effect;
  effect.factors.push_back(
      {gauge.getArgNumber(), reversed, isa<math::Exp2Op>(op),
       plan && isNaNIfSpecial(fold, r, !reversed, dims, *plan)});
  return effect;
}

FailureOr<GaugeWalk::Effect> GaugeWalk::walk(Value value) {
  if (!dependsOnGauge(value))
    return Effect();
  Operation *op = value.getDefiningOp();
  if (!op)
    return refuse(fold.getYield()->getOperand(0), "the gauge itself is summed");
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return exponential(op, op->getOperand(0));
  if (isa<arith::MulFOp, arith::DivFOp>(op)) {
    FailureOr<Effect> x = effectOf(op->getOperand(0)),
                      y = effectOf(op->getOperand(1));
    if (failed(x) || failed(y))
      return failure();
    Effect product = *x;
    for (Gauge::Factor factor : y->factors) {
      if (isa<arith::DivFOp>(op))
        return refuse(value, "divides by what the gauge scales");
      product.factors.push_back(factor);
    }
    return product;
  }
  if (isa<arith::NegFOp, arith::ExtFOp>(op))
    return effectOf(op->getOperand(0));
  if (isa<arith::TruncFOp>(op)) {
    result.rounding = true;
    FailureOr<Effect> effect = effectOf(op->getOperand(0));
    if (succeeded(effect) && !hasNaN(value.getType()))
      dropNaN(*effect);
    return effect;
  }
  auto equal = [](const Effect &x, const Effect &y) {
    if (x.factors.size() != y.factors.size())
      return false;
    for (auto [f, g] : llvm::zip(x.factors, y.factors))
      if (f.position != g.position || f.reversed != g.reversed ||
          f.binary != g.binary)
        return false;
    return true;
  };
  auto isZero = [](Value v) { return matchPattern(v, m_AnyZeroFloat()); };
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (dependsOnGauge(select.getCondition()))
      return refuse(value, "a condition depends on the gauge");
    FailureOr<Effect> x = effectOf(select.getTrueValue()),
                      y = effectOf(select.getFalseValue());
    if (failed(x) || failed(y))
      return failure();
    // A NaN counts if it is in what may be selected, either way.
    if (isZero(select.getTrueValue())) {
      dropNaN(*y);
      return y;
    }
    if (isZero(select.getFalseValue())) {
      dropNaN(*x);
      return x;
    }
    if (equal(*x, *y)) {
      for (auto [f, g] : llvm::zip(x->factors, y->factors))
        f.nan &= g.nan;
      return x;
    }
    return refuse(value, "selects between differently scaled values");
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    FailureOr<Effect> x = effectOf(op->getOperand(0)),
                      y = effectOf(op->getOperand(1));
    if (failed(x) || failed(y))
      return failure();
    if (equal(*x, *y)) {
      for (auto [f, g] : llvm::zip(x->factors, y->factors))
        f.nan |= g.nan;
      return x;
    }
    if (isZero(op->getOperand(1)))
      return x;
    return refuse(value, "adds differently scaled values");
  }
  return refuse(value, "is not linear in what the gauge scales");
}

FailureOr<GaugeWalk::Effect> GaugeWalk::effectOf(Value value) {
  if (auto it = effects.find(value); it != effects.end())
    return it->second;
  FailureOr<Effect> effect = walk(value);
  effects.insert({value, effect});
  return effect;
}

/// The x of (x − r)² or (r − x)², where r is the only gauge.
Value GaugeWalk::findTranslated() {
  auto square = fold.getYield()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!square || square.getLhs() != square.getRhs() || gaugeArgs.size() != 1)
    return {};
  auto difference = square.getLhs().getDefiningOp<arith::SubFOp>();
  if (!difference)
    return {};
  Value x = difference.getLhs(), r = difference.getRhs();
  if (dependsOnGauge(x))
    std::swap(x, r);
  return r == gaugeArgs.front() && !dependsOnGauge(x) ? x : Value();
}

FailureOr<Gauge> GaugeWalk::run() {
  auto monoid = dyn_cast<MonoidAttr>(fold.getMonoid());
  if (!monoid || monoid.getKind() != MonoidKind::Add ||
      fold.getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(fold.getResult(0)))) {
    why = "only sums follow a gauge by a factor";
    return failure();
  }
  // A sum that starts elsewhere would have its start rescaled.
  ArrayAttr init = fold.getInitAttr();
  if (!init || !cast<FloatAttr>(init[0]).getValue().isZero()) {
    why = "the sum does not start from zero";
    return failure();
  }
  FailureOr<Effect> effect = effectOf(fold.getYield()->getOperand(0));
  if (failed(effect)) {
    result.translated = findTranslated();
    if (!result.translated)
      return failure();
    result.text =
        "translation of a square, r = operand " +
        std::to_string(cast<BlockArgument>(gaugeArgs.front()).getArgNumber());
    return std::move(result);
  }
  result.factors = effect->factors;
  result.nanIfSpecial =
      plan && hasNaN(getElementTypeOrSelf(fold.getResult(0))) &&
      llvm::all_of(gaugeArgs, [&](Value gauge) {
        return llvm::any_of(result.factors, [&](const Gauge::Factor &factor) {
          return factor.nan &&
                 gauge == fold.getBody()->getArgument(factor.position);
        });
      });
  llvm::raw_string_ostream os(result.text);
  for (auto [i, factor] : llvm::enumerate(result.factors))
    os << (i ? " * " : "") << (factor.binary ? "exp2" : "exp")
       << (factor.reversed ? "(r' - r)" : "(r - r')") << ", r = operand "
       << factor.position;
  return std::move(result);
}

FailureOr<Gauge> Gauge::analyze(ReduceOp fold, ArrayRef<int64_t> gauges,
                                std::string &why, const KernelPlan *plan) {
  why.clear();
  return GaugeWalk(fold, gauges, why, plan).run();
}

Value Gauge::rescale(OpBuilder &b, Location loc, Value state,
                     ArrayRef<Value> before, ArrayRef<Value> after,
                     function_ref<Value(Value)> broadcast) const {
  auto withElement = [](Type type, Type element) -> Type {
    if (auto vector = dyn_cast<VectorType>(type))
      return VectorType::get(vector.getShape(), element);
    return element;
  };
  auto element = cast<FloatType>(getElementTypeOrSelf(state));
  auto convert = [&](Value value) -> Value {
    auto from = cast<FloatType>(getElementTypeOrSelf(value));
    if (from.getWidth() < element.getWidth())
      return b.create<arith::ExtFOp>(loc, withElement(value.getType(), element),
                                     value);
    if (from.getWidth() > element.getWidth())
      return b.create<arith::TruncFOp>(
          loc, withElement(value.getType(), element), value);
    return value;
  };
  for (const Factor &factor : factors) {
    Value r = convert(before[factor.position]),
          next = convert(after[factor.position]);
    if (factor.reversed)
      std::swap(r, next);
    Value shift = b.create<arith::SubFOp>(loc, r, next);
    Value scale = factor.binary ? b.create<math::Exp2Op>(loc, shift).getResult()
                                : b.create<math::ExpOp>(loc, shift).getResult();
    state = b.create<arith::MulFOp>(loc, state, broadcast(scale));
  }
  return state;
}
