//===- Control.cpp - Functions, loops and scalars of the host
//--------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

Executor::~Executor() = default;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Cell Executor::scalar(Value value, Environment &env) { return env[value].cell; }

int64_t Executor::index(OpFoldResult size, Environment &env) {
  if (auto attr = dyn_cast<Attribute>(size))
    return cast<IntegerAttr>(attr).getValue().getSExtValue();
  return scalar(cast<Value>(size), env).i;
}

Shape Executor::indices(ArrayRef<OpFoldResult> sizes, Environment &env) {
  Shape result;
  for (OpFoldResult size : sizes)
    result.push_back(index(size, env));
  return result;
}

FailureOr<Tensor> Executor::tensor(Operation *op, Value value,
                                   Environment &env) {
  // Constants inside of isolated bodies are not in the environment.
  auto it = env.find(value);
  if (it == env.end()) {
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    auto elements =
        constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
    if (!elements)
      return op->emitError("reference interpreter: an operand has no value");
    return constantTensor(constant, elements);
  }
  Tensor &tensor = *it->second.tensor;
  if (failed(factory.materialize(op, tensor)))
    return failure();
  return tensor;
}

/// Constants that may be met again are kept.
FailureOr<Tensor> Executor::constantTensor(Operation *op, ElementsAttr attr) {
  if (isa<func::FuncOp>(op->getParentOp()))
    return factory.fromAttribute(op, attr);
  auto known = constants.find(op);
  if (known != constants.end())
    return known->second;
  FailureOr<Tensor> made = factory.fromAttribute(op, attr);
  if (succeeded(made))
    constants[op] = *made;
  return made;
}

const Shape &Executor::shapeOf(Value value, Environment &env) {
  return env[value].tensor->shape;
}

HostValue Executor::take(Operation *op, Value value, Environment &env) {
  auto it = lastUses.find(op);
  if (it != lastUses.end())
    for (LastUse &use : it->second)
      if (use.value == value && use.isOnly)
        return std::move(env[value]);
  return env[value];
}

LogicalResult Executor::set(Value result, HostValue value, Environment &env) {
  if (auto type = dyn_cast<RankedTensorType>(result.getType()))
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isStatic(size) && size != value.tensor->shape[d]) {
        Operation *op = result.getDefiningOp();
        if (!op)
          op = result.getParentBlock()->getParentOp();
        return op->emitOpError("makes a value of type ")
               << type << " whose dimension " << d << " has size "
               << value.tensor->shape[d];
      }
  env[result] = std::move(value);
  return success();
}

Executor::Compiled &Executor::compiledOf(Operation *op) {
  std::unique_ptr<Compiled> &entry = compiled[op];
  if (!entry)
    entry = std::make_unique<Compiled>();
  return *entry;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Once a block: checks its types, and finds for each value that it defines the
/// operation of the block that uses it last. Tensors go when nobody needs them
/// any more, and are updated in place.
LogicalResult Executor::prepare(Block &block) {
  if (!analysed.insert(&block).second)
    return success();
  auto check = [&](Operation *op, TypeRange types) -> LogicalResult {
    for (Type type : types)
      if (!ElemType::get(
              isa<RankedTensorType>(type) ? getElementTypeOrSelf(type) : type))
        return op->emitError("reference interpreter: type ")
               << type << " is not supported";
    return success();
  };
  if (failed(check(block.getParentOp(), block.getArgumentTypes())))
    return failure();
  for (Operation &op : block)
    if (failed(check(&op, op.getResultTypes())))
      return failure();
  auto add = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(inBlock))
        last = inBlock;
    }
    if (!last)
      return;
    auto uses = llvm::count_if(value.getUsers(), [&](Operation *user) {
      return last->isAncestor(user);
    });
    lastUses[last].push_back({value, uses == 1});
  };
  for (Value argument : block.getArguments())
    add(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      add(result);
  return success();
}

LogicalResult Executor::runBlock(Block &block, Environment &env) {
  if (failed(prepare(block)))
    return failure();
  for (Operation &op : block.without_terminator()) {
    if (failed(run(&op, env)))
      return failure();
    auto it = lastUses.find(&op);
    if (it != lastUses.end())
      for (LastUse &use : it->second)
        env.erase(use.value);
    for (Value result : op.getResults())
      if (result.use_empty())
        env.erase(result);
  }
  return success();
}

LogicalResult Executor::run(Operation *op, Environment &env) {
  if (auto result = runStructured(op, env))
    return *result;
  if (auto result = runTensorOp(op, env))
    return *result;
  if (auto result = runSliceOp(op, env))
    return *result;
  if (auto result = runIndirect(op, env))
    return *result;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](func::CallOp callOp) -> LogicalResult {
        auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            op, callOp.getCalleeAttr());
        if (!function)
          return unsupported(op);
        SmallVector<HostValue> arguments;
        for (Value operand : op->getOperands())
          arguments.push_back(take(op, operand, env));
        auto results = call(function, std::move(arguments), op);
        if (failed(results))
          return failure();
        for (auto [value, got] : llvm::zip(op->getResults(), *results))
          if (failed(set(value, std::move(got), env)))
            return failure();
        return success();
      })
      .Case([&](scf::ForOp loop) { return runFor(loop, env); })
      .Case([&](scf::WhileOp loop) { return runWhile(loop, env); })
      .Case([&](scf::IfOp ifOp) {
        bool yes = scalar(ifOp.getCondition(), env).i;
        return runRegion(yes ? ifOp.getThenRegion() : ifOp.getElseRegion(),
                         op->getResults(), env);
      })
      .Case([&](scf::IndexSwitchOp switchOp) {
        int64_t selector = scalar(switchOp.getArg(), env).i;
        for (auto [value, region] :
             llvm::zip(switchOp.getCases(), switchOp.getCaseRegions()))
          if (value == selector)
            return runRegion(region, op->getResults(), env);
        return runRegion(switchOp.getDefaultRegion(), op->getResults(), env);
      })
      .Case([&](KernelOp kernel) -> LogicalResult {
        // It means its graph; how it may be run does not matter here.
        for (auto [argument, in] :
             llvm::zip(kernel.getBody()->getArguments(), kernel.getIns()))
          env[argument] = env[in];
        return runRegion(kernel.getRegion(), op->getResults(), env);
      })
      .Case([&](scf::ExecuteRegionOp execute) {
        return runRegion(execute.getRegion(), op->getResults(), env);
      })
      .Case<arith::ConstantOp>(
          [&](arith::ConstantOp constant) -> LogicalResult {
            auto elements = dyn_cast<ElementsAttr>(constant.getValue());
            if (!elements)
              return runScalar(op, env);
            FailureOr<Tensor> made = constantTensor(op, elements);
            return failed(made) ? failure() : set(op->getResult(0), *made, env);
          })
      .Case<cf::AssertOp, affine::AffineApplyOp, affine::AffineMinOp,
            affine::AffineMaxOp, ub::PoisonOp>(
          [&](auto) { return runScalar(op, env); })
      .Case([&](arith::SelectOp select) -> LogicalResult {
        if (!isa<RankedTensorType>(op->getResult(0).getType()) ||
            isa<RankedTensorType>(select.getCondition().getType()))
          return runElementwise(op, env);
        bool yes = scalar(select.getCondition(), env).i;
        return set(
            op->getResult(0),
            take(op, yes ? select.getTrueValue() : select.getFalseValue(), env),
            env);
      })
      .Default([&](Operation *) {
        if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
          return runElementwise(op, env);
        return unsupported(op);
      });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<HostValue>>
Executor::call(func::FuncOp function, SmallVector<HostValue> arguments,
               Operation *caller) {
  constexpr int kMaxDepth = 200;
  if (function.isExternal())
    return caller->emitOpError("calls '")
           << function.getName() << "', which has no body";
  if (!function.getBody().hasOneBlock())
    return function.emitError("reference interpreter: control flow between "
                              "blocks is not supported");
  if (depth >= kMaxDepth)
    return caller->emitOpError("calls deeper than ") << kMaxDepth << " levels";
  Block &body = function.getBody().front();
  Environment env;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (failed(set(argument, std::move(value), env)))
      return failure();
  arguments.clear();
  ++depth;
  LogicalResult result = runBlock(body, env);
  --depth;
  if (failed(result))
    return failure();
  SmallVector<HostValue> results;
  Operation *terminator = body.getTerminator();
  if (!isa<func::ReturnOp>(terminator))
    return LogicalResult(unsupported(terminator));
  for (Value value : terminator->getOperands())
    results.push_back(take(terminator, value, env));
  return results;
}

LogicalResult Executor::runRegion(Region &region, ValueRange results,
                                  Environment &env) {
  if (region.empty())
    return success();
  if (!region.hasOneBlock())
    return unsupported(region.getParentOp());
  if (failed(runBlock(region.front(), env)))
    return failure();
  Operation *terminator = region.front().getTerminator();
  for (auto [result, value] : llvm::zip(results, terminator->getOperands()))
    if (failed(set(result, take(terminator, value, env), env)))
      return failure();
  return success();
}

LogicalResult Executor::runFor(scf::ForOp op, Environment &env) {
  std::optional<ElemType> type = ElemType::get(op.getInductionVar().getType());
  if (!type)
    return unsupported(op);
  int64_t lower = scalar(op.getLowerBound(), env).i;
  int64_t upper = scalar(op.getUpperBound(), env).i;
  int64_t step = scalar(op.getStep(), env).i;
  if (step <= 0)
    return op.emitOpError("step must be positive, got ") << step;
  bool runs = op.getUnsignedCmp() ? unsignedOf(lower, type->bits) <
                                        unsignedOf(upper, type->bits)
                                  : lower < upper;
  uint64_t span =
      unsignedOf(int64_t(uint64_t(upper) - uint64_t(lower)), type->bits);
  uint64_t trips = runs ? (span - 1) / uint64_t(step) + 1 : 0;
  SmallVector<HostValue> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(take(op, init, env));
  Block &body = *op.getBody();
  for (uint64_t trip = 0; trip < trips; ++trip) {
    env[op.getInductionVar()] = integer(
        wrap(int64_t(uint64_t(lower) + trip * uint64_t(step)), type->bits));
    for (auto [arg, value] : llvm::zip(op.getRegionIterArgs(), carried))
      if (failed(set(arg, std::move(value), env)))
        return failure();
    if (failed(runBlock(body, env)))
      return failure();
    Operation *yield = body.getTerminator();
    for (auto [value, next] : llvm::zip(yield->getOperands(), carried))
      next = take(yield, value, env);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    if (failed(set(result, std::move(value), env)))
      return failure();
  return success();
}

LogicalResult Executor::runWhile(scf::WhileOp op, Environment &env) {
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<HostValue> carried;
  for (Value init : op.getInits())
    carried.push_back(take(op, init, env));
  while (true) {
    for (auto [arg, value] : llvm::zip(before.getArguments(), carried))
      if (failed(set(arg, std::move(value), env)))
        return failure();
    if (failed(runBlock(before, env)))
      return failure();
    bool goesOn = scalar(condition.getCondition(), env).i;
    SmallVector<HostValue> passed;
    for (Value value : condition.getArgs())
      passed.push_back(take(condition, value, env));
    ValueRange targets =
        goesOn ? ValueRange(after.getArguments()) : ValueRange(op.getResults());
    for (auto [target, value] : llvm::zip(targets, passed))
      if (failed(set(target, std::move(value), env)))
        return failure();
    if (!goesOn)
      return success();
    if (failed(runBlock(after, env)))
      return failure();
    Operation *yield = after.getTerminator();
    carried.clear();
    for (Value value : yield->getOperands())
      carried.push_back(take(yield, value, env));
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult Executor::runScalar(Operation *op, Environment &env) {
  Compiled &known = compiledOf(op);
  if (!known.frame) {
    known.scalar.emplace();
    ProgramBuilder builder(*known.scalar, exact);
    if (failed(builder.compile(op)))
      return failure();
    for (Value result : op->getResults())
      known.scalar->results.push_back(builder.get(result));
    known.scalar->lanes = 1;
    known.frame = std::make_unique<Frame>(*known.scalar);
  }
  Frame &frame = *known.frame;
  for (auto [value, reg] : known.scalar->scalars)
    frame.reg(reg)->i = scalar(value, env).i;
  if (!frame.run(1))
    return frame.reportFailure();
  for (auto [result, reg] : llvm::zip(op->getResults(), known.scalar->results))
    env[result] = *frame.reg(reg);
  return success();
}

/// An operation on scalars that is given tensors works on their elements.
LogicalResult Executor::runElementwise(Operation *op, Environment &env) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::none_of(op->getOperandTypes(), isTensor))
    return runScalar(op, env);
  Program program;
  ProgramBuilder builder(program, exact);
  builder.elementwise = true;
  std::optional<Shape> shape;
  SmallVector<Tensor> operands;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    if (!isTensor(value.getType()))
      return unsupported(op);
    FailureOr<Tensor> operand = tensor(op, value, env);
    FailureOr<ElemType> type = elemType(op, value.getType());
    if (failed(operand) || failed(type))
      return failure();
    if (shape && *shape != operand->shape)
      return op->emitOpError("operand #")
             << i << " has another shape than operand #0";
    builder.map(value, builder.load(operands.size(), *type));
    operands.push_back(*operand);
    shape = operand->shape;
  }
  if (failed(builder.compile(op)))
    return failure();
  int64_t count = operands[0].numElements();
  BoundProgram bound(program, {count});
  for (Tensor &operand : operands)
    bound.streams.push_back({operand.data(), LinearForm{{1}, 0}});
  SmallVector<Tensor> results;
  for (Value value : op->getResults()) {
    FailureOr<ElemType> type = elemType(op, value.getType());
    if (failed(type))
      return failure();
    FailureOr<Tensor> result = factory.allocate(op, *type, *shape);
    if (failed(result))
      return failure();
    results.push_back(*result);
    program.results.push_back(builder.get(value));
  }
  Frame frame = bound.makeFrame();
  for (int64_t at = 0; at < count; at += program.lanes) {
    int n = int(std::min<int64_t>(program.lanes, count - at));
    bound.place(frame, {at}, 0, n);
    if (!frame.run(n))
      return frame.reportFailure();
    for (auto [result, reg] : llvm::zip(results, program.results))
      storeLanes(result.storage->data, result.type.store(), at, 1,
                 frame.reg(reg), n);
  }
  for (auto [value, result] : llvm::zip(op->getResults(), results))
    if (failed(set(value, std::move(result), env)))
      return failure();
  return success();
}
