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
// A scan in chunks (`block` of its #tang.fold) has one more dimension, the
// chunk, and its scanned dimension is the position within. With S_b the state
// in front of chunk b, prefixes are S_b ∨ x₀ ∨ x₁ …, one chain through the
// chunk, and S_{b+1} = S_b ∨ (x₀ ∨ x₁ …). Where either of these two is infinite
// or NaN (a product of the chunk may have overflowed, or be 0 beside an
// infinite S_b), and at the end, S_{b+1} is the last prefix instead, literally.
//
// One program runs chunk after chunk, or (`tang.split`) a first kernel folds
// each chunk, a second one scans the chunks' states, and a third one makes the
// prefixes. Operations and their order are the same either way, and so are the
// bits.
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

/// The points of a chunk of a scan, 0 for one chain of all points.
int64_t chunkOf(Operation *op) {
  auto how = op->getAttrOfType<FoldAttr>("tang.fold");
  return isa<ScanOp>(op) && how ? how.getBlock() : 0;
}

/// Builds a kernel of one structured operation.
class KernelBuilder : KernelFrame {
public:
  /// Which part of the work the kernel does. Of a scan in chunks: fold chunks,
  /// scan their states, make prefixes.
  enum class Part { Whole, Chunks, Merge, Prefixes };

  KernelBuilder(StructuredOp op, gpu::GPUModuleOp module, StringRef name,
                Part part, SmallVectorImpl<Value> &states)
      : KernelFrame(op, module, name), op(op), part(part), states(states),
        chunk(chunkOf(op)) {}

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
  /// The same operation, of scalars, on tiles.
  void cloneOnTile(Operation &scalar, IRMapping &mapping);
  /// The body's yielded values as tiles.
  SmallVector<Value> runBody();
  /// The index along a dimension of the operation, as a tile.
  Value indexAlong(int64_t dim);
  VectorType tileType(Type element) { return VectorType::get(tile, element); }
  SmallVector<Value> coordinates(ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t d) { return bases[d]; });
  }
  std::string comment();

  void buildMap(MapOp map);
  void buildReduce(ReduceOp reduce);
  void buildScan(ScanOp scan);
  void buildScatter(ScatterOp scatter);

  // Scans in chunks.
  /// On the host: the number of chunks, and buffers for their states.
  void makeStates(ScanOp scan);
  void buildChunkedScan(ScanOp scan);
  /// Folds the chunks at hand into one or several groups of states, from a
  /// position on, if any, whose prefixes are stored. `upper` ends the chunk.
  SmallVector<Value> runChunk(ScanOp scan, ValueRange carried,
                              std::optional<int64_t> stored, Value upper);
  /// How many points the first of the chunks at hand has.
  Value chunkSize(ScanOp scan);
  SmallVector<Value> identityOf(ScanOp scan);
  /// state ∨ value, position by position.
  SmallVector<Value> combine(ScanOp scan, ValueRange state, ValueRange value);
  /// Where the state after a chunk is to be the last prefix; null: nowhere.
  Value isLiteral(ScanOp scan, ValueRange before, ValueRange within);
  /// Whether it holds anywhere in the tile, as a scalar.
  Value holdsAnywhere(Value condition);
  void storeAll(ValueRange values, ValueRange buffers, AffineMap map,
                ValueRange coords);
  /// The index along the scanned dimension from the frame's dimensions and, as
  /// symbol `size`, its size.
  AffineExpr scanIndex(ScanOp scan, unsigned size);
  /// A map of the operation's dimensions as one of the frame's.
  AffineMap toFrame(AffineMap map);

  StructuredOp op;
  Part part;
  SmallVectorImpl<Value> &states;
  int64_t chunk;
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
  for (auto [i, state] : llvm::enumerate(states))
    addBuffer(state, "state" + std::to_string(i), part != Part::Prefixes);
  for (auto [i, size] : llvm::enumerate(hostSizes))
    addScalar(size, "n" + Twine(i), /*isSize=*/true);
  for (auto [i, symbol] : llvm::enumerate(op.getSymbols()))
    addScalar(symbol, "s" + Twine(i));
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (!isa<MemRefType>(capture.getType()))
      addScalar(capture, "c" + Twine(i));
}

std::string KernelBuilder::comment() {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (part == Part::Merge)
    os << "states of the chunks of a ";
  else if (part == Part::Chunks)
    os << "folds of the chunks of a ";
  os << op->getName().stripDialect();
  if (Attribute attr = op->getAttr("monoid"))
    if (FailureOr<Monoid> monoid = Monoid::get(attr, op); succeeded(monoid))
      os << " " << monoid->getName();
  if (!serial.empty()) {
    os << " over ";
    llvm::interleaveComma(serial, os, [&](int64_t d) { os << "d" << d; });
  }
  if (chunk)
    os << " in chunks of " << chunk;
  os << ", tile ";
  llvm::interleave(tile, os, "x");
  return text;
}

AffineExpr KernelBuilder::scanIndex(ScanOp scan, unsigned size) {
  AffineExpr index = b.getAffineDimExpr(op.getNumDims()) * chunk +
                     b.getAffineDimExpr(scan.getDim());
  return scan.getReverse() ? b.getAffineSymbolExpr(size) - 1 - index : index;
}

AffineMap KernelBuilder::toFrame(AffineMap map) {
  if (!chunk)
    return withoutRank0(map);
  auto scan = cast<ScanOp>(op.getOperation());
  SmallVector<AffineExpr> dims, symbols;
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
    dims.push_back(static_cast<uint64_t>(d) == scan.getDim()
                       ? scanIndex(scan, map.getNumSymbols())
                       : b.getAffineDimExpr(d));
  for (unsigned s = 0; s < map.getNumSymbols(); ++s)
    symbols.push_back(b.getAffineSymbolExpr(s));
  return withoutRank0(map.replaceDimsAndSymbols(dims, symbols, tile.size(),
                                                map.getNumSymbols() + 1));
}

void KernelBuilder::cloneOnTile(Operation &scalar, IRMapping &mapping) {
  if (auto value = dyn_cast<arith::ConstantOp>(scalar)) {
    auto type = tileType(value.getType());
    mapping.map(value.getResult(),
                b.create<arith::ConstantOp>(
                     loc, DenseElementsAttr::get(type, value.getValue()))
                    .getResult());
    return;
  }
  Operation *clone = b.clone(scalar, mapping);
  for (auto [result, original] :
       llvm::zip(clone->getResults(), scalar.getResults())) {
    result.setType(tileType(original.getType()));
    mapping.map(original, result);
  }
}

Value KernelBuilder::indexAlong(int64_t dim) {
  auto coord = [&](int64_t d) -> Value {
    return b.create<CoordOp>(loc, tileType(b.getIndexType()), bases[d], d);
  };
  auto scan = dyn_cast<ScanOp>(op.getOperation());
  if (!chunk || static_cast<uint64_t>(dim) != scan.getDim())
    return coord(dim);
  auto splat = [&](Value scalar) -> Value {
    return b.create<vector::BroadcastOp>(loc, tileType(b.getIndexType()),
                                         scalar);
  };
  Value start = b.create<arith::MulIOp>(loc, coord(op.getNumDims()),
                                        splat(constant(chunk)));
  Value index = b.create<arith::AddIOp>(loc, start, coord(dim));
  if (!scan.getReverse())
    return index;
  Value last = b.create<arith::SubIOp>(loc, sizes[dim], constant(1));
  return b.create<arith::SubIOp>(loc, splat(last), index);
}

SmallVector<Value> KernelBuilder::runBody() {
  IRMapping mapping;
  SmallVector<AffineMap> maps = op.getInMapArray();
  SmallVector<Value> symbols;
  for (Value symbol : op.getSymbols())
    symbols.push_back(toKernel(OpFoldResult(symbol)));
  if (chunk)
    symbols.push_back(sizes[cast<ScanOp>(op.getOperation()).getDim()]);
  Block *body = op.getBody();
  for (auto [i, in] : llvm::enumerate(op.getIns())) {
    SmallVector<Value> coords = bases;
    llvm::append_range(coords, symbols);
    AffineMap map = toFrame(maps[i]);
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
      mapping.map(index.getResult(), indexAlong(index.getDim()));
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
    cloneOnTile(inner, mapping);
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
        if (reduce->hasAttr("tang.fused"))
          fold->setAttr("tang.fused", b.getUnitAttr());
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

void KernelBuilder::makeStates(ScanOp scan) {
  OpFoldResult chunks = countChunks(hostSizes[scan.getDim()], chunk);
  if (part == Part::Chunks)
    for (Value out : scan.getOuts().drop_front(scan.getNumStates())) {
      SmallVector<OpFoldResult> shape;
      for (int64_t d : parallel)
        shape.push_back(hostSizes[d]);
      shape.push_back(chunks);
      states.push_back(makeBuffer(shape, getElementTypeOrSelf(out)));
    }
  hostSizes.push_back(chunks);
  bool owned = part == Part::Chunks || part == Part::Prefixes;
  auto lanes = op->getAttrOfType<IntegerAttr>("tang.split");
  tile.push_back(owned ? lanes.getInt() : 1);
  if (owned)
    parallel.push_back(op.getNumDims());
}

SmallVector<Value> KernelBuilder::combine(ScanOp scan, ValueRange state,
                                          ValueRange value) {
  Block scalars;
  for (ValueRange tiles : {state, value})
    for (Value tileValue : tiles)
      scalars.addArgument(getElementTypeOrSelf(tileValue), loc);
  ValueRange arguments = scalars.getArguments();
  OpBuilder inside(b.getContext());
  inside.setInsertionPointToStart(&scalars);
  SmallVector<Value> combined =
      Monoid::get(scan.getMonoid(), scan)
          ->combine(inside, loc, arguments.take_front(state.size()),
                    arguments.drop_front(state.size()));
  IRMapping mapping;
  mapping.map(arguments.take_front(state.size()), state);
  mapping.map(arguments.drop_front(state.size()), value);
  for (Operation &op : scalars)
    cloneOnTile(op, mapping);
  return llvm::map_to_vector(combined,
                             [&](Value v) { return mapping.lookup(v); });
}

void KernelBuilder::storeAll(ValueRange values, ValueRange buffers,
                             AffineMap map, ValueRange coords) {
  for (auto [value, buffer] : llvm::zip(values, buffers))
    b.create<StoreOp>(loc, value, views.at(buffer), AffineMapAttr::get(map),
                      coords, counts);
}

SmallVector<Value> KernelBuilder::identityOf(ScanOp scan) {
  SmallVector<Type> types =
      llvm::map_to_vector(scan.getOuts().take_front(scan.getNumStates()),
                          [](Value out) { return getElementTypeOrSelf(out); });
  SmallVector<TypedAttr> identity =
      *Monoid::get(scan.getMonoid(), scan)->getIdentity(types);
  return llvm::map_to_vector(identity, [&](TypedAttr value) -> Value {
    return b.create<arith::ConstantOp>(
        loc,
        DenseElementsAttr::get(tileType(value.getType()), Attribute(value)));
  });
}

Value KernelBuilder::chunkSize(ScanOp scan) {
  Value first =
      b.create<arith::MulIOp>(loc, bases[op.getNumDims()], constant(chunk));
  Value rest = b.create<arith::SubIOp>(loc, sizes[scan.getDim()], first);
  return b.create<arith::MinSIOp>(loc, rest, constant(chunk));
}

SmallVector<Value> KernelBuilder::runChunk(ScanOp scan, ValueRange carried,
                                           std::optional<int64_t> stored,
                                           Value upper) {
  int64_t dim = scan.getDim(), chunks = op.getNumDims();
  int64_t n = scan.getNumStates();
  AffineMap prefixMap = toFrame(b.getMultiDimIdentityMap(op.getNumDims()));
  auto store = [&](ValueRange states) {
    SmallVector<Value> coords = bases;
    coords.push_back(sizes[dim]);
    if (stored)
      storeAll(states.slice(*stored, n), scan.getOuts().take_front(n),
               prefixMap, coords);
  };
  Value all = counts[chunks];
  SmallVector<Value> folded = stream(
      constant(0), upper, 1, false, "d" + Twine(dim) + " in a chunk", carried,
      [&](Value index, ValueRange before) {
        bases[dim] = index;
        // The last chunk may be shorter than those before it: ⌈(n - s) / c⌉
        // chunks have this position.
        std::optional<int64_t> known = getConstantIntValue(hostSizes[dim]);
        if (tile[chunks] > 1 && !(known && *known % chunk == 0)) {
          Value left = b.create<arith::SubIOp>(loc, sizes[dim], index);
          Value have = b.create<arith::CeilDivUIOp>(loc, left, constant(chunk));
          Value here = b.create<arith::SubIOp>(loc, have, bases[chunks]);
          counts[chunks] = b.create<arith::MinSIOp>(loc, here, all);
        }
        if (scan.getExclusive())
          store(before);
        SmallVector<Value> values = runBody(), after;
        for (int64_t i = 0, e = before.size(); i < e; i += n)
          llvm::append_range(
              after,
              b.create<FoldOp>(loc, before.slice(i, n).getTypes(),
                               scan.getMonoid(), b.getDenseI64ArrayAttr(dim),
                               values, before.slice(i, n), counts)
                  .getResults());
        if (!scan.getExclusive())
          store(after);
        return after;
      });
  counts[chunks] = all;
  bases[dim] = constant(0);
  return folded;
}

Value KernelBuilder::isLiteral(ScanOp scan, ValueRange before,
                               ValueRange within) {
  SmallVector<Type> types = llvm::map_to_vector(
      before, [](Value v) { return getElementTypeOrSelf(v); });
  if (Monoid::get(scan.getMonoid(), scan)->isReorderExact(types))
    return {};
  int64_t chunks = op.getNumDims();
  Value next = b.create<arith::AddIOp>(loc, bases[chunks], constant(1));
  Value isLast = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next,
                                         sizes[chunks]);
  Value result =
      b.create<vector::BroadcastOp>(loc, tileType(b.getI1Type()), isLast);
  for (ValueRange tiles : {before, within})
    for (Value value : tiles) {
      auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
      if (!type)
        continue;
      Value infinity = b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(
                   tileType(type),
                   Attribute(b.getFloatAttr(
                       type, APFloat::getInf(type.getFloatSemantics())))));
      // Or NaN.
      Value special =
          b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UEQ,
                                  b.create<math::AbsFOp>(loc, value), infinity);
      result = b.create<arith::OrIOp>(loc, result, special);
    }
  return result;
}

Value KernelBuilder::holdsAnywhere(Value condition) {
  Type i32 = b.getI32Type();
  SmallVector<int64_t> unit(tile.size(), 1), all;
  for (auto [d, size] : llvm::enumerate(tile))
    if (size > 1)
      all.push_back(d);
  auto none = VectorType::get(unit, i32);
  Value zero = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(none, b.getI32IntegerAttr(0)));
  Value bits = b.create<arith::ExtUIOp>(loc, tileType(i32), condition);
  Value any = b.create<FoldOp>(loc, TypeRange{none},
                               MonoidAttr::get(b.getContext(), MonoidKind::Or),
                               b.getDenseI64ArrayAttr(all), ValueRange{bits},
                               ValueRange{zero}, counts)
                  .getResult(0);
  SmallVector<Value> one(tile.size(), constant(1));
  Value flag =
      b.create<vector::ExtractOp>(loc, b.create<KeepOp>(loc, any, one),
                                  SmallVector<int64_t>(tile.size(), 0));
  return b.create<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ne, flag,
      b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0)));
}

void KernelBuilder::buildChunkedScan(ScanOp scan) {
  int64_t dim = scan.getDim(), chunks = op.getNumDims();
  // The chunks' states, and the whole scan's.
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < chunks; ++d)
    if (d != dim)
      exprs.push_back(b.getAffineDimExpr(d));
  AffineMap wholeMap =
      withoutRank0(AffineMap::get(tile.size(), 0, exprs, b.getContext()));
  exprs.push_back(b.getAffineDimExpr(chunks));
  AffineMap chunkMap = AffineMap::get(tile.size(), 0, exprs, b.getContext());
  auto load = [&](ValueRange buffers, AffineMap map) {
    return llvm::map_to_vector(buffers, [&](Value buffer) -> Value {
      Value value =
          b.create<LoadOp>(loc, tileType(getElementTypeOrSelf(buffer)),
                           views.at(buffer), AffineMapAttr::get(map), bases);
      return b.create<KeepOp>(loc, value, counts);
    });
  };
  bases[dim] = constant(0);
  counts[dim] = constant(1);
  int64_t n = scan.getNumStates();
  if (part == Part::Chunks)
    return storeAll(
        runChunk(scan, identityOf(scan), std::nullopt, chunkSize(scan)), states,
        chunkMap, bases);
  if (part == Part::Prefixes) {
    runChunk(scan, load(states, chunkMap), 0, chunkSize(scan));
    return;
  }
  ValueRange whole = scan.getOuts().drop_front(n);
  bases[chunks] = constant(0);
  counts[chunks] = constant(1);
  SmallVector<Value> last = stream(
      constant(0), sizes[chunks], 1, false, "chunks", load(whole, wholeMap),
      [&](Value index, ValueRange before) {
        bases[chunks] = index;
        SmallVector<Value> within, after;
        Value literal;
        if (part == Part::Merge) {
          // The state of a chunk makes room for the one before it.
          within = load(states, chunkMap);
          storeAll(before, states, chunkMap, bases);
          literal = isLiteral(scan, before, within);
          if (literal) {
            Value upper = b.create<arith::SelectOp>(
                loc, holdsAnywhere(literal), chunkSize(scan), constant(0));
            after = runChunk(scan, before, std::nullopt, upper);
          }
        } else {
          SmallVector<Value> both = identityOf(scan);
          llvm::append_range(both, before);
          both = runChunk(scan, both, n, chunkSize(scan));
          within.assign(both.begin(), both.begin() + n);
          after.assign(both.begin() + n, both.end());
          literal = isLiteral(scan, before, within);
        }
        SmallVector<Value> next = combine(scan, before, within);
        for (auto [i, value] : llvm::enumerate(next)) {
          if (literal)
            value = b.create<arith::SelectOp>(loc, literal, after[i], value);
          value = b.create<KeepOp>(loc, value, counts);
        }
        return next;
      });
  bases[dim] = bases[chunks] = constant(0);
  storeAll(last, whole, wholeMap, bases);
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
  auto scan = dyn_cast<ScanOp>(op.getOperation());
  if (chunk)
    makeStates(scan);
  collect();
  makeSignature(comment(),
                part == Part::Merge ? std::nullopt : countFloatOps(op));
  if (Attribute floor = op->getAttr("tang.floor"))
    kernel->setAttr("tang.floor", floor);
  makeProgram();
  if (auto map = dyn_cast<MapOp>(op.getOperation()))
    buildMap(map);
  else if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
    buildReduce(reduce);
  else if (scan && chunk)
    buildChunkedScan(scan);
  else if (scan)
    buildScan(scan);
  else
    buildScatter(cast<ScatterOp>(op.getOperation()));
  launch();
}

/// Replaces an operation by the launch of its kernel, or kernels.
static void applyStructured(StructuredOp op, gpu::GPUModuleOp module,
                            StringRef name) {
  using Part = KernelBuilder::Part;
  SmallVector<Value> states;
  auto build = [&](const Twine &suffix, Part part) {
    KernelBuilder(op, module, (name + suffix).str(), part, states).build();
  };
  if (chunkOf(op) && op->hasAttr("tang.split")) {
    build("_chunks", Part::Chunks);
    build("_merge", Part::Merge);
    build("_prefixes", Part::Prefixes);
  } else {
    build("", Part::Whole);
  }
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
  if (chunkOf(op)) {
    auto scan = cast<ScanOp>(op.getOperation());
    FailureOr<Monoid> monoid = Monoid::get(scan.getMonoid(), scan);
    SmallVector<Type> types = llvm::map_to_vector(
        scan.getOuts().take_front(scan.getNumStates()),
        [](Value out) { return getElementTypeOrSelf(out); });
    if (chunkOf(op) < 0 || failed(monoid) || !monoid->isAssociative() ||
        failed(monoid->getIdentity(types)))
      return op.emitError("#tang.fold: only an associative monoid with a known "
                          "identity is scanned in chunks");
    auto split = op->getAttr("tang.split");
    auto lanes = dyn_cast_or_null<IntegerAttr>(split);
    if (split && (!lanes || lanes.getInt() < 1 || lanes.getInt() > 1024))
      return op.emitError("tang.split of a scan is how many chunks a program "
                          "runs at once, from 1 to 1024");
  }
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
        applyStructured(structured, module, full);
      else if (failed(applyKernel(cast<KernelOp>(op), module, full)))
        return signalPassFailure();
    }
  }
};
} // namespace
