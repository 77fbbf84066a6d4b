//===- AgentPlan.cpp - Who does what in a kernel of agents ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AgentPlan.h"

#include "StepBounds.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tang;

Fragment::Kind AgentPlan::getKind(Type tile) const {
  bool row = rowDim < 0, column = false;
  for (auto [d, size] : llvm::enumerate(cast<VectorType>(tile).getShape()))
    if (size > 1)
      (static_cast<int64_t>(d) == rowDim ? row : column) = true;
  return row ? (column ? Fragment::Tile : Fragment::Row)
             : (column ? Fragment::Column : Fragment::Uniform);
}

int64_t AgentPlan::getColumns(Type tile) const {
  int64_t columns = 1;
  for (auto [d, size] : llvm::enumerate(cast<VectorType>(tile).getShape()))
    if (static_cast<int64_t>(d) != rowDim)
      columns *= size;
  return columns;
}

namespace mlir::tang {
class AgentPlanner {
public:
  AgentPlanner(gpu::GPUFuncOp kernel, AsyncAttr async, std::string &why)
      : kernel(kernel), async(async), why(why) {}

  FailureOr<AgentPlan> run(int64_t limit);

private:
  LogicalResult fail(const Twine &text) {
    why = text.str();
    return failure();
  }
  LogicalResult findContractions();
  LogicalResult findRowDim();
  LogicalResult checkShapes();
  LogicalResult placeOperands();
  LogicalResult planStreams();
  LogicalResult planStores();
  LogicalResult findLive();
  LogicalResult checkTiles();
  LogicalResult layOut(int64_t limit);
  bool isOnlyMultiplied(LoadOp load);
  std::optional<SharedTile> matchShared(LoadOp load, int64_t ownDim);
  size_t addView(Value view, SmallVector<int64_t> box);

  gpu::GPUFuncOp kernel;
  AsyncAttr async;
  std::string &why;
  AgentPlan plan;
  /// Bytes that the matrix unit reads beyond some tile's end.
  int64_t overrun = 0;
};
} // namespace mlir::tang

LogicalResult AgentPlanner::findContractions() {
  kernel.walk([&](FoldOp fold) {
    if (std::optional<Contraction> c = matchContraction(fold))
      plan.contractions[fold] = *c;
  });
  if (plan.contractions.empty())
    return fail("no fold is a sum of products of two 16-bit tiles");
  return success();
}

/// The dimension that every contraction's result has, and that the groups share
/// out.
LogicalResult AgentPlanner::findRowDim() {
  plan.consumers = async.getConsumers();
  Contraction first = plan.contractions.front().second;
  bool one = first.lhsDim < 0 || first.rhsDim < 0;
  SmallVector<int64_t> candidates{std::min(first.lhsDim, first.rhsDim),
                                  std::max(first.lhsDim, first.rhsDim)};
  if (one)
    candidates = {-1};
  // Of two that would do, the one whose tile the consumers share out.
  auto sizeOf = [&](int64_t d) {
    return d < 0 ? kGroupRows
                 : cast<VectorType>(first.fold.getValues().front().getType())
                       .getDimSize(d);
  };
  std::optional<int64_t> found;
  for (int64_t d : candidates) {
    bool everywhere = llvm::all_of(plan.contractions, [&](auto &entry) {
      // The other operand is loaded.
      const Contraction &c = entry.second;
      return (c.lhsDim == d && c.rhs.getDefiningOp<LoadOp>()) ||
             (c.rhsDim == d && c.lhs.getDefiningOp<LoadOp>());
    });
    if (everywhere &&
        (!found || (sizeOf(*found) != kGroupRows * plan.consumers &&
                    sizeOf(d) == kGroupRows * plan.consumers)))
      found = d;
  }
  if (!found)
    return fail("the contractions share no dimension, beside loaded operands");
  plan.rowDim = *found;
  plan.rows = sizeOf(plan.rowDim);
  for (auto &[op, c] : plan.contractions)
    if (c.rhsDim == plan.rowDim) {
      std::swap(c.lhs, c.rhs);
      std::swap(c.lhsDim, c.rhsDim);
    }
  if (plan.rows != kGroupRows * plan.consumers)
    return fail("a program has " + Twine(plan.rows) + " rows, " +
                Twine(plan.consumers) + " consumers work on " +
                Twine(kGroupRows * plan.consumers));
  return success();
}

/// What one instruction can do, and what copies' zeros beyond the end of memory
/// stand for.
LogicalResult AgentPlanner::checkShapes() {
  // Registers that a thread of three consumers starts with hold no more.
  int64_t most = plan.consumers == 3 ? 192 : 256;
  for (auto &[op, c] : plan.contractions) {
    auto type = cast<VectorType>(c.rhs.getType());
    int64_t columns = type.getDimSize(c.rhsDim);
    int64_t depth = type.getDimSize(c.depthDim);
    if (columns % 16 || columns > most)
      return fail("a contraction has " + Twine(columns) + " columns; with " +
                  Twine(plan.consumers) + " consumers multiples of 16 up to " +
                  Twine(most) + " are possible");
    if (depth % 16)
      return fail("a contraction sums " + Twine(depth) +
                  " products in a step, not a multiple of 16");
    // What is loaded is not masked: it must end where the count does.
    std::optional<int64_t> count =
        getConstantIntValue(FoldOp(c.fold).getCounts()[c.depthDim]);
    if (!count || *count == depth || !c.lhs.getDefiningOp<LoadOp>())
      continue;
    for (Value operand : {c.lhs, c.rhs})
      if (auto load = operand.getDefiningOp<LoadOp>())
        for (auto [expr, size] :
             llvm::zip(load.getMap().getResults(),
                       cast<MemRefType>(load.getSource().getType()).getShape()))
          if (expr.isFunctionOfDim(c.depthDim) && size != *count)
            return fail("a contraction leaves out products that memory has");
  }
  return success();
}

size_t AgentPlanner::addView(Value view, SmallVector<int64_t> box) {
  for (auto [i, known] : llvm::enumerate(plan.views))
    if (known.view == view && known.box == box)
      return i;
  plan.views.push_back({view, box});
  return plan.views.size() - 1;
}

/// The dimension of a tile along which an index of memory runs with stride 1,
/// if it is the only one with extent in it; -1 for none, -2 for anything else.
static int64_t getTiledDim(AffineExpr expr, AffineMap map,
                           ArrayRef<int64_t> extent) {
  int64_t dim = -1;
  for (int64_t d : extent)
    if (expr.isFunctionOfDim(d)) {
      if (dim != -1)
        return -2;
      dim = d;
    }
  if (dim < 0)
    return -1;
  // expr(d + 1) - expr(d) must be 1.
  AffineExpr x = getAffineDimExpr(dim, map.getContext());
  AffineExpr difference = simplifyAffineExpr(
      expr.replace(x, x + 1) - expr, map.getNumDims(), map.getNumSymbols());
  auto constant = dyn_cast<AffineConstantExpr>(difference);
  return constant && constant.getValue() == 1 ? dim : -2;
}

static bool hasBoxes(MemRefType type) {
  // Copies take up to 5 dimensions and pitches that are multiples of 16 bytes.
  return type.hasStaticShape() && type.getRank() >= 1 && type.getRank() <= 5 &&
         type.getElementTypeBitWidth() == 16 && type.getShape().back() % 8 == 0;
}

std::optional<SharedTile> AgentPlanner::matchShared(LoadOp load,
                                                    int64_t ownDim) {
  auto type = cast<MemRefType>(load.getSource().getType());
  auto tile = cast<VectorType>(load.getType());
  SmallVector<int64_t> extent = getExtent(load.getResult());
  AffineMap map = load.getMap();
  if (extent.size() != (ownDim < 0 ? 1u : 2u) || !hasBoxes(type))
    return std::nullopt;
  SharedTile shared{load, -1, -1, -1, -1, 0, 0, 0, 0};
  for (auto [r, expr] : llvm::enumerate(map.getResults())) {
    int64_t d = getTiledDim(expr, map, extent);
    if (d == -1)
      continue;
    if (d == -2)
      return std::nullopt;
    bool dense = r + 1 == map.getNumResults();
    (dense ? shared.denseDim : shared.otherDim) = d;
    (dense ? shared.denseResult : shared.otherResult) = r;
  }
  if (shared.denseDim < 0 || (shared.otherDim < 0 && ownDim >= 0))
    return std::nullopt;
  int64_t columns = tile.getDimSize(shared.denseDim);
  SmallVector<int64_t> box(type.getRank(), 1);
  box[shared.denseResult] = kBoxColumns;
  if (ownDim < 0) {
    // One row; the matrix unit reads 63 more, whatever they are.
    if (columns % kBoxColumns)
      return std::nullopt;
    shared.boxes = columns / kBoxColumns;
    shared.rows = 8;
    shared.copiedRows = 1;
    overrun = std::max(overrun, kGroupRows * kBoxRowBytes);
    shared.map = addView(load.getSource(), box);
    return shared;
  }
  shared.rows = tile.getDimSize(shared.otherDim);
  if (columns % kBoxColumns || shared.rows > 256 || shared.rows % 8)
    return std::nullopt;
  shared.boxes = columns / kBoxColumns;
  // Only of an operand's own dimension: what is summed is zero beyond the end.
  if (shared.otherDim == ownDim) {
    int64_t there = llvm::alignTo(type.getDimSize(shared.otherResult), 8);
    overrun = std::max(overrun, (shared.rows - there) * kBoxRowBytes);
    shared.rows = std::min(shared.rows, there);
  }
  shared.copiedRows = shared.rows;
  box[shared.otherResult] = shared.rows;
  shared.map = addView(load.getSource(), box);
  return shared;
}

/// Whether nothing but contractions reads a tile, also when it is widened.
bool AgentPlanner::isOnlyMultiplied(LoadOp load) {
  SmallVector<Operation *> work(load->getUsers());
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (plan.contractions.contains(user))
      continue;
    if (!llvm::any_of(plan.contractions, [&](auto &entry) {
          return llvm::is_contained(entry.second.getProduct(), user);
        }))
      return false;
    llvm::append_range(work, user->getUsers());
  }
  return true;
}

LogicalResult AgentPlanner::placeOperands() {
  for (auto &[op, c] : plan.contractions) {
    Ring ring;
    for (Value operand : {c.lhs, c.rhs}) {
      auto load = operand.getDefiningOp<LoadOp>();
      if (!load) {
        if (operand == c.rhs)
          return fail("the operand without rows is not loaded");
        continue;
      }
      if (!isOnlyMultiplied(load))
        return fail("a loaded operand of a contraction is used otherwise");
      if (plan.ringOf.contains(load)) {
        Ring &known = plan.rings[plan.ringOf[load].first];
        if (!ring.perProgram)
          ++known.readers;
        continue;
      }
      std::optional<SharedTile> tile =
          matchShared(load, operand == c.lhs ? c.lhsDim : c.rhsDim);
      if (!tile)
        return fail(
            "an operand's memory has no form that copies of boxes take");
      bool outside = load->getBlock() != op->getBlock();
      if (outside && load->getParentOfType<StreamOp>())
        return fail("an operand belongs to an outer stream");
      // One that is loaded once a program has a ring of its own.
      Ring &target = outside ? plan.rings.emplace_back() : ring;
      target.offsets.push_back(target.slotBytes);
      target.slotBytes += tile->getBytes();
      target.copiedBytes += tile->getCopiedBytes();
      target.tiles.push_back(*tile);
      if (outside) {
        target.perProgram = true;
        target.depth = 1;
        target.index = plan.rings.size() - 1;
        plan.ringOf[load] = {target.index, 0};
      }
    }
    if (ring.tiles.empty())
      continue;
    ring.index = plan.rings.size();
    ring.depth = async.getStages();
    ring.readers = 1;
    for (auto [i, tile] : llvm::enumerate(ring.tiles))
      plan.ringOf[tile.load] = {ring.index, i};
    plan.rings.push_back(ring);
  }
  return success();
}

/// Whether `value` is computed from another contraction of the same step.
static bool followsContraction(Value value, Block *block,
                               const AgentPlan &plan) {
  llvm::SmallDenseSet<Operation *> seen;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || !seen.insert(op).second)
      continue;
    if (plan.contractions.contains(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

LogicalResult AgentPlanner::planStreams() {
  WalkResult result = kernel.walk([&](StreamOp stream) {
    StreamPlan &s = plan.streams[stream];
    if (stream.getReverse() || stream->getParentOfType<StreamOp>()) {
      (void)fail("streams within streams, or reversed ones");
      return WalkResult::interrupt();
    }
    Block *body = stream.getBody();
    bool onlyChains = true;
    for (Operation &op : body->without_terminator()) {
      auto it = plan.contractions.find(&op);
      if (it == plan.contractions.end()) {
        onlyChains &= !isa<FoldOp>(op);
        continue;
      }
      Contraction &c = it->second;
      // acc is the carried value and the result is what is carried on.
      auto carried = dyn_cast<BlockArgument>(c.getAcc());
      bool chain = carried && carried.getOwner() == body &&
                   carried.hasOneUse() && c.getResult().hasOneUse() &&
                   body->getTerminator()->getOperand(carried.getArgNumber() -
                                                     1) == c.getResult();
      onlyChains &= chain && c.lhs.getDefiningOp<LoadOp>();
      if (async.getSkew() && !c.lhs.getDefiningOp<LoadOp>() &&
          followsContraction(c.lhs, body, plan))
        s.delayed.push_back(c.fold);
    }
    s.chained = onlyChains;
    findStepBounds(stream, plan, s);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult AgentPlanner::planStores() {
  kernel.walk([&](StoreOp store) {
    StorePlan &s = plan.stores[store];
    auto type = cast<MemRefType>(store.getDestination().getType());
    auto tile = cast<VectorType>(store.getValue().getType());
    AffineMap map = store.getMap();
    if (plan.rowDim < 0 || plan.getKind(tile) != Fragment::Tile ||
        !hasBoxes(type) || plan.getColumns(tile) % kBoxColumns)
      return;
    SmallVector<int64_t> extent = getExtent(store.getValue());
    bool row = false, column = false;
    for (auto [r, expr] : llvm::enumerate(map.getResults())) {
      int64_t d = getTiledDim(expr, map, extent);
      if (d == -2)
        return;
      if (d == -1)
        continue;
      // Copies clip at the end of a dimension of memory: positions beyond the
      // counts must be beyond it too.
      if (!isa<AffineDimExpr>(expr) &&
          tile.getDimSize(d) !=
              getConstantIntValue(store.getCounts()[d]).value_or(0))
        return;
      if (d == plan.rowDim && r + 1 < map.getNumResults()) {
        row = true;
        s.rowResult = r;
      } else if (d != plan.rowDim && r + 1 == map.getNumResults()) {
        column = true;
        s.columnResult = r;
      } else {
        return;
      }
    }
    if (!row || !column)
      return;
    s.boxed = true;
    SmallVector<int64_t> box(type.getRank(), 1);
    box[s.rowResult] = kGroupRows;
    box[s.columnResult] = kBoxColumns;
    s.map = addView(store.getDestination(), box);
    int64_t columns = plan.getColumns(tile);
    plan.stagingColumns =
        std::max(plan.stagingColumns,
                 columns % (2 * kBoxColumns) ? kBoxColumns : 2 * kBoxColumns);
  });
  return success();
}

/// What the consumers compute: everything but the products that are never
/// built.
LogicalResult AgentPlanner::findLive() {
  SmallVector<Operation *> work;
  auto need = [&](Operation *op) {
    if (op && plan.live.insert(op).second)
      work.push_back(op);
  };
  kernel.walk([&](Operation *op) {
    if (isa<StoreOp, YieldOp, scf::YieldOp, gpu::ReturnOp>(op))
      need(op);
  });
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    auto it = plan.contractions.find(op);
    if (it != plan.contractions.end()) {
      need(it->second.getAcc().getDefiningOp());
      need(it->second.lhs.getDefiningOp());
      need(it->second.rhs.getDefiningOp());
      for (Value count : it->second.fold.getCounts())
        need(count.getDefiningOp());
    } else {
      for (Value operand : op->getOperands())
        need(operand.getDefiningOp());
    }
    for (Operation *parent = op->getParentOp(); parent != kernel;
         parent = parent->getParentOp())
      need(parent);
  }
  return success();
}

LogicalResult AgentPlanner::checkTiles() {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!plan.isLive(op))
      return WalkResult::advance();
    if (isa<GatherLoadOp, ScatterStoreOp, vector::ExtractOp, scf::IfOp>(op)) {
      (void)fail("no form for " + op->getName().getStringRef());
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<VectorType>(type);
      if (!tile || plan.getRing(op))
        continue;
      if (getExtent(op->getResult(0)).size() > 2 ||
          (plan.getKind(tile) == Fragment::Column ||
                   plan.getKind(tile) == Fragment::Tile
               ? plan.getColumns(tile) % 16 != 0
               : false)) {
        (void)fail("a tile of " + op->getName().getStringRef() +
                   " has more than one dimension of columns, or not a multiple "
                   "of 16");
        return WalkResult::interrupt();
      }
      Type element = tile.getElementType();
      bool narrow = element.isBF16() || element.isF16();
      if ((narrow &&
           !isa<arith::TruncFOp, vector::BroadcastOp, LoadOp, KeepOp>(op)) ||
          (!narrow && !element.isF32() && !element.isIndex() &&
           !element.isInteger(1) && !element.isInteger(32))) {
        (void)fail("a tile of an element type without registers");
        return WalkResult::interrupt();
      }
    }
    auto fold = dyn_cast<FoldOp>(op);
    if (fold && !plan.contractions.contains(op)) {
      bool one = fold.getValues().size() == 1;
      for (int64_t d : fold.getDims())
        one &= d != plan.rowDim;
      if (!one) {
        (void)fail("a fold along rows, or of several numbers");
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult AgentPlanner::layOut(int64_t limit) {
  int64_t offset = 0;
  for (Ring &ring : plan.rings) {
    ring.slots = offset;
    offset += ring.slotBytes * ring.depth;
  }
  plan.stagingBytes =
      plan.stagingColumns / kBoxColumns * kGroupRows * kBoxRowBytes;
  plan.staging = offset;
  offset += plan.stagingBytes * plan.consumers;
  for (Ring &ring : plan.rings) {
    ring.full = offset;
    ring.empty = offset + 8 * ring.depth;
    offset += 16 * ring.depth;
  }
  offset = std::max(offset, plan.staging + overrun);
  // The start is aligned to what a swizzle repeats after.
  plan.sharedBytes = offset + 1024;
  if (plan.sharedBytes > limit)
    return fail("rings and staging take " + Twine(plan.sharedBytes) +
                " bytes of shared memory, the target has " + Twine(limit));
  return success();
}

FailureOr<AgentPlan> AgentPlanner::run(int64_t limit) {
  if (failed(findContractions()) || failed(findRowDim()) ||
      failed(checkShapes()) || failed(placeOperands()) ||
      failed(planStreams()) || failed(planStores()) || failed(findLive()) ||
      failed(checkTiles()) || failed(layOut(limit)))
    return failure();
  return plan;
}

FailureOr<AgentPlan> AgentPlan::get(gpu::GPUFuncOp kernel, AsyncAttr async,
                                    int64_t sharedBytes, std::string &why) {
  return AgentPlanner(kernel, async, why).run(sharedBytes);
}
