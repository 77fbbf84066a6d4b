//===- Interpreter.cpp - Running host programs ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "Tang/Runtime/FloatFormats.h"
#include "Tang/Runtime/HostTensor.h"

namespace tang_rt {

namespace {
/// Blocks and calls within each other before the stack could run out.
constexpr int kMaxDepth = 1000;

class Interpreter {
public:
  explicit Interpreter(const Machine &machine) : machine(machine) {}

  std::vector<SlotValue> call(size_t number,
                              const std::vector<SlotValue> &inputs);

private:
  /// The slots of one activation of a function.
  struct Frame {
    const HostFunction &function;
    std::vector<SlotValue> slots;
    std::vector<SlotValue> results;
  };

  void runBlock(Frame &frame, const Block &block);
  void run(Frame &frame, const Instruction &in);
  void runScalar(Frame &frame, const Instruction &in);
  void runAlloc(Frame &frame, const Instruction &in);
  void runCopy(Frame &frame, const Instruction &in);
  void runReshape(Frame &frame, const Instruction &in);
  void runLaunch(Frame &frame, const Instruction &in);
  void runFor(Frame &frame, const Instruction &in);
  void runWhile(Frame &frame, const Instruction &in);

  const SlotValue &filled(Frame &frame, uint32_t slot) {
    const SlotValue &value = frame.slots[slot];
    if (value.kind == SlotValue::Empty)
      throw Error("slot %" + std::to_string(slot) +
                  " is read before it is set");
    return value;
  }
  const DeviceTensor &tensor(Frame &frame, uint32_t slot) {
    const SlotValue &value = filled(frame, slot);
    if (value.kind != SlotValue::Tensor)
      throw Error("slot %" + std::to_string(slot) +
                  " holds a scalar where a tensor is needed");
    return *value.tensor;
  }
  ScalarValue scalar(Frame &frame, const Operand &operand, DType type) {
    bool wantReal = isFloat(type);
    if (!operand.isSlot) {
      if (wantReal)
        return ScalarValue::ofReal(roundToType(type, operand.real));
      if (operand.isReal)
        throw Error("a float where an integer is needed");
      return ScalarValue::ofInteger(wrapInteger(type, operand.integer));
    }
    const SlotValue &value = filled(frame, operand.slot);
    if (value.kind != SlotValue::Scalar)
      throw Error("slot %" + std::to_string(operand.slot) +
                  " holds a tensor where a scalar is needed");
    if (wantReal && value.untyped)
      return ScalarValue::ofReal(
          integerToFloat(type, value.scalar.integer, /*isUnsigned=*/false));
    if (value.scalar.isReal != wantReal)
      throw Error(
          "slot %" + std::to_string(operand.slot) + " holds " +
          (wantReal ? "an integer where a float" : "a float where an integer") +
          " is needed");
    return value.scalar;
  }
  int64_t integer(Frame &frame, const Operand &operand) {
    return scalar(frame, operand, DType::Index).integer;
  }
  /// Any value; literals that were written as floats are floats.
  SlotValue value(Frame &frame, const Operand &operand) {
    if (operand.isSlot)
      return filled(frame, operand.slot);
    SlotValue literal =
        SlotValue::of(operand.isReal ? ScalarValue::ofReal(operand.real)
                                     : ScalarValue::ofInteger(operand.integer));
    literal.untyped = !operand.isReal;
    return literal;
  }
  std::vector<SlotValue> values(Frame &frame, const Operands &operands) {
    std::vector<SlotValue> list;
    list.reserve(operands.size());
    for (const Operand &operand : operands)
      list.push_back(value(frame, operand));
    return list;
  }
  static void assign(Frame &frame, const Slots &slots,
                     std::vector<SlotValue> list) {
    for (size_t i = 0; i < slots.size(); ++i)
      frame.slots[slots[i]] = std::move(list[i]);
  }
  std::vector<int64_t> shape(Frame &frame, const Operands &operands,
                             DType type) {
    std::vector<int64_t> sizes;
    for (const Operand &operand : operands) {
      sizes.push_back(integer(frame, operand));
      if (sizes.back() < 0)
        throw Error(
            "dimension " + std::to_string(sizes.size() - 1) +
            " of a tensor is negative: " + std::to_string(sizes.back()));
    }
    int64_t bytes;
    if (!countBytes(type, sizes, bytes))
      throw Error("the size of " + typeString(type, sizes) +
                  " exceeds 63 bits");
    return sizes;
  }
  uint64_t elementOffset(Frame &frame, const DeviceTensor &tensor,
                         const Operands &indices) {
    if (indices.size() != tensor.shape.size())
      throw Error(std::to_string(indices.size()) + " indices for " +
                  typeString(tensor.dtype, tensor.shape));
    int64_t at = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      int64_t index = integer(frame, indices[i]);
      if (index < 0 || index >= tensor.shape[i])
        throw Error("index " + std::to_string(index) +
                    " is out of range in dimension " + std::to_string(i) +
                    " of " + typeString(tensor.dtype, tensor.shape));
      at = at * tensor.shape[i] + index;
    }
    return uint64_t(at) * dtypeBytes(tensor.dtype);
  }
  static void checkWritable(const DeviceTensor &tensor, const char *how) {
    if (tensor.buffer->readonly)
      throw Error(std::string(how) +
                  " would write an input or a constant, which is read only");
  }

  const Machine &machine;
  uint64_t steps = 0;
  int depth = 0;
};

std::vector<SlotValue> Interpreter::call(size_t number,
                                         const std::vector<SlotValue> &inputs) {
  const HostFunction &function = machine.program.functions[number];
  Frame frame{function, std::vector<SlotValue>(function.numSlots), {}};
  assign(frame, function.args, inputs);
  runBlock(frame, function.body);
  for (size_t i = 0; i < frame.results.size(); ++i) {
    const TensorSpec &spec = function.info.outputs[i];
    SlotValue &result = frame.results[i];
    std::string name =
        "function " + function.info.name + ": result " + std::to_string(i);
    if (spec.scalar != (result.kind == SlotValue::Scalar))
      throw Error(name +
                  (spec.scalar ? " must be a scalar" : " must be a tensor"));
    if (spec.scalar) {
      if (!result.isScalarOf(spec.dtype))
        throw Error(name + " is not of type " + dtypeName(spec.dtype));
      continue;
    }
    if (std::string why =
            checkAgainstSpec(spec, result.tensor->dtype, result.tensor->shape);
        !why.empty())
      throw Error(name + ": " + why);
  }
  return std::move(frame.results);
}

void Interpreter::runBlock(Frame &frame, const Block &block) {
  if (++depth > kMaxDepth)
    throw Error("calls are nested too deeply");
  for (const Instruction &in : block) {
    if (machine.stepLimit && ++steps > machine.stepLimit)
      throw Error("the host program exceeds its limit of " +
                  std::to_string(machine.stepLimit) + " instructions");
    if (in.loc.empty()) {
      run(frame, in);
      continue;
    }
    std::string message;
    try {
      run(frame, in);
      continue;
    } catch (const Error &error) {
      message = error.what();
    }
    // The innermost place is the one to name.
    if (message.find("\n  at ") == message.npos)
      message += "\n  at " + in.loc;
    throw Error(message);
  }
  --depth;
}

void Interpreter::runScalar(Frame &frame, const Instruction &in) {
  const ScalarOp &op = *in.scalar;
  if (op.kind == ScalarOp::Select) {
    bool first = scalar(frame, in.operands[0], DType::I1).integer != 0;
    const Operand &chosen = in.operands[first ? 1 : 2];
    frame.slots[in.dst] = chosen.isSlot
                              ? SlotValue(filled(frame, chosen.slot))
                              : SlotValue::of(scalar(frame, chosen, in.type));
    return;
  }
  ScalarValue args[3];
  for (size_t i = 0; i < in.operands.size(); ++i) {
    bool exponent = op.kind == ScalarOp::RealPower && i == 1;
    args[i] = scalar(frame, in.operands[i], exponent ? DType::I64 : in.type);
  }
  frame.slots[in.dst] =
      SlotValue::of(evaluateScalarOp(op, in.predicate, in.type, in.to, args));
}

void Interpreter::runAlloc(Frame &frame, const Instruction &in) {
  DeviceTensor result;
  result.dtype = in.type;
  result.shape = shape(frame, in.operands, in.type);
  countElements(result.shape, result.elements);
  // What the slot held before may serve again.
  frame.slots[in.dst] = SlotValue();
  result.buffer = machine.heap.alloc(result.bytes());
  frame.slots[in.dst] = SlotValue::of(std::move(result));
}

void Interpreter::runCopy(Frame &frame, const Instruction &in) {
  const DeviceTensor &to = tensor(frame, in.dst), &from = tensor(frame, in.src);
  if (to.elements != from.elements ||
      dtypeBytes(to.dtype) != dtypeBytes(from.dtype))
    throw Error("copy from " + typeString(from.dtype, from.shape) + " to " +
                typeString(to.dtype, to.shape));
  if (to.buffer == from.buffer)
    return;
  checkWritable(to, "copy");
  if (to.elements)
    machine.device.copy(to.buffer->get(), from.buffer->get(), to.bytes());
}

void Interpreter::runReshape(Frame &frame, const Instruction &in) {
  DeviceTensor result = tensor(frame, in.src);
  std::vector<int64_t> sizes = shape(frame, in.operands, result.dtype);
  int64_t count = 0;
  countElements(sizes, count);
  if (count != result.elements)
    throw Error("reshape of " + typeString(result.dtype, result.shape) +
                " to " + typeString(result.dtype, sizes) +
                ": the element counts differ");
  result.shape = std::move(sizes);
  frame.slots[in.dst] = SlotValue::of(std::move(result));
}

void Interpreter::runLaunch(Frame &frame, const Instruction &in) {
  const KernelInfo &kernel = machine.program.kernels[in.target];
  int64_t grid = integer(frame, in.operand);
  std::vector<DeviceMemory> buffers;
  for (size_t i = 0; i < in.carry.size(); ++i) {
    const DeviceTensor &argument = tensor(frame, in.carry[i]);
    const KernelBuffer &declared = kernel.buffers[i];
    auto fail = [&](const std::string &why) {
      throw Error("kernel " + kernel.name + ": buffer " + std::to_string(i) +
                  " (" + declared.name + ") " + why);
    };
    if (dtypeBytes(argument.dtype) != dtypeBytes(declared.dtype))
      fail(std::string("must have elements of ") + dtypeName(declared.dtype) +
           ", got " + dtypeName(argument.dtype));
    if (!declared.readonly && argument.buffer->readonly)
      fail("is written, but is an input or a constant, which is read only");
    for (size_t j = 0; j < i; ++j)
      if (buffers[j] == argument.buffer->get() &&
          !(declared.readonly && kernel.buffers[j].readonly))
        fail("is the same as buffer " + std::to_string(j) +
             ", and one of them is written");
    buffers.push_back(argument.buffer->get());
  }
  std::vector<KernelScalar> scalars;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    ScalarValue value = scalar(frame, in.operands[i], kernel.scalars[i]);
    scalars.push_back({value.integer, value.real});
  }
  if (grid > 0)
    machine.device.launch(*machine.code, in.target, grid, buffers, scalars);
}

void Interpreter::runFor(Frame &frame, const Instruction &in) {
  int64_t bounds[3];
  for (int i = 0; i < 3; ++i)
    bounds[i] = scalar(frame, in.operands[i], in.type).integer;
  auto [lower, upper, step] = bounds;
  if (in.isUnsigned && dtypeBits(in.type) < 64) {
    int64_t mask = (int64_t(1) << dtypeBits(in.type)) - 1;
    lower &= mask, upper &= mask, step &= mask;
  }
  bool none =
      in.isUnsigned ? uint64_t(lower) >= uint64_t(upper) : lower >= upper;
  if (in.isUnsigned ? step == 0 : step < 1)
    throw Error("a loop's step is " + std::to_string(step) +
                ", must be at least 1");
  uint64_t trips =
      none ? 0 : (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(step) + 1;
  assign(frame, in.carry, values(frame, in.init));
  for (uint64_t trip = 0; trip < trips; ++trip) {
    if (machine.stepLimit && ++steps > machine.stepLimit)
      throw Error("the host program exceeds its limit of " +
                  std::to_string(machine.stepLimit) + " instructions");
    frame.slots[in.dst] = SlotValue::of(ScalarValue::ofInteger(wrapInteger(
        in.type, int64_t(uint64_t(lower) + trip * uint64_t(step)))));
    runBlock(frame, in.body);
    assign(frame, in.carry, values(frame, in.yield));
  }
  std::vector<SlotValue> results;
  for (uint32_t slot : in.carry)
    results.push_back(filled(frame, slot));
  // The loop's own slots are dead; do not keep their buffers.
  for (uint32_t slot : in.carry)
    frame.slots[slot] = SlotValue();
  assign(frame, in.results, std::move(results));
}

void Interpreter::runWhile(Frame &frame, const Instruction &in) {
  assign(frame, in.carry, values(frame, in.init));
  while (true) {
    if (machine.stepLimit && ++steps > machine.stepLimit)
      throw Error("the host program exceeds its limit of " +
                  std::to_string(machine.stepLimit) + " instructions");
    runBlock(frame, in.body);
    bool more = scalar(frame, in.operand, DType::I1).integer != 0;
    std::vector<SlotValue> forward = values(frame, in.forward);
    for (uint32_t slot : in.carry)
      frame.slots[slot] = SlotValue();
    if (!more)
      return assign(frame, in.results, std::move(forward));
    assign(frame, in.afterArgs, std::move(forward));
    runBlock(frame, in.elseBody);
    std::vector<SlotValue> carried = values(frame, in.yield);
    for (uint32_t slot : in.afterArgs)
      frame.slots[slot] = SlotValue();
    assign(frame, in.carry, std::move(carried));
  }
}

void Interpreter::run(Frame &frame, const Instruction &in) {
  switch (in.op) {
  case Op::Const:
    frame.slots[in.dst] = SlotValue::of(scalar(frame, in.operand, in.type));
    break;
  case Op::Constant: {
    const ConstantInfo &info = machine.program.constants[in.target];
    DeviceTensor result{machine.constants[in.target], info.dtype, info.shape};
    countElements(result.shape, result.elements);
    frame.slots[in.dst] = SlotValue::of(std::move(result));
    break;
  }
  case Op::Alloc:
    return runAlloc(frame, in);
  case Op::Copy:
    return runCopy(frame, in);
  case Op::Reshape:
    return runReshape(frame, in);
  case Op::Dim: {
    const DeviceTensor &from = tensor(frame, in.src);
    int64_t index = integer(frame, in.operand);
    if (index < 0 || index >= int64_t(from.shape.size()))
      throw Error("dimension " + std::to_string(index) + " of " +
                  typeString(from.dtype, from.shape) + " does not exist");
    frame.slots[in.dst] =
        SlotValue::of(ScalarValue::ofInteger(from.shape[size_t(index)]));
    break;
  }
  case Op::Load: {
    const DeviceTensor &from = tensor(frame, in.src);
    uint64_t offset = elementOffset(frame, from, in.operands), bits = 0;
    machine.device.download(&bits, from.buffer->get(), offset,
                            dtypeBytes(from.dtype));
    frame.slots[in.dst] = SlotValue::of(
        isFloat(from.dtype)
            ? ScalarValue::ofReal(loadFloat(from.dtype, &bits))
            : ScalarValue::ofInteger(loadInteger(from.dtype, &bits)));
    break;
  }
  case Op::Store: {
    const DeviceTensor &to = tensor(frame, in.dst);
    checkWritable(to, "store");
    uint64_t offset = elementOffset(frame, to, in.operands), bits = 0;
    ScalarValue value = scalar(frame, in.operand, to.dtype);
    if (isFloat(to.dtype))
      storeFloat(to.dtype, &bits, value.real);
    else
      storeInteger(to.dtype, &bits, value.integer);
    machine.device.upload(to.buffer->get(), offset, &bits,
                          dtypeBytes(to.dtype));
    break;
  }
  case Op::Scalar:
    return runScalar(frame, in);
  case Op::Launch:
    return runLaunch(frame, in);
  case Op::For:
    return runFor(frame, in);
  case Op::While:
    return runWhile(frame, in);
  case Op::If: {
    bool taken = scalar(frame, in.operand, DType::I1).integer != 0;
    runBlock(frame, taken ? in.body : in.elseBody);
    assign(frame, in.results, values(frame, taken ? in.yield : in.forward));
    break;
  }
  case Op::Assert:
    if (!scalar(frame, in.operand, DType::I1).integer)
      throw Error(in.message);
    break;
  case Op::Call: {
    const FunctionInfo &callee = machine.program.infos[in.target];
    std::vector<SlotValue> args = values(frame, in.operands);
    for (size_t i = 0; i < args.size(); ++i) {
      const TensorSpec &spec = callee.inputs[i];
      std::string why;
      if (spec.scalar != (args[i].kind == SlotValue::Scalar))
        why = spec.scalar ? "must be a scalar" : "must be a tensor";
      else if (spec.scalar && !args[i].isScalarOf(spec.dtype))
        why = std::string("is not of type ") + dtypeName(spec.dtype);
      else if (!spec.scalar)
        why = checkAgainstSpec(spec, args[i].tensor->dtype,
                               args[i].tensor->shape);
      if (!why.empty())
        throw Error("call of " + callee.name + ": " + inputName(callee, i) +
                    ": " + why);
    }
    std::vector<SlotValue> results = call(in.target, args);
    assign(frame, in.results, std::move(results));
    break;
  }
  case Op::Drop:
    for (uint32_t slot : in.carry)
      frame.slots[slot] = SlotValue();
    break;
  case Op::Return:
    frame.results = values(frame, in.operands);
    break;
  }
}
} // namespace

std::vector<SlotValue> runHostProgram(const Machine &machine, size_t function,
                                      const std::vector<SlotValue> &inputs) {
  return Interpreter(machine).call(function, inputs);
}

} // namespace tang_rt
