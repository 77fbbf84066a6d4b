//===- Program.cpp - Running compiled bodies
//-------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::tang::reference;

Frame::Frame(const Program &program)
    : program(program), cells(size_t(program.numRegs) * program.lanes) {
  streams.resize(program.streams.size());
  for (auto [reg, value] : program.constants)
    broadcast(reg, value);
}

/// Reads one element into a lane of `dst`. Outside of the tensor the result is
/// zero if `total`, else a failure.
bool Frame::readElement(const Access &access, Reg dst, int lane, bool total) {
  Cell *to = reg(dst) + lane;
  *to = integer(0); // Also 0.0.
  if (access.condition && !reg(*access.condition)[lane].i)
    return true;
  const TensorRef &tensor = tensors[access.tensor];
  int64_t offset = 0;
  for (auto [index, size] : llvm::zip(access.indices, tensor.shape)) {
    int64_t position = reg(index)[lane].i;
    if (uint64_t(position) >= uint64_t(size))
      return total;
    offset = offset * size + position;
  }
  *to = loadCell(tensor.data, tensor.store, offset);
  return true;
}

LogicalResult Frame::reportFailure() {
  const Instr &instr = program.code[failedInstr];
  if (instr.op == Opcode::Assert) {
    auto assertion = cast<cf::AssertOp>(program.checks[instr.aux]);
    return assertion.emitError("assertion failed: ") << assertion.getMsg();
  }
  if (instr.op == Opcode::PositiveStep)
    return program.checks[instr.aux]->emitOpError("step must be positive, got ")
           << reg(instr.a)[failedLane].i;
  const Access &access = program.accesses[instr.aux];
  if (instr.op == Opcode::Dim)
    return access.op->emitOpError("dimension ")
           << reg(instr.a)[failedLane].i << " is out of range for rank "
           << tensors[access.tensor].shape.size();
  auto diagnostic = access.op->emitOpError(access.what) << " is read at [";
  llvm::interleaveComma(access.indices, diagnostic, [&](Reg index) {
    diagnostic << reg(index)[failedLane].i;
  });
  diagnostic << "], outside of its shape [";
  llvm::interleaveComma(tensors[access.tensor].shape, diagnostic);
  return diagnostic << "]";
}

/// Whether the outcome is one of `outcomes`: 1 for equal, 2 for greater, 4 for
/// less, 8 for unordered.
static int64_t compareReals(double a, double b, unsigned outcomes) {
  unsigned outcome =
      (a == b) | (a > b) << 1 | (a < b) << 2 | ((a != a) | (b != b)) << 3;
  return -int64_t((outcome & outcomes) != 0);
}

static uint64_t shiftLeft(int64_t a, uint64_t by, unsigned bits) {
  return by >= bits ? 0 : uint64_t(a) << by;
}
static uint64_t shiftRight(uint64_t a, uint64_t by, unsigned bits) {
  return by >= bits ? 0 : a >> by;
}
static int64_t shiftRightSigned(int64_t a, uint64_t by, unsigned bits) {
  return a >> (by >= bits ? 63 : by);
}

static int64_t mulHigh(int64_t a, int64_t b, unsigned bits, bool isSigned) {
  if (isSigned)
    return wrap(int64_t(__int128(a) * b >> bits), bits);
  unsigned __int128 product = unsignedOf(a, bits);
  return wrap(int64_t(product * unsignedOf(b, bits) >> bits), bits);
}

// Two macros keep one instruction to a line. The operands are x, y and z,
// unsigned ones u and v.
#define LANES for (int l = 0; l < n; ++l)
#define REAL(OP, EXPR)                                                         \
  case Opcode::OP:                                                             \
    LANES {                                                                    \
      [[maybe_unused]] double x = a[l].f, y = b[l].f, z = c[l].f;              \
      d[l].f = EXPR;                                                           \
    }                                                                          \
    break;
#define TEST(OP, EXPR)                                                         \
  case Opcode::OP:                                                             \
    LANES {                                                                    \
      [[maybe_unused]] double x = a[l].f, y = b[l].f;                          \
      d[l].i = EXPR;                                                           \
    }                                                                          \
    break;
#define INT(OP, EXPR)                                                          \
  case Opcode::OP:                                                             \
    LANES {                                                                    \
      [[maybe_unused]] int64_t x = a[l].i, y = b[l].i;                         \
      [[maybe_unused]] uint64_t u = unsignedOf(x, bits),                       \
                                v = unsignedOf(y, bits);                       \
      d[l].i = wrap(int64_t(EXPR), bits);                                      \
    }                                                                          \
    break;
#define COMPARE(PREDICATE, EXPR)                                               \
  case arith::CmpIPredicate::PREDICATE:                                        \
    LANES {                                                                    \
      [[maybe_unused]] int64_t x = a[l].i, y = b[l].i;                         \
      [[maybe_unused]] uint64_t u = unsignedOf(x, bits),                       \
                                v = unsignedOf(y, bits);                       \
      d[l].i = -int64_t(EXPR);                                                 \
    }                                                                          \
    break;
#define LOAD(OP, TYPE, MEMBER, EXPR)                                           \
  case Opcode::OP: {                                                           \
    const Stream &s = streams[i.aux];                                          \
    const TYPE *from = reinterpret_cast<const TYPE *>(s.base) + s.offset;      \
    int64_t step = s.step;                                                     \
    LANES {                                                                    \
      auto x = from[l * step];                                                 \
      d[l].MEMBER = EXPR;                                                      \
    }                                                                          \
    break;                                                                     \
  }

bool Frame::run(int n) {
  const Instr *code = program.code.data();
  const auto end = uint32_t(program.code.size());
  for (uint32_t pc = 0; pc < end; ++pc) {
    const Instr &i = code[pc];
    Cell *d = reg(i.dst);
    const Cell *a = reg(i.a), *b = reg(i.b), *c = reg(i.c);
    const unsigned bits = i.bits, sub = i.sub;
    const auto format = DType(i.sub);
    auto fail = [&](int lane) {
      failedInstr = pc;
      failedLane = lane;
      return false;
    };
    switch (i.op) {
    case Opcode::Move:
      LANES d[l] = a[l];
      break;
      REAL(AddF, x + y)
      REAL(SubF, x - y)
      REAL(MulF, x * y)
      REAL(DivF, x / y)
      REAL(RemF, std::fmod(x, y))
      REAL(MaximumF, maximum(x, y))
      REAL(MinimumF, minimum(x, y))
      REAL(MaxNumF, maxNumber(x, y))
      REAL(MinNumF, minNumber(x, y))
      REAL(CopySign, std::copysign(x, y))
      REAL(NegF, -x)
      REAL(AbsF, std::fabs(x))
      REAL(SqrtF, std::sqrt(x))
      REAL(Fma, std::fma(x, y, z))
      REAL(FmaSingle, std::fma(float(x), float(y), float(z)))
      REAL(Call1, program.functions[i.aux].one(x))
      REAL(Call2, program.functions[i.aux].two(x, y))
      REAL(Call1Single, program.functions[i.aux].oneSingle(float(x)))
      REAL(Call2Single, program.functions[i.aux].twoSingle(float(x), float(y)))
      REAL(PowI, std::pow(x, double(b[l].i)))
      REAL(PowISingle, std::pow(float(x), float(b[l].i)))
      REAL(Round, roundTo(format, x))
      REAL(RoundOperation, roundOperation(format, x))
      TEST(CmpF, compareReals(x, y, sub))
      TEST(IsNaN, -int64_t(x != x))
      TEST(IsInf, -int64_t(std::isinf(x)))
      TEST(IsFinite, -int64_t(std::isfinite(x)))
      TEST(IsNormal,
           -int64_t(std::isfinite(x) && std::fabs(x) >= leastNormal(format)))
      INT(AddI, uint64_t(x) + uint64_t(y))
      INT(SubI, uint64_t(x) - uint64_t(y))
      INT(MulI, uint64_t(x) * uint64_t(y))
      INT(DivSI, divideSigned(x, y))
      INT(DivUI, v ? u / v : 0)
      INT(RemSI, remainderSigned(x, y))
      INT(RemUI, v ? u % v : u)
      INT(FloorDivSI, divideFloor(x, y))
      INT(CeilDivSI, divideCeil(x, y))
      INT(CeilDivUI, v ? u / v + (u % v != 0) : 0)
      INT(And, x & y)
      INT(Or, x | y)
      INT(Xor, x ^ y)
      INT(ShL, shiftLeft(x, v, bits))
      INT(ShRUI, shiftRight(u, v, bits))
      INT(ShRSI, shiftRightSigned(x, v, bits))
      INT(MaxSI, std::max(x, y))
      INT(MinSI, std::min(x, y))
      INT(MaxUI, std::max(u, v))
      INT(MinUI, std::min(u, v))
      INT(PowII, powerInteger(x, y))
      INT(MulHighS, mulHigh(x, y, bits, true))
      INT(MulHighU, mulHigh(x, y, bits, false))
      INT(AbsI, x < 0 ? -uint64_t(x) : uint64_t(x))
      INT(CtPop, std::popcount(u))
      INT(CtLz, std::countl_zero(u) - (64 - int(bits)))
      INT(CtTz, std::min(std::countr_zero(u), int(bits)))
      INT(Wrap, x)
    case Opcode::CmpI:
      switch (arith::CmpIPredicate(sub)) {
        COMPARE(eq, x == y)
        COMPARE(ne, x != y)
        COMPARE(slt, x < y)
        COMPARE(sle, x <= y)
        COMPARE(sgt, x > y)
        COMPARE(sge, x >= y)
        COMPARE(ult, u < v)
        COMPARE(ule, u <= v)
        COMPARE(ugt, u > v)
        COMPARE(uge, u >= v)
      }
      break;
    case Opcode::Select:
      LANES d[l].i = a[l].i ? b[l].i : c[l].i;
      break;
    case Opcode::ZeroExtend:
      LANES d[l].i = int64_t(unsignedOf(a[l].i, bits));
      break;
    case Opcode::FromSigned:
      LANES d[l].f = fromSigned(format, a[l].i);
      break;
    case Opcode::FromUnsigned:
      LANES d[l].f = fromUnsigned(format, unsignedOf(a[l].i, bits));
      break;
      TEST(ToSigned, toSigned(x, bits))
      TEST(ToUnsigned, toUnsigned(x, bits))
      TEST(BitsOf, wrap(int64_t(encode(format, x)), bits))
    case Opcode::FromBits:
      LANES d[l].f = decode(format, unsignedOf(a[l].i, bits));
      break;
      LOAD(LoadF64, double, f, x)
      LOAD(LoadI1, int8_t, i, -int64_t(x != 0))
      LOAD(LoadI8, int8_t, i, x)
      LOAD(LoadI16, int16_t, i, x)
      LOAD(LoadI32, int32_t, i, x)
      LOAD(LoadI64, int64_t, i, x)
    case Opcode::At:
    case Opcode::Element:
      LANES if (!readElement(program.accesses[i.aux], i.dst, l,
                             i.op == Opcode::At)) return fail(l);
      break;
    case Opcode::Dim: {
      const auto &shape = tensors[program.accesses[i.aux].tensor].shape;
      LANES {
        if (uint64_t(a[l].i) >= shape.size())
          return fail(l);
        d[l].i = shape[a[l].i];
      }
      break;
    }
    case Opcode::Monoid: {
      const MonoidCall &call = program.monoids[i.aux];
      SmallVector<Cell, 16> state(call.state.size()), value(call.value.size());
      LANES {
        for (auto [cell, from] : llvm::zip(state, call.state))
          cell = reg(from)[l];
        for (auto [cell, from] : llvm::zip(value, call.value))
          cell = reg(from)[l];
        call.combine(call, state.data(), value.data());
        for (auto [cell, to] : llvm::zip(state, call.result))
          reg(to)[l] = cell;
      }
      break;
    }
    case Opcode::Jump:
      pc = i.aux - 1;
      break;
    case Opcode::JumpIfFalse:
      if (!a[0].i)
        pc = i.aux - 1;
      break;
    case Opcode::Assert:
      LANES if (!a[l].i) return fail(l);
      break;
    case Opcode::PositiveStep:
      LANES if (a[l].i <= 0) return fail(l);
      break;
    }
  }
  return true;
}
