//===- Generic.cpp - linalg.generic to map, reduce and scatter ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generic has results of several iteration spaces; each is taken by itself,
// with what others its value depends on:
//   - a result that every loop has an index in is a tang.map,
//   - one that some loops have no index in, a tang.reduce over these,
//   - one at computed indices, a tang.scatter, which keeps the order,
//   - one that every loop has an index in, but computed from one that a loop
//   has
//     no index in, a tang.scan along that loop.
// The dimensions of a tang operation are those of its results, so that loops
// are renamed to them.
//
//===----------------------------------------------------------------------===//

#include "FlatBody.h"
#include "FoldSplit.h"
#include "Import.h"
#include "IndexTrace.h"
#include "ScanBuilder.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

enum class ResultKind { Map, Reduce, Scatter, Scan };

/// Results that are computed by one operation. Of a scan, those that are mapped
/// come first and have `map`.
struct Group {
  ResultKind kind;
  AffineMap map;
  SmallVector<unsigned> results;
};

/// One linalg.generic on its way.
class GenericImport {
public:
  GenericImport(linalg::GenericOp op, PatternRewriter &rewriter,
                ImportState &state)
      : op(op), rewriter(rewriter), state(state), loc(op.getLoc()),
        numLoops(op.getNumLoops()), numIns(op.getNumDpsInputs()) {}

  LogicalResult run();

private:
  LogicalResult classify();
  LogicalResult group();
  /// Makes a scan of the results whose state result `r`, a map, needs.
  LogicalResult groupScan(unsigned r, ArrayRef<unsigned> members);
  void setLoops(const Group &group);
  LogicalResult check(const Group &group);
  SmallVector<Value> importMap(const Group &group);
  SmallVector<Value> importReduce(Group &group);
  SmallVector<Value> importScatter(Group &group);
  SmallVector<Value> importScan(Group &group);

  /// Splits the group's fold and puts its results into the split's order.
  FoldSplit split(Group &group);
  SmallVector<Value> outsOf(const Group &group) {
    return llvm::map_to_vector(group.results, [&](unsigned r) {
      return op.getDpsInitOperand(r)->get();
    });
  }
  /// The flat body's element for result `r`'s old value.
  Value stateArg(unsigned r) { return body->getElements()[numIns + r]; }
  SmallVector<Value> statesOf(const Group &group) {
    return llvm::map_to_vector(group.results,
                               [&](unsigned r) { return stateArg(r); });
  }
  SmallVector<Value> yieldsOf(const Group &group) {
    return llvm::map_to_vector(
        group.results, [&](unsigned r) { return body->getYields()[r]; });
  }
  OpFoldResult loopSize(unsigned loop);
  Reads readsOf(ArrayRef<Value> wanted);

  linalg::GenericOp op;
  PatternRewriter &rewriter;
  ImportState &state;
  Location loc;
  unsigned numLoops;
  int64_t numIns;
  std::optional<FlatBody> body;
  SmallVector<ResultKind> kinds;
  SmallVector<Group> groups;
  SmallVector<std::pair<IndexOp, int64_t>> scanIndices;

  /// Of the group at hand: the new dimension of each loop, how many there are,
  /// the reduced loops, and the operands' maps.
  SmallVector<int64_t> dimOf;
  unsigned numDims = 0;
  SmallVector<unsigned> reduced;
  SmallVector<AffineMap> maps;
};

/// Whether each result is a dimension of its own; constants 0 are allowed where
/// the size is 1.
bool isProjection(AffineMap map, ShapedType type) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [r, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (seen.test(dim.getPosition()))
        return false;
      seen.set(dim.getPosition());
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0 || type.getDimSize(r) != 1)
      return false;
  }
  return true;
}

LogicalResult GenericImport::classify() {
  for (OpOperand &out : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&out);
    bool all = true;
    for (unsigned loop = 0; loop < numLoops; ++loop) {
      if (map.isFunctionOfDim(loop))
        continue;
      all = false;
      if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel)
        return state.refuse(op, "loop " + Twine(loop) +
                                    " is parallel, but the index of result "
                                    "#" +
                                    Twine(out.getOperandNumber() - numIns) +
                                    " does not depend on it");
    }
    kinds.push_back(!isProjection(map, tensorType(out.get()))
                        ? ResultKind::Scatter
                    : all ? ResultKind::Map
                          : ResultKind::Reduce);
  }
  return success();
}

LogicalResult GenericImport::group() {
  // Folds that read each other's state belong together. The old value of a
  // mapped result is nobody's state: it is read like any operand.
  llvm::EquivalenceClasses<unsigned> classes;
  unsigned numResults = kinds.size();
  for (unsigned r = 0; r < numResults; ++r)
    classes.insert(r);
  for (unsigned r = 0; r < numResults; ++r) {
    if (kinds[r] == ResultKind::Map)
      continue;
    DenseSet<Value> dependents = body->getDependents(stateArg(r));
    for (unsigned other = 0; other < numResults; ++other)
      if (dependents.contains(body->getYields()[other]))
        classes.unionSets(r, other);
  }
  llvm::SmallBitVector grouped(numResults);
  auto mapOf = [&](unsigned r) {
    return op.getMatchingIndexingMap(op.getDpsInitOperand(r));
  };
  for (unsigned r = 0; r < numResults; ++r) {
    if (grouped.test(r))
      continue;
    SmallVector<unsigned> members;
    bool mixed = false;
    for (unsigned other = 0; other < numResults; ++other) {
      if (!classes.isEquivalent(r, other))
        continue;
      members.push_back(other);
      grouped.set(other);
      mixed |= kinds[other] != kinds[r] || mapOf(other) != mapOf(r);
    }
    if (mixed) {
      if (failed(groupScan(r, members)))
        return failure();
      continue;
    }
    // Maps with the same indices are one map.
    auto *known = llvm::find_if(groups, [&](Group &group) {
      return group.kind == ResultKind::Map && kinds[r] == ResultKind::Map &&
             group.map == mapOf(r);
    });
    if (known == groups.end())
      groups.push_back({kinds[r], mapOf(r), members});
    else
      known->results.append(members);
  }
  return success();
}

LogicalResult GenericImport::groupScan(unsigned r, ArrayRef<unsigned> members) {
  auto refuse = [&](const Twine &why) {
    return state.refuse(op, "results #" + Twine(members.front()) + " to #" +
                                Twine(members.back()) +
                                " depend on each other's state, but " + why);
  };
  SmallVector<unsigned> results;
  AffineMap full, stateMap;
  for (ResultKind kind : {ResultKind::Map, ResultKind::Reduce})
    for (unsigned member : members) {
      if (kinds[member] == ResultKind::Scatter)
        return refuse("one is at computed indices");
      if (kinds[member] != kind)
        continue;
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(member));
      AffineMap &first = kind == ResultKind::Map ? full : stateMap;
      if (first && first != map)
        return refuse("have different indices");
      first = map;
      results.push_back(member);
    }
  // The state has the dimensions of the others but one, in the same order.
  if (!full || !full.isPermutation() ||
      stateMap.getNumResults() + 1 != full.getNumResults())
    return refuse("not along one loop");
  SmallVector<AffineExpr> kept;
  for (AffineExpr expr : full.getResults())
    if (llvm::is_contained(stateMap.getResults(), expr))
      kept.push_back(expr);
  if (ArrayRef<AffineExpr>(kept) != stateMap.getResults())
    return refuse("their dimensions are in another order");
  if (llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return refuse("the sizes of the loops are not all static");
  groups.push_back({ResultKind::Scan, full, results});
  return success();
}

void GenericImport::setLoops(const Group &group) {
  dimOf.assign(numLoops, -1);
  reduced.clear();
  numDims = 0;
  if (group.kind != ResultKind::Scatter) {
    for (AffineExpr expr : group.map.getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dimOf[dim.getPosition()] = numDims;
      ++numDims;
    }
  }
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (dimOf[loop] < 0) {
      dimOf[loop] = numDims++;
      reduced.push_back(loop);
    }
  SmallVector<AffineExpr> dims = llvm::map_to_vector(
      dimOf, [&](int64_t dim) { return rewriter.getAffineDimExpr(dim); });
  maps = llvm::map_to_vector(op.getIndexingMapsArray(), [&](AffineMap map) {
    return map.replaceDimsAndSymbols(dims, {}, numDims, 0);
  });
}

OpFoldResult GenericImport::loopSize(unsigned loop) {
  std::optional<std::pair<Value, int64_t>> dynamic;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [r, expr] : llvm::enumerate(map.getResults())) {
      if (expr != rewriter.getAffineDimExpr(loop))
        continue;
      if (!type.isDynamicDim(r))
        return rewriter.getIndexAttr(type.getDimSize(r));
      if (!dynamic)
        dynamic = {operand.get(), static_cast<int64_t>(r)};
    }
  }
  // The verifier has made sure that some operand has each loop as an index.
  return getSize(rewriter, loc, dynamic->first, dynamic->second);
}

Reads GenericImport::readsOf(ArrayRef<Value> wanted) {
  return collectReads(*body, wanted, op->getOperands(), maps);
}

/// Binds the arguments of a new operation's body to those of the flat one.
IRMapping bind(const Reads &reads, ValueRange args) {
  IRMapping mapping;
  mapping.map(ArrayRef(reads.args), args);
  return mapping;
}

SmallVector<Value> GenericImport::importMap(const Group &group) {
  SmallVector<Value> yields = yieldsOf(group);
  Reads reads = readsOf(yields);
  auto map = rewriter.create<MapOp>(
      loc, outsOf(group), reads.ins, reads.maps, reads.captures, ValueRange(),
      [&](OpBuilder &builder, Location, ValueRange args) {
        IRMapping mapping = bind(reads, args);
        builder.create<YieldOp>(
            loc, cloneSlice(builder, *body, yields, mapping, dimOf));
      });
  return llvm::to_vector_of<Value>(map.getResults());
}

FoldSplit GenericImport::split(Group &group) {
  SmallVector<Value> outs = outsOf(group);
  SmallVector<int64_t> order, sizes(numDims, ShapedType::kDynamic);
  for (unsigned loop : reduced)
    order.push_back(dimOf[loop]);
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    sizes[dimOf[loop]] = size;
  auto getRead = [&](Value arg) -> std::optional<ElementRead> {
    unsigned i = cast<BlockArgument>(arg).getArgNumber();
    if (i >= numIns || !isa<RankedTensorType>(op->getOperand(i).getType()))
      return std::nullopt;
    // In the flat body indices count loops, so the maps do too.
    return ElementRead{op->getOperand(i), op.getIndexingMapsArray()[i]};
  };
  IndexTracer tracer;
  tracer.getRead = getRead;
  auto isIncreasing = [&](Value value) {
    AffineExpr expr = tracer.trace(value);
    if (!expr)
      return false;
    SmallVector<AffineExpr> dims = llvm::map_to_vector(
        dimOf, [&](int64_t dim) { return rewriter.getAffineDimExpr(dim); });
    return growsAlong(expr.replaceDims(dims), order, sizes, numDims);
  };
  FoldFacts facts{llvm::map_to_vector(outs, getUniformConstant), isIncreasing};
  FoldSplit fold = splitFold(*body, statesOf(group), yieldsOf(group), facts);
  SmallVector<unsigned> results = group.results;
  for (auto [i, from] : llvm::enumerate(fold.order))
    group.results[i] = results[from];
  return fold;
}

SmallVector<Value> GenericImport::importReduce(Group &group) {
  FoldSplit fold = split(group);
  Attribute monoid = fold.monoid;
  if (!monoid)
    monoid = declareMonoid(state.module, std::move(fold.declaration));
  Reads reads = readsOf(fold.lift);
  SmallVector<OpFoldResult> over;
  for (unsigned loop : reduced)
    over.push_back(loopSize(loop));
  auto reduce = rewriter.create<ReduceOp>(
      loc, monoid, outsOf(group), over, reads.ins, reads.maps, reads.captures,
      ValueRange(), ArrayAttr(),
      [&](OpBuilder &builder, Location, ValueRange args) {
        IRMapping mapping = bind(reads, args);
        builder.create<YieldOp>(
            loc, cloneSlice(builder, *body, fold.lift, mapping, dimOf));
      });
  return llvm::to_vector_of<Value>(reduce.getResults());
}

SmallVector<Value> GenericImport::importScatter(Group &group) {
  SmallVector<Value> states = statesOf(group), values = yieldsOf(group);
  DenseSet<Value> dependents = body->getDependents(states);
  Attribute monoid;
  if (llvm::any_of(values, [&](Value v) { return dependents.contains(v); })) {
    FoldSplit fold = split(group);
    monoid = fold.monoid;
    if (!monoid)
      monoid = declareMonoid(state.module, std::move(fold.declaration));
    values = fold.lift;
  }
  Reads reads = readsOf(values);
  SmallVector<OpFoldResult> over;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    over.push_back(loopSize(loop));
  auto scatter = rewriter.create<ScatterOp>(
      loc, monoid, /*unique=*/false, outsOf(group), over, reads.ins, reads.maps,
      reads.captures, ValueRange(),
      [&](OpBuilder &builder, Location, ValueRange args) {
        IRMapping mapping = bind(reads, args);
        SmallVector<Value> yields =
            cloneSlice(builder, *body, values, mapping, dimOf);
        SmallVector<Value> indices;
        for (unsigned loop = 0; loop < numLoops; ++loop)
          indices.push_back(builder.create<IndexOp>(loc, dimOf[loop]));
        for (AffineExpr expr : group.map.getResults())
          yields.push_back(
              affine::expandAffineExpr(builder, loc, expr, indices, {}));
        builder.create<YieldOp>(loc, yields);
      });
  return llvm::to_vector_of<Value>(scatter.getResults());
}

SmallVector<Value> GenericImport::importScan(Group &group) {
  ScanParts parts(*body);
  parts.operands = llvm::to_vector(op->getOperands());
  parts.maps = maps;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  parts.domain.resize(numDims);
  for (unsigned loop = 0; loop < numLoops; ++loop)
    parts.domain[dimOf[loop]] = sizes[loop];
  // The body's indices count loops; the scan's count its dimensions.
  for (Operation &inner : body->getBlock())
    if (auto index = dyn_cast<IndexOp>(inner))
      scanIndices.push_back({index, index.getDim()});
  for (auto [index, dim] : scanIndices)
    index.setDim(dimOf[dim]);
  AffineMap stateMap;
  for (unsigned r : group.results) {
    if (kinds[r] == ResultKind::Map) {
      parts.outputs.push_back(body->getYields()[r]);
      continue;
    }
    stateMap = op.getMatchingIndexingMap(op.getDpsInitOperand(r));
    parts.operands[numIns + r] = Value();
    parts.states.push_back(stateArg(r));
    parts.next.push_back(body->getYields()[r]);
    parts.init.push_back(op.getDpsInitOperand(r)->get());
  }
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (!stateMap.isFunctionOfDim(loop))
      parts.dim = dimOf[loop];
  ScanResults results = buildScan(rewriter, loc, state.module, parts);
  for (auto [index, dim] : scanIndices)
    index.setDim(dim);
  scanIndices.clear();
  llvm::append_range(results.outputs, results.states);
  return results.outputs;
}

/// A combination may not read tensors: only what the lift hands over.
LogicalResult GenericImport::check(const Group &group) {
  if (group.kind == ResultKind::Map)
    return success();
  SmallVector<Value> states;
  for (unsigned r : group.results)
    if (kinds[r] != ResultKind::Map)
      states.push_back(stateArg(r));
  DenseSet<Value> dependents = body->getDependents(states);
  for (Operation &inner : body->getBlock())
    if (isa<AtOp>(inner) && dependents.contains(inner.getResult(0)))
      return state.refuse(op,
                          "its body reads a tensor at an index that depends "
                          "on the value that it folds into");
  return success();
}

LogicalResult GenericImport::run() {
  std::string reason;
  if (failed(classify()))
    return failure();
  FailureOr<FlatBody> flat = FlatBody::get(rewriter, *op.getBody(), reason);
  if (failed(flat))
    return state.refuse(op, reason);
  body.emplace(std::move(*flat));
  if (failed(group()))
    return failure();
  for (Group &group : groups)
    if (failed(check(group)))
      return failure();

  state.sizes.addLinalg(op);
  SmallVector<Value> results(op->getNumResults());
  for (Group &group : groups) {
    setLoops(group);
    SmallVector<Value> values =
        group.kind == ResultKind::Map      ? importMap(group)
        : group.kind == ResultKind::Reduce ? importReduce(group)
        : group.kind == ResultKind::Scan   ? importScan(group)
                                           : importScatter(group);
    for (auto [r, value] : llvm::zip(group.results, values))
      results[r] = value;
  }
  rewriter.replaceOp(op, results);
  return success();
}

struct ImportGeneric : ImportPattern<linalg::GenericOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return refuse(op, "it works on buffers; only tensors are imported");
    return GenericImport(op, rewriter, state).run();
  }
};

} // namespace

void mlir::tang::detail::populateGeneric(RewritePatternSet &patterns,
                                         ImportState &state) {
  patterns.add<ImportGeneric>(patterns.getContext(), state);
}
