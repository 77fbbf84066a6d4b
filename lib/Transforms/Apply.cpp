//===- Apply.cpp - A scheduled operation becomes a kernel -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of a kernel is the same for every operation: a program finds its
// tile of the parallel dimensions from its number; the other dimensions become
// streams, one inside of the other in the domain's order; the body runs on
// vector tiles in the innermost one. What an operation carries through the
// streams and does at the end is all that differs.
//
//===----------------------------------------------------------------------===//

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

/// Builds one kernel and its launch.
class KernelBuilder {
public:
  KernelBuilder(StructuredOp op, gpu::GPUModuleOp module, StringRef name)
      : op(op), module(module), name(name), host(op), b(op->getContext()),
        loc(op.getLoc()) {}

  void build();

private:
  /// The kernel's value for a host value: an argument, or a constant.
  Value toKernel(OpFoldResult hostValue, StringRef hint);
  Value toKernel(Value hostBuffer, StringRef hint);
  void makeSignature();
  void launch();
  void makeProgram();

  Value constant(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  /// min(tile, size − base), a constant where the tile always fits.
  Value countOf(int64_t dim, Value base);
  /// Runs `inner` inside of streams over the serial dimensions; gives the
  /// final carried values.
  SmallVector<Value>
  streams(ArrayRef<int64_t> serial, ValueRange carried,
          function_ref<SmallVector<Value>(ValueRange)> inner);
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
  gpu::GPUModuleOp module;
  std::string name;
  OpBuilder host, b;
  Location loc;

  ArrayRef<int64_t> tile;
  int64_t block = 1;
  SmallVector<OpFoldResult> hostSizes;
  SmallVector<int64_t> parallel, serial;

  /// What the kernel takes: host values in order of the arguments.
  SmallVector<Value> hostBuffers, hostScalars;
  SmallVector<std::string> bufferNames, scalarNames;
  SmallVector<bool> written;
  gpu::GPUFuncOp kernel;
  DenseMap<Value, Value> views, scalars;

  /// Of the current tile, by dimension of the domain.
  SmallVector<Value> sizes, bases, counts;
};

/// Dense row-major, rank 0 as one element.
MemRefType viewTypeOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    shape.push_back(1);
  return MemRefType::get(shape, type.getElementType());
}

/// A map's results, or index 0 for a buffer of rank 0.
AffineMap withoutRank0(AffineMap map) {
  if (map.getNumResults() != 0)
    return map;
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                        getAffineConstantExpr(0, map.getContext()),
                        map.getContext());
}

} // namespace

//===----------------------------------------------------------------------===//
// Signature and launch
//===----------------------------------------------------------------------===//

void KernelBuilder::makeSignature() {
  auto addBuffer = [&](Value buffer, StringRef hint, bool isWritten) {
    for (auto [i, known] : llvm::enumerate(hostBuffers))
      if (known == buffer) {
        written[i] = written[i] || isWritten;
        return;
      }
    // The name of a function's argument, so that a reader finds it again.
    std::string text;
    if (auto arg = dyn_cast<BlockArgument>(buffer))
      if (isa<func::FuncOp>(arg.getOwner()->getParentOp()))
        text = "arg" + std::to_string(arg.getArgNumber());
    if (text.empty())
      text = hint.str();
    hostBuffers.push_back(buffer);
    bufferNames.push_back(text);
    written.push_back(isWritten);
  };
  auto addScalar = [&](Value scalar, const Twine &hint) {
    if (getConstantIntValue(scalar) || llvm::is_contained(hostScalars, scalar))
      return;
    hostScalars.push_back(scalar);
    scalarNames.push_back(hint.str());
  };
  for (auto [i, in] : llvm::enumerate(op.getIns()))
    addBuffer(in, "in" + std::to_string(i), false);
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (isa<MemRefType>(capture.getType()))
      addBuffer(capture, "source" + std::to_string(i), false);
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    addBuffer(out, op.getOuts().size() == 1 ? "out" : "out" + std::to_string(i),
              true);

  for (auto [i, size] : llvm::enumerate(hostSizes))
    if (auto value = dyn_cast<Value>(size))
      addScalar(value, "n" + Twine(i));
  for (auto [i, symbol] : llvm::enumerate(op.getSymbols()))
    addScalar(symbol, "s" + Twine(i));
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (!isa<MemRefType>(capture.getType()))
      addScalar(capture, "c" + Twine(i));
  // Sizes of the buffers, so that a view can be made.
  size_t numBuffers = hostBuffers.size();
  DenseMap<Value, SmallVector<Value>> dims;
  for (size_t i = 0; i < numBuffers; ++i) {
    auto type = cast<MemRefType>(hostBuffers[i].getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Value size = host.createOrFold<memref::DimOp>(loc, hostBuffers[i], d);
      dims[hostBuffers[i]].push_back(size);
      addScalar(size, bufferNames[i] + "_" + Twine(d));
    }
  }

  SmallVector<Type> types;
  for (Value buffer : hostBuffers)
    types.push_back(
        MemRefType::get({ShapedType::kDynamic}, getElementTypeOrSelf(buffer)));
  for (Value scalar : hostScalars)
    types.push_back(scalar.getType());
  b.setInsertionPointToEnd(module.getBody());
  kernel = b.create<gpu::GPUFuncOp>(
      loc, name, FunctionType::get(b.getContext(), types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel->setAttr("tang.block", b.getI64IntegerAttr(block));
  kernel->setAttr("tang.comment", b.getStringAttr(comment()));
  if (std::optional<int64_t> flops = countFloatOps(op))
    kernel->setAttr("tang.flops", b.getI64IntegerAttr(*flops));
  for (auto [i, text] : llvm::enumerate(bufferNames)) {
    kernel.setArgAttr(i, "tang.name", b.getStringAttr(text));
    if (!written[i])
      kernel.setArgAttr(i, "tang.readonly", b.getUnitAttr());
  }
  for (auto [i, text] : llvm::enumerate(scalarNames))
    kernel.setArgAttr(numBuffers + i, "tang.name", b.getStringAttr(text));

  b.setInsertionPointToStart(&kernel.getBody().front());
  for (auto [i, scalar] : llvm::enumerate(hostScalars))
    scalars[scalar] = kernel.getArgument(numBuffers + i);
  for (auto [i, buffer] : llvm::enumerate(hostBuffers)) {
    SmallVector<Value> dynamic = llvm::map_to_vector(
        dims[buffer], [&](Value v) { return toKernel(OpFoldResult(v), ""); });
    views[buffer] = b.create<ViewOp>(loc, viewTypeOf(buffer),
                                     kernel.getArgument(i), dynamic);
  }
}

Value KernelBuilder::toKernel(OpFoldResult value, StringRef) {
  if (auto known = getConstantIntValue(value)) {
    if (auto v = dyn_cast<Value>(value); v && !v.getType().isIndex())
      return b.create<arith::ConstantOp>(loc,
                                         b.getIntegerAttr(v.getType(), *known));
    return constant(*known);
  }
  return scalars.at(cast<Value>(value));
}

void KernelBuilder::launch() {
  auto index = [&](int64_t v) -> Value {
    return host.create<arith::ConstantIndexOp>(loc, v);
  };
  // Programs: the product of tiles over the parallel dimensions.
  Value programs = index(1);
  for (int64_t d : parallel) {
    Value tiles = host.createOrFold<arith::CeilDivUIOp>(
        loc, getValueOrCreateConstantIndexOp(host, loc, hostSizes[d]),
        index(tile[d]));
    programs = host.createOrFold<arith::MulIOp>(loc, programs, tiles);
  }
  Value blocks = programs;
  if (block > 1)
    blocks = host.createOrFold<arith::CeilDivUIOp>(loc, programs, index(block));
  SmallVector<Value> arguments;
  for (Value buffer : hostBuffers) {
    Type linear =
        MemRefType::get({ShapedType::kDynamic}, getElementTypeOrSelf(buffer));
    auto type = cast<MemRefType>(buffer.getType());
    Value count = index(1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = host.createOrFold<arith::MulIOp>(
          loc, count, host.createOrFold<memref::DimOp>(loc, buffer, d));
    arguments.push_back(host.create<ViewOp>(loc, linear, buffer, count));
  }
  llvm::append_range(arguments, hostScalars);
  host.create<gpu::LaunchFuncOp>(
      loc, kernel, gpu::KernelDim3{blocks, index(1), index(1)},
      gpu::KernelDim3{index(block), index(1), index(1)},
      /*dynamicSharedMemorySize=*/Value(), arguments);
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

//===----------------------------------------------------------------------===//
// Programs and streams
//===----------------------------------------------------------------------===//

Value KernelBuilder::countOf(int64_t dim, Value base) {
  Value whole = constant(tile[dim]);
  if (tile[dim] == 1)
    return whole;
  if (auto size = getConstantIntValue(hostSizes[dim]))
    if (*size % tile[dim] == 0)
      return whole;
  Value rest = b.create<arith::SubIOp>(loc, sizes[dim], base);
  return b.create<arith::MinSIOp>(loc, whole, rest);
}

void KernelBuilder::makeProgram() {
  int64_t numDims = op.getNumDims();
  sizes.resize(numDims);
  bases.resize(numDims);
  counts.resize(numDims);
  for (int64_t d = 0; d < numDims; ++d)
    sizes[d] = toKernel(hostSizes[d], "");

  Value program = b.create<gpu::BlockIdOp>(loc, gpu::Dimension::x);
  SmallVector<Value> tiles;
  for (int64_t d : parallel)
    tiles.push_back(
        b.createOrFold<arith::CeilDivUIOp>(loc, sizes[d], constant(tile[d])));
  if (block > 1) {
    Value width = b.create<gpu::BlockDimOp>(loc, gpu::Dimension::x);
    Value thread = b.create<gpu::ThreadIdOp>(loc, gpu::Dimension::x);
    program = b.create<arith::AddIOp>(
        loc, b.create<arith::MulIOp>(loc, program, width), thread);
    Value total = constant(1);
    for (Value count : tiles)
      total = b.createOrFold<arith::MulIOp>(loc, total, count);
    Value inside =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, program, total);
    auto guard = b.create<scf::IfOp>(loc, inside, /*withElse=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
  }
  // Last dimension fastest, so that neighbours read neighbouring memory.
  for (int64_t i = parallel.size() - 1; i >= 0; --i) {
    int64_t d = parallel[i];
    auto count = getConstantIntValue(tiles[i]);
    Value position = program;
    if (count == 1)
      position = constant(0);
    else if (i > 0) {
      position = b.create<arith::RemUIOp>(loc, program, tiles[i]);
      program = b.create<arith::DivUIOp>(loc, program, tiles[i]);
    }
    bases[d] = b.createOrFold<arith::MulIOp>(loc, position, constant(tile[d]));
    counts[d] = countOf(d, bases[d]);
  }
}

SmallVector<Value>
KernelBuilder::streams(ArrayRef<int64_t> dims, ValueRange carried,
                       function_ref<SmallVector<Value>(ValueRange)> inner) {
  if (dims.empty())
    return inner(carried);
  int64_t d = dims.front();
  auto scan = dyn_cast<ScanOp>(op.getOperation());
  OperationState state(loc, StreamOp::getOperationName());
  state.addOperands({constant(0), sizes[d]});
  state.addOperands(carried);
  state.addTypes(carried.getTypes());
  state.addAttribute("step", b.getI64IntegerAttr(tile[d]));
  if (scan && scan.getReverse())
    state.addAttribute("reverse", b.getUnitAttr());
  state.addAttribute("comment", b.getStringAttr("d" + Twine(d)));
  Block *body = new Block();
  body->addArgument(b.getIndexType(), loc);
  for (Type type : carried.getTypes())
    body->addArgument(type, loc);
  state.addRegion()->push_back(body);
  auto stream = cast<StreamOp>(b.create(state));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  bases[d] = stream.getInductionVar();
  counts[d] = countOf(d, bases[d]);
  SmallVector<Value> next =
      streams(dims.drop_front(), stream.getCarries(), inner);
  b.create<YieldOp>(loc, next);
  return llvm::to_vector_of<Value>(stream.getResults());
}

SmallVector<Value> KernelBuilder::runBody() {
  IRMapping mapping;
  SmallVector<AffineMap> maps = op.getInMapArray();
  SmallVector<Value> symbols;
  for (Value symbol : op.getSymbols())
    symbols.push_back(toKernel(OpFoldResult(symbol), ""));
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
    Value scalar = toKernel(OpFoldResult(capture), "");
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
  SmallVector<int64_t> resultTile(tile.take_front(n));
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
      streams(serial, carried, [&](ValueRange accs) -> SmallVector<Value> {
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
      streams(serial, carried, [&](ValueRange accs) -> SmallVector<Value> {
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
  streams(serial, {}, [&](ValueRange) -> SmallVector<Value> {
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
  tile = schedule.getTile();
  block = schedule.getBlock();
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
    (op.isParallelDim(d) ? parallel : serial).push_back(d);
  hostSizes = op.getMixedDomain(host, loc);
  makeSignature();
  makeProgram();
  if (auto map = dyn_cast<MapOp>(op.getOperation()))
    buildMap(map);
  else if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
    buildReduce(reduce);
  else if (auto scan = dyn_cast<ScanOp>(op.getOperation()))
    buildScan(scan);
  else
    buildScatter(cast<ScatterOp>(op.getOperation()));
  b.setInsertionPointToEnd(&kernel.getBody().front());
  b.create<gpu::ReturnOp>(loc);
  launch();
  op.erase();
}

/// Whether every operation of the body has a form on tiles.
static LogicalResult checkBody(StructuredOp op) {
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
    SmallVector<StructuredOp> ops;
    for (auto function : root.getOps<func::FuncOp>())
      function.walk([&](StructuredOp op) { ops.push_back(op); });
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
    for (StructuredOp op : ops) {
      if (!op->hasAttr("schedule")) {
        op.emitError("has no schedule; run --tang-schedule first");
        return signalPassFailure();
      }
      if (static_cast<int64_t>(
              op->getAttrOfType<ScheduleAttr>("schedule").getTile().size()) !=
          op.getNumDims()) {
        op.emitError("schedule rule 'tile-rank': one tile size for each "
                     "dimension; run --tang-schedule, which checks this");
        return signalPassFailure();
      }
      if (!op.isBufferized()) {
        op.emitError("works on tensors; run --tang-bufferize first");
        return signalPassFailure();
      }
      if (failed(checkBody(op)))
        return signalPassFailure();
      std::string name =
          identifierOf(op->getParentOfType<func::FuncOp>().getSymName()) + "_" +
          op->getName().stripDialect().str();
      // Two functions may become one identifier: the module has the last word.
      do
        full = name + std::to_string(next[name]++);
      while (module.lookupSymbol(full));
      KernelBuilder(op, module, full).build();
    }
  }
};
} // namespace
