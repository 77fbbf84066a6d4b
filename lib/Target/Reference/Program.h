//===- Program.h - Compiled bodies ----------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is compiled once into a straight list of instructions on registers. A
// register holds one cell for each of up to `lanes` points, so that dispatch
// is paid once for many points. Branches are both computed and selected from;
// bodies with loops, or with effects under a condition, run one lane with
// jumps.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_PROGRAM_H
#define TANG_LIB_TARGET_REFERENCE_PROGRAM_H

#include "Numerics.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tang::reference {

using Reg = uint32_t;

enum class Opcode : uint8_t {
  Move,
  // Reals.
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  CopySign,
  NegF,
  AbsF,
  SqrtF,
  Fma,
  FmaSingle,
  Call1,
  Call1Single,
  Call2,
  Call2Single,
  PowI,
  PowISingle,
  CmpF,
  IsNaN,
  IsInf,
  IsFinite,
  IsNormal,
  Round,
  RoundOperation,
  // Integers.
  AddI,
  SubI,
  MulI,
  DivSI,
  DivUI,
  RemSI,
  RemUI,
  FloorDivSI,
  CeilDivSI,
  CeilDivUI,
  And,
  Or,
  Xor,
  ShL,
  ShRUI,
  ShRSI,
  MaxSI,
  MinSI,
  MaxUI,
  MinUI,
  PowII,
  MulHighS,
  MulHighU,
  AbsI,
  CtPop,
  CtLz,
  CtTz,
  CmpI,
  // Either.
  Select,
  // Conversions.
  Wrap,
  ZeroExtend,
  FromSigned,
  FromUnsigned,
  ToSigned,
  ToUnsigned,
  BitsOf,
  FromBits,
  // Memory: streams advance by a step a lane, tensors are indexed.
  LoadF64,
  LoadI1,
  LoadI8,
  LoadI16,
  LoadI32,
  LoadI64,
  At,
  Element,
  Dim,
  // Built-in monoids of several values.
  Monoid,
  // Control, one lane only but for Assert.
  Jump,
  JumpIfFalse,
  Assert,
  PositiveStep,
};

/// One instruction: dst = op(a, b, c) on every lane. `bits` is the width of
/// integers, `sub` a float format or a comparison predicate, `aux` an index
/// into a table of the program or a jump's target.
struct Instr {
  Opcode op;
  uint8_t bits = 64;
  uint8_t sub = 0;
  Reg dst = 0, a = 0, b = 0, c = 0;
  uint32_t aux = 0;
};

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);
using Function1Single = float (*)(float);
using Function2Single = float (*)(float, float);
union Function {
  Function1 one;
  Function2 two;
  Function1Single oneSingle;
  Function2Single twoSingle;
};

/// Indexed access to a tensor operand. `op` is where errors go.
struct Access {
  uint32_t tensor = 0;
  llvm::SmallVector<Reg, 4> indices;
  /// Reads only where this is true.
  std::optional<Reg> condition;
  Operation *op = nullptr;
  /// For messages: `'ins' #0`.
  std::string what;
};

/// A combination of a state with a value, both of several numbers.
struct MonoidCall {
  using Fn = void (*)(const MonoidCall &, Cell *state, const Cell *value);
  Fn combine;
  llvm::SmallVector<Reg, 4> state, value, result;
  /// The format of the state's floats, and whether operations round to it.
  bool isFloat = true, exact = false;
  DType format = DType::F64;
  int64_t k = 1;
};

struct Program {
  static constexpr int kLanes = 128;
  int lanes = kLanes;
  uint32_t numRegs = 1;
  std::vector<Instr> code;
  llvm::SmallVector<std::pair<Reg, Cell>> constants;
  /// Values from outside of the body, set once a run.
  llvm::SmallVector<std::pair<Value, Reg>> scalars;
  llvm::SmallVector<Value> tensors;
  /// Registers that hold the current index along each dimension.
  llvm::SmallVector<std::optional<Reg>> indices;
  /// Operands that streams read, by the index of the operand in `ins`.
  llvm::SmallVector<uint32_t> streams;
  llvm::SmallVector<Reg> results;
  /// Registers of states that the program updates in place, and of what is
  /// combined into them.
  llvm::SmallVector<Reg> states, values;
  std::vector<Function> functions;
  std::vector<Access> accesses;
  std::vector<MonoidCall> monoids;
  /// Operations of Assert and PositiveStep.
  std::vector<Operation *> checks;
};

/// A tensor as programs read it.
struct TensorRef {
  const char *data = nullptr;
  Store store = Store::F64;
  llvm::SmallVector<int64_t, 4> shape;
};

struct Stream {
  const char *base = nullptr;
  int64_t offset = 0;
  int64_t step = 0;
};

/// Registers and operands of one thread that runs a program.
class Frame {
public:
  explicit Frame(const Program &program);

  const Program &program;
  llvm::SmallVector<Stream> streams;
  llvm::ArrayRef<TensorRef> tensors;

  Cell *reg(Reg index) { return cells.data() + size_t(index) * program.lanes; }
  void broadcast(Reg index, Cell value) {
    std::fill_n(reg(index), program.lanes, value);
  }

  /// Runs all instructions on lanes [0, n). False if one of them failed; then
  /// `reportFailure` says which.
  bool run(int n);
  LogicalResult reportFailure();

private:
  bool readElement(const Access &access, Reg dst, int lane, bool total);

  std::vector<Cell> cells;
  uint32_t failedInstr = 0;
  int failedLane = 0;
};

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_PROGRAM_H
