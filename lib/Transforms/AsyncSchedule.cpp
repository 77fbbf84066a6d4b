//===- AsyncSchedule.cpp - Schedules for matrix units ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has 64 rows for each consumer. What else a tile may be is bounded
// by registers (accumulators and what is multiplied from registers) and by
// shared memory (slots). Among the tiles within these bounds the one is taken
// whose programs, run in waves on all units, move and multiply least.
//
//===----------------------------------------------------------------------===//

#include "AsyncSchedule.h"

#include "Tang/Analysis/Floor/LivePoints.h"

#include "Tang/Analysis/MatrixUse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
// 16-bit operands.
constexpr int64_t kBytes = 2;
constexpr int64_t kGroupRows = 64;
// A row of a box that is copied: 128 bytes.
constexpr int64_t kBoxColumns = 64;
// Registers of a consumer's thread that tiles may take: of 240, less what
// addresses, row values and temporaries need.
constexpr int64_t kTileRegisters = 200;
// The same where three consumers have 160 each.
constexpr int64_t kTileRegisters3 = 128;
// What starting and ending a program takes, in columns times depth.
constexpr double kProgramCost = 40000;
// What a step's barriers and waits take.
constexpr double kStepCost = 256;
// States that one thread merges at most, about, and points that are worth a
// state.
constexpr int64_t kMaxChunks = 16, kMinChunk = 512;
// Tiles of a mask that are looked at one by one.
constexpr int64_t kMaxMaskTiles = 1 << 20;
// A special function for each of 64 rows, in columns times depth: the matrix
// unit's 2048 multiply-adds a cycle over 16 special functions.
constexpr double kSpecialCost = 128;
// Bytes of copies under way that hide their latency.
constexpr double kFlyingBytes = 160 * 1024;

/// Whether the chunks of a kernel have programs of their own.
bool splitsChunks(KernelOp kernel, const KernelPlan &plan,
                  const MatrixUse &use) {
  return kernel.getChunk() &&
         (use.rows < 0 || plan.getDims()[use.rows].size <= kGroupRows);
}

/// Points of a chunk that has programs of its own: the kernel's, or more where
/// merging so many would take longer than what it saves. Of the length alone,
/// never of the batch: it shows in the result's bits.
int64_t chunkOf(KernelOp kernel, const KernelPlan &plan, const MatrixUse &use) {
  int64_t length = plan.getDims()[use.stream].size;
  return std::max<int64_t>(
      {static_cast<int64_t>(*kernel.getChunk()), kMinChunk,
       static_cast<int64_t>(llvm::PowerOf2Ceil(length / kMaxChunks))});
}

class AsyncScheduler {
public:
  AsyncScheduler(KernelOp kernel, const KernelPlan &plan, TargetAttr target,
                 const MatrixUse &use)
      : kernel(kernel), plan(plan), target(target), use(use) {
    for (StructuredOp op : getKernelOps(kernel))
      live.add(op, plan.dimsOf(op));
  }

  ScheduleAttr run(std::string &why);

private:
  struct Choice {
    int64_t consumers, columns, step;
  };
  /// 1 for rows that are no dimension.
  int64_t sizeOf(int64_t dim) const {
    return dim < 0 ? 1 : plan.getDims()[dim].size;
  }
  int64_t tileOf(int64_t dim, const Choice &choice) const;
  /// Positions of a tile that memory has.
  int64_t copied(int64_t dim, const Choice &choice) const {
    return std::min(tileOf(dim, choice),
                    int64_t(llvm::alignTo(sizeOf(dim), 8)));
  }
  int64_t registers(const Choice &choice) const;
  /// Bytes of one slot of every ring, and of what is loaded once a program.
  std::pair<int64_t, int64_t> slots(const Choice &choice) const;
  int64_t staging(const Choice &choice) const;
  int64_t stages(const Choice &choice) const;
  double cost(const Choice &choice) const;
  bool isSkewed() const;
  double stepsOf(const Choice &choice, double length) const;

  KernelOp kernel;
  const KernelPlan &plan;
  TargetAttr target;
  const MatrixUse &use;
  /// What masks leave.
  LivePoints live;
};
} // namespace

/// Whether some contraction reads what another one of the same step gives.
bool AsyncScheduler::isSkewed() const {
  return llvm::any_of(use.contractions, [](auto &c) { return !c.rowsLoaded; });
}

int64_t AsyncScheduler::tileOf(int64_t dim, const Choice &choice) const {
  if (dim == use.rows)
    return kGroupRows * choice.consumers;
  if (dim == use.columns)
    return choice.columns;
  if (dim == use.stream)
    return choice.step;
  if (plan.getDims()[dim].kind == KernelDim::Inner)
    return sizeOf(dim);
  for (const MatrixUse::Contraction &c : use.contractions)
    if (c.local && c.depth == dim)
      return sizeOf(dim);
  return 1;
}

int64_t AsyncScheduler::registers(const Choice &choice) const {
  int64_t count = 0;
  for (const MatrixUse::Contraction &c : use.contractions) {
    count += tileOf(c.columnOwn, choice) / 2;
    if (!c.rowsLoaded)
      count += tileOf(c.depth, choice) / 4;
  }
  return count;
}

std::pair<int64_t, int64_t> AsyncScheduler::slots(const Choice &choice) const {
  int64_t ring = 0, once = 0;
  for (const MatrixUse::Contraction &c : use.contractions) {
    int64_t depth = tileOf(c.depth, choice);
    if (c.rowsLoaded) {
      int64_t bytes = copied(use.rows, choice) * depth * kBytes;
      (c.local ? once : ring) += bytes;
    }
    ring += copied(c.columnOwn, choice) * depth * kBytes;
  }
  return {ring, once};
}

int64_t AsyncScheduler::staging(const Choice &choice) const {
  // Two boxes of 64 columns a consumer.
  return choice.consumers * kGroupRows * 2 * kBoxColumns * kBytes;
}

int64_t AsyncScheduler::stages(const Choice &choice) const {
  auto [ring, once] = slots(choice);
  int64_t left = target.getSharedBytes() - 2048 - once - staging(choice);
  return std::min<int64_t>(left / ring, isSkewed() ? 2 : 16);
}

/// Steps of a program, on average: those that a mask empties are left out.
double AsyncScheduler::stepsOf(const Choice &choice, double length) const {
  int64_t steps = std::ceil(length / choice.step);
  SmallVector<int64_t> masked = live.getDims();
  auto isStatic = [&](int64_t d) {
    int64_t size = plan.getDims()[d].size;
    return ShapedType::isStatic(size) && size < int64_t(1) << 40;
  };
  if (use.rows < 0 || !llvm::is_contained(masked, use.rows) ||
      !llvm::is_contained(masked, use.stream) ||
      !llvm::all_of(masked, isStatic) || length < sizeOf(use.stream))
    return steps;
  int64_t rows = tileOf(use.rows, choice), left = 0;
  int64_t tiles = llvm::divideCeil(sizeOf(use.rows), rows);
  if (tiles > kMaxMaskTiles / std::max<int64_t>(steps, 1))
    return steps;
  for (int64_t tile = 0; tile < tiles; ++tile)
    for (int64_t step = 0; step < steps; ++step)
      left += live.mayMeet([&](int64_t d) -> std::pair<int64_t, int64_t> {
        int64_t size = d == use.rows     ? rows
                       : d == use.stream ? choice.step
                                         : sizeOf(d);
        int64_t first = d == use.rows     ? tile * rows
                        : d == use.stream ? step * choice.step
                                          : 0;
        return {first, std::min(first + size, sizeOf(d)) - 1};
      });
  return std::max(1.0, double(left) / tiles);
}

/// Time of the kernel in units of one column of a step of the matrix unit, on
/// the slowest unit.
double AsyncScheduler::cost(const Choice &choice) const {
  double programs = 1;
  for (int64_t d : plan.dimsOfKind(KernelDim::Parallel))
    programs *= llvm::divideCeil(sizeOf(d), tileOf(d, choice));
  double length = sizeOf(use.stream);
  if (splitsChunks(kernel, plan, use)) {
    int64_t chunk = chunkOf(kernel, plan, use);
    programs *= llvm::divideCeil(sizeOf(use.stream), chunk);
    length = chunk;
  }
  double waves = std::ceil(programs / target.getUnits());
  double depth = stepsOf(choice, length);
  double step = 0, start = kProgramCost, between = 0;
  for (const MatrixUse::Contraction &c : use.contractions) {
    double columns = double(tileOf(c.columnOwn, choice)) * choice.consumers;
    step += columns * tileOf(c.depth, choice);
    // What is computed of one contraction for the next one takes a special
    // function an element, of which a unit does one while it multiplies and
    // adds 128 times in columns times depth of 64 rows.
    if (!c.rowsLoaded)
      between += kSpecialCost * tileOf(c.depth, choice) * choice.consumers;
    // Filling the rings and writing the result.
    if (!c.local)
      start += 4 * kBoxColumns * columns;
  }
  // Reading operands from shared memory takes 128 bytes a cycle; 64 rows of
  // one consumer read all the columns again.
  int64_t ring = slots(choice).first;
  double move = double(ring) * (choice.consumers == 1 ? 1.5 : 1.0) / 4;
  // Copies take about a microsecond: so much must be under way. One slot is
  // being read, and half of one is, on average, not yet free.
  double flying = double(ring) * (stages(choice) - 1.5);
  if (!isSkewed() && flying < kFlyingBytes)
    move *= kFlyingBytes / flying;
  // Results that are no whole boxes are written by the threads, element by
  // element.
  if (use.columns >= 0 && choice.columns % kBoxColumns)
    start += 4000.0 * choice.columns *
             std::min<double>(1, double(sizeOf(use.rows)) / kGroupRows);
  // While one consumer computes that, the others keep the matrix unit busy; the
  // more there are, the less of it nobody does.
  double busy =
      std::max(step, between) + std::min(step, between) / choice.consumers;
  return waves * (depth * (std::max(busy, move) + kStepCost) + start);
}

ScheduleAttr AsyncScheduler::run(std::string &why) {
  SmallVector<Choice> choices;
  SmallVector<int64_t> columns{1};
  if (use.columns >= 0) {
    columns = {256, 192, 128, 64};
    // Where columns are not dense a tile may have any multiple of 16 of them.
    if (llvm::none_of(use.contractions, [&](auto &c) {
          return c.columnOwn == use.columns && c.columnsDense;
        }))
      llvm::append_values(columns, 224, 176, 160, 144, 112, 96, 80, 48, 32);
  }
  // A step of one contraction is what a box is wide; where sums within the step
  // wait for one another a longer one hides more.
  SmallVector<int64_t> steps{kBoxColumns};
  if (isSkewed()) {
    // The step shows in the result's bits: it is the longest that any number of
    // consumers can have, whichever number it will be.
    for (int64_t s : {128, 64})
      if (Choice choice{2, use.columns < 0 ? 1 : 64, s};
          registers(choice) <= kTileRegisters && stages(choice) >= 2) {
        steps = {s};
        break;
      }
  }
  if (!isSkewed() &&
      llvm::none_of(use.contractions, [](auto &c) { return c.local; }))
    steps = {64, 128, 256};
  for (int64_t consumers : {2, 3, 1})
    for (int64_t c : columns)
      for (int64_t s : steps) {
        Choice choice{consumers, c, s};
        // Tiles far beyond the tensor waste work.
        if (consumers > 1 && kGroupRows * (consumers - 1) >= sizeOf(use.rows))
          continue;
        if (use.columns >= 0 && c > kBoxColumns && c / 2 >= sizeOf(use.columns))
          continue;
        int64_t budget = consumers == 3 ? kTileRegisters3 : kTileRegisters;
        if (registers(choice) > budget || stages(choice) < 2 ||
            (s > kBoxColumns && !isSkewed() && stages(choice) < 4))
          continue;
        // One instruction's own must fit what a thread starts with.
        if (consumers == 3 && c > 192)
          continue;
        choices.push_back(choice);
      }
  if (choices.empty()) {
    why = "no tile fits its registers and shared memory";
    return {};
  }
  // Choices are in order of preference: a later one must be clearly cheaper.
  const Choice *best = &choices.front();
  for (const Choice &choice : choices)
    if (cost(choice) < 0.98 * cost(*best))
      best = &choice;
  SmallVector<int64_t> tile;
  for (int64_t d = 0, e = plan.getDims().size(); d < e; ++d)
    tile.push_back(tileOf(d, *best));
  auto async = AsyncAttr::get(kernel.getContext(), best->consumers,
                              stages(*best), isSkewed() ? 1 : 0, 8);
  return ScheduleAttr::get(kernel.getContext(), tile,
                           128 * (best->consumers + 1), async);
}

ScheduleAttr mlir::tang::deriveAsyncSchedule(KernelOp kernel,
                                             const KernelPlan &plan,
                                             TargetAttr target,
                                             std::string &why) {
  if (!target.getMatrix() || target.getMatrix().empty()) {
    why = "the target has no matrix unit";
    return {};
  }
  FailureOr<MatrixUse> use = MatrixUse::get(kernel, plan, why);
  if (failed(use))
    return {};
  return AsyncScheduler(kernel, plan, target, *use).run(why);
}

KernelOp mlir::tang::wrapForMatrix(ReduceOp reduce, TargetAttr target) {
  auto type = dyn_cast<RankedTensorType>(reduce.getResult(0).getType());
  auto op = cast<StructuredOp>(reduce.getOperation());
  if (!target.getMatrix() || target.getMatrix().empty() || !type ||
      !type.hasStaticShape() || reduce.getNumResults() != 1 ||
      !reduce.getInit() || !op.getCaptures().empty() ||
      !op.getSymbols().empty() || !reduce.getSizes().empty())
    return {};
  OpBuilder host(reduce);
  Location loc = reduce.getLoc();
  llvm::SetVector<Value> ins(op.getIns().begin(), op.getIns().end());
  auto kernel = host.create<KernelOp>(loc, ins.getArrayRef(), op.getOuts());
  IRMapping mapping;
  for (auto [in, argument] : llvm::zip(ins, kernel.getBody()->getArguments()))
    mapping.map(in, argument);
  OpBuilder b(host.getContext());
  b.setInsertionPointToStart(kernel.getBody());
  mapping.map(
      op.getOuts().front(),
      b.create<tensor::EmptyOp>(loc, type.getShape(), type.getElementType())
          .getResult());
  Operation *inner = b.clone(*reduce, mapping);
  b.create<YieldOp>(loc, inner->getResults());
  std::string why;
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan) || !deriveAsyncSchedule(kernel, *plan, target, why)) {
    kernel.erase();
    return {};
  }
  reduce->replaceAllUsesWith(kernel);
  reduce->erase();
  return kernel;
}

void mlir::tang::adoptBlocks(KernelOp kernel, const KernelPlan &plan,
                             ScheduleAttr schedule) {
  SmallVector<Attribute> rules;
  if (auto known = kernel->getAttrOfType<ArrayAttr>("tang.rules"))
    llvm::append_range(rules, known);
  Builder b(kernel.getContext());
  // A schedule that was found before comes by again when it is compiled on:
  // what it says, and what a person changed in it, stays.
  Attribute rule = b.getStringAttr(
      "matrix unit: contractions are summed by it, 2 u a term; 2^x is the "
      "hardware's, 2 ulp; a weight that a mask makes 0 leaves its factor out");
  if (!llvm::is_contained(rules, rule)) {
    rules.push_back(rule);
    kernel->setAttr("tang.rules", b.getArrayAttr(rules));
  }
  std::string why;
  FailureOr<MatrixUse> use = MatrixUse::get(kernel, plan, why);
  if (failed(use) || !splitsChunks(kernel, plan, *use)) {
    kernel->removeAttr("chunk");
  } else if (!kernel->hasAttr("tang.split")) {
    kernel->setAttr("tang.split", b.getUnitAttr());
    kernel->setAttr("chunk", b.getI64IntegerAttr(chunkOf(kernel, plan, *use)));
  }
  for (const KernelPass &pass : plan.getPasses())
    for (ReduceOp fold : pass.folds) {
      auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
      if (!how || !how.getBlock() || pass.stream.empty())
        continue;
      int64_t d = pass.stream.back();
      int64_t block = schedule.getTile()[d], size = plan.getDims()[d].size;
      // As for any block, with 2 u for what a matrix unit adds.
      std::string bound = std::to_string(2 * (std::min(block, size) - 1) +
                                         4 * llvm::divideCeil(size, block)) +
                          " u";
      fold->setAttr("tang.fold",
                    FoldAttr::get(kernel.getContext(), how.getAccumulate(),
                                  block, bound, how.getGauges()));
    }
}
