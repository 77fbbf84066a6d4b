//===- WgslIndices.cpp - Index arithmetic in 32 bits ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's analysis of integer ranges says which values of type index an i32
// holds, from what the runtime promises: arguments within +-2^30 and at most
// 2^31 threads. A value outside is wrong in 32 bits only where more than its
// low word counts. Addresses, sums and products of it need no more; a
// comparison, a division or a cast does. Those become i64, with everything that
// they are computed from and that does not fit.
//
//===----------------------------------------------------------------------===//

#include "WgslImpl.h"

#include "Tang/Target/KernelEmitter.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
class IndexWidener {
public:
  explicit IndexWidener(gpu::GPUFuncOp kernel) : kernel(kernel) {}
  LogicalResult run();

private:
  void findLarge();
  void findWide();
  LogicalResult change();
  void require(Value value);

  gpu::GPUFuncOp kernel;
  /// Values that an i32 may not hold.
  DenseSet<Value> large;
  /// Those of them that must be exact.
  llvm::SetVector<Value> wide;
};
} // namespace

/// Whether the low word of its result depends on the low words of its operands
/// only.
static bool isModular(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp>(op);
}

/// Whether `use` is a bound of a loop whose induction variable an i32 holds, so
/// that the nearest i32 is as good: a loop that begins beyond it has no step.
static bool isBound(OpOperand &use) {
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  return loop && !loop.getUnsignedCmp() && use.getOperandNumber() < 2;
}

/// Whether a loop or branch hands values of type index on.
static bool isControl(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp>(op);
}

void IndexWidener::findLarge() {
  // For the analysis, arguments and ids are bounded by operations that go
  // again.
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  SmallVector<Operation *> bounds;
  auto bound = [&](Value value, int64_t low, int64_t high) {
    b.setInsertionPointAfterValue(value);
    Value lower = arith::ConstantIndexOp::create(b, low);
    Value upper = arith::ConstantIndexOp::create(b, high);
    Value atLeast = arith::MaxSIOp::create(b, value, lower);
    Value bounded = arith::MinSIOp::create(b, atLeast, upper);
    value.replaceAllUsesExcept(bounded, atLeast.getDefiningOp());
    for (Value added : {bounded, atLeast, upper, lower})
      bounds.push_back(added.getDefiningOp());
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      bound(argument, -kWgslMaxIndex, kWgslMaxIndex);
  int64_t block = getBlockSize(kernel);
  kernel.walk([&](Operation *op) {
    if (isa<gpu::BlockIdOp>(op))
      bound(op->getResult(0), 0, (int64_t(1) << 31) / block - 1);
    else if (isa<gpu::ThreadIdOp>(op))
      bound(op->getResult(0), 0, block - 1);
    else if (isa<gpu::BlockDimOp>(op))
      bound(op->getResult(0), block, block);
  });
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  bool known = succeeded(solver.initializeAndRun(kernel));
  auto check = [&](Value value) {
    if (!value.getType().isIndex())
      return;
    const auto *state =
        known ? solver.lookupState<dataflow::IntegerValueRangeLattice>(value)
              : nullptr;
    if (!state || state->getValue().isUninitialized()) {
      large.insert(value);
      return;
    }
    const ConstantIntRanges &range = state->getValue().getValue();
    if (!range.smin().isSignedIntN(32) || !range.smax().isSignedIntN(32))
      large.insert(value);
  };
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), check);
    if (op != kernel)
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), check);
  });
  for (Operation *op : bounds) {
    if (auto bounded = dyn_cast<arith::MinSIOp>(op)) {
      Value value = bounded.getLhs().getDefiningOp<arith::MaxSIOp>().getLhs();
      op->getResult(0).replaceAllUsesWith(value);
      large.erase(value);
    }
    large.erase(op->getResult(0));
    op->erase();
  }
}

void IndexWidener::require(Value value) {
  if (large.contains(value))
    wide.insert(value);
}

void IndexWidener::findWide() {
  kernel.walk([&](Operation *op) {
    // The low word of a cast to a narrow type or of an address is enough.
    bool isNarrowing = isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
                       !op->getResult(0).getType().isIndex() &&
                       op->getResult(0).getType().getIntOrFloatBitWidth() <= 32;
    if (isModular(op) || isNarrowing || isControl(op) ||
        isa<memref::LoadOp, arith::SelectOp>(op))
      return;
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return;
    llvm::for_each(op->getOperands(), [&](Value v) { require(v); });
    // It computes in 64 bits, then, whatever the size of its result.
    bool isLarge = llvm::any_of(op->getOperands(),
                                [&](Value v) { return large.contains(v); });
    for (Value result : op->getResults())
      if (isLarge && result.getType().isIndex())
        wide.insert(result);
      else
        require(result);
  });
  // Whatever a loop carries or compares is exact.
  kernel.walk([&](Operation *op) {
    if (!isControl(op))
      return;
    llvm::for_each(op->getOperands(), [&](Value v) { require(v); });
    llvm::for_each(op->getResults(), [&](Value v) { require(v); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), [&](Value v) { require(v); });
  });
  // So is all that they are computed from.
  for (size_t i = 0; i < wide.size(); ++i)
    if (Operation *op = wide[i].getDefiningOp())
      llvm::for_each(op->getOperands(), [&](Value v) { require(v); });
}

LogicalResult IndexWidener::change() {
  OpBuilder types(kernel.getContext());
  Type i64 = types.getI64Type();
  for (Value value : wide) {
    Operation *op = value.getDefiningOp();
    bool isControlled = !op || isControl(op);
    if (isControlled || !isa<arith::ArithDialect>(op->getDialect())) {
      Operation *at = op ? op : value.getParentBlock()->getParentOp();
      return at->emitOpError("needs an index of more than 32 bits, which WGSL "
                             "does not have");
    }
    // A control operation that hands it on would change its type, too.
    for (OpOperand &use : value.getUses())
      if (isControl(use.getOwner()) && !isBound(use))
        return use.getOwner()->emitOpError(
            "hands on an index of more than 32 bits, "
            "which WGSL does not have");
  }
  llvm::SetVector<Operation *> ops;
  for (Value value : wide)
    ops.insert(value.getDefiningOp());
  // Comparisons and conversions of wide values have other results.
  for (Value value : wide)
    for (Operation *user : value.getUsers())
      if (isa<arith::CmpIOp, arith::IndexCastOp, arith::IndexCastUIOp>(user) &&
          !wide.contains(user->getResult(0)))
        ops.insert(user);
  for (Value value : wide)
    value.setType(i64);
  // Who needs the low word only goes on with that.
  for (Value value : wide) {
    if (value.use_empty())
      continue;
    SmallVector<OpOperand *> narrow, bounds;
    for (OpOperand &use : value.getUses())
      if (isBound(use))
        bounds.push_back(&use);
      else if (isa<memref::LoadOp, memref::StoreOp>(use.getOwner()) ||
               (use.getOwner()->getNumResults() == 1 &&
                use.getOwner()->getResult(0).getType().isIndex()))
        if (!isa<arith::IndexCastOp>(use.getOwner()))
          narrow.push_back(&use);
    ImplicitLocOpBuilder b(value.getLoc(), kernel.getContext());
    b.setInsertionPointAfterValue(value);
    for (OpOperand *use : bounds) {
      auto limit = [&](int32_t bound) {
        return arith::ConstantOp::create(b, b.getI64IntegerAttr(bound));
      };
      Value nearest = arith::MaxSIOp::create(
          b, value, limit(std::numeric_limits<int32_t>::min()));
      nearest = arith::MinSIOp::create(
          b, nearest, limit(std::numeric_limits<int32_t>::max()));
      use->set(arith::IndexCastOp::create(b, b.getIndexType(), nearest));
    }
    if (narrow.empty())
      continue;
    Value low = arith::IndexCastOp::create(b, b.getIndexType(), value);
    for (OpOperand *use : narrow)
      use->set(low);
  }
  for (Operation *op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      // Between i64 and what else it was; index had as many bits.
      bool isSigned = isa<arith::IndexCastOp>(op);
      Value x = op->getOperand(0);
      Type to = op->getResult(0).getType(), from = x.getType();
      Value result = x;
      if (to.isIndex() || from.isIndex())
        continue; // Between index and i64 as before.
      unsigned width = to.getIntOrFloatBitWidth();
      if (width > from.getIntOrFloatBitWidth())
        result = isSigned ? arith::ExtSIOp::create(b, to, x).getResult()
                          : arith::ExtUIOp::create(b, to, x).getResult();
      else if (width < from.getIntOrFloatBitWidth())
        result = arith::TruncIOp::create(b, to, x);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      APInt value = cast<IntegerAttr>(constant.getValue()).getValue();
      constant.setValueAttr(b.getIntegerAttr(i64, value));
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType().isIndex())
        operand.set(arith::IndexCastOp::create(b, i64, operand.get()));
  }
  return success();
}

LogicalResult IndexWidener::run() {
  findLarge();
  if (large.empty())
    return success();
  findWide();
  return change();
}

LogicalResult mlir::tang::widenLargeIndices(ModuleOp module) {
  WalkResult helpers = module.walk([](func::FuncOp helper) {
    if (llvm::none_of(helper.getArgumentTypes(), llvm::IsaPred<IndexType>))
      return WalkResult::advance();
    helper.emitOpError("computes with an index whose size nothing bounds; WGSL "
                       "has 32-bit integers only");
    return WalkResult::interrupt();
  });
  if (helpers.wasInterrupted())
    return failure();
  WalkResult walk = module.walk([&](gpu::GPUFuncOp kernel) {
    return failed(IndexWidener(kernel).run()) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
