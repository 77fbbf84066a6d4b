//===- KeepShared.cpp - Costly tiles that several operations need ---------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are computed position by position where an operation ends them. An
// exponential that is both summed and weighed would be computed twice: it is
// kept instead.
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGKEEPSHARED
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

bool isCostly(Operation &op) {
  return op.getNumResults() == 1 &&
         isa<VectorType>(op.getResult(0).getType()) &&
         isa_and_nonnull<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
              math::FmaOp>(op);
}

/// The operations of the block that end tiles made from `value`.
void findEnds(Value value, Block *block, llvm::SetVector<Operation *> &ends,
              DenseSet<Operation *> &seen) {
  for (Operation *user : value.getUsers()) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!here || !seen.insert(user).second)
      continue;
    bool isTile = here == user && user->getNumResults() == 1 &&
                  isa<VectorType>(user->getResult(0).getType()) &&
                  !isa<FoldOp, KeepOp, StreamOp>(user);
    if (isTile)
      findEnds(user->getResult(0), block, ends, seen);
    else
      ends.insert(here);
  }
}

struct KeepSharedPass : tang::impl::TangKeepSharedBase<KeepSharedPass> {
  void runOnOperation() override {
    SmallVector<Operation *> costly;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      kernel.walk([&](Operation *op) {
        if (isCostly(*op))
          costly.push_back(op);
      });
    });
    for (Operation *op : costly) {
      Value value = op->getResult(0);
      llvm::SetVector<Operation *> ends;
      DenseSet<Operation *> seen;
      findEnds(value, op->getBlock(), ends, seen);
      if (ends.size() < 2)
        continue;
      // How much of it is there, as one of these operations says.
      ArrayRef<int64_t> shape = cast<VectorType>(value.getType()).getShape();
      SmallVector<Value> counts;
      for (Operation *end : ends) {
        ValueRange said;
        ArrayRef<int64_t> whole;
        if (auto fold = dyn_cast<FoldOp>(end)) {
          said = fold.getCounts();
          whole = cast<VectorType>(fold.getValues()[0].getType()).getShape();
        } else if (auto keep = dyn_cast<KeepOp>(end)) {
          said = keep.getCounts();
          whole = cast<VectorType>(keep.getValue().getType()).getShape();
        }
        if (whole.size() != shape.size() || said.size() != shape.size())
          continue;
        bool covers = true;
        for (auto [size, full] : llvm::zip(shape, whole))
          covers &= size == 1 || size == full;
        if (!covers)
          continue;
        counts.assign(said.begin(), said.end());
        break;
      }
      if (counts.empty())
        continue;
      // The counts must be known where the value is made.
      if (llvm::any_of(counts, [&](Value count) {
            Operation *def = count.getDefiningOp();
            return def && def->getBlock() == op->getBlock() &&
                   !def->isBeforeInBlock(op);
          }))
        continue;
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      for (auto [size, count] : llvm::zip(shape, counts))
        if (size == 1)
          count = b.create<arith::ConstantIndexOp>(op->getLoc(), 1);
      auto keep = b.create<KeepOp>(op->getLoc(), value, counts);
      value.replaceAllUsesExcept(keep.getResult(), keep);
    }
  }
};
} // namespace
