//===- Schedule.cpp - The default schedule --------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Correct for everything and simple: parallel dimensions are dealt in tiles to
// programs, reduced ones are streamed. On a target whose blocks have several
// threads every thread owns one point. On one whose block is a loop body, tiles
// are long along the last dimension, which is dense in the result, and a fold's
// state stays within the nearest cache.
//
//===----------------------------------------------------------------------===//

#include "AsyncSchedule.h"
#include "Schedule/Check.h"
#include "Tang/Analysis/KernelPlan.h"
#include "Tang/Analysis/Targets.h"
#include "Tang/Analysis/VectorUnit.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGSCHEDULE
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// The greatest tile within `limit` for a dimension of `size`.
int64_t fit(int64_t size, int64_t limit) {
  limit = std::max<int64_t>(limit, 1);
  if (ShapedType::isDynamic(size))
    return limit;
  return std::max<int64_t>(1, std::min(size, limit));
}

/// The same where a last tile that is cut short would cost: tiles of equal
/// size, whole vectors if possible.
int64_t fitEvenly(int64_t size, int64_t limit, int64_t lanes) {
  if (ShapedType::isDynamic(size) || size <= limit)
    return fit(size, limit);
  int64_t tiles = llvm::divideCeil(size, limit);
  return std::min<int64_t>(limit,
                           llvm::alignTo(llvm::divideCeil(size, tiles), lanes));
}

/// The rows of a contraction: the last parallel dimension along which an
/// operand is read again that has the last one, and a folded one; -1 if there
/// is none.
int64_t findRows(StructuredOp op) {
  int64_t last = -1, rows = -1;
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
    if (op.isParallelDim(d))
      last = d;
  for (AffineMap map : op.getInMapArray()) {
    bool folded = false;
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
      folded |= !op.isParallelDim(d) && map.isFunctionOfDim(d);
    if (!folded || last < 0 || !map.isFunctionOfDim(last))
      continue;
    for (int64_t d = 0; d < last; ++d)
      if (op.isParallelDim(d) && !map.isFunctionOfDim(d))
        rows = std::max(rows, d);
  }
  return rows;
}

ScheduleAttr deriveSchedule(StructuredOp op, TargetAttr target) {
  SmallVector<int64_t> domain = op.getStaticDomain();
  SmallVector<int64_t> tile(domain.size(), 1);
  if (target.getBlock() > 1)
    return ScheduleAttr::get(op.getContext(), tile, target.getBlock());

  bool folds = false;
  for (int64_t d = 0, e = domain.size(); d < e; ++d)
    folds |= !op.isParallelDim(d);
  VectorUnit unit(target);
  if (int64_t rows = isa<ReduceOp>(op.getOperation()) ? findRows(op) : -1;
      rows >= 0 && unit.lanes > 1) {
    // A panel of columns, packed, for as many rows as its cache has results of.
    // Blocks have as many rows as divide the tile: a few rows too many cost
    // less than blocks of one.
    tile[rows] = fitEvenly(domain[rows], unit.tileRows(), unit.rows());
    if (tile[rows] > unit.rows())
      tile[rows] = llvm::alignTo(tile[rows], unit.rows());
    bool isLast = true;
    for (int64_t d = domain.size() - 1; d >= 0; --d)
      if (op.isParallelDim(d)) {
        tile[d] = fitEvenly(domain[d], unit.tileColumns(), unit.columns());
        break;
      }
    for (int64_t d = domain.size() - 1; d >= 0; --d)
      if (!op.isParallelDim(d)) {
        tile[d] = isLast ? fit(domain[d], unit.depth()) : 1;
        isLast = false;
      }
    return ScheduleAttr::get(op.getContext(), tile, target.getBlock());
  }
  // Elements of a program: a cache full of work for a map; for a fold as much
  // state as fits a quarter of the cache.
  int64_t budget = target.getCacheBytes() / 4 / (folds ? 16 : 1);
  int64_t rows = 0;
  for (int64_t d = domain.size() - 1; d >= 0; --d) {
    if (!op.isParallelDim(d))
      continue;
    int64_t limit = budget;
    if (folds)
      limit = std::min<int64_t>(budget, rows == 0 ? 8 * target.getLanes()
                                                  : (rows == 1 ? 4 : 1));
    tile[d] = fit(domain[d], limit);
    budget /= tile[d];
    ++rows;
  }
  // The innermost reduced dimension advances by a few vectors a step.
  if (!isa<ScanOp>(op.getOperation()))
    for (int64_t d = domain.size() - 1; d >= 0; --d)
      if (!op.isParallelDim(d)) {
        tile[d] = fit(domain[d], 2 * target.getLanes());
        break;
      }
  return ScheduleAttr::get(op.getContext(), tile, target.getBlock());
}

/// Inner dimensions stay whole; parallel ones are tiled where that reuses what
/// is read, the last most. A pass advances by the block that its folds are
/// summed in.
ScheduleAttr deriveSchedule(KernelOp kernel, const KernelPlan &plan,
                            TargetAttr target) {
  SmallVector<int64_t> tile(plan.getDims().size(), 1);
  for (auto [d, dim] : llvm::enumerate(plan.getDims()))
    if (dim.kind == KernelDim::Inner)
      tile[d] = dim.size;
  bool threads = target.getBlock() > 1;
  bool folds = llvm::any_of(plan.getPasses(), [](const KernelPass &pass) {
    return !pass.stream.empty();
  });
  // Along which parallel dimensions is something read again: an operand that is
  // streamed and does not have them? Tiles reuse it; where there is nothing to
  // reuse, rows run one by one, along their memory.
  SmallVector<bool> reused(plan.getDims().size());
  bool inStep = !plan.dimsOfKind(KernelDim::Inner).empty();
  for (StructuredOp op : getKernelOps(kernel)) {
    if (!isa<ReduceOp>(op.getOperation()))
      continue;
    inStep |= plan.isLocal(op->getResult(0));
    for (AffineMap map : op.getInMapArray()) {
      bool streamed = false;
      llvm::SmallDenseSet<int64_t> has;
      for (auto [i, d] : llvm::enumerate(plan.dimsOf(op)))
        if (d >= 0 && map.isFunctionOfDim(i)) {
          has.insert(d);
          streamed |= plan.getDims()[d].kind == KernelDim::Serial;
        }
      for (int64_t d : plan.dimsOf(op))
        if (streamed && d >= 0 && !has.contains(d))
          reused[d] = true;
    }
  }
  VectorUnit unit(target);
  int64_t tiled = 0;
  SmallVector<int64_t> parallel = plan.dimsOfKind(KernelDim::Parallel);
  for (int64_t d : llvm::reverse(parallel)) {
    if (threads || (folds && !reused[d]))
      continue;
    int64_t limit = 1;
    if (!folds)
      limit = tiled ? 1 : target.getCacheBytes() / 64;
    else if (inStep)
      // What a step computes anew is shared by several blocks of rows.
      limit = tiled ? 1 : std::max<int64_t>(8, 8 * unit.rows());
    else
      limit = tiled == 0 ? 8 * target.getLanes() : (tiled == 1 ? 4 : 1);
    tile[d] =
        fitEvenly(plan.getDims()[d].size, limit, tiled ? 1 : target.getLanes());
    ++tiled;
  }
  // A local reduction's dimensions advance by a few vectors.
  for (StructuredOp op : getKernelOps(kernel))
    for (auto [i, d] : llvm::enumerate(plan.dimsOf(op)))
      if (d >= 0 && !op.isParallelDim(i) && i + 1 == plan.dimsOf(op).size())
        tile[d] = fit(plan.getDims()[d].size,
                      unit.lanes > 1 ? unit.depth() / 2 : 2 * unit.lanes);
  for (const KernelPass &pass : plan.getPasses())
    if (!pass.stream.empty()) {
      int64_t d = pass.stream.back();
      tile[d] = kernel.getChunk() ? 32 : fit(plan.getDims()[d].size, 32);
    }
  for (const KernelPass &pass : plan.getPasses())
    if (pass.block)
      tile[pass.stream.back()] = pass.block;
  for (auto [d, dim] : llvm::enumerate(plan.getDims()))
    if (plan.stepsByOne(d))
      tile[d] = 1;
  return ScheduleAttr::get(kernel.getContext(), tile, target.getBlock());
}

/// Whether there are too few programs for the target, so that chunks should
/// have programs of their own. The result's bits do not depend on it.
bool wantsSplit(KernelOp kernel, const KernelPlan &plan, TargetAttr target) {
  if (!kernel.getChunk())
    return false;
  ArrayRef<int64_t> tile = kernel.getSchedule()->getTile();
  int64_t programs = 1;
  for (int64_t d : plan.dimsOfKind(KernelDim::Parallel)) {
    int64_t size = plan.getDims()[d].size;
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow<int64_t>(programs, llvm::divideCeil(size, tile[d]),
                                   programs))
      return false;
  }
  return programs < target.getUnits() * target.getBlock();
}

/// Likewise for a scan in chunks: how many chunks a program should run at once,
/// 0 for no programs of their own. Where a block is a loop body, four: each is
/// one chain of additions, of about four cycles' latency, and chunks lie powers
/// of two apart, so that many of them would fall into the same lines of a
/// cache.
int64_t chunksAtOnce(ScanOp scan, ScheduleAttr schedule, TargetAttr target) {
  auto how = scan->getAttrOfType<FoldAttr>("tang.fold");
  if (!how || !how.getBlock())
    return 0;
  auto op = cast<StructuredOp>(scan.getOperation());
  int64_t programs = 1;
  for (auto [d, size] : llvm::enumerate(op.getStaticDomain()))
    if (op.isParallelDim(d) &&
        (ShapedType::isDynamic(size) ||
         llvm::MulOverflow<int64_t>(
             programs, llvm::divideCeil(size, schedule.getTile()[d]),
             programs)))
      return 0;
  if (programs >= target.getUnits() * target.getBlock())
    return 0;
  return target.getBlock() > 1 ? 1 : 4;
}

struct SchedulePass : tang::impl::TangScheduleBase<SchedulePass> {
  using Base::Base;

  /// Of a schedule that was given: whether the target has agents, and the sums
  /// may be formed in another order.
  LogicalResult checkAsync(Operation *op, TargetAttr facts) {
    if (!facts.getMatrix() || facts.getMatrix().empty())
      return op->emitOpError("schedule rule 'async': target '")
             << facts.getName() << "' has no matrix unit";
    if (numerics == "exact")
      return op->emitOpError("schedule rule 'async': a matrix unit does not "
                             "sum in order, as numerics 'exact' wants");
    return success();
  }

  void runOnOperation() override {
    FailureOr<TargetAttr> facts = lookupTarget(&getContext(), target);
    if (failed(facts)) {
      auto error = getOperation()->emitError("unknown target '")
                   << target << "'; known are ";
      llvm::interleaveComma(getTargetNames(), error);
      return signalPassFailure();
    }
    if (simt)
      facts = TargetAttr::get(&getContext(), facts->getName(),
                              facts->getLanguage(), facts->getLanes(),
                              facts->getRegisterBytes(), facts->getCacheBytes(),
                              facts->getBlock(), facts->getUnits());
    if (numerics != "exact") {
      SmallVector<ReduceOp> alone;
      getOperation()->walk([&](ReduceOp reduce) {
        if (!reduce->getParentOfType<KernelOp>() &&
            !reduce->hasAttr("schedule"))
          alone.push_back(reduce);
      });
      for (ReduceOp reduce : alone)
        wrapForMatrix(reduce, *facts);
    }
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>(
        [&](Operation *op) -> WalkResult {
          auto given = op->getAttrOfType<ScheduleAttr>("schedule");
          if (auto kernel = dyn_cast<KernelOp>(op)) {
            std::string why;
            FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
            if (failed(plan)) {
              kernel.emitOpError("cannot be run as one kernel: ") << why;
              return WalkResult::interrupt();
            }
            ScheduleAttr schedule = given;
            if (!given && numerics != "exact")
              schedule = deriveAsyncSchedule(kernel, *plan, *facts, why);
            if (given && given.getAsync() && failed(checkAsync(op, *facts)))
              return WalkResult::interrupt();
            if (schedule && schedule.getAsync()) {
              adoptBlocks(kernel, *plan, schedule);
              plan = KernelPlan::get(kernel, why);
            }
            if (!schedule)
              schedule = deriveSchedule(kernel, *plan, *facts);
            if (failed(checkSchedule(kernel, *plan, schedule)))
              return WalkResult::interrupt();
            kernel.setScheduleAttr(schedule);
            if (schedule.getAsync() && !kernel->hasAttr("tang.units"))
              kernel->setAttr(
                  "tang.units",
                  IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                   facts->getUnits()));
            if (!given && wantsSplit(kernel, *plan, *facts))
              kernel->setAttr("tang.split", UnitAttr::get(&getContext()));
            return WalkResult::skip();
          }
          auto structured = dyn_cast<StructuredOp>(op);
          if (!structured)
            return WalkResult::advance();
          if (given && given.getAsync()) {
            op->emitOpError("schedule rule 'async': no kernel, which alone can "
                            "be run by agents");
            return WalkResult::interrupt();
          }
          if (given)
            return WalkResult(checkSchedule(structured, given));
          ScheduleAttr schedule = deriveSchedule(structured, *facts);
          op->setAttr("schedule", schedule);
          if (auto scan = dyn_cast<ScanOp>(op))
            if (int64_t chunks = chunksAtOnce(scan, schedule, *facts))
              op->setAttr("tang.split",
                          Builder(&getContext()).getI64IntegerAttr(chunks));
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
