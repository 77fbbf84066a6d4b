//===- HostProgram.cpp - Reading and checking host programs --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <limits>
#include <map>

namespace tang_rt {

namespace {
/// Loops and branches within each other; far above what anybody writes.
constexpr int kMaxNesting = 200;

class BodyParser {
public:
  BodyParser(const Program &program, const ProgramNames &names,
             const HostFunction &function)
      : program(program), names(names), function(function) {}

  Block parseBlock(const JsonNode &node, int depth) {
    if (depth > kMaxNesting)
      node.fail("is nested too deeply");
    Block block;
    std::vector<JsonNode> nodes = node.elements();
    block.reserve(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      block.push_back(parseInstruction(nodes[i], depth));
      bool isReturn = block.back().op == Op::Return;
      if (isReturn && (depth > 0 || i + 1 != nodes.size()))
        nodes[i].fail("returns before the end of the function");
    }
    if (depth == 0 && (block.empty() || block.back().op != Op::Return))
      node.fail("must end with a return");
    return block;
  }

private:
  uint32_t slot(const JsonNode &node) {
    return parseSlot(node, function.numSlots);
  }
  Slots slots(const JsonNode &node) {
    Slots list;
    for (const JsonNode &element : node.elements())
      list.push_back(slot(element));
    return list;
  }
  Operand operand(const JsonNode &node) {
    Operand result;
    const json &value = node.get();
    if (value.is_string()) {
      std::string text = value.get<std::string>();
      constexpr double inf = std::numeric_limits<double>::infinity();
      result.isReal = true;
      if (text == "inf")
        result.real = inf;
      else if (text == "-inf")
        result.real = -inf;
      else if (text == "-0") // As a number, JSON readers take it for 0.
        result.real = -0.0;
      else if (text == "nan")
        result.real = std::numeric_limits<double>::quiet_NaN();
      else {
        result.isReal = false;
        result.isSlot = true;
        result.slot = slot(node);
      }
      return result;
    }
    if (value.is_number_float()) {
      result.isReal = true;
      result.real = value.get<double>();
      return result;
    }
    if (!value.is_number())
      node.fail("must be a slot or a number");
    result.integer = node.integer();
    result.real = double(result.integer);
    return result;
  }
  Operands operands(const JsonNode &node) {
    Operands list;
    for (const JsonNode &element : node.elements())
      list.push_back(operand(element));
    return list;
  }
  DType type(const JsonNode &node) {
    DType result;
    if (!parseDType(node.string(), result))
      node.fail("is not an element type: '" + node.string() + "'");
    return result;
  }
  size_t name(const JsonNode &node,
              const std::vector<std::pair<std::string, size_t>> &known,
              const char *what) {
    std::string text = node.string();
    if (const size_t *number = ProgramNames::find(known, text))
      return *number;
    node.fail("names no " + std::string(what) + ": '" + text + "'");
  }

  // The fields of an instruction, by name.
  uint32_t slotOf(const JsonNode &node, const char *member) {
    JsonNode field = node[member];
    return slot(field);
  }
  Operand operandOf(const JsonNode &node, const char *member) {
    JsonNode field = node[member];
    return operand(field);
  }
  DType typeOf(const JsonNode &node, const char *member) {
    JsonNode field = node[member];
    return type(field);
  }
  Slots slotsOf(const JsonNode &node, const char *member) {
    if (!node.has(member))
      return {};
    JsonNode field = node[member];
    return slots(field);
  }
  Operands operandsOf(const JsonNode &node, const char *member) {
    if (!node.has(member))
      return {};
    JsonNode field = node[member];
    return operands(field);
  }
  Block blockOf(const JsonNode &node, const char *member, int depth) {
    if (!node.has(member))
      return {};
    JsonNode field = node[member];
    return parseBlock(field, depth + 1);
  }
  static void sameLength(const JsonNode &node, size_t a, size_t b,
                         const char *what) {
    if (a != b)
      node.fail(std::string("has ") + what + " of different lengths (" +
                std::to_string(a) + " and " + std::to_string(b) + ")");
  }

  Instruction parseInstruction(const JsonNode &node, int depth);
  void parseScalar(const JsonNode &node, const std::string &name,
                   Instruction &in);
  void parseLaunch(const JsonNode &node, Instruction &in);
  void parseFor(const JsonNode &node, Instruction &in, int depth);
  void parseWhile(const JsonNode &node, Instruction &in, int depth);
  void parseIf(const JsonNode &node, Instruction &in, int depth);
  void parseCall(const JsonNode &node, Instruction &in);

  const Program &program;
  const ProgramNames &names;
  const HostFunction &function;
};

void BodyParser::parseScalar(const JsonNode &node, const std::string &name,
                             Instruction &in) {
  in.op = Op::Scalar;
  in.scalar = findScalarOp(name);
  if (!in.scalar)
    node["op"].fail("is not an instruction: '" + name + "'");
  in.dst = slotOf(node, "dst");
  in.operands = operandsOf(node, "args");
  sameLength(node, in.operands.size(), in.scalar->arity(),
             "'args' and the operands of its op");
  JsonNode typeNode = node["type"];
  in.type = type(typeNode);
  bool anyType = in.scalar->kind == ScalarOp::Select ||
                 in.scalar->kind == ScalarOp::Bitcast;
  if (!anyType && isFloat(in.type) != in.scalar->takesReal())
    typeNode.fail(in.scalar->takesReal() ? "must be a float type"
                                         : "must be an integer type");
  if (in.scalar->isCast()) {
    JsonNode to = node["to"];
    in.to = type(to);
    if (in.scalar->kind == ScalarOp::Bitcast
            ? dtypeBits(in.to) != dtypeBits(in.type)
            : isFloat(in.to) != in.scalar->resultIsReal())
      to.fail("is not a type that this op gives");
  }
  if (in.scalar->kind == ScalarOp::CmpI || in.scalar->kind == ScalarOp::CmpF) {
    JsonNode predicate = node["predicate"];
    in.predicate = parsePredicate(in.scalar->kind, predicate.string());
    if (in.predicate < 0)
      predicate.fail("is not a predicate of " + name);
  }
}

void BodyParser::parseLaunch(const JsonNode &node, Instruction &in) {
  JsonNode kernelNode = node["kernel"];
  in.target = name(kernelNode, names.kernels, "kernel");
  in.operand = operandOf(node, "grid");
  in.carry = slotsOf(node, "buffers");
  in.operands = operandsOf(node, "scalars");
  const KernelInfo &kernel = program.kernels[in.target];
  sameLength(node, in.carry.size(), kernel.buffers.size(),
             "'buffers' and the kernel's buffers");
  sameLength(node, in.operands.size(), kernel.scalars.size(),
             "'scalars' and the kernel's scalars");
}

void BodyParser::parseFor(const JsonNode &node, Instruction &in, int depth) {
  in.dst = slotOf(node, "iv");
  in.operands = {operandOf(node, "lower"), operandOf(node, "upper"),
                 operandOf(node, "step")};
  in.type = DType::Index;
  if (node.has("type")) {
    JsonNode typeNode = node["type"];
    in.type = type(typeNode);
    if (isFloat(in.type))
      typeNode.fail("must be an integer type");
  }
  if (node.has("unsigned"))
    in.isUnsigned = node["unsigned"].boolean();
  in.carry = slotsOf(node, "carry");
  in.init = operandsOf(node, "init");
  in.body = blockOf(node, "body", depth);
  in.yield = operandsOf(node, "yield");
  in.results = slotsOf(node, "results");
  sameLength(node, in.init.size(), in.carry.size(), "'init' and 'carry'");
  sameLength(node, in.yield.size(), in.carry.size(), "'yield' and 'carry'");
  sameLength(node, in.results.size(), in.carry.size(), "'results' and 'carry'");
}

void BodyParser::parseWhile(const JsonNode &node, Instruction &in, int depth) {
  in.carry = slotsOf(node, "carry");
  in.init = operandsOf(node, "init");
  in.body = blockOf(node, "before", depth);
  in.operand = operandOf(node, "cond");
  in.forward = operandsOf(node, "forward");
  in.afterArgs = slotsOf(node, "after_args");
  in.elseBody = blockOf(node, "after", depth);
  in.yield = operandsOf(node, "yield");
  in.results = slotsOf(node, "results");
  sameLength(node, in.init.size(), in.carry.size(), "'init' and 'carry'");
  sameLength(node, in.yield.size(), in.carry.size(), "'yield' and 'carry'");
  sameLength(node, in.forward.size(), in.afterArgs.size(),
             "'forward' and 'after_args'");
  sameLength(node, in.forward.size(), in.results.size(),
             "'forward' and 'results'");
}

void BodyParser::parseIf(const JsonNode &node, Instruction &in, int depth) {
  in.operand = operandOf(node, "cond");
  in.body = blockOf(node, "then", depth);
  in.yield = operandsOf(node, "then_yield");
  in.elseBody = blockOf(node, "else", depth);
  in.forward = operandsOf(node, "else_yield");
  in.results = slotsOf(node, "results");
  sameLength(node, in.yield.size(), in.results.size(),
             "'then_yield' and 'results'");
  sameLength(node, in.forward.size(), in.results.size(),
             "'else_yield' and 'results'");
}

void BodyParser::parseCall(const JsonNode &node, Instruction &in) {
  JsonNode functionNode = node["function"];
  in.target = name(functionNode, names.functions, "function");
  in.operands = operandsOf(node, "args");
  in.results = slotsOf(node, "results");
  const FunctionInfo &callee = program.infos[in.target];
  sameLength(node, in.operands.size(), callee.inputs.size(),
             "'args' and the function's inputs");
  sameLength(node, in.results.size(), callee.outputs.size(),
             "'results' and the function's outputs");
}

Instruction BodyParser::parseInstruction(const JsonNode &node, int depth) {
  static const std::map<std::string, Op> ops = {
      {"const", Op::Const},     {"constant", Op::Constant},
      {"alloc", Op::Alloc},     {"copy", Op::Copy},
      {"reshape", Op::Reshape}, {"dim", Op::Dim},
      {"load", Op::Load},       {"store", Op::Store},
      {"launch", Op::Launch},   {"for", Op::For},
      {"while", Op::While},     {"if", Op::If},
      {"assert", Op::Assert},   {"call", Op::Call},
      {"drop", Op::Drop},       {"return", Op::Return}};
  std::string opName = node["op"].string();
  auto found = ops.find(opName);
  Instruction in;
  in.op = found == ops.end() ? Op::Scalar : found->second;
  if (node.has("loc"))
    in.loc = node["loc"].string();
  switch (in.op) {
  case Op::Scalar:
    parseScalar(node, opName, in);
    break;
  case Op::Const:
    in.dst = slotOf(node, "dst");
    in.type = typeOf(node, "type");
    in.operand = operandOf(node, "value");
    if (in.operand.isSlot)
      node["value"].fail("must be a number");
    if (in.operand.isReal && !isFloat(in.type))
      node["value"].fail("must be an integer");
    break;
  case Op::Constant: {
    in.dst = slotOf(node, "dst");
    JsonNode id = node["id"];
    in.target = name(id, names.constants, "constant");
    break;
  }
  case Op::Alloc:
    in.dst = slotOf(node, "dst");
    in.type = typeOf(node, "dtype");
    in.operands = operandsOf(node, "shape");
    break;
  case Op::Copy:
    in.dst = slotOf(node, "dst");
    in.src = slotOf(node, "src");
    break;
  case Op::Reshape:
    in.dst = slotOf(node, "dst");
    in.src = slotOf(node, "src");
    in.operands = operandsOf(node, "shape");
    break;
  case Op::Dim:
    in.dst = slotOf(node, "dst");
    in.src = slotOf(node, "src");
    in.operand = operandOf(node, "index");
    break;
  case Op::Load:
    in.dst = slotOf(node, "dst");
    in.src = slotOf(node, "src");
    in.operands = operandsOf(node, "indices");
    break;
  case Op::Store:
    in.operand = operandOf(node, "value");
    in.dst = slotOf(node, "dst");
    in.operands = operandsOf(node, "indices");
    break;
  case Op::Launch:
    parseLaunch(node, in);
    break;
  case Op::For:
    parseFor(node, in, depth);
    break;
  case Op::While:
    parseWhile(node, in, depth);
    break;
  case Op::If:
    parseIf(node, in, depth);
    break;
  case Op::Assert:
    in.operand = operandOf(node, "cond");
    in.message = node["message"].string();
    break;
  case Op::Call:
    parseCall(node, in);
    break;
  case Op::Drop:
    in.carry = slotsOf(node, "slots");
    break;
  case Op::Return:
    in.operands = operandsOf(node, "values");
    sameLength(node, in.operands.size(), function.info.outputs.size(),
               "'values' and the function's outputs");
    break;
  }
  return in;
}
} // namespace

void parseBody(const JsonNode &node, const Program &program,
               const ProgramNames &names, HostFunction &function) {
  function.body = BodyParser(program, names, function).parseBlock(node, 0);
}

} // namespace tang_rt
