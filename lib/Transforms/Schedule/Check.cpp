//===- Check.cpp - Whether a schedule is legal --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Tang/Dialect/Monoid.h"

using namespace mlir;
using namespace mlir::tang;

/// Whether the order in which points combine cannot be seen in the result.
static bool isReorderExact(StructuredOp op) {
  Attribute attr = op->getAttr("monoid");
  if (!attr || isa<ScanOp>(op.getOperation()))
    return false;
  FailureOr<Monoid> monoid = Monoid::get(attr, op);
  return succeeded(monoid) && monoid->isReorderExact(llvm::map_to_vector(
                                  op.getOuts(), [](Value out) {
                                    return getElementTypeOrSelf(out);
                                  }));
}

LogicalResult mlir::tang::checkSchedule(StructuredOp op,
                                        ScheduleAttr schedule) {
  if (static_cast<int64_t>(schedule.getTile().size()) != op.getNumDims())
    return op.emitError("schedule rule 'tile-rank': the domain has ")
           << op.getNumDims() << " dimensions, the schedule tiles "
           << schedule.getTile().size();
  for (auto [d, size] : llvm::enumerate(schedule.getTile()))
    if (isa<ScanOp>(op.getOperation()) && !op.isParallelDim(d) && size != 1)
      return op.emitError("schedule rule 'scan-step': the scanned dimension ")
             << d << " advances by 1, the schedule says " << size;
  // Within a tile points combine in lexicographic order. Tiles follow one
  // another in that order only if below the first dimension that is cut every
  // dimension is whole.
  if (!isReorderExact(op)) {
    SmallVector<int64_t> domain = op.getStaticDomain();
    bool partial = false;
    for (int64_t d = domain.size() - 1; d >= 0; --d) {
      if (op.isParallelDim(d))
        continue;
      int64_t size = schedule.getTile()[d];
      if (partial && size != 1)
        return op.emitError("schedule rule 'fold-order': dimension ")
               << d << " must advance by 1, since one below it is cut into "
               << "steps and the order of the fold shows in the result";
      partial |= ShapedType::isDynamic(domain[d]) || size < domain[d];
    }
  }
  int64_t elements = 1;
  for (int64_t size : schedule.getTile())
    if (llvm::MulOverflow(elements, size, elements) || elements > (1 << 24))
      return op.emitError("schedule rule 'tile-size': a tile has at most 2^24 "
                          "elements");
  return success();
}

LogicalResult mlir::tang::checkSchedule(KernelOp kernel, const KernelPlan &plan,
                                        ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile();
  if (tile.size() != plan.getDims().size())
    return kernel.emitOpError("schedule rule 'tile-rank': the kernel has ")
           << plan.getDims().size() << " dimensions, the schedule tiles "
           << tile.size();
  for (auto [d, dim] : llvm::enumerate(plan.getDims()))
    if (dim.kind == KernelDim::Inner && tile[d] != dim.size)
      return kernel.emitOpError("schedule rule 'inner-whole': dimension ")
             << d << " is part of a state and must be whole (" << dim.size
             << "), the schedule says " << tile[d];
  for (auto [d, dim] : llvm::enumerate(plan.getDims()))
    if (plan.stepsByOne(d) && tile[d] != 1)
      return kernel.emitOpError("schedule rule 'fold-order': dimension ")
             << d << " must advance by 1, since a fold runs through one below "
             << "it and the order of the fold shows in the result";
  for (const KernelPass &pass : plan.getPasses()) {
    if (pass.stream.empty())
      continue;
    if (kernel.getChunk() && *kernel.getChunk() % tile[pass.stream.back()])
      return kernel.emitOpError("schedule rule 'fold-chunk': dimension ")
             << pass.stream.back() << " is folded in chunks of "
             << *kernel.getChunk() << ", which steps of "
             << tile[pass.stream.back()] << " do not divide";
    if (pass.block && tile[pass.stream.back()] != pass.block)
      return kernel.emitOpError("schedule rule 'fold-block': dimension ")
             << pass.stream.back() << " is summed in blocks of " << pass.block
             << ", the schedule says " << tile[pass.stream.back()];
  }
  for (StructuredOp op : getKernelOps(kernel)) {
    int64_t elements = 1;
    for (int64_t d : plan.dimsOf(op))
      if (d >= 0 && (llvm::MulOverflow(elements, tile[d], elements) ||
                     elements > (1 << 24)))
        return kernel.emitOpError("schedule rule 'tile-size': a tile has at "
                                  "most 2^24 elements");
  }
  return success();
}
