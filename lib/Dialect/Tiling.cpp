//===- Tiling.cpp - Upstream's tiling of structured operations ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TilingInterface for all four structured operations, so that upstream's
// drivers (scf::tileUsingSCF, tile-and-fuse, the transform dialect) work on
// them, and PartialReductionOpInterface for tang.reduce. Upstream's own partial
// reductions know one result with a fixed set of combiners; here the monoid
// gives identity and combination, so that states of any width split.
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tang;

using Offsets = ArrayRef<OpFoldResult>;

namespace {

Value asValue(OpBuilder &b, Location loc, OpFoldResult ofr) {
  return getValueOrCreateConstantIndexOp(b, loc, ofr);
}

Value sliceOf(OpBuilder &b, Location loc, Value tensor, Offsets offsets,
              Offsets sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return b.create<tensor::ExtractSliceOp>(loc, tensor, offsets, sizes, strides);
}

/// The operands of a tile: `ins` that are read at plain dimensions become
/// slices; the others stay whole and their maps are shifted by the offsets,
/// which join the symbols.
struct TiledOperands {
  SmallVector<Value> ins, symbols, captures;
  SmallVector<AffineMap> maps;
};

TiledOperands tileOperands(OpBuilder &b, StructuredOp op, Offsets offsets,
                           Offsets sizes) {
  Location loc = op.getLoc();
  TiledOperands tiled;
  llvm::append_range(tiled.captures, op.getCaptures());
  llvm::append_range(tiled.symbols, op.getSymbols());
  SmallVector<AffineMap> maps = op.getInMapArray();
  int64_t numDims = offsets.size();

  // A shift d + offset for every dimension, where some map needs it.
  auto isPlain = [](AffineMap map) {
    return map.isProjectedPermutation() && map.getNumSymbols() == 0;
  };
  auto dropSymbols = [](AffineMap map) {
    for (AffineExpr e : map.getResults())
      for (unsigned s = 0; s < map.getNumSymbols(); ++s)
        if (e.isFunctionOfSymbol(s))
          return map;
    return AffineMap::get(map.getNumDims(), 0, map.getResults(),
                          map.getContext());
  };
  SmallVector<AffineExpr> shift;
  for (int64_t d = 0; d < numDims; ++d) {
    AffineExpr dim = b.getAffineDimExpr(d);
    if (auto constant = getConstantIntValue(offsets[d])) {
      shift.push_back(dim + *constant);
    } else {
      shift.push_back(dim + b.getAffineSymbolExpr(tiled.symbols.size()));
      tiled.symbols.push_back(asValue(b, loc, offsets[d]));
    }
  }
  int64_t numSymbols = tiled.symbols.size();
  for (auto [in, original] : llvm::zip(op.getIns(), maps)) {
    AffineMap map = dropSymbols(original);
    if (!isPlain(map)) {
      tiled.ins.push_back(in);
      tiled.maps.push_back(
          original.replaceDimsAndSymbols(shift, {}, numDims, numSymbols));
      continue;
    }
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    for (AffineExpr e : map.getResults()) {
      unsigned d = cast<AffineDimExpr>(e).getPosition();
      sliceOffsets.push_back(offsets[d]);
      sliceSizes.push_back(sizes[d]);
    }
    tiled.ins.push_back(sliceOf(b, loc, in, sliceOffsets, sliceSizes));
    tiled.maps.push_back(
        AffineMap::get(numDims, numSymbols, map.getResults(), b.getContext()));
  }
  return tiled;
}

/// Clones the body of `from` into the empty region of `to`, adding `offsets`
/// to what tang.index gives; the offsets that are not constant become captures.
void cloneShiftedBody(OpBuilder &b, StructuredOp from, StructuredOp to,
                      Offsets offsets) {
  IRMapping mapping;
  from->getRegion(0).cloneInto(&to->getRegion(0), mapping);
  Block *body = to.getBody();
  SmallVector<IndexOp> indices;
  body->walk([&](IndexOp index) { indices.push_back(index); });
  for (IndexOp index : indices) {
    OpFoldResult offset = offsets[index.getDim()];
    if (isZeroInteger(offset))
      continue;
    OpBuilder inner(index->getContext());
    inner.setInsertionPointAfter(index);
    Value shift;
    if (auto constant = getConstantIntValue(offset)) {
      shift = inner.create<arith::ConstantIndexOp>(index.getLoc(), *constant);
    } else {
      Value outer = cast<Value>(offset);
      to.getCapturesMutable().append(outer);
      shift = body->addArgument(outer.getType(), outer.getLoc());
    }
    auto sum =
        inner.create<arith::AddIOp>(index.getLoc(), index.getResult(), shift);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
}

SmallVector<Range> domainOf(OpBuilder &b, StructuredOp op) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Range> ranges;
  for (OpFoldResult size : op.getMixedDomain(b, op.getLoc()))
    ranges.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return ranges;
}

SmallVector<utils::IteratorType> iteratorsOf(StructuredOp op) {
  SmallVector<utils::IteratorType> types;
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
    types.push_back(op.isParallelDim(d) ? utils::IteratorType::parallel
                                        : utils::IteratorType::reduction);
  return types;
}

template <typename T>
SmallVector<T> without(ArrayRef<T> list, int64_t position) {
  SmallVector<T> result(list);
  result.erase(result.begin() + position);
  return result;
}

FailureOr<TilingResult> tilingResult(Operation *tiled) {
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), {}};
}

} // namespace

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> MapOp::getLoopIteratorTypes() {
  return iteratorsOf(*this);
}
SmallVector<Range> MapOp::getIterationDomain(OpBuilder &b) {
  return domainOf(b, *this);
}
LogicalResult
MapOp::getResultTilePosition(OpBuilder &, unsigned, Offsets offsets,
                             Offsets sizes,
                             SmallVector<OpFoldResult> &resultOffsets,
                             SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}
FailureOr<TilingResult>
MapOp::getTiledImplementation(OpBuilder &b, Offsets offsets, Offsets sizes) {
  TiledOperands tiled = tileOperands(b, *this, offsets, sizes);
  SmallVector<Value> outs;
  for (Value out : getOuts())
    outs.push_back(sliceOf(b, getLoc(), out, offsets, sizes));
  auto op = b.create<MapOp>(getLoc(), outs, tiled.ins, tiled.maps,
                            tiled.captures, tiled.symbols);
  cloneShiftedBody(b, *this, op, offsets);
  return tilingResult(op);
}
FailureOr<TilingResult> MapOp::generateResultTileValue(OpBuilder &b, unsigned,
                                                       Offsets offsets,
                                                       Offsets sizes) {
  return getTiledImplementation(b, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> ReduceOp::getLoopIteratorTypes() {
  return iteratorsOf(*this);
}
SmallVector<Range> ReduceOp::getIterationDomain(OpBuilder &b) {
  return domainOf(b, *this);
}
LogicalResult
ReduceOp::getResultTilePosition(OpBuilder &, unsigned, Offsets offsets,
                                Offsets sizes,
                                SmallVector<OpFoldResult> &resultOffsets,
                                SmallVector<OpFoldResult> &resultSizes) {
  int64_t n = getNumResultDims();
  resultOffsets.assign(offsets.begin(), offsets.begin() + n);
  resultSizes.assign(sizes.begin(), sizes.begin() + n);
  return success();
}
FailureOr<TilingResult>
ReduceOp::getTiledImplementation(OpBuilder &b, Offsets offsets, Offsets sizes) {
  int64_t n = getNumResultDims();
  // With constant initial states a second step would start over.
  if (getInit())
    for (int64_t d = n; d < getNumDims(); ++d) {
      OpFoldResult whole = getMixedDomain(b, getLoc())[d];
      if (!isZeroInteger(offsets[d]) ||
          !isEqualConstantIntOrValue(sizes[d], whole))
        return emitOpError("has constant 'init': tile its reduced dimensions "
                           "after materialising the initial tensor");
    }
  TiledOperands tiled = tileOperands(b, *this, offsets, sizes);
  SmallVector<Value> outs;
  for (Value out : getOuts())
    outs.push_back(
        sliceOf(b, getLoc(), out, offsets.take_front(n), sizes.take_front(n)));
  auto op = b.create<ReduceOp>(getLoc(), getMonoid(), outs, sizes.drop_front(n),
                               tiled.ins, tiled.maps, tiled.captures,
                               tiled.symbols, getInitAttr());
  cloneShiftedBody(b, *this, op, offsets);
  return tilingResult(op);
}
FailureOr<TilingResult> ReduceOp::generateResultTileValue(OpBuilder &b,
                                                          unsigned,
                                                          Offsets offsets,
                                                          Offsets sizes) {
  SmallVector<OpFoldResult> allOffsets(offsets), allSizes(sizes);
  SmallVector<OpFoldResult> domain = getMixedDomain(b, getLoc());
  for (int64_t d = getNumResultDims(); d < getNumDims(); ++d) {
    allOffsets.push_back(b.getIndexAttr(0));
    allSizes.push_back(domain[d]);
  }
  return getTiledImplementation(b, allOffsets, allSizes);
}

FailureOr<SmallVector<Value>>
ReduceOp::generateInitialTensorForPartialReduction(
    OpBuilder &b, Location loc, Offsets tileSizes,
    const SetVector<unsigned> &reductionDims) {
  FailureOr<Monoid> monoid = Monoid::get(getMonoid(), *this);
  if (failed(monoid))
    return failure();
  SmallVector<Type> types;
  for (Value out : getOuts())
    types.push_back(getElementTypeOrSelf(out));
  auto identity = monoid->getIdentity(types);
  if (failed(identity) || !monoid->isAssociative() || !monoid->isCommutative())
    return emitOpError("only a commutative monoid with an identity can be "
                       "reduced in parts");
  SmallVector<OpFoldResult> shape(tileSizes.take_front(getNumResultDims()));
  SmallVector<OpFoldResult> domain = getMixedDomain(b, loc);
  for (auto [size, whole] : llvm::zip(shape, domain))
    if (isZeroInteger(size))
      size = whole;
  for (unsigned d : reductionDims)
    shape.push_back(tileSizes[d]);
  SmallVector<Value> inits;
  for (auto [type, value] : llvm::zip(types, *identity)) {
    Value empty = b.create<tensor::EmptyOp>(loc, shape, type);
    TypedAttr constant = value;
    inits.push_back(
        b.create<MapOp>(loc, empty, ValueRange{}, ArrayRef<AffineMap>{},
                        ValueRange{}, ValueRange{},
                        [&](OpBuilder &body, Location l, ValueRange) {
                          Value v = body.create<arith::ConstantOp>(l, constant);
                          body.create<YieldOp>(l, v);
                        })
            .getResult(0));
  }
  return inits;
}

FailureOr<TilingResult> ReduceOp::tileToPartialReduction(
    OpBuilder &b, Location loc, ReductionTilingStrategy strategy,
    ValueRange init, Offsets offsets, Offsets sizes,
    const SetVector<unsigned> &reductionDims, Offsets) {
  if (strategy != ReductionTilingStrategy::PartialReductionOuterReduction)
    return emitOpError("supports outer partial reduction");
  // Domain of the part: result dimensions, the split ones, then the others.
  // Upstream has put `init`, of higher rank, in place of `outs` already.
  int64_t numDims = offsets.size(), n = numDims - getStaticSizes().size();
  SmallVector<unsigned> order;
  for (int64_t d = 0; d < n; ++d)
    order.push_back(d);
  llvm::append_range(order, reductionDims);
  for (int64_t d = n; d < numDims; ++d)
    if (!reductionDims.contains(d))
      order.push_back(d);
  SmallVector<AffineExpr> position(numDims);
  for (auto [to, from] : llvm::enumerate(order))
    position[from] = b.getAffineDimExpr(to);

  TiledOperands tiled = tileOperands(b, *this, offsets, sizes);
  for (AffineMap &map : tiled.maps)
    map = map.replaceDimsAndSymbols(position, {}, numDims, map.getNumSymbols());
  int64_t kept = n + reductionDims.size();
  SmallVector<OpFoldResult> outOffsets, outSizes, over;
  for (auto [to, from] : llvm::enumerate(order)) {
    if (static_cast<int64_t>(to) >= kept) {
      over.push_back(sizes[from]);
      continue;
    }
    outOffsets.push_back(b.getIndexAttr(0));
    outSizes.push_back(sizes[from]);
  }
  SmallVector<Value> outs;
  for (Value value : init)
    outs.push_back(sliceOf(b, loc, value, outOffsets, outSizes));
  auto op = b.create<ReduceOp>(loc, getMonoid(), outs, over, tiled.ins,
                               tiled.maps, tiled.captures, tiled.symbols);
  cloneShiftedBody(b, *this, op, offsets);
  SmallVector<int64_t> newPosition(numDims);
  for (auto [to, from] : llvm::enumerate(order))
    newPosition[from] = to;
  op.getBody()->walk(
      [&](IndexOp index) { index.setDim(newPosition[index.getDim()]); });
  return tilingResult(op);
}

FailureOr<MergeResult>
ReduceOp::mergeReductions(OpBuilder &b, Location loc, ValueRange partial,
                          const SetVector<unsigned> &reductionDims) {
  int64_t n = getNumResultDims();
  SmallVector<OpFoldResult> over;
  for (size_t i = 0; i < reductionDims.size(); ++i)
    over.push_back(tensor::getMixedSize(b, loc, partial.front(), n + i));
  SmallVector<AffineMap> maps(partial.size(),
                              b.getMultiDimIdentityMap(n + over.size()));
  auto op =
      b.create<ReduceOp>(loc, getMonoid(), getOuts(), over, partial, maps,
                         ValueRange{}, ValueRange{}, getInitAttr(),
                         [](OpBuilder &body, Location l, ValueRange args) {
                           body.create<YieldOp>(l, args);
                         });
  return MergeResult{{op}, SmallVector<Value>(op->getResults())};
}

LogicalResult ReduceOp::getPartialResultTilePosition(
    OpBuilder &b, unsigned, ReductionTilingStrategy, Offsets offsets,
    Offsets sizes, const SetVector<unsigned> &reductionDims, Offsets,
    SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  int64_t n = offsets.size() - getStaticSizes().size();
  resultOffsets.assign(offsets.begin(), offsets.begin() + n);
  resultSizes.assign(sizes.begin(), sizes.begin() + n);
  for (unsigned d : reductionDims) {
    resultOffsets.push_back(b.getIndexAttr(0));
    resultSizes.push_back(sizes[d]);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> ScanOp::getLoopIteratorTypes() {
  return iteratorsOf(*this);
}
SmallVector<Range> ScanOp::getIterationDomain(OpBuilder &b) {
  return domainOf(b, *this);
}
LogicalResult
ScanOp::getResultTilePosition(OpBuilder &, unsigned number, Offsets offsets,
                              Offsets sizes,
                              SmallVector<OpFoldResult> &resultOffsets,
                              SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  if (static_cast<int64_t>(number) >= getNumStates()) {
    resultOffsets.erase(resultOffsets.begin() + getDim());
    resultSizes.erase(resultSizes.begin() + getDim());
  }
  return success();
}
FailureOr<TilingResult>
ScanOp::getTiledImplementation(OpBuilder &b, Offsets offsets, Offsets sizes) {
  if (getReverse()) {
    OpFoldResult whole = getMixedDomain(b, getLoc())[getDim()];
    if (!isZeroInteger(offsets[getDim()]) ||
        !isEqualConstantIntOrValue(sizes[getDim()], whole))
      return emitOpError("runs in reverse: its scanned dimension cannot be "
                         "tiled by a forward loop");
  }
  TiledOperands tiled = tileOperands(b, *this, offsets, sizes);
  SmallVector<OpFoldResult> stateOffsets = without(offsets, getDim());
  SmallVector<OpFoldResult> stateSizes = without(sizes, getDim());
  SmallVector<Value> prefixes, states;
  for (Value out : getOuts().take_front(getNumStates()))
    prefixes.push_back(sliceOf(b, getLoc(), out, offsets, sizes));
  for (Value out : getOuts().drop_front(getNumStates()))
    states.push_back(sliceOf(b, getLoc(), out, stateOffsets, stateSizes));
  auto op =
      b.create<ScanOp>(getLoc(), getMonoid(), prefixes, states, getDim(),
                       tiled.ins, tiled.maps, tiled.captures, tiled.symbols);
  op.setReverse(getReverse());
  op.setExclusive(getExclusive());
  cloneShiftedBody(b, *this, op, offsets);
  return tilingResult(op);
}
FailureOr<TilingResult> ScanOp::generateResultTileValue(OpBuilder &, unsigned,
                                                        Offsets, Offsets) {
  return failure();
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

// Every step may write anywhere, so that each result is one tile and steps
// follow one another.
SmallVector<utils::IteratorType> ScatterOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getNumDims(),
                                          utils::IteratorType::reduction);
}
SmallVector<Range> ScatterOp::getIterationDomain(OpBuilder &b) {
  return domainOf(b, *this);
}
LogicalResult
ScatterOp::getResultTilePosition(OpBuilder &b, unsigned number, Offsets,
                                 Offsets,
                                 SmallVector<OpFoldResult> &resultOffsets,
                                 SmallVector<OpFoldResult> &resultSizes) {
  resultSizes = tensor::getMixedSizes(b, getLoc(), getOuts()[number]);
  resultOffsets.assign(resultSizes.size(), b.getIndexAttr(0));
  return success();
}
FailureOr<TilingResult> ScatterOp::getTiledImplementation(OpBuilder &b,
                                                          Offsets offsets,
                                                          Offsets sizes) {
  TiledOperands tiled = tileOperands(b, *this, offsets, sizes);
  auto op = b.create<ScatterOp>(getLoc(), getMonoidAttr(), getUnique(),
                                getOuts(), sizes, tiled.ins, tiled.maps,
                                tiled.captures, tiled.symbols);
  cloneShiftedBody(b, *this, op, offsets);
  return tilingResult(op);
}
FailureOr<TilingResult>
ScatterOp::generateResultTileValue(OpBuilder &, unsigned, Offsets, Offsets) {
  return failure();
}
