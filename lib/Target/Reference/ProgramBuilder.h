//===- ProgramBuilder.h - From bodies to programs -------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_PROGRAMBUILDER_H
#define TANG_LIB_TARGET_REFERENCE_PROGRAMBUILDER_H

#include "Program.h"
#include "Tang/Dialect/TangDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tang::reference {

/// Compiles operations on scalars into a program. Under `exact` every operation
/// on floats rounds to its declared type. Failures have been reported.
class ProgramBuilder {
public:
  ProgramBuilder(Program &program, bool exact)
      : program(program), exact(exact) {}

  Program &program;
  const bool exact;
  /// Operands may be tensors; then the program is on their elements.
  bool elementwise = false;

  Reg newReg() { return program.numRegs++; }
  Reg constant(Cell value);
  Reg emit(Instr instr);
  Reg emit(Opcode op, Reg a, Reg b = 0, Reg c = 0) {
    return emit(Instr{op, 64, 0, 0, a, b, c, 0});
  }
  /// An operation on integers of `bits` bits.
  Reg emitInt(unsigned bits, Opcode op, Reg a, Reg b = 0) {
    return emit(Instr{op, uint8_t(bits), 0, 0, a, b, 0, 0});
  }
  void move(Reg dst, Reg src) {
    program.code.push_back(Instr{Opcode::Move, 64, 0, dst, src, 0, 0, 0});
  }
  /// Overwrites `dst` by `src`, all at once.
  void assign(ArrayRef<Reg> dst, ArrayRef<Reg> src);
  /// Rounds under exact numerics the result of an operation on floats of
  /// `format`.
  Reg rounded(DType format, Reg value);

  /// The register of the current index along a dimension of the domain.
  Reg index(unsigned dim);
  void map(Value value, Reg reg) { regs[value] = reg; }
  /// The register of a scalar; one from outside becomes an input.
  Reg get(Value value);
  SmallVector<Reg> get(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return get(v); });
  }
  /// The number under which the program knows a tensor from outside.
  uint32_t tensor(Value value);
  /// A load of operand `number` of `ins`, which a stream provides.
  Reg load(uint32_t number, ElemType type);
  /// Indexed access to a tensor; where it is outside, `op` fails unless the
  /// instruction is At.
  Reg access(Opcode instr, Value source, ArrayRef<Reg> indices,
             std::optional<Reg> condition, Operation *op, std::string what);
  /// An affine expression of registers.
  Reg affine(AffineExpr expr, ArrayRef<Reg> dims, ArrayRef<Reg> symbols);

  /// Compiles one operation, or all of a block but the terminator.
  LogicalResult compile(Operation *op);
  LogicalResult compile(Block &block);

private:
  LogicalResult compileArith(Operation *op);
  /// Nothing if `op` is not of the math dialect or unknown.
  std::optional<LogicalResult> compileMath(Operation *op);
  LogicalResult compileBitcast(Operation *op);
  LogicalResult compileIf(Operation *op);
  LogicalResult compileFor(Operation *op);
  LogicalResult compileWhile(Operation *op);
  LogicalResult compileBranch(Region &region, SmallVectorImpl<Reg> &yielded);
  uint32_t addCheck(Operation *op);
  uint32_t here() { return uint32_t(program.code.size()); }

  llvm::DenseMap<Value, Reg> regs;
};

/// The element type of a scalar or a tensor; an error at `op` if there is none.
FailureOr<ElemType> elemType(Operation *op, Type type);

/// The value of a scalar constant's attribute; nothing if not supported.
std::optional<Cell> constantCell(Attribute attr);

/// Reports an operation that the interpreter does not have.
LogicalResult unsupported(Operation *op);

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_PROGRAMBUILDER_H
