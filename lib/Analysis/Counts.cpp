//===- Counts.cpp - How much work an operation is -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Counts.h"

#include "Tang/Analysis/KernelPlan.h"
#include "Tang/Dialect/Monoid.h"

using namespace mlir;
using namespace mlir::tang;

static int64_t floatOpsOf(Operation &op) {
  bool onFloats = llvm::any_of(op.getOperandTypes(), [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  });
  if (!onFloats || isa<arith::SelectOp, CastOpInterface>(op))
    return 0;
  if (isa<math::FmaOp>(op))
    return 2;
  StringRef dialect = op.getName().getDialectNamespace();
  return dialect == "arith" || dialect == "math";
}

/// Of one combination, by building it once aside.
static int64_t combinationCost(Attribute attr, StructuredOp op) {
  FailureOr<Monoid> monoid = Monoid::get(attr, op);
  if (failed(monoid))
    return 0;
  Block scratch;
  SmallVector<Value> states, values;
  for (Value out : op.getOuts().take_front(monoid->getNumStates()))
    states.push_back(
        scratch.addArgument(getElementTypeOrSelf(out), op.getLoc()));
  for (Value value :
       op.getYield()->getOperands().take_front(monoid->getNumStates()))
    values.push_back(scratch.addArgument(value.getType(), op.getLoc()));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&scratch);
  monoid->combine(builder, op.getLoc(), states, values);
  int64_t cost = 0;
  for (Operation &inner : scratch)
    cost += floatOpsOf(inner);
  return cost;
}

int64_t mlir::tang::countCombination(StructuredOp op) {
  Attribute monoid = op->getAttr("monoid");
  return monoid ? combinationCost(monoid, op) : 0;
}

int64_t mlir::tang::countFloatOpsAtPoint(StructuredOp op) {
  int64_t perPoint = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    perPoint += floatOpsOf(inner);
  return perPoint + countCombination(op);
}

std::optional<int64_t> mlir::tang::countFloatOps(StructuredOp op) {
  int64_t total = countFloatOpsAtPoint(op);
  for (int64_t size : op.getStaticDomain())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(total, size, total))
      return std::nullopt;
  return total;
}

std::optional<int64_t> mlir::tang::countFloatOps(KernelOp kernel) {
  int64_t total = 0;
  for (StructuredOp op : getKernelOps(kernel)) {
    std::optional<int64_t> count = countFloatOps(op);
    if (!count || llvm::AddOverflow(total, *count, total))
      return std::nullopt;
  }
  return total;
}
