//===- FormKernels.cpp - Operations that run as one become a kernel -------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every map and reduction starts as a cluster of its own; one after the other,
// in the order of the program, is merged with the clusters that it reads from
// or reads the same things as, if the union can be run as one kernel
// (KernelPlan.h) and is worth it. What the union looks like is found out by
// building it.
//
// Some operations belong to no cluster, but to every one that needs them: a
// reduction that another reduction folds away again (a score, whose rows are
// summed) and the maps between the two. They are *recomputed*, which costs
// arithmetic and saves the traffic of a tensor that is larger than what it is
// made from.
//
// Laws: a cascade of folds is one fold by the gauge theorem (Gauge.h);
// independent folds over one domain are one fold with the product monoid; a
// map after a fold is its projection.
//
//===----------------------------------------------------------------------===//

#include "../FuseMaps.h"
#include "Record.h"
#include "Tang/Analysis/Explain.h"
#include "Tang/Analysis/Gauge.h"
#include "Tang/Analysis/KernelPlan.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

namespace mlir::tang {
#define GEN_PASS_DEF_TANGFORMKERNELS
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// A recomputed reduction of more than so many terms is worth a store.
constexpr int64_t kMaxRecomputed = 512;
/// The same within one kernel, for every pass that needs it.
constexpr int64_t kMaxRepeated = 8;
/// Points of a block of a fold with gauges. Part of the numeric contract: it
/// fixes the order of the sum on every target.
constexpr int64_t kBlock = 32;
/// By how many eighths a bound may exceed that of the order as written under
/// stable numerics: a block of 32 and one term have 35 u in place of 32 u.
constexpr int64_t kEighths = 1;
/// Targets guarantee few buffers, and a kernel must stay quick to compile.
constexpr int64_t kMaxBuffers = 24;
constexpr int64_t kMaxBodyOps = 600;
/// Fewer programs than this are too few for so much work.
constexpr int64_t kMinPrograms = 4;
constexpr int64_t kSerialWork = 1 << 14;

using OpSet = llvm::SmallSetVector<Operation *, 8>;

/// The kernels of one block.
class BlockFormer {
public:
  BlockFormer(Block &block, StringRef numerics, RewritePatternSet &patterns)
      : block(block), exact(numerics == "exact"), fast(numerics == "fast"),
        patterns(std::move(patterns)) {}

  void run();

private:
  bool isCandidate(Operation *op) const { return order.contains(op); }
  void findRecomputed();
  bool isFoldedAway(ReduceOp reduce, OpSet &between);
  void cluster();
  /// `members` and the recomputed operations that they need, in order.
  SmallVector<Operation *> closure(const OpSet &members) const;
  bool isConvex(const OpSet &members) const;
  bool leaves(Value value, const OpSet &members) const;
  FailureOr<KernelOp> build(const OpSet &members, bool final);
  LogicalResult finish(KernelOp kernel);
  LogicalResult inlineLocalMaps(KernelOp kernel);
  void decideFolds(KernelOp kernel);
  void alignOrders(KernelOp kernel);
  void recordRules(KernelOp kernel);
  void decideChunk(KernelOp kernel);
  void recordMissed();
  LogicalResult isWorthIt(KernelOp kernel);
  /// Reductions recomputed by several kernels that should not be.
  bool rejectRecomputed();

  Block &block;
  bool exact, fast;
  FrozenRewritePatternSet patterns;
  DenseMap<Operation *, int64_t> order;
  SmallVector<Operation *> ops;
  DenseSet<Operation *> recomputed, rejected;
  std::vector<OpSet> clusters;
  std::string why;
  /// For --tang-explain: why an operation was not merged with a neighbour.
  llvm::MapVector<Operation *, std::set<std::string>> missed;
  DenseMap<Operation *, Operation *> kernelOf;
};

/// Static number of terms of a reduction, or kDynamic.
int64_t termsOf(ReduceOp reduce) {
  int64_t terms = 1;
  for (int64_t size : reduce.getStaticSizes()) {
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(terms, size, terms))
      return ShapedType::kDynamic;
  }
  return terms;
}

/// Roundings of a sum of so many terms, in unit roundoffs relative to the sum
/// of absolute values, beside what the terms themselves have. The first block
/// is added to zero, which is not rescaled; each later one costs a factor (exp:
/// 2, product: 1) and an addition. So do chunks, merged by an addition, with a
/// factor on either side.
int64_t roundingsOf(int64_t terms, int64_t block, bool hasGauges,
                    int64_t chunk) {
  if (terms < 1)
    return 0;
  auto inBlocks = [&](int64_t n) -> int64_t {
    if (!block)
      return n - 1;
    return std::min(block, n) - 1 + 4 * (llvm::divideCeil(n, block) - 1);
  };
  if (!chunk)
    return inBlocks(terms);
  int64_t merging = hasGauges ? 4 : 1;
  return inBlocks(std::min(chunk, terms)) +
         merging * (llvm::divideCeil(terms, chunk) - 1);
}

/// The same for a sum of squares that follows its gauge by translation: what it
/// is moved by is of the order of the result in total, three additions a block;
/// twice a block, since the sum of differences is moved by enters too.
int64_t translatedRoundingsOf(int64_t terms, int64_t block) {
  return 2 * (block - 1) + 12 + 3 * llvm::divideCeil(terms, block);
}

/// The contract of a reduction: how it is summed and the error of that, in unit
/// roundoffs u of the accumulating type, relative to the sum of absolute
/// values.
FoldAttr makeContract(ReduceOp reduce, int64_t block, ArrayRef<int64_t> gauges,
                      int64_t chunk = 0, bool translated = false) {
  Type type = getElementTypeOrSelf(reduce.getResult(0));
  FailureOr<Monoid> monoid = Monoid::get(reduce.getMonoid(), reduce);
  SmallVector<Type> types = llvm::map_to_vector(
      reduce.getOuts(), [](Value v) { return getElementTypeOrSelf(v); });
  auto builtin = dyn_cast<MonoidAttr>(reduce.getMonoid());
  int64_t terms = termsOf(reduce);
  // A start that is not the identity is one more term.
  bool startsAtIdentity = startsFromIdentity(reduce);
  int64_t roundings =
      ShapedType::isDynamic(terms)
          ? terms
          : std::max<int64_t>(terms - (startsAtIdentity ? 1 : 0), 0);
  std::string bound;
  llvm::raw_string_ostream os(bound);
  if (succeeded(monoid) && monoid->isReorderExact(types)) {
    os << "exact";
  } else if (builtin && (builtin.getKind() == MonoidKind::Add ||
                         builtin.getKind() == MonoidKind::Mul)) {
    bool dynamic = ShapedType::isDynamic(terms);
    if (translated && !dynamic)
      os << translatedRoundingsOf(terms, block) << " u";
    else if (translated)
      os << "(" << translatedRoundingsOf(1, block) << " + 3 n/" << block
         << ") u";
    else if ((chunk || block) && !dynamic)
      os << roundingsOf(terms, block, !gauges.empty(), chunk) << " u";
    else if (chunk)
      os << "(" << roundingsOf(chunk, block, !gauges.empty(), 0) << " + "
         << (gauges.empty() ? 1 : 4) << " n/" << chunk << ") u";
    else if (block)
      os << "(" << block - 1 << " + 4 n/" << block << ") u";
    else if (dynamic)
      os << (startsAtIdentity ? "(n - 1) u" : "n u");
    else
      os << roundings << " u";
  } else {
    os << "one combination a term, in order";
  }
  return FoldAttr::get(reduce.getContext(), type, block, bound, gauges);
}

/// Whether the kernel is one pass with gauges of at least two chunks.
bool isLong(const KernelPlan &plan) {
  if (!plan.checkChunk(kChunk).empty())
    return false;
  const KernelPass &pass = plan.getPasses().front();
  int64_t size = plan.getDims()[pass.stream.front()].size;
  return pass.block && (ShapedType::isDynamic(size) || size >= 2 * kChunk);
}

/// Reduces over the same dimensions in another order: the i-th becomes what the
/// order[i]-th was.
void permuteReduced(ReduceOp reduce, ArrayRef<int64_t> order) {
  Builder b(reduce.getContext());
  auto op = cast<StructuredOp>(reduce.getOperation());
  int64_t rank = reduce.getNumResultDims();
  SmallVector<OpFoldResult> old =
      getMixedValues(reduce.getStaticSizes(), reduce.getSizes(), b);
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> moved(op.getNumDims());
  SmallVector<AffineExpr> dims(op.getNumDims());
  for (int64_t d = 0; d < rank; ++d)
    dims[d] = b.getAffineDimExpr(moved[d] = d);
  for (auto [i, from] : llvm::enumerate(order)) {
    sizes.push_back(old[from]);
    moved[rank + from] = rank + i;
    dims[rank + from] = b.getAffineDimExpr(rank + i);
  }
  SmallVector<AffineMap> maps = op.getInMapArray();
  for (AffineMap &map : maps) {
    SmallVector<AffineExpr> symbols;
    for (unsigned s = 0; s < map.getNumSymbols(); ++s)
      symbols.push_back(b.getAffineSymbolExpr(s));
    map = map.replaceDimsAndSymbols(dims, symbols, map.getNumDims(),
                                    map.getNumSymbols());
  }
  op.setInMapArray(maps);
  for (IndexOp index : op.getBody()->getOps<IndexOp>())
    index.setDim(moved[index.getDim()]);
  SmallVector<int64_t> statics;
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(sizes, dynamics, statics);
  reduce.setStaticSizes(statics);
  reduce.getSizesMutable().assign(dynamics);
}

bool isAtMost(int64_t size, int64_t limit) {
  return ShapedType::isStatic(size) && size <= limit;
}

} // namespace

//===----------------------------------------------------------------------===//
// What is recomputed
//===----------------------------------------------------------------------===//

/// Whether every way from the reduction leads through maps to reductions over
/// one of its dimensions, whose other results' dimensions are few.
bool BlockFormer::isFoldedAway(ReduceOp reduce, OpSet &between) {
  SmallVector<Operation *> work = {reduce};
  bool bare = true;
  bool found = false;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (OpOperand &use : op->getUses()) {
      auto user = dyn_cast<StructuredOp>(use.getOwner());
      if (!user || !isCandidate(user))
        return false;
      auto ins = user.getIns();
      int64_t position = static_cast<int64_t>(use.getOperandNumber()) -
                         static_cast<int64_t>(ins.getBeginOperandIndex());
      if (position < 0 || position >= static_cast<int64_t>(ins.size()))
        return false;
      AffineMap map = user.getInMapArray()[position];
      if (isa<MapOp>(user.getOperation())) {
        // A map on fewer dimensions is already an end.
        if (between.insert(user))
          work.push_back(user);
        continue;
      }
      bool folds = false;
      int64_t extra = 1;
      SmallVector<int64_t> domain = user.getStaticDomain();
      for (int64_t d = 0, e = user.getNumDims(); d < e; ++d) {
        bool reads = map.isFunctionOfDim(d);
        folds |= reads && !user.isParallelDim(d) && domain[d] != 1;
        if (reads || !user.isParallelDim(d))
          continue;
        if (ShapedType::isDynamic(domain[d]) ||
            llvm::MulOverflow(extra, domain[d], extra))
          return false;
      }
      if (!folds || extra > KernelPlan::kMaxInner)
        return false;
      bare &= extra == 1;
      found = true;
    }
  }
  // Long sums are recomputed for nothing but statistics of their rows.
  return found && (bare || isAtMost(termsOf(reduce), kMaxRecomputed));
}

void BlockFormer::findRecomputed() {
  recomputed.clear();
  for (Operation *op : ops) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || rejected.contains(op) || !reduce.getInitAttr())
      continue;
    OpSet between;
    if (!isFoldedAway(reduce, between))
      continue;
    recomputed.insert(op);
    recomputed.insert(between.begin(), between.end());
  }
}

/// After clustering: a reduction that several kernels compute must be an outer
/// product with short sums.
bool BlockFormer::rejectRecomputed() {
  bool changed = false;
  DenseMap<Operation *, int64_t> uses;
  for (const OpSet &members : clusters)
    for (Operation *op : closure(members))
      if (recomputed.contains(op))
        ++uses[op];
  for (Operation *op : ops) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || uses.lookup(op) < 2)
      continue;
    bool outer = true;
    auto structured = cast<StructuredOp>(op);
    SmallVector<int64_t> domain = structured.getStaticDomain();
    for (AffineMap map : structured.getInMapArray()) {
      bool lacks = false;
      for (int64_t d = 0; d < reduce.getNumResultDims(); ++d)
        lacks |= domain[d] != 1 && !map.isFunctionOfDim(d);
      outer &= lacks;
    }
    if (outer && isAtMost(termsOf(reduce), kMaxRecomputed))
      continue;
    rejected.insert(op);
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

SmallVector<Operation *> BlockFormer::closure(const OpSet &members) const {
  OpSet all(members.begin(), members.end());
  for (size_t i = 0; i < all.size(); ++i)
    for (Value operand : all[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && recomputed.contains(producer))
        all.insert(producer);
  SmallVector<Operation *> sorted = llvm::to_vector(all);
  llvm::sort(sorted, [&](Operation *a, Operation *b) {
    return order.lookup(a) < order.lookup(b);
  });
  return sorted;
}

/// No way leads out of the members and back in.
bool BlockFormer::isConvex(const OpSet &members) const {
  Operation *last = members.front();
  for (Operation *op : members)
    if (last->isBeforeInBlock(op))
      last = op;
  OpSet seen;
  SmallVector<Operation *> work;
  // Recomputed operations are copied: only what they read counts.
  auto visit = [&](Operation *op) {
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (!ancestor || (!ancestor->isBeforeInBlock(last) && ancestor != last))
        continue;
      if (seen.insert(ancestor))
        work.push_back(ancestor);
    }
  };
  for (Operation *op : members)
    visit(op);
  DenseSet<Operation *> outside;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (members.contains(op))
      continue;
    if (!recomputed.contains(op))
      outside.insert(op);
    visit(op);
  }
  if (outside.empty())
    return true;
  // Does a member, or what is copied for it, read what comes from outside?
  for (Operation *op : closure(members))
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (outside.contains(producer))
          return false;
  return true;
}

/// Whether a value is needed outside of the members.
bool BlockFormer::leaves(Value value, const OpSet &members) const {
  SmallVector<Value> work = {value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (Operation *user : next.getUsers()) {
      if (members.contains(user) || isa<tensor::DimOp>(user) ||
          !seen.insert(user).second)
        continue;
      if (!recomputed.contains(user))
        return true;
      llvm::append_range(work, user->getResults());
    }
  }
  return false;
}

void BlockFormer::cluster() {
  clusters.clear();
  missed.clear();
  DenseMap<Operation *, int64_t> clusterOf;
  int64_t serial = 0;
  std::map<int64_t, OpSet> live;
  DenseMap<Value, SmallVector<int64_t>> readers;
  for (Operation *op : ops) {
    if (recomputed.contains(op))
      continue;
    OpSet current;
    current.insert(op);
    // The clusters that it reads from, through what is recomputed; then those
    // that fold over the same things.
    llvm::SmallSetVector<int64_t, 8> candidates;
    SmallVector<Operation *> work = {op};
    DenseSet<Operation *> seen;
    SmallVector<Value> inputs;
    while (!work.empty()) {
      Operation *next = work.pop_back_val();
      for (Value operand : cast<StructuredOp>(next).getIns()) {
        Operation *producer = operand.getDefiningOp();
        if (producer && recomputed.contains(producer)) {
          inputs.push_back(operand);
          if (seen.insert(producer).second)
            work.push_back(producer);
          continue;
        }
        if (producer && clusterOf.contains(producer))
          candidates.insert(clusterOf.lookup(producer));
        inputs.push_back(operand);
      }
    }
    if (isa<ReduceOp>(op))
      for (Value input : inputs)
        for (int64_t c : readers.lookup(input))
          candidates.insert(c);
    SmallVector<int64_t> sorted = llvm::to_vector(candidates);
    llvm::sort(sorted, std::greater<>());
    for (int64_t c : sorted) {
      auto it = live.find(c);
      if (it == live.end())
        continue;
      OpSet trial(it->second.begin(), it->second.end());
      trial.insert(current.begin(), current.end());
      if (!isConvex(trial))
        continue;
      FailureOr<KernelOp> kernel = build(trial, /*final=*/false);
      if (failed(kernel)) {
        missed[op].insert(why + " (beside " + describePlace(it->second.back()) +
                          ")");
        continue;
      }
      kernel->erase();
      current = std::move(trial);
      live.erase(it);
    }
    for (Operation *member : current)
      clusterOf[member] = serial;
    if (isa<ReduceOp>(op))
      for (Value input : inputs)
        readers[input].push_back(serial);
    // Readers of merged clusters follow them.
    for (Operation *member : current)
      if (isa<ReduceOp>(member) && member != op)
        for (Value input : cast<StructuredOp>(member).getIns())
          readers[input].push_back(serial);
    live[serial++] = std::move(current);
  }
  for (auto &[id, members] : live)
    clusters.push_back(std::move(members));
}

//===----------------------------------------------------------------------===//
// Building a kernel
//===----------------------------------------------------------------------===//

FailureOr<KernelOp> BlockFormer::build(const OpSet &members, bool final) {
  SmallVector<Operation *> all = closure(members);
  DenseSet<Operation *> inside(all.begin(), all.end());
  Operation *last = members.front();
  for (Operation *op : members)
    if (last->isBeforeInBlock(op))
      last = op;
  IRRewriter host(last);
  Location loc = last->getLoc();

  // What comes in: everything that is read and not computed here.
  llvm::SmallSetVector<Value, 16> ins;
  SmallVector<Value> results, outs;
  auto produced = [&](Value value) {
    return value.getDefiningOp() && inside.contains(value.getDefiningOp());
  };
  DenseMap<Value, SmallVector<OpFoldResult>> shapes;
  int64_t bodyOps = 0;
  for (Operation *op : all) {
    auto structured = cast<StructuredOp>(op);
    bodyOps += structured.getBody()->getOperations().size();
    for (Value in : structured.getIns())
      if (!produced(in))
        ins.insert(in);
    for (ValueRange range : {ValueRange(structured.getCaptures()),
                             ValueRange(structured.getSymbols())})
      for (Value value : range) {
        if (produced(value)) {
          why = describePlace(value.getDefiningOp()) +
                " is read at computed indices";
          return failure();
        }
        ins.insert(value);
      }
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce)
      for (Value size : reduce.getSizes())
        ins.insert(size);
    bool startsFromOuts = reduce && !reduce.getInit();
    for (Value out : structured.getOuts()) {
      if (startsFromOuts) {
        if (produced(out)) {
          why =
              describePlace(op) + " starts from a value that is computed here";
          return failure();
        }
        ins.insert(out);
        continue;
      }
      auto empty = out.getDefiningOp<tensor::EmptyOp>();
      SmallVector<OpFoldResult> &shape = shapes[out];
      if (empty)
        shape = empty.getMixedSizes();
      else if (!produced(out) &&
               cast<RankedTensorType>(out.getType()).hasStaticShape())
        shape = getAsIndexOpFoldResult(
            host.getContext(),
            cast<RankedTensorType>(out.getType()).getShape());
      else {
        why = "the size of " + describePlace(op) + " is unknown";
        return failure();
      }
      for (OpFoldResult size : shape)
        if (auto value = dyn_cast<Value>(size))
          ins.insert(value);
    }
  }
  if (bodyOps > kMaxBodyOps || ins.size() > kMaxBuffers) {
    why = "the kernel would be too large";
    return failure();
  }
  for (Operation *op : all) {
    if (!members.contains(op))
      continue;
    auto structured = cast<StructuredOp>(op);
    for (auto [result, out] : llvm::zip(op->getResults(), structured.getOuts()))
      if (leaves(result, members)) {
        results.push_back(result);
        // A destination that is only a shape may be anything of the shape.
        Value place = out;
        if (isa<ReduceOp>(op) && !cast<ReduceOp>(op).getInit())
          place = host.create<tensor::EmptyOp>(
              loc, tensor::getMixedSizes(host, loc, out),
              getElementTypeOrSelf(out));
        outs.push_back(place);
      }
  }
  if (results.empty() || results.size() > kMaxBuffers - ins.size()) {
    why = "the kernel would have too many results";
    return failure();
  }

  auto kernel = host.create<KernelOp>(loc, ins.getArrayRef(), ValueRange(outs));
  IRMapping mapping;
  for (auto [in, argument] : llvm::zip(ins, kernel.getBody()->getArguments()))
    mapping.map(in, argument);
  OpBuilder b(host.getContext());
  b.setInsertionPointToStart(kernel.getBody());
  for (Operation *op : all) {
    auto structured = cast<StructuredOp>(op);
    for (Value out : structured.getOuts()) {
      if (mapping.contains(out))
        continue;
      SmallVector<OpFoldResult> shape;
      for (OpFoldResult size : shapes.lookup(out)) {
        if (auto value = dyn_cast<Value>(size))
          shape.push_back(mapping.lookup(value));
        else
          shape.push_back(size);
      }
      mapping.map(
          out, b.create<tensor::EmptyOp>(loc, shape, getElementTypeOrSelf(out))
                   .getResult());
    }
    b.clone(*op, mapping);
  }
  b.create<YieldOp>(loc, llvm::map_to_vector(results, [&](Value v) {
                      return mapping.lookup(v);
                    }));
  if (failed(finish(kernel))) {
    kernel.erase();
    return failure();
  }
  if (final) {
    decideChunk(kernel);
    recordRules(kernel);
  }
  if (final)
    for (auto [result, replacement] : llvm::zip(results, kernel.getResults()))
      result.replaceUsesWithIf(replacement, [&](OpOperand &use) {
        return !members.contains(use.getOwner());
      });
  return kernel;
}

/// Bodies take in the maps that are local to a step; folds get their contract.
LogicalResult BlockFormer::finish(KernelOp kernel) {
  if (failed(inlineLocalMaps(kernel)))
    return failure();
  alignOrders(kernel);
  decideFolds(kernel);
  return isWorthIt(kernel);
}

LogicalResult BlockFormer::inlineLocalMaps(KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan))
    return failure();
  // Before anything moves: what is computed again for tiles of a parallel
  // dimension that it does not have?
  SmallVector<int64_t> parallel = plan->dimsOfKind(KernelDim::Parallel);
  for (StructuredOp op : getKernelOps(kernel)) {
    for (Value in : op.getIns()) {
      auto producer = in.getDefiningOp<StructuredOp>();
      if (!producer || !plan->isLocal(in))
        continue;
      bool isMap = isa<MapOp>(producer.getOperation());
      if (isMap && costOfBody(*producer.getBody()) <= kFree)
        continue;
      for (int64_t d : parallel)
        if (llvm::is_contained(plan->dimsOf(op), d) &&
            !llvm::is_contained(plan->dimsOf(producer), d)) {
          why = describePlace(producer) +
                " would be computed again for every tile of another dimension";
          return failure();
        }
    }
  }
  IRRewriter rewriter(kernel->getContext());
  for (StructuredOp op : getKernelOps(kernel)) {
    bool again = true;
    while (again) {
      again = false;
      for (auto [i, in] : llvm::enumerate(op.getIns())) {
        auto map = in.getDefiningOp<MapOp>();
        if (!map || !plan->isLocal(in))
          continue;
        if (op.getBody()->getOperations().size() +
                map.getBody()->getOperations().size() >
            kMaxBodyOps) {
          why = "the body would be too large";
          return failure();
        }
        inlineMap(rewriter, op, map, i);
        again = true;
        break;
      }
    }
  }
  SmallVector<StructuredOp> inner = getKernelOps(kernel);
  for (StructuredOp op : llvm::reverse(inner))
    if (op->use_empty())
      op->erase();
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  (void)applyPatternsGreedily(kernel.getRegion(), patterns);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return success();
}

/// Folds over the same dimensions in another order join the first one's pass.
void BlockFormer::alignOrders(KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan))
    return;
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> orders;
  for (StructuredOp op : getKernelOps(kernel)) {
    auto fold = dyn_cast<ReduceOp>(op.getOperation());
    if (!fold || plan->isLocal(fold.getResult(0)))
      continue;
    // Dimensions of size 1 come first: their place does not matter.
    SmallVector<int64_t> stream, place;
    int64_t rank = fold.getNumResultDims();
    for (auto [d, k] : llvm::enumerate(plan->dimsOf(fold)))
      if (!op.isParallelDim(d) && k >= 0) {
        stream.push_back(k);
        place.push_back(d - rank);
      }
    SmallVector<int64_t> key(stream);
    llvm::sort(key);
    auto [it, isNew] = orders.try_emplace(key, stream);
    if (isNew || it->second == stream)
      continue;
    FailureOr<Monoid> monoid = Monoid::get(fold.getMonoid(), fold);
    SmallVector<Type> types = llvm::map_to_vector(
        fold.getOuts(), [](Value v) { return getElementTypeOrSelf(v); });
    if (failed(monoid) || !monoid->isCommutative() ||
        (exact && !monoid->isReorderExact(types)))
      continue;
    SmallVector<int64_t> order;
    for (auto [d, k] : llvm::enumerate(plan->dimsOf(fold)))
      if (!op.isParallelDim(d) && k < 0)
        order.push_back(d - rank);
    for (int64_t k : it->second)
      order.push_back(place[llvm::find(stream, k) - stream.begin()]);
    permuteReduced(fold, order);
    addRecord(fold, "tang.rules",
              "reorder: runs over its dimensions in the order of the pass; the "
              "same bound");
  }
}

/// The accumulating type, order, gauges and bound of every reduction.
void BlockFormer::decideFolds(KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan))
    return;
  Builder b(kernel.getContext());
  auto streamOf = [&](ReduceOp fold) {
    SmallVector<int64_t> stream;
    auto op = cast<StructuredOp>(fold.getOperation());
    for (auto [d, k] : llvm::enumerate(plan->dimsOf(fold)))
      if (k >= 0 && !op.isParallelDim(d))
        stream.push_back(k);
    return stream;
  };
  // Whether a value of the program comes from a fold over this stream.
  std::function<bool(Value, ArrayRef<int64_t>)> follows =
      [&](Value value, ArrayRef<int64_t> stream) {
        Operation *op = value.getDefiningOp();
        if (!op || plan->isLocal(value))
          return false;
        if (auto fold = dyn_cast<ReduceOp>(op))
          return ArrayRef<int64_t>(streamOf(fold)) == stream;
        if (auto map = dyn_cast<MapOp>(op))
          return llvm::any_of(map.getIns(),
                              [&](Value in) { return follows(in, stream); });
        return false;
      };
  for (StructuredOp op : getKernelOps(kernel)) {
    auto fold = dyn_cast<ReduceOp>(op.getOperation());
    if (!fold || plan->isLocal(fold.getResult(0)))
      continue;
    SmallVector<int64_t> stream = streamOf(fold), gauges;
    if (!exact && !stream.empty())
      for (auto [i, in] : llvm::enumerate(fold.getIns()))
        if (follows(in, stream))
          gauges.push_back(i);
    if (gauges.empty())
      continue;
    std::string reason;
    FailureOr<Gauge> gauge = Gauge::analyze(fold, gauges, reason);
    if (failed(gauge)) {
      addRecord(fold, "tang.missed",
                "cascade: waits for the final value of an earlier fold (" +
                    reason + ")");
      continue;
    }
    // For a factor a dynamic number of terms is no risk, for a translation it
    // is.
    bool translated = gauge->getTranslated() != nullptr;
    if (translated && stream.size() != 1) {
      addRecord(
          fold, "tang.missed",
          "cascade: waits for the final value of an earlier fold (squares "
          "follow it along one dimension only)");
      continue;
    }
    int64_t terms = termsOf(fold);
    bool dynamic = ShapedType::isDynamic(terms);
    int64_t inOrder = roundingsOf(terms, 0, true, 0),
            inBlocks = translated ? translatedRoundingsOf(terms, kBlock)
                                  : roundingsOf(terms, kBlock, true, 0);
    if (!fast &&
        (dynamic ? translated : 8 * inBlocks > (8 + kEighths) * inOrder)) {
      std::string text = "cascade: the error of its blocks ";
      if (dynamic)
        text += "may exceed that of the order as written";
      else
        text += "would exceed that of the order as written: " +
                std::to_string(inBlocks) + " u for " + std::to_string(inOrder) +
                " u";
      addRecord(fold, "tang.missed", text);
      continue;
    }
    fold->setAttr("tang.fold",
                  makeContract(fold, kBlock, gauges, 0, translated));
    if (translated) {
      addRecord(fold, "tang.rules",
                "cascade: follows its gauge by translation, carried about the "
                "mean so far; summed in blocks, about that mean");
      continue;
    }
    addRecord(fold, "tang.rules",
              "cascade: follows its gauge by the factor " +
                  gauge->getFactorText() +
                  (gauge->movesRounding()
                       ? "; summed in blocks, a rounding moves past the factor"
                       : "; summed in blocks"));
  }
}

/// Long passes are folded in chunks, whatever the number of programs: so the
/// result is the same whether chunks have programs of their own or not.
void BlockFormer::decideChunk(KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (exact || failed(plan) || !isLong(*plan))
    return;
  const KernelPass &pass = plan->getPasses().front();
  kernel.setChunk(kChunk);
  for (ReduceOp fold : pass.folds) {
    auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
    fold->setAttr("tang.fold",
                  makeContract(fold, how ? how.getBlock() : 0,
                               how ? how.getGauges() : ArrayRef<int64_t>(),
                               kChunk));
  }
  addRecord(kernel, "tang.rules",
            "split: the pass is folded in chunks of " + std::to_string(kChunk) +
                ", merged in order by the same monoid");
}

/// Which laws made the kernel.
void BlockFormer::recordRules(KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan))
    return;
  for (const KernelPass &pass : plan->getPasses())
    if (pass.folds.size() > 1)
      addRecord(kernel, "tang.rules",
                "product: " + std::to_string(pass.folds.size()) +
                    " folds over the same points are one fold of tuples");
  int64_t maps = 0;
  for (StructuredOp op : getKernelOps(kernel)) {
    bool local = plan->isLocal(op->getResult(0));
    if (isa<MapOp>(op.getOperation()))
      ++maps;
    else if (local)
      addRecord(kernel, "tang.rules",
                "recompute: an inner reduction is computed where it is folded "
                "away and never stored; no rounding changes");
  }
  if (maps && !plan->getPasses().empty())
    addRecord(kernel, "tang.rules",
              "projection: maps of the folds' results run at their end; no "
              "rounding changes");
  if (plan->getPasses().size() > 1)
    addRecord(kernel, "tang.rules",
              "passes: the kernel runs " +
                  std::to_string(plan->getPasses().size()) +
                  " times over its points, since later folds or results need "
                  "final values of earlier folds; no rounding changes");
}

void BlockFormer::recordMissed() {
  for (auto &[op, reasons] : missed) {
    // Where the operation is now: in a kernel, or gone.
    Operation *place = kernelOf.lookup(op);
    if (!place && !op->use_empty())
      place = op;
    if (place)
      for (const std::string &reason : reasons)
        addRecord(place, "tang.missed", "kernel: " + reason);
  }
}

LogicalResult BlockFormer::isWorthIt(KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan))
    return failure();
  for (StructuredOp op : getKernelOps(kernel)) {
    auto reduce = dyn_cast<ReduceOp>(op.getOperation());
    if (reduce && plan->passesUsing(reduce).size() > 1 &&
        !isAtMost(termsOf(reduce), kMaxRepeated)) {
      why = describePlace(reduce) + " would be computed in several passes";
      return failure();
    }
  }
  // Enough programs for the work.
  int64_t programs = 1, work = 1;
  for (const KernelDim &dim : plan->getDims()) {
    int64_t size = ShapedType::isDynamic(dim.size) ? 1 << 10 : dim.size;
    if (dim.kind == KernelDim::Parallel &&
        llvm::MulOverflow(programs, size, programs))
      return success();
    if (llvm::MulOverflow(work, std::max<int64_t>(size, 1), work))
      work = std::numeric_limits<int64_t>::max();
  }
  // A fold with gauges has another order than the literal one, which must not
  // depend on the number of rows: only what is stored in a step may be left
  // out.
  bool hasGauges = false, storesInStep = false;
  for (const KernelPass &pass : plan->getPasses()) {
    hasGauges |= pass.block != 0;
    storesInStep |= !pass.stores.empty();
  }
  if (programs < kMinPrograms && work > kSerialWork &&
      (!hasGauges || storesInStep) && !plan->getPasses().empty()) {
    why = "too few programs would do too much work";
    return failure();
  }
  return success();
}

void BlockFormer::run() {
  for (Operation &op : block)
    // What is scheduled by hand stays the kernel that it is.
    if (isa<MapOp, ReduceOp>(op) && op.getNumResults() &&
        !op.hasAttr("schedule")) {
      order[&op] = ops.size();
      ops.push_back(&op);
    }
  if (ops.size() < 2)
    return;
  findRecomputed();
  cluster();
  while (rejectRecomputed()) {
    findRecomputed();
    cluster();
  }
  bool changed = false;
  for (const OpSet &members : clusters) {
    if (closure(members).size() < 2)
      continue;
    FailureOr<KernelOp> kernel = build(members, /*final=*/true);
    changed |= succeeded(kernel);
    if (succeeded(kernel))
      for (Operation *member : members)
        kernelOf[member] = *kernel;
    else
      missed[members.back()].insert(why);
  }
  recordMissed();
  if (!changed)
    return;
  // What nobody reads any more goes; kernels stand where their last member
  // stood, so that readers of the others may have to move.
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  sortTopologically(&block);
}

namespace {
struct FormKernelsPass : tang::impl::TangFormKernelsBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<StructuredOp, KernelOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    for (Block *block : blocks) {
      RewritePatternSet patterns(&getContext());
      for (StringRef name : {"tang.map", "tang.reduce"})
        if (auto info = RegisteredOperationName::lookup(name, &getContext()))
          info->getCanonicalizationPatterns(patterns, &getContext());
      BlockFormer(*block, numerics, patterns).run();
    }
    getOperation()->walk([](ReduceOp reduce) {
      if (!reduce->hasAttr("tang.fold") && reduce->getNumResults())
        reduce->setAttr("tang.fold", makeContract(reduce, 0, {}));
    });
  }
};
} // namespace
