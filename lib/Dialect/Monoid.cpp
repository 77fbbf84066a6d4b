//===- Monoid.cpp - What a fold combines with
//-------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TypedAttr mlir::tang::getExtremeAttr(Type type, bool least, bool isSigned) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &sem = floatType.getFloatSemantics();
    APFloat value = APFloat::semanticsHasInf(sem)
                        ? APFloat::getInf(sem, least)
                        : APFloat::getLargest(sem, least);
    return FloatAttr::get(type, value);
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt value = isSigned ? (least ? APInt::getSignedMinValue(width)
                                  : APInt::getSignedMaxValue(width))
                         : (least ? APInt::getMinValue(width)
                                  : APInt::getMaxValue(width));
  return IntegerAttr::get(type, value);
}

static TypedAttr number(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, value);
  if (type.isInteger(1))
    return IntegerAttr::get(type, value == 0 ? 0 : -1);
  return IntegerAttr::get(type, static_cast<int64_t>(value));
}

//===----------------------------------------------------------------------===//
// Properties of built-in monoids
//===----------------------------------------------------------------------===//

static bool isArg(MonoidKind kind) {
  return kind == MonoidKind::ArgMax || kind == MonoidKind::ArgMin ||
         kind == MonoidKind::ArgMaxNum || kind == MonoidKind::ArgMinNum;
}

FailureOr<Monoid> Monoid::get(Attribute attr, Operation *from) {
  Monoid monoid;
  if (auto builtin = dyn_cast_or_null<MonoidAttr>(attr)) {
    monoid.builtin = builtin;
    return monoid;
  }
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attr);
  if (!symbol)
    return failure();
  monoid.declaration =
      SymbolTable::lookupNearestSymbolFrom<MonoidOp>(from, symbol);
  // Inside of a gpu.module the declarations stand in the module around it.
  for (Operation *scope = from; !monoid.declaration && scope;
       scope = scope->getParentOp())
    if (scope->hasTrait<OpTrait::SymbolTable>())
      monoid.declaration = dyn_cast_or_null<MonoidOp>(
          SymbolTable::lookupSymbolIn(scope, symbol));
  if (!monoid.declaration)
    return failure();
  return monoid;
}

int64_t Monoid::getNumStates() const {
  if (declaration)
    return MonoidOp(declaration).getNumStates();
  switch (builtin.getKind()) {
  case MonoidKind::LogSumExp:
  case MonoidKind::Affine:
    return 2;
  case MonoidKind::Moments:
    return 3;
  case MonoidKind::TopK:
    return 2 * builtin.getK();
  default:
    return isArg(builtin.getKind()) ? 2 : 1;
  }
}

std::string Monoid::getName() const {
  if (declaration)
    return ("@" + MonoidOp(declaration).getSymName()).str();
  return stringifyMonoidKind(builtin.getKind()).str();
}

bool Monoid::isAssociative() const {
  return declaration ? MonoidOp(declaration).getAssociative() : true;
}
bool Monoid::isCommutative() const {
  return declaration ? MonoidOp(declaration).getCommutative()
                     : builtin.getKind() != MonoidKind::Affine;
}
bool Monoid::isIdempotent() const {
  if (declaration)
    return MonoidOp(declaration).getIdempotent();
  switch (builtin.getKind()) {
  case MonoidKind::Add:
  case MonoidKind::Mul:
  case MonoidKind::Xor:
  case MonoidKind::LogSumExp:
  case MonoidKind::Moments:
  case MonoidKind::Affine:
  case MonoidKind::TopK:
    return false;
  default:
    return true;
  }
}
bool Monoid::isReorderExact(TypeRange states) const {
  if (!isAssociative() || !isCommutative() || declaration)
    return false;
  switch (builtin.getKind()) {
  case MonoidKind::Add:
  case MonoidKind::Mul:
    return states.front().isIntOrIndex();
  case MonoidKind::LogSumExp:
  case MonoidKind::Moments:
    return false;
  default:
    return true;
  }
}

LogicalResult
Monoid::verify(TypeRange states, TypeRange values,
               function_ref<InFlightDiagnostic()> emitError) const {
  auto error = [&]() -> InFlightDiagnostic {
    return emitError() << "monoid " << getName() << " ";
  };
  if (declaration) {
    Block *body = MonoidOp(declaration).getBody();
    size_t n = getNumStates();
    if (states.size() != n || values.size() != body->getNumArguments() - n)
      return error() << "has " << n << " state values and combines "
                     << body->getNumArguments() - n << ", got " << states.size()
                     << " and " << values.size();
    for (auto [i, arg] : llvm::enumerate(body->getArguments())) {
      Type got = i < n ? states[i] : values[i - n];
      if (arg.getType() != got)
        return error() << "takes " << arg.getType() << " as argument #" << i
                       << ", got " << got;
    }
    return success();
  }
  if (builtin.getK() < 1)
    return error() << "needs k of at least 1";
  if (static_cast<int64_t>(states.size()) != getNumStates())
    return error() << "has a state of " << getNumStates() << " values, got "
                   << states.size();
  if (states.size() != values.size() || !llvm::equal(states, values))
    return error() << "combines values of its state's types; yielded are "
                   << values << ", results are " << states;
  Type first = states.front();
  switch (builtin.getKind()) {
  case MonoidKind::Maximum:
  case MonoidKind::Minimum:
  case MonoidKind::MaxNum:
  case MonoidKind::MinNum:
  case MonoidKind::LogSumExp:
  case MonoidKind::Moments:
    for (Type type : states)
      if (type != first || !isa<FloatType>(type))
        return error() << "works on floats of one type, got " << states;
    return success();
  case MonoidKind::MaxS:
  case MonoidKind::MinS:
  case MonoidKind::MaxU:
  case MonoidKind::MinU:
  case MonoidKind::And:
  case MonoidKind::Or:
  case MonoidKind::Xor:
    if (!first.isIntOrIndex())
      return error() << "works on integers, got " << first;
    return success();
  case MonoidKind::Affine:
    if (states[0] != states[1])
      return error() << "has two numbers of one type, got " << states;
    return success();
  case MonoidKind::ArgMax:
  case MonoidKind::ArgMin:
  case MonoidKind::ArgMaxNum:
  case MonoidKind::ArgMinNum:
    if (!states[1].isIntOrIndex())
      return error() << "has an integer index second, got " << states[1];
    return success();
  case MonoidKind::TopK: {
    int64_t k = builtin.getK();
    for (int64_t i = 0; i < k; ++i)
      if (states[i] != first || states[k + i] != states[k] ||
          !states[k + i].isIntOrIndex())
        return error() << "has k values of one type, then k integer indices";
    return success();
  }
  default:
    if (!first.isIntOrIndexOrFloat())
      return error() << "works on numbers, got " << first;
    return success();
  }
}

FailureOr<SmallVector<TypedAttr>> Monoid::getIdentity(TypeRange types) const {
  if (declaration) {
    ArrayAttr identity = MonoidOp(declaration).getIdentityAttr();
    if (!identity)
      return failure();
    return llvm::map_to_vector(
        identity, [](Attribute attr) { return cast<TypedAttr>(attr); });
  }
  SmallVector<TypedAttr> result;
  auto index = [&](Type type) { return getExtremeAttr(type, /*least=*/false); };
  switch (builtin.getKind()) {
  case MonoidKind::Add:
    // −0 is the identity of IEEE addition: −0 + −0 = −0, where 0 + −0 = 0.
    result = {number(types[0], isa<FloatType>(types[0]) ? -0.0 : 0)};
    break;
  case MonoidKind::Or:
  case MonoidKind::Xor:
    result = {number(types[0], 0)};
    break;
  case MonoidKind::Mul:
    result = {number(types[0], 1)};
    break;
  case MonoidKind::And:
    result = {IntegerAttr::get(types[0], -1)};
    break;
  case MonoidKind::Maximum:
    result = {getExtremeAttr(types[0], true)};
    break;
  case MonoidKind::Minimum:
    result = {getExtremeAttr(types[0], false)};
    break;
  case MonoidKind::MaxNum:
  case MonoidKind::MinNum: {
    auto type = cast<FloatType>(types[0]);
    result = {FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()))};
    break;
  }
  case MonoidKind::MaxS:
    result = {getExtremeAttr(types[0], true, true)};
    break;
  case MonoidKind::MinS:
    result = {getExtremeAttr(types[0], false, true)};
    break;
  case MonoidKind::MaxU:
    result = {getExtremeAttr(types[0], true, false)};
    break;
  case MonoidKind::MinU:
    result = {getExtremeAttr(types[0], false, false)};
    break;
  case MonoidKind::ArgMax:
  case MonoidKind::ArgMaxNum:
    result = {getExtremeAttr(types[0], true), index(types[1])};
    break;
  case MonoidKind::ArgMin:
  case MonoidKind::ArgMinNum:
    result = {getExtremeAttr(types[0], false), index(types[1])};
    break;
  case MonoidKind::LogSumExp:
    result = {getExtremeAttr(types[0], true), number(types[1], 0)};
    break;
  case MonoidKind::Moments:
    result = {number(types[0], 0), number(types[1], 0), number(types[2], 0)};
    break;
  case MonoidKind::Affine:
    result = {number(types[0], 1), number(types[1], 0)};
    break;
  case MonoidKind::TopK:
    for (int64_t i = 0; i < builtin.getK(); ++i)
      result.push_back(getExtremeAttr(types[0], true));
    for (int64_t i = 0; i < builtin.getK(); ++i)
      result.push_back(index(types[builtin.getK()]));
    break;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Combination
//===----------------------------------------------------------------------===//

namespace {
/// Short names for the operations that combinations are made of.
struct Ops {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, double value) {
    return b.create<arith::ConstantOp>(loc, number(type, value));
  }
  Value add(Value x, Value y) {
    return isa<FloatType>(getElementTypeOrSelf(x.getType()))
               ? b.create<arith::AddFOp>(loc, x, y).getResult()
               : b.create<arith::AddIOp>(loc, x, y).getResult();
  }
  Value mul(Value x, Value y) {
    return isa<FloatType>(getElementTypeOrSelf(x.getType()))
               ? b.create<arith::MulFOp>(loc, x, y).getResult()
               : b.create<arith::MulIOp>(loc, x, y).getResult();
  }
  Value sub(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.create<arith::DivFOp>(loc, x, y); }
  Value exp(Value x) { return b.create<math::ExpOp>(loc, x); }
  Value cmp(arith::CmpFPredicate p, Value x, Value y) {
    return b.create<arith::CmpFOp>(loc, p, x, y);
  }
  Value cmp(arith::CmpIPredicate p, Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, p, x, y);
  }
  Value both(Value x, Value y) { return b.create<arith::AndIOp>(loc, x, y); }
  Value either(Value x, Value y) { return b.create<arith::OrIOp>(loc, x, y); }
  Value pick(Value c, Value x, Value y) {
    return b.create<arith::SelectOp>(loc, c, x, y);
  }

  /// Whether (x, i) goes before (y, j): the better value, then the lower
  /// index. `nanWins`: NaN is better than every number; else worse.
  Value before(Value x, Value i, Value y, Value j, bool greatest,
               bool nanWins) {
    Value better, equal;
    if (isa<FloatType>(x.getType())) {
      better =
          cmp(greatest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
              x, y);
      equal = cmp(arith::CmpFPredicate::OEQ, x, y);
      Value xNan = cmp(arith::CmpFPredicate::UNE, x, x);
      Value yNan = cmp(arith::CmpFPredicate::UNE, y, y);
      Value one = constant(b.getI1Type(), 1);
      Value yIsNumber = b.create<arith::XOrIOp>(loc, yNan, one);
      Value xIsNumber = b.create<arith::XOrIOp>(loc, xNan, one);
      better = either(better,
                      nanWins ? both(xNan, yIsNumber) : both(xIsNumber, yNan));
      equal = either(equal, both(xNan, yNan));
    } else {
      better =
          cmp(greatest ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
              x, y);
      equal = cmp(arith::CmpIPredicate::eq, x, y);
    }
    return either(better, both(equal, cmp(arith::CmpIPredicate::slt, i, j)));
  }

  /// exp(x − m), and 1 where they are equal, infinities included.
  Value weight(Value x, Value m) {
    Value same = cmp(arith::CmpFPredicate::OEQ, x, m);
    return pick(same, constant(x.getType(), 1), exp(sub(x, m)));
  }
};
} // namespace

Value mlir::tang::buildIsBefore(OpBuilder &builder, Location loc, Value x,
                                Value i, Value y, Value j, bool greatest,
                                bool nanWins) {
  return Ops{builder, loc}.before(x, i, y, j, greatest, nanWins);
}

SmallVector<Value> Monoid::combine(OpBuilder &builder, Location loc,
                                   ValueRange s, ValueRange v) const {
  if (declaration) {
    IRMapping mapping;
    Block *body = MonoidOp(declaration).getBody();
    SmallVector<Value> args = llvm::to_vector(s);
    llvm::append_range(args, v);
    mapping.map(body->getArguments(), args);
    for (Operation &op : body->without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(
        body->getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }
  Ops o{builder, loc};
  switch (MonoidKind kind = builtin.getKind()) {
  case MonoidKind::Add:
    return {o.add(s[0], v[0])};
  case MonoidKind::Mul:
    return {o.mul(s[0], v[0])};
  case MonoidKind::Maximum:
    return {builder.create<arith::MaximumFOp>(loc, s[0], v[0])};
  case MonoidKind::Minimum:
    return {builder.create<arith::MinimumFOp>(loc, s[0], v[0])};
  case MonoidKind::MaxNum:
    return {builder.create<arith::MaxNumFOp>(loc, s[0], v[0])};
  case MonoidKind::MinNum:
    return {builder.create<arith::MinNumFOp>(loc, s[0], v[0])};
  case MonoidKind::MaxS:
    return {builder.create<arith::MaxSIOp>(loc, s[0], v[0])};
  case MonoidKind::MinS:
    return {builder.create<arith::MinSIOp>(loc, s[0], v[0])};
  case MonoidKind::MaxU:
    return {builder.create<arith::MaxUIOp>(loc, s[0], v[0])};
  case MonoidKind::MinU:
    return {builder.create<arith::MinUIOp>(loc, s[0], v[0])};
  case MonoidKind::And:
    return {builder.create<arith::AndIOp>(loc, s[0], v[0])};
  case MonoidKind::Or:
    return {builder.create<arith::OrIOp>(loc, s[0], v[0])};
  case MonoidKind::Xor:
    return {builder.create<arith::XOrIOp>(loc, s[0], v[0])};
  case MonoidKind::ArgMax:
  case MonoidKind::ArgMin:
  case MonoidKind::ArgMaxNum:
  case MonoidKind::ArgMinNum: {
    bool greatest = kind == MonoidKind::ArgMax || kind == MonoidKind::ArgMaxNum;
    bool nanWins = kind == MonoidKind::ArgMax || kind == MonoidKind::ArgMin;
    Value take = o.before(v[0], v[1], s[0], s[1], greatest, nanWins);
    return {o.pick(take, v[0], s[0]), o.pick(take, v[1], s[1])};
  }
  case MonoidKind::LogSumExp: {
    Value m = builder.create<arith::MaximumFOp>(loc, s[0], v[0]);
    return {m, o.add(o.mul(s[1], o.weight(s[0], m)),
                     o.mul(v[1], o.weight(v[0], m)))};
  }
  case MonoidKind::Moments: {
    // Chan: δ = μ₂ − μ₁, n = n₁ + n₂, μ = μ₁ + δ·n₂/n, M = M₁ + M₂ +
    // δ²·n₁·n₂/n.
    Value n = o.add(s[0], v[0]);
    Value zero = o.constant(n.getType(), 0);
    Value empty = o.cmp(arith::CmpFPredicate::OEQ, n, zero);
    Value share = o.pick(empty, zero, o.div(v[0], n));
    Value delta = o.sub(v[1], s[1]);
    Value mean = o.add(s[1], o.mul(delta, share));
    Value spread = o.mul(o.mul(o.mul(delta, delta), s[0]), share);
    return {n, mean, o.add(o.add(s[2], v[2]), spread)};
  }
  case MonoidKind::Affine:
    // The state came first, so the new map is applied after it.
    return {o.mul(v[0], s[0]), o.add(o.mul(v[0], s[1]), v[1])};
  case MonoidKind::TopK: {
    // Insert each of v into the sorted list s, dropping the worst.
    int64_t k = builtin.getK();
    SmallVector<Value> best = llvm::to_vector(s);
    for (int64_t j = 0; j < k; ++j) {
      Value x = v[j], i = v[k + j];
      for (int64_t p = 0; p < k; ++p) {
        Value take = o.before(x, i, best[p], best[k + p], true, true);
        Value keptValue = o.pick(take, x, best[p]);
        Value keptIndex = o.pick(take, i, best[k + p]);
        x = o.pick(take, best[p], x);
        i = o.pick(take, best[k + p], i);
        best[p] = keptValue;
        best[k + p] = keptIndex;
      }
    }
    return best;
  }
  }
  llvm_unreachable("unknown monoid");
}

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

MonoidAttr mlir::tang::matchBuiltinMonoid(Block &body) {
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || body.getNumArguments() != 2 ||
      !llvm::hasSingleElement(body.without_terminator()))
    return {};
  Operation *op = &body.front();
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      yield->getOperand(0) != op->getResult(0))
    return {};
  Value a = body.getArgument(0), b = body.getArgument(1);
  bool direct = op->getOperand(0) == a && op->getOperand(1) == b;
  bool swapped = op->getOperand(0) == b && op->getOperand(1) == a;
  if (!direct && !swapped)
    return {};
  std::optional<MonoidKind> kind =
      llvm::TypeSwitch<Operation *, std::optional<MonoidKind>>(op)
          .Case<arith::AddFOp, arith::AddIOp>(
              [](auto) { return MonoidKind::Add; })
          .Case<arith::MulFOp, arith::MulIOp>(
              [](auto) { return MonoidKind::Mul; })
          .Case([](arith::MaximumFOp) { return MonoidKind::Maximum; })
          .Case([](arith::MinimumFOp) { return MonoidKind::Minimum; })
          .Case([](arith::MaxNumFOp) { return MonoidKind::MaxNum; })
          .Case([](arith::MinNumFOp) { return MonoidKind::MinNum; })
          .Case([](arith::MaxSIOp) { return MonoidKind::MaxS; })
          .Case([](arith::MinSIOp) { return MonoidKind::MinS; })
          .Case([](arith::MaxUIOp) { return MonoidKind::MaxU; })
          .Case([](arith::MinUIOp) { return MonoidKind::MinU; })
          .Case([](arith::AndIOp) { return MonoidKind::And; })
          .Case([](arith::OrIOp) { return MonoidKind::Or; })
          .Case([](arith::XOrIOp) { return MonoidKind::Xor; })
          .Default([](auto) { return std::nullopt; });
  if (!kind)
    return {};
  return MonoidAttr::get(body.getParentOp()->getContext(), *kind);
}
