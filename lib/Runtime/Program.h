//===- Program.h - A checked program in memory ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_PROGRAM_H
#define TANG_LIB_RUNTIME_PROGRAM_H

#include "Json.h"
#include "ScalarOps.h"
#include "Tang/Runtime/Device.h"
#include "Tang/Runtime/Signature.h"

namespace tang_rt {

/// A slot, or a number in place of one.
struct Operand {
  bool isSlot = false;
  /// A literal that was written as a float (or `"inf"`, ...).
  bool isReal = false;
  uint32_t slot = 0;
  int64_t integer = 0;
  double real = 0;
};

using Slots = std::vector<uint32_t>;
using Operands = std::vector<Operand>;

enum class Op : uint8_t {
  Const,
  Constant,
  Alloc,
  Copy,
  Reshape,
  Dim,
  Load,
  Store,
  Scalar,
  Launch,
  For,
  While,
  If,
  Assert,
  Call,
  Drop,
  Return,
};

struct Instruction;
using Block = std::vector<Instruction>;

/// One instruction of a host program (docs/Bundle.md); which fields count is
/// the op's business. Slots, names and counts were checked by the parser.
struct Instruction {
  Op op = Op::Return;
  /// `dtype`, `type`.
  DType type = DType::Index;
  DType to = DType::Index;
  bool isUnsigned = false;
  const ScalarOp *scalar = nullptr;
  int predicate = 0;
  uint32_t dst = 0;
  uint32_t src = 0;
  /// A constant, kernel or function by its number.
  size_t target = 0;
  /// shape, indices, args, scalars, values, or for's lower, upper, step.
  Operands operands;
  Operands init;
  /// The values that a body or an after block passes on.
  Operands yield;
  /// while's forwarded values, or if's else_yield.
  Operands forward;
  /// value, grid, cond, index.
  Operand operand;
  /// carry, buffers of a launch, slots of a drop.
  Slots carry;
  Slots afterArgs;
  Slots results;
  Block body;
  Block elseBody;
  /// An assert's message.
  std::string message;
  std::string loc;
};

struct HostFunction {
  FunctionInfo info;
  uint32_t numSlots = 0;
  Slots args;
  Block body;
};

struct ConstantInfo {
  DType dtype;
  std::vector<int64_t> shape;
  uint64_t offset;
  uint64_t bytes;
};

/// What a manifest says, checked: every name resolves, every slot exists,
/// every list has the length that its partner has.
struct Program {
  std::string target;
  std::string numerics;
  /// As it was read.
  std::string manifest;
  std::vector<HostFunction> functions;
  std::vector<FunctionInfo> infos;
  std::vector<KernelInfo> kernels;
  std::vector<ConstantInfo> constants;
};

/// Parses and checks a manifest; throws Error.
Program parseManifest(std::string_view text);

/// The target a manifest names, without checking the rest; throws Error.
std::string parseManifestTarget(std::string_view text);

/// Names that bodies refer to, by number.
struct ProgramNames {
  std::vector<std::pair<std::string, size_t>> functions, kernels, constants;
  static const size_t *
  find(const std::vector<std::pair<std::string, size_t>> &names,
       const std::string &name);
};

/// A slot such as "%7" of a function with `numSlots`; throws Error.
uint32_t parseSlot(const JsonNode &node, uint32_t numSlots);

/// Parses the body of `function`, whose head is complete; throws Error.
void parseBody(const JsonNode &node, const Program &program,
               const ProgramNames &names, HostFunction &function);

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_PROGRAM_H
