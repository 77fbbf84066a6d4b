//===- Monoids.cpp - Combinations as programs
//------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Monoids.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

int Ranking::compare(Cell x, Cell y) const {
  if (!isFloat)
    return x.i == y.i ? 0 : (x.i > y.i) == greatest ? -1 : 1;
  bool xIsNaN = x.f != x.f, yIsNaN = y.f != y.f;
  if (xIsNaN || yIsNaN)
    return xIsNaN == yIsNaN ? 0 : xIsNaN == nanWins ? -1 : 1;
  return x.f == y.f ? 0 : (x.f > y.f) == greatest ? -1 : 1;
}

//===----------------------------------------------------------------------===//
// Combinations of several numbers
//===----------------------------------------------------------------------===//

/// Arithmetic that rounds as the call asks for.
namespace {
struct Arithmetic {
  DType format;

  explicit Arithmetic(const MonoidCall &call)
      : format(call.exact ? call.format : DType::F64) {}
  double round(double x) const { return roundOperation(format, x); }
  double add(double x, double y) const { return round(x + y); }
  double sub(double x, double y) const { return round(x - y); }
  double mul(double x, double y) const { return round(x * y); }
  double div(double x, double y) const { return round(x / y); }
  double exp(double x) const {
    return format == DType::F64 ? std::exp(x)
                                : round(double(std::exp(float(x))));
  }
};

template <bool greatest, bool nanWins>
void combineArg(const MonoidCall &call, Cell *state, const Cell *value) {
  Ranking ranking{call.isFloat, greatest, nanWins};
  if (ranking.before(value[0], value[1], state[0], state[1])) {
    state[0] = value[0];
    state[1] = value[1];
  }
}

/// (m, l) stands for l * exp(m); the sum has the gauge of the greater m.
void combineLogSumExp(const MonoidCall &call, Cell *state, const Cell *value) {
  Arithmetic in(call);
  double m = maximum(state[0].f, value[0].f);
  auto scaled = [&](const Cell *pair) {
    // Equal infinities have the weight 1.
    double weight = pair[0].f == m ? 1 : in.exp(in.sub(pair[0].f, m));
    return in.mul(pair[1].f, weight);
  };
  state[1].f = in.add(scaled(state), scaled(value));
  state[0].f = m;
}

/// Chan's merge of (n, mean, M2).
void combineMoments(const MonoidCall &call, Cell *state, const Cell *value) {
  Arithmetic in(call);
  double n1 = state[0].f, n = in.add(n1, value[0].f);
  double share = n == 0 ? 0 : in.div(value[0].f, n);
  double delta = in.sub(value[1].f, state[1].f);
  double spread = in.mul(in.mul(in.mul(delta, delta), n1), share);
  state[0].f = n;
  state[1].f = in.add(state[1].f, in.mul(delta, share));
  state[2].f = in.add(in.add(state[2].f, value[2].f), spread);
}

/// The best k of both lists. Stable, so that entries of the state stay before
/// equal ones.
void combineTopK(const MonoidCall &call, Cell *state, const Cell *value) {
  Ranking ranking{call.isFloat, /*greatest=*/true, /*nanWins=*/true};
  int64_t k = call.k;
  SmallVector<std::pair<Cell, Cell>> all;
  for (const Cell *list : {const_cast<const Cell *>(state), value})
    for (int64_t i = 0; i < k; ++i)
      all.push_back({list[i], list[k + i]});
  std::stable_sort(all.begin(), all.end(), [&](auto &x, auto &y) {
    return ranking.before(x.first, x.second, y.first, y.second);
  });
  for (int64_t i = 0; i < k; ++i) {
    state[i] = all[i].first;
    state[k + i] = all[i].second;
  }
}

MonoidCall::Fn combinationOf(MonoidKind kind) {
  switch (kind) {
  case MonoidKind::ArgMax:
    return combineArg<true, true>;
  case MonoidKind::ArgMin:
    return combineArg<false, true>;
  case MonoidKind::ArgMaxNum:
    return combineArg<true, false>;
  case MonoidKind::ArgMinNum:
    return combineArg<false, false>;
  case MonoidKind::LogSumExp:
    return combineLogSumExp;
  case MonoidKind::Moments:
    return combineMoments;
  case MonoidKind::TopK:
    return combineTopK;
  default:
    return nullptr;
  }
}

/// Monoids on one number whose combination is one instruction.
std::optional<Opcode> instructionOf(MonoidKind kind, bool isFloat) {
  switch (kind) {
  case MonoidKind::Add:
    return isFloat ? Opcode::AddF : Opcode::AddI;
  case MonoidKind::Mul:
    return isFloat ? Opcode::MulF : Opcode::MulI;
  case MonoidKind::Maximum:
    return Opcode::MaximumF;
  case MonoidKind::Minimum:
    return Opcode::MinimumF;
  case MonoidKind::MaxNum:
    return Opcode::MaxNumF;
  case MonoidKind::MinNum:
    return Opcode::MinNumF;
  case MonoidKind::MaxS:
    return Opcode::MaxSI;
  case MonoidKind::MinS:
    return Opcode::MinSI;
  case MonoidKind::MaxU:
    return Opcode::MaxUI;
  case MonoidKind::MinU:
    return Opcode::MinUI;
  case MonoidKind::And:
    return Opcode::And;
  case MonoidKind::Or:
    return Opcode::Or;
  case MonoidKind::Xor:
    return Opcode::Xor;
  default:
    return std::nullopt;
  }
}
} // namespace

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Reg>>
emitBuiltin(ProgramBuilder &builder, MonoidAttr monoid, Operation *from,
            TypeRange types, ArrayRef<Reg> state, ArrayRef<Reg> value) {
  FailureOr<ElemType> type = elemType(from, types[0]);
  if (failed(type))
    return failure();
  auto arithmetic = [&](Opcode real, Opcode whole, Reg x, Reg y) {
    return type->isFloat
               ? builder.rounded(type->format, builder.emit(real, x, y))
               : builder.emitInt(type->bits, whole, x, y);
  };
  MonoidKind kind = monoid.getKind();
  if (std::optional<Opcode> op = instructionOf(kind, type->isFloat))
    return SmallVector<Reg>{arithmetic(*op, *op, state[0], value[0])};
  if (kind == MonoidKind::Affine) {
    // x -> a₂(a₁x + b₁) + b₂: the state was applied first.
    Reg scale = arithmetic(Opcode::MulF, Opcode::MulI, value[0], state[0]);
    Reg moved = arithmetic(Opcode::MulF, Opcode::MulI, value[0], state[1]);
    return SmallVector<Reg>{
        scale, arithmetic(Opcode::AddF, Opcode::AddI, moved, value[1])};
  }
  MonoidCall call;
  call.combine = combinationOf(kind);
  call.state.append(state.begin(), state.end());
  call.value.append(value.begin(), value.end());
  for (size_t i = 0; i < state.size(); ++i)
    call.result.push_back(builder.newReg());
  call.isFloat = type->isFloat;
  call.exact = builder.exact;
  call.format = type->format;
  call.k = monoid.getK();
  Instr instr{Opcode::Monoid};
  instr.aux = builder.program.monoids.size();
  builder.emit(instr);
  SmallVector<Reg> result(call.result.begin(), call.result.end());
  builder.program.monoids.push_back(std::move(call));
  return result;
}

FailureOr<SmallVector<Reg>>
tang::reference::emitCombine(ProgramBuilder &builder, Attribute monoid,
                             Operation *from, TypeRange types,
                             ArrayRef<Reg> state, ArrayRef<Reg> value) {
  if (auto builtin = dyn_cast_or_null<MonoidAttr>(monoid))
    return emitBuiltin(builder, builtin, from, types, state, value);
  MonoidOp declaration;
  if (!monoid)
    declaration = cast<MonoidOp>(from);
  else
    declaration = SymbolTable::lookupNearestSymbolFrom<MonoidOp>(
        from, cast<FlatSymbolRefAttr>(monoid));
  if (!declaration)
    return from->emitOpError("no tang.monoid is named ") << monoid;
  Block *body = declaration.getBody();
  SmallVector<Reg> arguments(state);
  arguments.append(value.begin(), value.end());
  for (auto [arg, reg] : llvm::zip(body->getArguments(), arguments)) {
    if (failed(elemType(declaration, arg.getType())))
      return failure();
    builder.map(arg, reg);
  }
  if (failed(builder.compile(*body)))
    return failure();
  return builder.get(body->getTerminator()->getOperands());
}

LogicalResult tang::reference::compileCombine(Program &program, bool exact,
                                              Attribute monoid, Operation *from,
                                              TypeRange states,
                                              unsigned numValues) {
  ProgramBuilder builder(program, exact);
  for (size_t i = 0; i < states.size(); ++i)
    program.states.push_back(builder.newReg());
  for (size_t i = 0; i < numValues; ++i)
    program.values.push_back(builder.newReg());
  FailureOr<SmallVector<Reg>> combined = emitCombine(
      builder, monoid, from, states, program.states, program.values);
  if (failed(combined))
    return failure();
  builder.assign(program.states, *combined);
  program.lanes = 1;
  return success();
}
