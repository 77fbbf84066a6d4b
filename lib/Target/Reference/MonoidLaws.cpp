//===- MonoidLaws.cpp - Tests of declared laws on random data
//--------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not every number of a state's type is a state: the sums of squares of
// `moments` are not negative, the lists of `topk` are sorted. So the laws are
// tested on states that folds from the identity reach, and that a fold may
// start from any state s is tested as s ∨ x = s ∨ (e ∨ x). This also finds a
// wrong identity that absorbs everything, such as 0 for a product.
//
//===----------------------------------------------------------------------===//

#include "Monoids.h"

#include "Tang/Dialect/Monoid.h"
#include "Tang/Target/Reference.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

namespace {
using State = SmallVector<Cell, 4>;

/// What is promised about a combination.
struct Promise {
  Operation *from;
  std::string name;
  Attribute monoid;
  SmallVector<Type> types;
  size_t numValues;
  std::optional<State> identity;
  bool associative, commutative, idempotent;
};

class LawCheck {
public:
  LawCheck(const Promise &promise, uint64_t seed)
      : promise(promise), random(seed) {}

  LogicalResult run();

private:
  FailureOr<State> combine(const State &x, const State &y);
  uint64_t next();
  Cell sample(ElemType type);
  State sample();
  bool agree(const State &x, const State &y) const;
  std::string text(const State &state) const;
  /// Both sides of a law agree for these values.
  LogicalResult expect(StringRef law, StringRef equation, FailureOr<State> left,
                       FailureOr<State> right,
                       ArrayRef<std::pair<const char *, const State *>> values);
  LogicalResult checkOnce();
  void inspectBody();

  const Promise &promise;
  uint64_t random;
  Program program;
  std::optional<Frame> frame;
  SmallVector<ElemType> types;
  double tolerance = 1e-9;
  /// Loops may run as often as a number says.
  bool hasLoops = false;
  /// The greatest magnitude that takes part in the law being tested.
  double scale = 0;
};
} // namespace

/// Splitmix64.
uint64_t LawCheck::next() {
  uint64_t z = random += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Cell LawCheck::sample(ElemType type) {
  uint64_t kind = next() % 4, bits = next();
  double unit = double(bits >> 11) * 0x1p-53;
  if (!type.isFloat)
    return integer(kind < 2 || hasLoops ? wrap(int64_t(bits % 9) - 4, type.bits)
                                        : wrap(int64_t(bits), type.bits));
  // Whole numbers only alone: in a pair they may cancel to a count of 0 that
  // no data have.
  if (kind == 0 && types.size() == 1)
    return real(double(bits % 7) - 3);
  if (kind == 1)
    return real(std::ldexp(unit - 0.5, int(next() % 10) - 4));
  return real(8 * unit - 4);
}

State LawCheck::sample() {
  State state;
  for (ElemType type : types)
    state.push_back(sample(type));
  return state;
}

FailureOr<State> LawCheck::combine(const State &x, const State &y) {
  for (auto [reg, cell] : llvm::zip(program.states, x))
    *frame->reg(reg) = cell;
  for (auto [reg, cell] : llvm::zip(program.values, y))
    *frame->reg(reg) = cell;
  if (!frame->run(1))
    return LogicalResult(frame->reportFailure());
  State result;
  for (Reg reg : program.states)
    result.push_back(*frame->reg(reg));
  return result;
}

bool LawCheck::agree(const State &x, const State &y) const {
  for (auto [type, a, b] : llvm::zip(types, x, y)) {
    if (!type.isFloat) {
      if (a.i != b.i)
        return false;
      continue;
    }
    bool same = a.f == b.f || (a.f != a.f && b.f != b.f);
    double bound =
        tolerance * std::max({std::fabs(a.f), std::fabs(b.f), scale});
    if (!same && !(std::fabs(a.f - b.f) <= bound && std::isfinite(bound)))
      return false;
  }
  return true;
}

std::string LawCheck::text(const State &state) const {
  std::string result;
  llvm::raw_string_ostream os(result);
  auto print = [&](auto pair) {
    auto [type, cell] = pair;
    if (type.isFloat)
      os << llvm::format("%.10g", cell.f);
    else
      os << cell.i;
  };
  if (state.size() > 1)
    os << "(";
  llvm::interleaveComma(llvm::zip(types, state), os, print);
  if (state.size() > 1)
    os << ")";
  return result;
}

LogicalResult
LawCheck::expect(StringRef law, StringRef equation, FailureOr<State> left,
                 FailureOr<State> right,
                 ArrayRef<std::pair<const char *, const State *>> values) {
  if (failed(left) || failed(right))
    return failure();
  scale = 0;
  for (auto [name, state] : values)
    for (auto [type, cell] : llvm::zip(types, *state))
      if (type.isFloat && std::isfinite(cell.f))
        scale = std::max(scale, std::fabs(cell.f));
  if (agree(*left, *right))
    return success();
  auto diagnostic = promise.from->emitOpError(promise.name)
                    << " breaks its law '" << law << "', " << equation
                    << ", for ";
  llvm::interleaveComma(values, diagnostic, [&](auto value) {
    diagnostic << value.first << " = " << text(*value.second);
  });
  return diagnostic << ": " << text(*left) << " against " << text(*right);
}

LogicalResult LawCheck::checkOnce() {
  State s = sample(), x = sample(), y = sample();
  // Ties show whether equal values are told apart.
  for (size_t i = 0; i < types.size(); ++i)
    if (next() % 4 == 0)
      y[i] = x[i];
  State t = x, u = y;
  if (promise.identity && promise.associative) {
    const State &e = *promise.identity;
    FailureOr<State> fromX = combine(e, x), fromY = combine(e, y);
    if (failed(fromX) || failed(fromY))
      return failure();
    t = *fromX;
    u = *fromY;
    if (failed(expect("identity", "e ∨ a = a", combine(e, t), t,
                      {{"e", &e}, {"a", &t}})) ||
        failed(expect("identity", "a ∨ e = a", combine(t, e), t,
                      {{"e", &e}, {"a", &t}})) ||
        failed(expect("identity", "s ∨ (e ∨ x) = s ∨ x", combine(s, t),
                      combine(s, x), {{"e", &e}, {"s", &s}, {"x", &x}})))
      return failure();
  }
  if (promise.associative) {
    FailureOr<State> first = combine(s, t), second = combine(t, u);
    if (failed(first) || failed(second))
      return failure();
    if (failed(expect("associative", "(a ∨ b) ∨ c = a ∨ (b ∨ c)",
                      combine(*first, u), combine(s, *second),
                      {{"a", &s}, {"b", &t}, {"c", &u}})))
      return failure();
  }
  if (promise.commutative &&
      failed(expect("commutative", "a ∨ b = b ∨ a", combine(t, u),
                    combine(u, t), {{"a", &t}, {"b", &u}})))
    return failure();
  if (promise.idempotent &&
      failed(expect("idempotent", "a ∨ a = a", combine(t, t), t, {{"a", &t}})))
    return failure();
  return success();
}

/// Finds what the body rounds to, and whether it has loops.
void LawCheck::inspectBody() {
  if (promise.monoid)
    return; // Built in.
  promise.from->walk([&](Operation *op) {
    hasLoops |= isa<LoopLikeOpInterface>(op);
    if (!isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op))
      return;
    if (auto type = ElemType::get(op->getResult(0).getType()))
      tolerance = std::max(tolerance, 8 * precisionOf(type->format));
  });
}

LogicalResult LawCheck::run() {
  if (!promise.associative && !promise.commutative && !promise.idempotent)
    return success();
  for (Type type : promise.types) {
    FailureOr<ElemType> elem = elemType(promise.from, type);
    if (failed(elem))
      return failure();
    types.push_back(*elem);
  }
  if (promise.numValues != types.size())
    return success(); // A left fold of other values.
  if (failed(compileCombine(program, /*exact=*/false, promise.monoid,
                            promise.from, promise.types, promise.numValues)))
    return failure();
  inspectBody();
  if (!program.tensors.empty())
    return success(); // Tables are constants of the interpreter's run.
  frame.emplace(program);
  constexpr int kSamples = 200;
  for (int i = 0; i < kSamples; ++i)
    if (failed(checkOnce()))
      return failure();
  return success();
}

LogicalResult tang::checkMonoidLaws(MonoidOp monoid, uint64_t seed) {
  Block *body = monoid.getBody();
  size_t n = monoid.getNumStates();
  Promise promise;
  promise.from = monoid;
  promise.name = ("monoid @" + monoid.getSymName()).str();
  promise.types.assign(body->getArgumentTypes().begin(),
                       body->getArgumentTypes().begin() + n);
  promise.numValues = body->getNumArguments() - n;
  if (promise.numValues == n &&
      TypeRange(promise.types) !=
          TypeRange(body->getArgumentTypes()).drop_front(n))
    return success(); // A left fold of other values.
  if (ArrayAttr identity = monoid.getIdentityAttr()) {
    promise.identity.emplace();
    for (Attribute attr : identity) {
      std::optional<Cell> cell = constantCell(attr);
      if (!cell)
        return monoid.emitError("reference interpreter: identity ")
               << attr << " is not supported";
      promise.identity->push_back(*cell);
    }
  }
  promise.associative = monoid.getAssociative();
  promise.commutative = monoid.getCommutative();
  promise.idempotent = monoid.getIdempotent();
  return LawCheck(promise, seed).run();
}

LogicalResult tang::checkMonoidLaws(MonoidAttr attr, TypeRange types,
                                    Operation *from, uint64_t seed) {
  FailureOr<tang::Monoid> monoid = tang::Monoid::get(attr, from);
  if (failed(monoid))
    return failure();
  Promise promise;
  promise.from = from;
  promise.name = "monoid " + monoid->getName();
  promise.monoid = attr;
  promise.types = llvm::to_vector(types);
  promise.numValues = types.size();
  FailureOr<SmallVector<TypedAttr>> identity = monoid->getIdentity(types);
  if (succeeded(identity)) {
    promise.identity.emplace();
    for (TypedAttr value : *identity)
      promise.identity->push_back(constantCell(value).value_or(integer(0)));
  }
  promise.associative = monoid->isAssociative();
  promise.commutative = monoid->isCommutative();
  promise.idempotent = monoid->isIdempotent();
  return LawCheck(promise, seed).run();
}

LogicalResult tang::reference::checkAllMonoidLaws(Operation *root,
                                                  uint64_t seed) {
  LogicalResult result = success();
  root->walk([&](MonoidOp monoid) {
    if (failed(checkMonoidLaws(monoid, seed)))
      result = failure();
  });
  return result;
}

namespace {
struct CheckMonoidsPass
    : PassWrapper<CheckMonoidsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckMonoidsPass)

  StringRef getArgument() const final { return "tang-check-monoids"; }
  StringRef getDescription() const final {
    return "Test the declared laws of every tang.monoid on random data";
  }
  void runOnOperation() final {
    constexpr uint64_t kSeed = 1;
    if (failed(checkAllMonoidLaws(getOperation(), kSeed)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

void tang::registerReferencePasses() { PassRegistration<CheckMonoidsPass>(); }
