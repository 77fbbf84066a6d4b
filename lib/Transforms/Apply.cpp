//===- Apply.cpp - A scheduled operation becomes a kernel -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel dimensions are dealt to programs, the other dimensions become
// streams in the domain's order; the body runs on vector tiles in the innermost
// one. What an operation carries through the streams and does at the end is all
// that differs. ApplyKernel.cpp does the same for graphs of operations.
//
//===----------------------------------------------------------------------===//

#include "Apply.h"
#include "KernelFrame.h"
#include "Tang/Analysis/Counts.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGAPPLY
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// Builds the kernel of one structured operation.
class KernelBuilder : KernelFrame {
public:
  KernelBuilder(StructuredOp op, gpu::GPUModuleOp module, StringRef name)
      : KernelFrame(op, module, name), op(op) {}

  void build();

private:
  void collect();
  /// Streams over the serial dimensions.
  SmallVector<Value>
  streams(ValueRange carried,
          function_ref<SmallVector<Value>(ValueRange)> inner) {
    auto scan = dyn_cast<ScanOp>(op.getOperation());
    return KernelFrame::streams(serial, carried, inner,
                                scan && scan.getReverse());
  }
  /// The body's yielded values as tiles.
  SmallVector<Value> runBody();
  VectorType tileType(Type element) { return VectorType::get(tile, element); }
  SmallVector<Value> coordinates(ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t d) { return bases[d]; });
  }
  std::string comment();

  void buildMap(MapOp map);
  void buildReduce(ReduceOp reduce);
  void buildScan(ScanOp scan);
  void buildScatter(ScatterOp scatter);

  StructuredOp op;
  SmallVector<int64_t> serial;
};

} // namespace

/// Buffers and scalars that the operation names.
void KernelBuilder::collect() {
  for (auto [i, in] : llvm::enumerate(op.getIns()))
    addBuffer(in, "in" + std::to_string(i), false);
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (isa<MemRefType>(capture.getType()))
      addBuffer(capture, "source" + std::to_string(i), false);
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    addBuffer(out, op.getOuts().size() == 1 ? "out" : "out" + std::to_string(i),
              true);
  for (auto [i, size] : llvm::enumerate(hostSizes))
    addScalar(size, "n" + Twine(i));
  for (auto [i, symbol] : llvm::enumerate(op.getSymbols()))
    addScalar(symbol, "s" + Twine(i));
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (!isa<MemRefType>(capture.getType()))
      addScalar(capture, "c" + Twine(i));
}

std::string KernelBuilder::comment() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().stripDialect();
  if (Attribute attr = op->getAttr("monoid"))
    if (FailureOr<Monoid> monoid = Monoid::get(attr, op); succeeded(monoid))
      os << " " << monoid->getName();
  if (!serial.empty()) {
    os << " over ";
    llvm::interleaveComma(serial, os, [&](int64_t d) { os << "d" << d; });
  }
  os << ", tile ";
  llvm::interleave(tile, os, "x");
  return text;
}

SmallVector<Value> KernelBuilder::runBody() {
  IRMapping mapping;
  SmallVector<AffineMap> maps = op.getInMapArray();
  SmallVector<Value> symbols;
  for (Value symbol : op.getSymbols())
    symbols.push_back(toKernel(OpFoldResult(symbol)));
  Block *body = op.getBody();
  for (auto [i, in] : llvm::enumerate(op.getIns())) {
    SmallVector<Value> coords = bases;
    llvm::append_range(coords, symbols);
    AffineMap map = withoutRank0(maps[i]);
    mapping.map(body->getArgument(i),
                b.create<LoadOp>(loc, tileType(getElementTypeOrSelf(in)),
                                 views.at(in), AffineMapAttr::get(map), coords)
                    .getResult());
  }
  for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
    if (isa<MemRefType>(capture.getType())) {
      mapping.map(op.getCaptureArg(i), views.at(capture));
      continue;
    }
    Value scalar = toKernel(OpFoldResult(capture));
    mapping.map(
        op.getCaptureArg(i),
        b.create<vector::BroadcastOp>(loc, tileType(scalar.getType()), scalar)
            .getResult());
  }
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inner)) {
      int64_t d = index.getDim();
      mapping.map(
          index.getResult(),
          b.create<CoordOp>(loc, tileType(b.getIndexType()), bases[d], d)
              .getResult());
      continue;
    }
    if (auto at = dyn_cast<AtOp>(inner)) {
      SmallVector<Value> indices = llvm::map_to_vector(
          at.getIndices(), [&](Value v) { return mapping.lookup(v); });
      if (indices.empty())
        indices.push_back(b.create<arith::ConstantOp>(
            loc, DenseElementsAttr::get(tileType(b.getIndexType()),
                                        b.getIndexAttr(0))));
      Value condition =
          at.getCondition() ? mapping.lookup(at.getCondition()) : Value();
      mapping.map(at.getResult(),
                  b.create<GatherLoadOp>(at.getLoc(), tileType(at.getType()),
                                         mapping.lookup(at.getSource()),
                                         indices, condition)
                      .getResult());
      continue;
    }
    if (auto value = dyn_cast<arith::ConstantOp>(inner)) {
      auto type = tileType(value.getType());
      mapping.map(value.getResult(),
                  b.create<arith::ConstantOp>(
                       loc, DenseElementsAttr::get(type, value.getValue()))
                      .getResult());
      continue;
    }
    Operation *clone = b.clone(inner, mapping);
    for (auto [result, original] :
         llvm::zip(clone->getResults(), inner.getResults())) {
      result.setType(tileType(original.getType()));
      mapping.map(original, result);
    }
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}

//===----------------------------------------------------------------------===//
// The four operations
//===----------------------------------------------------------------------===//

void KernelBuilder::buildMap(MapOp map) {
  SmallVector<Value> values = runBody();
  AffineMap identity = withoutRank0(b.getMultiDimIdentityMap(map.getNumDims()));
  for (auto [value, out] : llvm::zip(values, map.getOuts()))
    b.create<StoreOp>(loc, value, views.at(out), AffineMapAttr::get(identity),
                      bases, counts);
}

void KernelBuilder::buildReduce(ReduceOp reduce) {
  int64_t n = reduce.getNumResultDims();
  SmallVector<int64_t> resultTile(ArrayRef(tile).take_front(n));
  AffineMap identity = withoutRank0(b.getMultiDimIdentityMap(n));
  SmallVector<Value> base(ArrayRef(bases).take_front(n));
  SmallVector<Value> carried;
  for (auto [i, out] : llvm::enumerate(reduce.getOuts())) {
    auto type = VectorType::get(resultTile, getElementTypeOrSelf(out));
    if (ArrayAttr init = reduce.getInitAttr())
      carried.push_back(b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(type, init[i])));
    else
      carried.push_back(b.create<LoadOp>(loc, type, views.at(out),
                                         AffineMapAttr::get(identity), base));
  }
  SmallVector<Value> folded =
      streams(carried, [&](ValueRange accs) -> SmallVector<Value> {
        SmallVector<Value> values = runBody();
        auto fold = b.create<FoldOp>(loc, accs.getTypes(), reduce.getMonoid(),
                                     b.getDenseI64ArrayAttr(serial), values,
                                     accs, counts);
        return llvm::to_vector_of<Value>(fold.getResults());
      });
  for (auto [value, out] : llvm::zip(folded, reduce.getOuts()))
    b.create<StoreOp>(loc, value, views.at(out), AffineMapAttr::get(identity),
                      base, ArrayRef(counts).take_front(n));
}

void KernelBuilder::buildScan(ScanOp scan) {
  int64_t numDims = scan.getNumDims(), dim = scan.getDim();
  int64_t n = scan.getNumStates();
  SmallVector<int64_t> stateTile(tile);
  stateTile.erase(stateTile.begin() + dim);
  AffineMap stateMap = withoutRank0(b.getMultiDimIdentityMap(numDims - 1));
  SmallVector<Value> base = coordinates(parallel), count;
  for (int64_t d : parallel)
    count.push_back(counts[d]);
  // A state's position within the prefixes: the scanned index is a symbol.
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0, next = 0; d < numDims; ++d)
    exprs.push_back(d == dim ? b.getAffineSymbolExpr(0)
                             : b.getAffineDimExpr(next++));
  AffineMap prefixMap = AffineMap::get(numDims - 1, 1, exprs, b.getContext());

  SmallVector<Value> carried;
  for (Value out : scan.getOuts().drop_front(n))
    carried.push_back(b.create<LoadOp>(
        loc, VectorType::get(stateTile, getElementTypeOrSelf(out)),
        views.at(out), AffineMapAttr::get(stateMap), base));
  auto store = [&](ValueRange states) {
    SmallVector<Value> coords = base;
    coords.push_back(bases[dim]);
    for (auto [value, out] : llvm::zip(states, scan.getOuts().take_front(n)))
      b.create<StoreOp>(loc, value, views.at(out),
                        AffineMapAttr::get(prefixMap), coords, count);
  };
  SmallVector<Value> last =
      streams(carried, [&](ValueRange accs) -> SmallVector<Value> {
        if (scan.getExclusive())
          store(accs);
        SmallVector<Value> values = runBody();
        auto fold =
            b.create<FoldOp>(loc, accs.getTypes(), scan.getMonoid(),
                             b.getDenseI64ArrayAttr(dim), values, accs, counts);
        if (!scan.getExclusive())
          store(fold.getResults());
        return llvm::to_vector_of<Value>(fold.getResults());
      });
  for (auto [value, out] : llvm::zip(last, scan.getOuts().drop_front(n)))
    b.create<StoreOp>(loc, value, views.at(out), AffineMapAttr::get(stateMap),
                      base, count);
}

void KernelBuilder::buildScatter(ScatterOp scatter) {
  streams({}, [&](ValueRange) -> SmallVector<Value> {
    SmallVector<Value> yielded = runBody();
    size_t n = scatter.getOuts().size();
    int64_t rank = scatter.getDestRank();
    ArrayRef<Value> all = yielded;
    SmallVector<Value> indices(all.slice(n, rank)), destinations;
    if (indices.empty())
      indices.push_back(b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(tileType(b.getIndexType()),
                                      b.getIndexAttr(0))));
    for (Value out : scatter.getOuts())
      destinations.push_back(views.at(out));
    Value condition = all.size() > n + rank ? all.back() : Value();
    b.create<ScatterStoreOp>(loc, scatter.getMonoidAttr(), all.take_front(n),
                             destinations, indices, condition, counts);
    return {};
  });
}

void KernelBuilder::build() {
  auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
  tile.assign(schedule.getTile().begin(), schedule.getTile().end());
  block = schedule.getBlock();
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
    (op.isParallelDim(d) ? parallel : serial).push_back(d);
  hostSizes = op.getMixedDomain(host, loc);
  collect();
  makeSignature(comment(), countFloatOps(op));
  makeProgram();
  if (auto map = dyn_cast<MapOp>(op.getOperation()))
    buildMap(map);
  else if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
    buildReduce(reduce);
  else if (auto scan = dyn_cast<ScanOp>(op.getOperation()))
    buildScan(scan);
  else
    buildScatter(cast<ScatterOp>(op.getOperation()));
  launch();
  op.erase();
}

LogicalResult mlir::tang::checkTileBody(StructuredOp op) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<IndexOp, AtOp>(inner) ||
        OpTrait::hasElementwiseMappableTraits(&inner) ||
        (inner.hasTrait<OpTrait::ConstantLike>() &&
         !isa<ShapedType>(inner.getResult(0).getType())))
      continue;
    return inner.emitError("has no form on tiles: bodies are made of "
                           "elementwise operations on scalars");
  }
  return success();
}

static LogicalResult checkStructured(StructuredOp op) {
  if (static_cast<int64_t>(
          op->getAttrOfType<ScheduleAttr>("schedule").getTile().size()) !=
      op.getNumDims())
    return op.emitError("schedule rule 'tile-rank': one tile size for each "
                        "dimension; run --tang-schedule, which checks this");
  return checkTileBody(op);
}

/// A kernel's name stands in every language's source and in the manifest, so
/// that it must be an identifier, and reserved in none: `fn_` leads out of
/// prefixes that some language keeps for itself (`get_`, `as_`, `gl_`, …).
static std::string identifierOf(StringRef function) {
  std::string name;
  for (char c : function)
    name += llvm::isAlnum(c) ? c : '_';
  bool plain = !name.empty() && llvm::isAlpha(name.front());
  for (StringRef prefix :
       {"as_", "atom", "cl_", "convert_", "get_", "gl_", "half_", "M_", "metal",
        "native_", "tang_", "vload", "vstore"})
    plain &= !StringRef(name).starts_with(prefix);
  return plain ? name : "fn_" + name;
}

namespace {
struct ApplyPass : tang::impl::TangApplyBase<ApplyPass> {
  void runOnOperation() override {
    ModuleOp root = getOperation();
    // Whole kernels, and operations that are kernels of their own.
    SmallVector<Operation *> ops;
    for (auto function : root.getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa<StructuredOp, KernelOp>(op))
          return WalkResult::advance();
        ops.push_back(op);
        return WalkResult::skip();
      });
    if (ops.empty())
      return;
    root->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  UnitAttr::get(&getContext()));
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(root.getBody());
    SymbolTable symbols(root);
    auto module = builder.create<gpu::GPUModuleOp>(root.getLoc(), "kernels");
    symbols.insert(module);
    llvm::StringMap<int64_t> next;
    std::string full;
    for (Operation *op : ops) {
      if (!op->hasAttr("schedule")) {
        op->emitError("has no schedule; run --tang-schedule first");
        return signalPassFailure();
      }
      if (op->getNumResults()) {
        op->emitError("works on tensors; run --tang-bufferize first");
        return signalPassFailure();
      }
      auto structured = dyn_cast<StructuredOp>(op);
      if (structured && failed(checkStructured(structured)))
        return signalPassFailure();
      std::string name =
          identifierOf(op->getParentOfType<func::FuncOp>().getSymName()) + "_" +
          op->getName().stripDialect().str();
      // Two functions may become one identifier: the module has the last word.
      do
        full = name + std::to_string(next[name]++);
      while (module.lookupSymbol(full));
      if (structured)
        KernelBuilder(structured, module, full).build();
      else if (failed(applyKernel(cast<KernelOp>(op), module, full)))
        return signalPassFailure();
    }
  }
};
} // namespace
