//===- LaunchGeometry.cpp - Grids for the readers of source ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchGeometry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

using Names = DenseMap<Value, std::string>;

/// The value as a term, in parentheses if it is a product's factor and a sum;
/// empty if it is none.
static std::string termOf(Value value, const Names &names) {
  if (auto known = names.find(value); known != names.end())
    return known->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::to_string(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return "";
  std::string left = termOf(op->getOperand(0), names);
  std::string right = termOf(op->getOperand(1), names);
  if (left.empty() || right.empty())
    return "";
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return "ceil(" + left + " / " + right + ")";
  if (isa<arith::MulIOp>(op))
    return left + " * " + right;
  if (isa<arith::AddIOp>(op))
    return "(" + left + " + " + right + ")";
  return "";
}

void mlir::tang::noteLaunchGeometry(ModuleOp module) {
  DenseMap<Operation *, std::string> grids;
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernel());
    if (!kernel)
      return;
    Names names;
    for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands()))
      if (auto name = kernel.getArgAttrOfType<StringAttr>(i, "tang.name"))
        if (operand.getType().isIndex())
          names[operand] = name.str();
    std::string grid = termOf(launch.getGridSizeX(), names);
    auto [it, isNew] = grids.try_emplace(kernel, grid);
    if (!isNew && it->second != grid)
      it->second.clear();
  });
  for (auto &[kernel, grid] : grids)
    if (!grid.empty())
      kernel->setAttr("tang.grid", StringAttr::get(module.getContext(), grid));
}
