//===- ProveMonoid.cpp - Comparing bodies by running them -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldSplit.h"

#include "Tang/Dialect/Monoid.h"
#include "llvm/ADT/TypeSwitch.h"

#include <variant>

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// A scalar: a float, or an integer of its type's width.
using Scalar = std::variant<APInt, APFloat>;
using State = SmallVector<Scalar, 2>;

bool compare(arith::CmpFPredicate predicate, const APFloat &a,
             const APFloat &b) {
  return arith::applyCmpPredicate(predicate, a, b);
}

APFloat choose(Operation *op, const APFloat &a, const APFloat &b) {
  if (isa<arith::MaximumFOp>(op))
    return llvm::maximum(a, b);
  if (isa<arith::MinimumFOp>(op))
    return llvm::minimum(a, b);
  if (isa<arith::MaxNumFOp>(op))
    return llvm::maxnum(a, b);
  return llvm::minnum(a, b);
}

/// Whether `op` only compares and chooses, so that its effect depends on the
/// order of its operands alone.
bool isOrderOnly(Operation *op) {
  if (isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp,
          arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
    return true;
  return op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1) &&
         isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ConstantOp>(op);
}

/// Runs a block of operations that isOrderOnly.
State run(Block &body, ArrayRef<Scalar> arguments) {
  DenseMap<Value, Scalar> values;
  for (auto [arg, value] : llvm::zip(body.getArguments(), arguments))
    values.insert({arg, value});
  auto get = [&](Value value) -> Scalar & {
    return values.find(value)->second;
  };
  for (Operation &op : body.without_terminator()) {
    auto flt = [&](unsigned i) {
      return std::get<APFloat>(get(op.getOperand(i)));
    };
    auto num = [&](unsigned i) {
      return std::get<APInt>(get(op.getOperand(i)));
    };
    Scalar result =
        llvm::TypeSwitch<Operation *, Scalar>(&op)
            .Case([&](arith::CmpFOp cmp) {
              return APInt(1, compare(cmp.getPredicate(), flt(0), flt(1)));
            })
            .Case([&](arith::CmpIOp cmp) {
              return APInt(1, arith::applyCmpPredicate(cmp.getPredicate(),
                                                       num(0), num(1)));
            })
            .Case([&](arith::SelectOp) {
              return num(0).isZero() ? get(op.getOperand(2))
                                     : get(op.getOperand(1));
            })
            .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                  arith::MinNumFOp>(
                [&](auto) { return choose(&op, flt(0), flt(1)); })
            .Case([&](arith::MaxSIOp) {
              return llvm::APIntOps::smax(num(0), num(1));
            })
            .Case([&](arith::MinSIOp) {
              return llvm::APIntOps::smin(num(0), num(1));
            })
            .Case([&](arith::MaxUIOp) {
              return llvm::APIntOps::umax(num(0), num(1));
            })
            .Case([&](arith::MinUIOp) {
              return llvm::APIntOps::umin(num(0), num(1));
            })
            .Case([&](arith::AndIOp) { return num(0) & num(1); })
            .Case([&](arith::OrIOp) { return num(0) | num(1); })
            .Case([&](arith::XOrIOp) { return num(0) ^ num(1); })
            .Case([&](arith::ConstantOp constant) {
              return cast<IntegerAttr>(constant.getValue()).getValue();
            });
    values.insert({op.getResult(0), result});
  }
  return llvm::map_to_vector<2>(body.getTerminator()->getOperands(),
                                [&](Value value) { return get(value); });
}

bool same(const Scalar &a, const Scalar &b) {
  if (auto *x = std::get_if<APInt>(&a))
    return *x == std::get<APInt>(b);
  const APFloat &x = std::get<APFloat>(a), &y = std::get<APFloat>(b);
  return (x.isNaN() && y.isNaN()) || x.compare(y) == APFloat::cmpEqual;
}

bool same(const State &a, const State &b) {
  return llvm::all_of(llvm::zip(a, b), [](auto pair) {
    return same(std::get<0>(pair), std::get<1>(pair));
  });
}

Scalar toScalar(TypedAttr attr) {
  if (auto flt = dyn_cast<FloatAttr>(attr))
    return flt.getValue();
  return cast<IntegerAttr>(attr).getValue();
}

unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Values of every order: the extremes, equal and different numbers, both
/// zeros, NaN.
SmallVector<Scalar> specialValues(Type type) {
  SmallVector<Scalar> values;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &sem = floatType.getFloatSemantics();
    for (double x : {-2.0, -1.0, -0.0, 0.0, 1.0, 2.0})
      values.push_back(cast<FloatAttr>(FloatAttr::get(type, x)).getValue());
    for (bool least : {false, true})
      values.push_back(toScalar(getExtremeAttr(type, least)));
    values.push_back(APFloat::getNaN(sem));
    return values;
  }
  unsigned width = widthOf(type);
  for (int64_t x : {-2, -1, 0, 1, 2})
    values.push_back(
        APInt(width, x, /*isSigned=*/true, /*implicitTrunc=*/true));
  for (bool isSigned : {false, true})
    for (bool least : {false, true})
      values.push_back(toScalar(getExtremeAttr(type, least, isSigned)));
  return values;
}

/// The states from which the fold goes on and the values it may meet there.
class Explorer {
public:
  Explorer(Block &body, ArrayRef<TypedAttr> init, bool indexIncreases)
      : body(body), init(init), indexIncreases(indexIncreases) {}

  /// Whether `other` makes the same of every state that can be reached.
  bool agrees(Block &other);

private:
  static constexpr int64_t numSteps = 4;
  SmallVector<State> initialStates();
  /// The same where the first point has the index `start`.
  bool agreesFrom(Block &other, int64_t start);

  Block &body;
  ArrayRef<TypedAttr> init;
  bool indexIncreases;
};

SmallVector<State> Explorer::initialStates() {
  SmallVector<State> states{State()};
  for (auto [i, attr] : llvm::enumerate(init)) {
    Type type = body.getArgument(i).getType();
    SmallVector<Scalar> choices =
        attr ? SmallVector<Scalar>{toScalar(attr)} : specialValues(type);
    SmallVector<State> longer;
    for (State &state : states)
      for (Scalar &choice : choices) {
        longer.push_back(state);
        longer.back().push_back(choice);
      }
    states = std::move(longer);
  }
  return states;
}

bool Explorer::agrees(Block &other) {
  // A first index that equals an initial one of 0, and one above.
  return agreesFrom(other, 0) && (!indexIncreases || agreesFrom(other, 1));
}

bool Explorer::agreesFrom(Block &other, int64_t start) {
  bool withIndex = init.size() == 2;
  Type type = body.getArgument(0).getType();
  Type indexType = withIndex ? body.getArgument(1).getType() : Type();
  SmallVector<State> states = initialStates();
  for (int64_t step = 0; step < numSteps; ++step) {
    SmallVector<State> next;
    SmallVector<Scalar> indices;
    if (withIndex && indexIncreases)
      indices.push_back(APInt(widthOf(indexType), start + step));
    else if (withIndex)
      indices = specialValues(indexType);
    for (const State &state : states)
      for (const Scalar &value : specialValues(type)) {
        SmallVector<State> points{{value}};
        if (withIndex) {
          points.clear();
          for (Scalar &index : indices)
            points.push_back({value, index});
        }
        for (const State &point : points) {
          State arguments = state;
          llvm::append_range(arguments, point);
          State mine = run(body, arguments);
          if (!same(mine, run(other, arguments)))
            return false;
          if (llvm::none_of(next, [&](State &s) { return same(s, mine); }))
            next.push_back(mine);
        }
      }
    states = std::move(next);
  }
  return true;
}

} // namespace

MonoidAttr mlir::tang::detail::proveChoosingMonoid(Block &body,
                                                   ArrayRef<TypedAttr> init,
                                                   bool indexIncreases) {
  size_t n = init.size();
  if (n < 1 || n > 2 || body.getNumArguments() != 2 * n)
    return {};
  Type type = body.getArgument(0).getType();
  if (n == 2 && (!body.getArgument(1).getType().isIntOrIndex() ||
                 widthOf(body.getArgument(1).getType()) < 8))
    return {};
  for (Operation &op : body.without_terminator())
    if (!isOrderOnly(&op))
      return {};
  for (Value result : body.getTerminator()->getOperands())
    if (isa<IntegerType>(result.getType()) &&
        result.getDefiningOp<arith::ConstantOp>())
      return {};

  using K = MonoidKind;
  SmallVector<MonoidKind> kinds;
  if (n == 2)
    kinds = {K::ArgMax, K::ArgMin, K::ArgMaxNum, K::ArgMinNum};
  else if (isa<FloatType>(type))
    kinds = {K::Maximum, K::Minimum, K::MaxNum, K::MinNum};
  else
    kinds = {K::MaxS, K::MinS, K::MaxU, K::MinU};
  if (n == 2 && !isa<FloatType>(type))
    kinds.resize(2);

  Explorer explorer(body, init, indexIncreases);
  for (MonoidKind kind : kinds) {
    auto attr = MonoidAttr::get(body.getParentOp()->getContext(), kind);
    FailureOr<Monoid> monoid = Monoid::get(attr, body.getParentOp());
    if (failed(monoid))
      continue;
    // The built-in combination in a block of its own.
    Region region;
    Block *block = new Block();
    region.push_back(block);
    for (BlockArgument arg : body.getArguments())
      block->addArgument(arg.getType(), arg.getLoc());
    OpBuilder builder(attr.getContext());
    builder.setInsertionPointToEnd(block);
    Location loc = body.getParentOp()->getLoc();
    SmallVector<Value> args(block->getArguments());
    SmallVector<Value> combined =
        monoid->combine(builder, loc, ArrayRef(args).take_front(n),
                        ArrayRef(args).drop_front(n));
    builder.create<YieldOp>(loc, combined);
    if (explorer.agrees(*block))
      return attr;
  }
  return {};
}
