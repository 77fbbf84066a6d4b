//===- ScanBuilder.cpp - A loop along one dimension as a scan -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanBuilder.h"

#include "FoldSplit.h"
#include "Import.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

class ScanBuilder {
public:
  ScanBuilder(RewriterBase &rewriter, Location loc, ModuleOp module,
              ScanParts &parts)
      : rewriter(rewriter), loc(loc), module(module), parts(parts),
        rank(parts.domain.size()),
        dims(llvm::to_vector(llvm::seq<int64_t>(0, rank))) {}
  ScanResults run();

private:
  Value emptyOf(Type element, ArrayRef<int64_t> shape) {
    return rewriter.create<tensor::EmptyOp>(loc, shape, element);
  }
  Reads readsOf(ArrayRef<Value> wanted, ValueRange stops = {}) {
    return collectReads(parts.body, wanted, parts.operands, parts.maps, stops);
  }
  bool needsOldState();
  SmallVector<Value> buildOutputs(ValueRange prefixes, bool exclusive);

  RewriterBase &rewriter;
  Location loc;
  ModuleOp module;
  ScanParts &parts;
  int64_t rank;
  SmallVector<int64_t> dims;
};

/// Whether an output depends on a state other than through the next ones.
bool ScanBuilder::needsOldState() {
  SetVector<Operation *> ops;
  SetVector<Value> args;
  parts.body.getSlice(parts.outputs, ops, args, parts.next);
  return llvm::any_of(parts.states, [&](Value state) {
    return args.contains(state) && !llvm::is_contained(parts.next, state);
  });
}

/// The outputs as a map over the prefixes, which are states before each step if
/// `exclusive`, else after it.
SmallVector<Value> ScanBuilder::buildOutputs(ValueRange prefixes,
                                             bool exclusive) {
  if (parts.outputs.empty())
    return {};
  ArrayRef<Value> known = exclusive ? parts.states : parts.next;
  if (llvm::all_of(parts.outputs,
                   [&](Value v) { return llvm::is_contained(known, v); }))
    return llvm::map_to_vector(parts.outputs, [&](Value v) -> Value {
      return prefixes[llvm::find(known, v) - known.begin()];
    });
  Reads reads = readsOf(parts.outputs, known);
  // States that are arguments are known, not read.
  Reads kept;
  kept.captures = reads.captures;
  for (auto [i, arg] : llvm::enumerate(reads.args)) {
    if (i < reads.ins.size()) {
      if (llvm::is_contained(known, arg))
        continue;
      kept.ins.push_back(reads.ins[i]);
      kept.maps.push_back(reads.maps[i]);
    }
    kept.args.push_back(arg);
  }
  SmallVector<Value> ins(prefixes);
  SmallVector<AffineMap> maps(ins.size(),
                              rewriter.getMultiDimIdentityMap(rank));
  llvm::append_range(ins, kept.ins);
  llvm::append_range(maps, kept.maps);
  SmallVector<Value> outs = llvm::map_to_vector(parts.outputs, [&](Value v) {
    return emptyOf(v.getType(), parts.domain);
  });
  auto map = rewriter.create<MapOp>(
      loc, outs, ins, maps, kept.captures, ValueRange(),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping mapping;
        mapping.map(known, args.take_front(known.size()));
        mapping.map(ArrayRef(kept.args), args.drop_front(known.size()));
        b.create<YieldOp>(
            loc, cloneSlice(b, parts.body, parts.outputs, mapping, dims));
      });
  return llvm::to_vector_of<Value>(map.getResults());
}

ScanResults ScanBuilder::run() {
  ScanResults results;
  // collectReads never meets a state, but wants an operand for each element.
  for (auto [operand, map] : llvm::zip(parts.operands, parts.maps))
    if (!operand) {
      operand = parts.init.front();
      map = rewriter.getMultiDimIdentityMap(rank);
    }
  if (parts.states.empty()) {
    results.outputs = buildOutputs({}, /*exclusive=*/false);
    return results;
  }
  auto isIncreasing = [](Value) { return false; };
  FoldFacts facts{llvm::map_to_vector(parts.init, getUniformConstant),
                  isIncreasing};
  FoldSplit fold = splitFold(parts.body, parts.states, parts.next, facts);
  auto reorder = [&](SmallVectorImpl<Value> &values) {
    SmallVector<Value> old(values.begin(), values.end());
    for (auto [i, from] : llvm::enumerate(fold.order))
      values[i] = old[from];
  };
  SmallVector<Value> init = parts.init;
  reorder(init);
  reorder(parts.states);
  reorder(parts.next);
  Attribute monoid = fold.monoid;
  if (!monoid)
    monoid = declareMonoid(module, std::move(fold.declaration));
  Reads reads = readsOf(fold.lift);
  auto lift = [&](OpBuilder &b, Location, ValueRange args) {
    IRMapping mapping;
    mapping.map(ArrayRef(reads.args), args);
    b.create<YieldOp>(loc, cloneSlice(b, parts.body, fold.lift, mapping, dims));
  };
  SmallVector<Value> finals;
  if (parts.outputs.empty()) {
    auto reduce = rewriter.create<ReduceOp>(
        loc, monoid, init,
        ArrayRef<OpFoldResult>(rewriter.getIndexAttr(parts.domain[parts.dim])),
        reads.ins, reads.maps, reads.captures, ValueRange(), ArrayAttr(), lift);
    finals = llvm::to_vector_of<Value>(reduce.getResults());
  } else {
    SmallVector<Value> prefixes = llvm::map_to_vector(init, [&](Value v) {
      return emptyOf(getElementTypeOrSelf(v), parts.domain);
    });
    auto scan = rewriter.create<ScanOp>(loc, monoid, prefixes, init, parts.dim,
                                        reads.ins, reads.maps, reads.captures,
                                        ValueRange(), lift);
    bool exclusive = needsOldState();
    scan.setExclusive(exclusive);
    scan.setReverse(parts.reverse);
    size_t n = init.size();
    results.outputs = buildOutputs(scan.getResults().take_front(n), exclusive);
    finals = llvm::to_vector_of<Value>(scan.getResults().drop_front(n));
  }
  results.states.resize(finals.size());
  for (auto [i, from] : llvm::enumerate(fold.order))
    results.states[from] = finals[i];
  return results;
}

} // namespace

ScanResults mlir::tang::detail::buildScan(RewriterBase &rewriter, Location loc,
                                          ModuleOp module, ScanParts &parts) {
  return ScanBuilder(rewriter, loc, module, parts).run();
}
