//===- ProgramMath.cpp - From bodies to programs: math
//---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are the C library's: those on double, or under exact numerics for
// f32 and narrower types those on float, as on the cpu target.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

namespace {
struct MathFunction {
  StringRef name;
  Function1 one = nullptr;
  Function1Single oneSingle = nullptr;
  Function2 two = nullptr;
  Function2Single twoSingle = nullptr;
};

#define UNARY(NAME, FN)                                                        \
  MathFunction {                                                               \
    "math." NAME, [](double x) { return std::FN(x); },                         \
        [](float x) { return std::FN(x); }                                     \
  }
#define BINARY(NAME, FN)                                                       \
  MathFunction {                                                               \
    "math." NAME, nullptr, nullptr,                                            \
        [](double x, double y) { return std::FN(x, y); },                      \
        [](float x, float y) { return std::FN(x, y); }                         \
  }

const MathFunction kFunctions[] = {
    UNARY("acos", acos),
    UNARY("acosh", acosh),
    UNARY("asin", asin),
    UNARY("asinh", asinh),
    UNARY("atan", atan),
    UNARY("atanh", atanh),
    UNARY("cbrt", cbrt),
    UNARY("ceil", ceil),
    UNARY("cos", cos),
    UNARY("cosh", cosh),
    UNARY("erf", erf),
    UNARY("erfc", erfc),
    UNARY("exp", exp),
    UNARY("exp2", exp2),
    UNARY("expm1", expm1),
    UNARY("floor", floor),
    UNARY("log", log),
    UNARY("log10", log10),
    UNARY("log1p", log1p),
    UNARY("log2", log2),
    UNARY("round", round),
    UNARY("sin", sin),
    UNARY("sinh", sinh),
    UNARY("tan", tan),
    UNARY("tanh", tanh),
    UNARY("trunc", trunc),
    UNARY("roundeven", nearbyint),
    BINARY("atan2", atan2),
    BINARY("powf", pow),
};
#undef UNARY
#undef BINARY

const MathFunction *findFunction(StringRef name) {
  for (const MathFunction &function : kFunctions)
    if (function.name == name)
      return &function;
  return nullptr;
}
} // namespace

std::optional<LogicalResult> ProgramBuilder::compileMath(Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()))
    return std::nullopt;
  SmallVector<Reg> x = get(op->getOperands());
  ElemType type =
      *ElemType::get(getElementTypeOrSelf(op->getOperand(0).getType()));
  bool single = exact && type.isFloat && type.format != DType::F64;
  auto set = [&](Reg reg) {
    map(op->getResult(0), reg);
    return success();
  };
  auto call = [&](const MathFunction &function) {
    Instr instr;
    Function target;
    if (function.two) {
      instr.op = single ? Opcode::Call2Single : Opcode::Call2;
      if (single)
        target.twoSingle = function.twoSingle;
      else
        target.two = function.two;
      instr.b = x[1];
    } else {
      instr.op = single ? Opcode::Call1Single : Opcode::Call1;
      if (single)
        target.oneSingle = function.oneSingle;
      else
        target.one = function.one;
    }
    instr.a = x[0];
    instr.aux = program.functions.size();
    program.functions.push_back(target);
    return rounded(type.format, emit(instr));
  };
  auto test = [&](Opcode code) {
    return set(emit(Instr{code, 64, uint8_t(type.format), 0, x[0]}));
  };
  auto integers = [&](Opcode code) {
    return set(emitInt(type.bits, code, x[0], x.size() > 1 ? x[1] : 0));
  };
  if (const MathFunction *function = findFunction(op->getName().getStringRef()))
    return set(call(*function));
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](math::AbsFOp) { return set(emit(Opcode::AbsF, x[0])); })
      .Case([&](math::CopySignOp) {
        return set(emit(Opcode::CopySign, x[0], x[1]));
      })
      .Case([&](math::SqrtOp) {
        return set(rounded(type.format, emit(Opcode::SqrtF, x[0])));
      })
      .Case([&](math::RsqrtOp) {
        // Exactly, narrow types round once, from f32.
        DType format = single ? DType::F32 : type.format;
        Reg root = rounded(format, emit(Opcode::SqrtF, x[0]));
        return set(
            rounded(type.format, emit(Opcode::DivF, constant(real(1)), root)));
      })
      .Case([&](math::FmaOp) {
        Reg value =
            emit(single ? Opcode::FmaSingle : Opcode::Fma, x[0], x[1], x[2]);
        return set(rounded(type.format, value));
      })
      .Case([&](math::ClampFOp) {
        return set(
            emit(Opcode::MinimumF, emit(Opcode::MaximumF, x[0], x[1]), x[2]));
      })
      .Case([&](math::SincosOp) {
        map(op->getResult(0), call(*::findFunction("math.sin")));
        map(op->getResult(1), call(*::findFunction("math.cos")));
        return success();
      })
      .Case([&](math::FPowIOp) {
        // f32 holds exponents of up to 16 bits, f64 is used for the others.
        ElemType power =
            *ElemType::get(getElementTypeOrSelf(op->getOperand(1).getType()));
        Opcode code =
            single && power.bits <= 16 ? Opcode::PowISingle : Opcode::PowI;
        return set(rounded(type.format, emit(code, x[0], x[1])));
      })
      .Case([&](math::IsNaNOp) { return test(Opcode::IsNaN); })
      .Case([&](math::IsInfOp) { return test(Opcode::IsInf); })
      .Case([&](math::IsFiniteOp) { return test(Opcode::IsFinite); })
      .Case([&](math::IsNormalOp) { return test(Opcode::IsNormal); })
      .Case([&](math::AbsIOp) { return integers(Opcode::AbsI); })
      .Case([&](math::CtPopOp) { return integers(Opcode::CtPop); })
      .Case([&](math::CountLeadingZerosOp) { return integers(Opcode::CtLz); })
      .Case([&](math::CountTrailingZerosOp) { return integers(Opcode::CtTz); })
      .Case([&](math::IPowIOp) { return integers(Opcode::PowII); })
      .Default([](Operation *other) { return unsupported(other); });
}
