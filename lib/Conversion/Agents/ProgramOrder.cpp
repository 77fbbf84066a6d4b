//===- ProgramOrder.cpp - Which block runs which programs -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include <queue>

using namespace mlir;
using namespace mlir::tang;

/// A table of more programs costs more than it saves.
static constexpr int64_t kMaxPrograms = 1 << 14;
/// What a program takes beside its steps, in steps.
static constexpr int64_t kStart = 2;

namespace {
/// Evaluates the scalars of a loop's body for one value of its induction
/// variable.
class Evaluator {
public:
  std::optional<int64_t> of(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    auto it = values.find(value);
    if (it != values.end())
      return it->second;
    return std::nullopt;
  }

  void run(Operation &op) {
    if (op.getNumOperands() != 2 || op.getNumResults() != 1)
      return;
    std::optional<int64_t> x = of(op.getOperand(0)), y = of(op.getOperand(1));
    if (!x || !y)
      return;
    bool divides = isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
    if (divides && (*y <= 0 || *x < 0))
      return;
    std::optional<int64_t> result =
        llvm::TypeSwitch<Operation *, std::optional<int64_t>>(&op)
            .Case<arith::AddIOp>([&](auto) { return *x + *y; })
            .Case<arith::SubIOp>([&](auto) { return *x - *y; })
            .Case<arith::MulIOp>([&](auto) { return *x * *y; })
            .Case<arith::DivUIOp>([&](auto) { return *x / *y; })
            .Case<arith::RemUIOp>([&](auto) { return *x % *y; })
            .Case<arith::CeilDivUIOp>([&](auto) { return (*x + *y - 1) / *y; })
            .Case<arith::MinSIOp, arith::MinUIOp>(
                [&](auto) { return std::min(*x, *y); })
            .Case<arith::MaxSIOp, arith::MaxUIOp>(
                [&](auto) { return std::max(*x, *y); })
            .Default([](auto) { return std::nullopt; });
    if (result)
      values[op.getResult(0)] = *result;
  }

  DenseMap<Value, int64_t> values;
};
} // namespace

/// Steps of a stream: as AgentEmitter::emitStream counts them.
static std::optional<int64_t> countSteps(StreamOp stream, const StreamPlan &s,
                                         Evaluator &known) {
  std::optional<int64_t> lower = known.of(stream.getLower()),
                         upper = known.of(stream.getUpper());
  if (!lower || !upper || *lower > *upper)
    return std::nullopt;
  int64_t step = stream.getStep();
  int64_t total = llvm::divideCeil(*upper - *lower, step);
  if (!s.skipsFalse)
    return total;
  for (const StepBound &bound : s.bounds) {
    auto shape = cast<VectorType>(bound.condition.getType()).getShape();
    int64_t least = bound.form.constant + *lower;
    for (auto [value, factor] : bound.form.scalars) {
      if (value == stream.getInductionVar())
        continue;
      std::optional<int64_t> at = known.of(value);
      if (!at)
        return std::nullopt;
      least += factor * *at;
    }
    for (auto [d, factor] : bound.form.dims)
      if (factor < 0)
        least += factor * (shape[d] - 1);
    int64_t any = least <= 0 ? (step - least) / step : 0;
    total = std::max<int64_t>(std::min(total, any), 1);
  }
  return total;
}

std::optional<SmallVector<SmallVector<int32_t>>>
mlir::tang::orderPrograms(gpu::GPUFuncOp kernel, const AgentPlan &plan,
                          int64_t blocks) {
  auto loops = kernel.getBody().front().getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return std::nullopt;
  scf::ForOp loop = *loops.begin();
  APInt upper;
  if (!matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
    return std::nullopt;
  int64_t programs = upper.getSExtValue();
  if (programs <= blocks || programs > kMaxPrograms)
    return std::nullopt;
  SmallVector<int64_t> costs;
  for (int64_t p = 0; p < programs; ++p) {
    Evaluator known;
    known.values[loop.getInductionVar()] = p;
    int64_t cost = kStart;
    for (Operation &op : *loop.getBody()) {
      known.run(op);
      auto stream = dyn_cast<StreamOp>(op);
      if (!stream)
        continue;
      auto it = plan.streams.find(stream);
      std::optional<int64_t> steps = countSteps(stream, it->second, known);
      if (!steps)
        return std::nullopt;
      cost += *steps;
    }
    costs.push_back(cost);
  }
  if (llvm::all_equal(costs))
    return std::nullopt;
  // (what it has to do, its number)
  using Load = std::pair<int64_t, int64_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<Load>> queue;
  for (int64_t block = 0; block < blocks; ++block)
    queue.push({0, block});
  SmallVector<SmallVector<int32_t>> order(blocks);
  for (int64_t p = 0; p < programs; ++p) {
    auto [load, block] = queue.top();
    queue.pop();
    order[block].push_back(p);
    queue.push({load + costs[p], block});
  }
  return order;
}
