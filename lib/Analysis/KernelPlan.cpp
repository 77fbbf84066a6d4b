//===- KernelPlan.cpp - How a tang.kernel can be run ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/KernelPlan.h"

#include "Tang/Analysis/Explain.h"
#include "Tang/Analysis/Gauge.h"
#include "Tang/Dialect/Monoid.h"

#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace mlir::tang;

SmallVector<StructuredOp> mlir::tang::getKernelOps(KernelOp kernel) {
  return llvm::to_vector(kernel.getBody()->getOps<StructuredOp>());
}

SmallVector<int64_t> KernelPlan::dimsOfKind(KernelDim::Kind kind) const {
  SmallVector<int64_t> result;
  for (auto [d, dim] : llvm::enumerate(dims))
    if (dim.kind == kind)
      result.push_back(d);
  return result;
}

bool mlir::tang::startsFromIdentity(ReduceOp fold) {
  FailureOr<Monoid> monoid = Monoid::get(fold.getMonoid(), fold);
  ArrayAttr init = fold.getInitAttr();
  if (failed(monoid) || !init)
    return false;
  FailureOr<SmallVector<TypedAttr>> identity =
      monoid->getIdentity(llvm::map_to_vector(
          fold.getOuts(), [](Value out) { return getElementTypeOrSelf(out); }));
  if (failed(identity))
    return false;
  return llvm::all_of(llvm::zip(init, *identity), [](auto pair) {
    auto [start, neutral] = pair;
    if (start == neutral)
      return true;
    // -0 is the identity of addition; from +0 nothing is rounded either, and
    // a sum of sums from +0 has the same sign.
    auto x = dyn_cast<FloatAttr>(start), y = dyn_cast<FloatAttr>(neutral);
    return x && y && x.getValue().isZero() && y.getValue().isZero();
  });
}

std::string KernelPlan::checkChunk(int64_t chunk) const {
  if (passes.size() != 1 || passes.front().stream.size() != 1)
    return "it is not one pass over one dimension";
  const KernelPass &pass = passes.front();
  if (!pass.stores.empty())
    return "it stores results in its steps";
  if (pass.block && chunk % pass.block)
    return "blocks do not divide chunks";
  for (ReduceOp fold : pass.folds) {
    auto monoid = dyn_cast<MonoidAttr>(fold.getMonoid());
    if (!monoid || monoid.getKind() > MonoidKind::Xor || !fold.getInit())
      return "a fold's states are not merged by arithmetic";
    // A chunk starts from the identity, and so must the whole.
    if (!startsFromIdentity(fold))
      return "a fold does not start from the identity";
    auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
    std::string why;
    if (how && !how.getGauges().empty())
      if (FailureOr<Gauge> gauge = Gauge::analyze(fold, how.getGauges(), why);
          succeeded(gauge) && gauge->getTranslated())
        return "a fold follows its gauge by translation";
  }
  return "";
}

namespace mlir::tang {
/// Builds a plan.
class KernelPlanner {
public:
  KernelPlanner(KernelOp kernel, std::string &why)
      : kernel(kernel), ops(getKernelOps(kernel)), why(why) {}

  FailureOr<KernelPlan> run();

private:
  LogicalResult fail(const Twine &text) {
    why = text.str();
    return failure();
  }

  // Dimensions are numbered over all operations; a class is named by its root.
  int64_t idOf(StructuredOp op, int64_t dim) const {
    return first.lookup(op) + dim;
  }
  int64_t find(int64_t id) {
    while (parent[id] != id)
      id = parent[id] = parent[parent[id]];
    return id;
  }
  bool isUnit(int64_t id) const { return sizes[id] == 1; }
  /// Whether two dimensions of one operation would fall together.
  bool clashes(int64_t a, int64_t b);
  void join(int64_t a, int64_t b);

  LogicalResult unifyEdges();
  void unifyReads();
  void unifyAlike();
  LogicalResult classify();
  LogicalResult makePasses();
  LogicalResult findSingleSteps();
  SmallVector<int64_t> serialDims(ArrayRef<int64_t> dims) const;
  int64_t findPass(ArrayRef<int64_t> stream, int64_t from);
  /// The least pass in which a value's folds are complete, plus one.
  int64_t readyAfter(Value value);
  /// Dimensions that a tile is being stepped through.
  using Bound = SmallVector<int64_t>;
  using Seen = std::set<std::pair<Operation *, Bound>>;
  /// Records which local reductions a pass needs. Fails if one would have to
  /// run through a dimension that its reader is stepping through.
  LogicalResult noteUses(Operation *op, int64_t pass, const Bound &bound,
                         Seen &seen);
  LogicalResult noteUse(Value value, int64_t pass, const Bound &bound,
                        Seen &seen);

  KernelOp kernel;
  SmallVector<StructuredOp> ops;
  std::string &why;
  DenseMap<Operation *, int64_t> first;
  SmallVector<int64_t> parent, sizes;
  SmallVector<std::pair<StructuredOp, int64_t>> owners;
  KernelPlan plan;
  DenseMap<Operation *, int64_t> passOf;
  DenseMap<Value, int64_t> ready;
};
} // namespace mlir::tang

bool KernelPlanner::clashes(int64_t a, int64_t b) {
  a = find(a), b = find(b);
  if (a == b)
    return false;
  DenseSet<Operation *> in;
  for (int64_t id = 0, e = parent.size(); id < e; ++id)
    if (find(id) == a)
      in.insert(owners[id].first);
  for (int64_t id = 0, e = parent.size(); id < e; ++id)
    if (find(id) == b && in.contains(owners[id].first))
      return true;
  return false;
}

void KernelPlanner::join(int64_t a, int64_t b) {
  a = find(a), b = find(b);
  if (a == b)
    return;
  if (b < a)
    std::swap(a, b);
  parent[b] = a;
}

/// A value read in the body is read point by point: at dimensions of its
/// reader.
LogicalResult KernelPlanner::unifyEdges() {
  for (StructuredOp op : ops) {
    for (Value capture : op.getCaptures())
      if (isa<TensorType>(capture.getType()) && !isa<BlockArgument>(capture))
        return fail(describePlace(capture.getDefiningOp()) +
                    " is read at computed indices");
    for (Value out : op.getOuts())
      if (isa_and_nonnull<StructuredOp>(out.getDefiningOp()))
        return fail(describePlace(out.getDefiningOp()) +
                    " is updated in place");
    for (auto [in, map] : llvm::zip(op.getIns(), op.getInMapArray())) {
      auto producer = in.getDefiningOp<StructuredOp>();
      if (!producer)
        continue;
      for (auto [d, expr] : llvm::enumerate(map.getResults())) {
        int64_t from = idOf(producer, d);
        if (isUnit(from))
          continue;
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          return fail(describePlace(producer) +
                      " is read at an index that is not a dimension");
        int64_t to = idOf(op, dim.getPosition());
        if (isUnit(to))
          return fail("only a part of " + describePlace(producer) + " is read");
        if (clashes(from, to))
          return fail(describePlace(producer) +
                      " is read at two different places");
        join(from, to);
      }
    }
  }
  return success();
}

/// Operations that read one input in the same way run through it together. A
/// reduction local to a step does not: it runs through its own dimensions.
void KernelPlanner::unifyReads() {
  DenseMap<Value, SmallVector<std::pair<StructuredOp, AffineMap>>> readers;
  DenseSet<int64_t> reduced;
  for (StructuredOp op : ops)
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
      if (!op.isParallelDim(d))
        reduced.insert(find(idOf(op, d)));
  auto isLocalReduce = [&](StructuredOp op) {
    if (!isa<ReduceOp>(op.getOperation()))
      return false;
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
      if (op.isParallelDim(d) && reduced.contains(find(idOf(op, d))))
        return true;
    return false;
  };
  SmallVector<StructuredOp> readersInOrder;
  for (StructuredOp op : ops)
    if (!isLocalReduce(op))
      readersInOrder.push_back(op);
  for (StructuredOp op : readersInOrder)
    for (auto [in, map] : llvm::zip(op.getIns(), op.getInMapArray())) {
      // Local values count as inputs too: what shares them runs through them.
      auto &known = readers[in];
      for (auto [other, otherMap] : known) {
        if (other == op || otherMap.getNumResults() != map.getNumResults())
          continue;
        SmallVector<std::pair<int64_t, int64_t>> pairs;
        bool fits = true;
        for (auto [a, b] : llvm::zip(otherMap.getResults(), map.getResults())) {
          auto x = dyn_cast<AffineDimExpr>(a), y = dyn_cast<AffineDimExpr>(b);
          if (!x && !y && a == b)
            continue;
          if (!x || !y) {
            fits = false;
            break;
          }
          int64_t from = idOf(other, x.getPosition()),
                  to = idOf(op, y.getPosition());
          if (isUnit(from) != isUnit(to) || clashes(from, to)) {
            fits = false;
            break;
          }
          if (!isUnit(from))
            pairs.push_back({from, to});
        }
        if (!fits)
          continue;
        SmallVector<int64_t> saved(parent);
        for (auto [from, to] : pairs) {
          if (clashes(from, to)) {
            parent = saved;
            break;
          }
          join(from, to);
        }
      }
      known.push_back({op, map});
    }
}

/// Independent results may share a loop: two reductions over the same points
/// whose results differ in one dimension of the same size each run through it
/// together (projections of one input). Otherwise it would be whole in every
/// program, for each of them.
void KernelPlanner::unifyAlike() {
  SmallVector<StructuredOp> reduces;
  for (StructuredOp op : ops)
    if (isa<ReduceOp>(op.getOperation()))
      reduces.push_back(op);
  auto classesOf = [&](StructuredOp op) {
    llvm::SmallMapVector<int64_t, bool, 4> classes;
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
      if (!isUnit(idOf(op, d)))
        classes[find(idOf(op, d))] = op.isParallelDim(d);
    return classes;
  };
  for (auto [i, later] : llvm::enumerate(reduces))
    for (StructuredOp earlier : ArrayRef(reduces).take_front(i)) {
      auto a = classesOf(earlier), b = classesOf(later);
      SmallVector<int64_t> onlyA, onlyB;
      bool alike = a.size() == b.size();
      for (auto [root, parallel] : a)
        if (auto it = b.find(root); it == b.end())
          onlyA.push_back(root), alike &= parallel;
        else
          alike &= it->second == parallel;
      for (auto [root, parallel] : b)
        if (!a.contains(root))
          onlyB.push_back(root), alike &= parallel;
      if (!alike || onlyA.size() != 1 ||
          ShapedType::isDynamic(sizes[onlyA[0]]) ||
          sizes[onlyA[0]] != sizes[onlyB[0]] || clashes(onlyA[0], onlyB[0]))
        continue;
      join(onlyA[0], onlyB[0]);
    }
}

SmallVector<int64_t> KernelPlanner::serialDims(ArrayRef<int64_t> opDims) const {
  SmallVector<int64_t> result;
  for (int64_t d : opDims)
    if (d >= 0 && plan.dims[d].kind == KernelDim::Serial &&
        !llvm::is_contained(result, d))
      result.push_back(d);
  return result;
}

LogicalResult KernelPlanner::classify() {
  // Number the classes in order of appearance.
  DenseMap<int64_t, int64_t> number;
  for (StructuredOp op : ops) {
    SmallVector<int64_t> &mapped = plan.opDims[op];
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d) {
      int64_t id = idOf(op, d);
      if (isUnit(id)) {
        mapped.push_back(-1);
        continue;
      }
      auto [it, isNew] = number.try_emplace(find(id), plan.dims.size());
      if (isNew)
        plan.dims.push_back({KernelDim::Serial, sizes[id], op, d});
      KernelDim &dim = plan.dims[it->second];
      if (ShapedType::isDynamic(dim.size) && ShapedType::isStatic(sizes[id]))
        dim.size = sizes[id], dim.op = op, dim.opDim = d;
      else if (ShapedType::isStatic(dim.size) &&
               ShapedType::isStatic(sizes[id]) && dim.size != sizes[id])
        return fail("two sizes for one dimension");
      mapped.push_back(it->second);
    }
  }
  auto yield = cast<YieldOp>(kernel.getYield());
  DenseSet<Operation *> yielded;
  for (Value value : yield.getValues()) {
    if (!value.getDefiningOp<StructuredOp>())
      return fail("yields what it does not compute");
    yielded.insert(value.getDefiningOp());
  }
  SmallVector<bool> reduced(plan.dims.size());
  for (StructuredOp op : ops)
    for (auto [i, d] : llvm::enumerate(plan.opDims[op]))
      if (d >= 0 && !op.isParallelDim(i))
        reduced[d] = true;
  auto has = [&](StructuredOp op, int64_t d) {
    return llvm::is_contained(plan.opDims[op], d);
  };
  auto isFold = [&](StructuredOp op) {
    if (!isa<ReduceOp>(op.getOperation()))
      return false;
    for (auto [i, d] : llvm::enumerate(plan.opDims[op]))
      if (d >= 0 && op.isParallelDim(i) && reduced[d])
        return false;
    return true;
  };
  for (auto [d, dim] : llvm::enumerate(plan.dims)) {
    if (reduced[d])
      continue;
    bool everywhere = true, inState = false;
    for (StructuredOp op : ops) {
      // A local reduction without the dimension must not be run again for
      // every tile of it either.
      bool fold = isFold(op);
      if (isa<ReduceOp>(op.getOperation()) || yielded.contains(op))
        everywhere &= has(op, d);
      inState |= fold && has(op, d);
    }
    if (everywhere) {
      dim.kind = KernelDim::Parallel;
      continue;
    }
    // A dimension that no state has is only written: one more pass.
    if (!inState)
      continue;
    dim.kind = KernelDim::Inner;
    if (ShapedType::isDynamic(dim.size) || dim.size == 0)
      return fail("a fold's state has a dynamic size or none");
  }
  // What a program carries: the inner dimensions of every fold.
  int64_t carried = 0;
  for (StructuredOp op : ops) {
    if (!isFold(op))
      continue;
    // A dimension that only some folds have is whole in every program.
    int64_t state = 1;
    for (auto [i, d] : llvm::enumerate(plan.opDims[op]))
      if (d >= 0 && op.isParallelDim(i) &&
          plan.dims[d].kind == KernelDim::Inner &&
          llvm::MulOverflow(state, plan.dims[d].size, state))
        state = std::numeric_limits<int64_t>::max();
    if (state > KernelPlan::kMaxInner)
      return fail("the state of " + describePlace(op) +
                  " does not fit one program: " + Twine(state) +
                  " elements for each point of the parallel dimensions, " +
                  Twine(KernelPlan::kMaxInner) + " at most");
    carried += state;
  }
  if (carried > KernelPlan::kMaxCarried)
    return fail("the folds' states do not fit one program");
  for (StructuredOp op : ops) {
    bool local = false;
    for (auto [i, d] : llvm::enumerate(plan.opDims[op]))
      local |= d >= 0 && op.isParallelDim(i) &&
               plan.dims[d].kind == KernelDim::Serial;
    if (local)
      for (Value result : op->getResults())
        plan.locals.insert(result);
  }
  return success();
}

int64_t KernelPlanner::readyAfter(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<StructuredOp>(op))
    return 0;
  auto [it, isNew] = ready.try_emplace(value, 0);
  if (!isNew)
    return it->second;
  int64_t result = 0;
  if (auto found = passOf.find(op); found != passOf.end())
    result = found->second + 1;
  else
    for (Value in : cast<StructuredOp>(op).getIns())
      result = std::max(result, readyAfter(in));
  return ready[value] = result;
}

int64_t KernelPlanner::findPass(ArrayRef<int64_t> stream, int64_t from) {
  for (int64_t p = from, e = plan.passes.size(); p < e; ++p)
    if (ArrayRef(plan.passes[p].stream) == stream)
      return p;
  plan.passes.emplace_back().stream.assign(stream.begin(), stream.end());
  return plan.passes.size() - 1;
}

LogicalResult KernelPlanner::noteUses(Operation *op, int64_t pass,
                                      const Bound &bound, Seen &seen) {
  for (Value in : cast<StructuredOp>(op).getIns())
    if (failed(noteUse(in, pass, bound, seen)))
      return failure();
  return success();
}

LogicalResult KernelPlanner::noteUse(Value value, int64_t pass,
                                     const Bound &bound, Seen &seen) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !plan.locals.contains(value) ||
      !seen.insert({producer, bound}).second)
    return success();
  if (!isa<ReduceOp>(producer))
    return noteUses(producer, pass, bound, seen);
  if (!llvm::is_contained(plan.users[producer], pass))
    plan.users[producer].push_back(pass);
  auto reduce = cast<StructuredOp>(producer);
  SmallVector<int64_t> own;
  for (auto [i, d] : llvm::enumerate(plan.opDims[producer]))
    if (d >= 0 && !reduce.isParallelDim(i))
      own.push_back(d);
  for (int64_t d : own)
    if (llvm::is_contained(bound, d))
      return fail(describePlace(producer) +
                  " runs through the dimensions of its reader");
  Bound inside(bound);
  llvm::append_range(inside, own);
  llvm::sort(inside);
  // What does not run through these dimensions is computed before.
  for (Value in : reduce.getIns()) {
    auto source = in.getDefiningOp<StructuredOp>();
    bool within = false;
    if (source)
      for (auto [i, d] : llvm::enumerate(plan.opDims[source]))
        within |= source.isParallelDim(i) && llvm::is_contained(own, d);
    if (failed(noteUse(in, pass, within ? inside : bound, seen)))
      return failure();
  }
  return success();
}

LogicalResult KernelPlanner::makePasses() {
  for (StructuredOp op : ops) {
    auto fold = dyn_cast<ReduceOp>(op.getOperation());
    if (!fold || plan.locals.contains(fold.getResult(0)))
      continue;
    auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
    SmallVector<int64_t> stream = serialDims(plan.opDims[op]);
    if (how) {
      if (how.getBlock() < 0)
        return fail("#tang.fold has a negative block");
      if (how.getAccumulate() != getElementTypeOrSelf(fold.getResult(0)))
        return fail("#tang.fold accumulates in another type than the fold");
      for (int64_t position : how.getGauges())
        if (position < 0 ||
            position >= static_cast<int64_t>(fold.getIns().size()) ||
            !fold.getIns()[position].getDefiningOp<StructuredOp>() ||
            plan.locals.contains(fold.getIns()[position]))
          return fail("#tang.fold names a gauge that no fold of the kernel "
                      "computes");
    }
    int64_t from = 0;
    for (auto [i, in] : llvm::enumerate(fold.getIns())) {
      int64_t after = readyAfter(in);
      bool gauge =
          how && llvm::is_contained(how.getGauges(), static_cast<int64_t>(i));
      // A gauge may still be running, in a pass over the same dimensions.
      if (gauge && after > 0 &&
          ArrayRef(plan.passes[after - 1].stream) == ArrayRef(stream))
        --after;
      from = std::max(from, after);
    }
    int64_t pass = findPass(stream, from);
    passOf[fold] = pass;
    plan.passes[pass].folds.push_back(fold);
    if (how && how.getBlock()) {
      int64_t &block = plan.passes[pass].block;
      if (block && block != how.getBlock())
        return fail("folds of one pass have different blocks");
      block = how.getBlock();
    }
    Seen seen;
    Bound bound(stream);
    llvm::sort(bound);
    if (failed(noteUses(fold, pass, bound, seen)))
      return failure();
  }
  for (auto [i, value] :
       llvm::enumerate(cast<YieldOp>(kernel.getYield()).getValues())) {
    if (!plan.locals.contains(value))
      continue;
    Operation *op = value.getDefiningOp();
    auto structured = cast<StructuredOp>(op);
    SmallVector<int64_t> results;
    for (auto [k, d] : llvm::enumerate(plan.opDims[op]))
      if (structured.isParallelDim(k))
        results.push_back(d);
    // Its own folds are complete in an earlier pass.
    int64_t from = readyAfter(value);
    SmallVector<int64_t> stream = serialDims(results);
    // A pass over the same dimensions in another order will do.
    int64_t pass = -1;
    for (int64_t p = from, e = plan.passes.size(); p < e && pass < 0; ++p) {
      SmallVector<int64_t> a(plan.passes[p].stream), b(stream);
      llvm::sort(a);
      llvm::sort(b);
      if (a == b)
        pass = p;
    }
    if (pass < 0)
      pass = findPass(stream, from);
    plan.passes[pass].stores.push_back(i);
    Seen seen;
    Bound bound(stream);
    llvm::sort(bound);
    if (failed(noteUse(value, pass, bound, seen)))
      return failure();
  }
  return success();
}

/// Points combine in lexicographic order only if every dimension but the last
/// of what runs together advances by one.
LogicalResult KernelPlanner::findSingleSteps() {
  plan.singleSteps.resize(plan.dims.size());
  auto mark = [&](ArrayRef<int64_t> run) {
    for (int64_t d : run.empty() ? run : run.drop_back())
      plan.singleSteps[d] = true;
  };
  for (const KernelPass &pass : plan.passes)
    mark(pass.stream);
  for (StructuredOp op : ops) {
    SmallVector<int64_t> reduced;
    for (auto [i, d] : llvm::enumerate(plan.opDims[op]))
      if (d >= 0 && !op.isParallelDim(i))
        reduced.push_back(d);
    mark(reduced);
  }
  for (const KernelPass &pass : plan.passes)
    if (pass.block && plan.singleSteps[pass.stream.back()])
      return fail("a dimension is summed in blocks and advances by one");
  return success();
}

FailureOr<KernelPlan> KernelPlanner::run() {
  for (StructuredOp op : ops) {
    first[op] = parent.size();
    for (auto [d, size] : llvm::enumerate(op.getStaticDomain())) {
      owners.push_back({op, d});
      sizes.push_back(size);
      parent.push_back(parent.size());
    }
  }
  if (failed(unifyEdges()))
    return failure();
  unifyReads();
  unifyAlike();
  if (failed(classify()) || failed(makePasses()) || failed(findSingleSteps()))
    return failure();
  return std::move(plan);
}

FailureOr<KernelPlan> KernelPlan::get(KernelOp kernel, std::string &why) {
  return KernelPlanner(kernel, why).run();
}
