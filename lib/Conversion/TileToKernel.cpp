//===- TileToKernel.cpp - From the tile stage to kernel IR ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Conversion/TileToKernel.h"
#include "KernelLowering.h"
#include "Tang/Analysis/Targets.h"
#include "Tang/Conversion/NativeKernel.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tang;

/// The order of loops: kept dimensions, folded ones, and innermost the last
/// kept one, which is dense in the result.
SmallVector<int64_t> mlir::tang::nestingOrder(ArrayRef<int64_t> tile,
                                              ArrayRef<int64_t> folded) {
  SmallVector<int64_t> order;
  int64_t inner = -1;
  for (int64_t d = 0, e = tile.size(); d < e; ++d)
    if (!llvm::is_contained(folded, d) && tile[d] > 1)
      inner = d;
  for (int64_t d = 0, e = tile.size(); d < e; ++d)
    if (!llvm::is_contained(folded, d) && d != inner)
      order.push_back(d);
  llvm::append_range(order, folded);
  if (inner >= 0)
    order.push_back(inner);
  return order;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value KernelLowering::sizeOf(Value view, int64_t dim) {
  auto op = view.getDefiningOp<ViewOp>();
  auto type = cast<MemRefType>(view.getType());
  if (!type.isDynamicDim(dim))
    return constants.index(type.getDimSize(dim));
  return mapping.lookupOrDefault(op.getSizes()[type.getDynamicDimIndex(dim)]);
}

Value KernelLowering::linearize(LoopNest &nest, Value view,
                                ValueRange indices) {
  Value linear = indices.front();
  for (size_t d = 1; d < indices.size(); ++d)
    linear = nest.add(nest.mul(linear, sizeOf(view, d)), indices[d]);
  return linear;
}

SmallVector<Value> KernelLowering::access(LoopNest &nest, AffineMap map,
                                          ValueRange coords,
                                          ValueRange position) {
  SmallVector<Value> dims, symbols;
  SmallVector<Value> bases = mapped(coords);
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    dims.push_back(nest.add(bases[d], position[d]));
  symbols.append(bases.begin() + map.getNumDims(), bases.end());
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr e) {
    return nest.expr(e, dims, symbols);
  });
}

Value KernelLowering::element(Value tile, LoopNest &nest, ValueRange position,
                              DenseMap<Value, Value> &cache) {
  if (Value known = cache.lookup(tile))
    return known;
  Value value = computeElement(tile, nest, position, cache);
  cache[tile] = value;
  return value;
}

Value KernelLowering::computeElement(Value tile, LoopNest &nest,
                                     ValueRange position,
                                     DenseMap<Value, Value> &cache) {
  if (Value array = storage.lookup(tile)) {
    SmallVector<Value> indices = storageIndices(tile, position);
    // An array that the nest writes is read where it is needed.
    bool changes = array == written || llvm::is_contained(updated, array);
    OpBuilder b = changes ? nest.innermost() : nest.at(indices);
    Value value = b.create<memref::LoadOp>(tile.getLoc(), array, indices);
    if (changes)
      nest.placedInnermost(value);
    else
      nest.placed(value, indices);
    return value;
  }
  Operation *op = tile.getDefiningOp();
  Location loc = op->getLoc();
  if (auto coord = dyn_cast<CoordOp>(op))
    return nest.add(mapping.lookupOrDefault(coord.getBase()),
                    position[coord.getDim()]);
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    Value source = broadcast.getSource();
    auto from = dyn_cast<VectorType>(source.getType());
    if (!from)
      return mapping.lookupOrDefault(source);
    // Dimensions of size 1 are stretched.
    SmallVector<Value> at(position);
    for (auto [size, p] : llvm::zip(from.getShape(), at))
      if (size == 1)
        p = constants.index(0);
    return element(source, nest, at, cache);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constants.get(cast<DenseElementsAttr>(constant.getValue())
                             .getSplatValue<TypedAttr>());
  if (auto load = dyn_cast<LoadOp>(op)) {
    SmallVector<Value> indices =
        access(nest, load.getMap(), load.getCoords(), position);
    Value linear = linearize(nest, load.getSource(), indices);
    Value buffer = mapping.lookupOrDefault(
        load.getSource().getDefiningOp<ViewOp>().getSource());
    Value value = nest.at(linear).create<memref::LoadOp>(loc, buffer, linear);
    nest.placed(value, linear);
    return value;
  }
  if (auto gather = dyn_cast<GatherLoadOp>(op)) {
    // Read where the condition holds and every index is in range, else zero.
    SmallVector<Value> indices, tests;
    for (Value index : gather.getIndices())
      indices.push_back(element(index, nest, position, cache));
    if (gather.getCondition())
      tests.push_back(element(gather.getCondition(), nest, position, cache));
    SmallVector<Value> known = indices;
    llvm::append_range(known, tests);
    OpBuilder b = nest.at(known);
    Value inside = tests.empty() ? Value() : tests.front();
    for (auto [d, index] : llvm::enumerate(indices)) {
      // One unsigned comparison also catches negative indices.
      Value below = b.create<arith::CmpIOp>(
          loc, arith::CmpIPredicate::ult, index, sizeOf(gather.getSource(), d));
      inside = inside ? b.create<arith::AndIOp>(loc, inside, below).getResult()
                      : below;
    }
    Type type = getElementTypeOrSelf(tile);
    auto branch = b.create<scf::IfOp>(loc, type, inside, /*withElse=*/true);
    OpBuilder then = branch.getThenBodyBuilder();
    Value linear = indices.front();
    for (size_t d = 1; d < indices.size(); ++d)
      linear = then.create<arith::AddIOp>(
          loc,
          then.create<arith::MulIOp>(loc, linear,
                                     sizeOf(gather.getSource(), d)),
          indices[d]);
    Value buffer = mapping.lookupOrDefault(
        gather.getSource().getDefiningOp<ViewOp>().getSource());
    Value value = then.create<memref::LoadOp>(loc, buffer, linear);
    then.create<scf::YieldOp>(loc, value);
    Value zero = constants.get(cast<TypedAttr>(b.getZeroAttr(type)));
    branch.getElseBodyBuilder().create<scf::YieldOp>(loc, zero);
    nest.placed(branch, known);
    return branch.getResult(0);
  }
  // Elementwise: the same operation on scalars.
  SmallVector<Value> operands;
  IRMapping scalars;
  for (Value operand : op->getOperands()) {
    Value scalar = isa<VectorType>(operand.getType())
                       ? element(operand, nest, position, cache)
                       : mapping.lookupOrDefault(operand);
    operands.push_back(scalar);
    scalars.map(operand, scalar);
  }
  OpBuilder b = nest.at(operands);
  Operation *clone = b.clone(*op, scalars);
  for (Value result : clone->getResults())
    result.setType(getElementTypeOrSelf(result));
  nest.placed(clone, operands);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    cache[from] = to;
  return cache.lookup(tile);
}

//===----------------------------------------------------------------------===//
// Local storage
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::storageIndices(Value tile,
                                                  ValueRange position) {
  SmallVector<Value> indices;
  if (auto layout = layouts.find(storage.lookup(tile));
      layout != layouts.end()) {
    for (int64_t d : layout->second)
      indices.push_back(position[d]);
    return indices;
  }
  for (auto [size, p] : llvm::zip(shapeOf(tile), position))
    if (size != 1)
      indices.push_back(p);
  return indices;
}

/// What a reader may call a tile: by the monoid that folded it, or by the
/// function whose values are kept.
static std::string nameOf(Value tile) {
  if (auto inner = tile.getDefiningOp<StreamOp>())
    return nameOf(inner.getBody()->getTerminator()->getOperand(
        cast<OpResult>(tile).getResultNumber()));
  if (auto fold = tile.getDefiningOp<FoldOp>()) {
    auto monoid = dyn_cast<MonoidAttr>(fold.getMonoid());
    if (!monoid || fold.getNumResults() > 1)
      return "state";
    return llvm::StringSwitch<std::string>(
               stringifyMonoidKind(monoid.getKind()))
        .Case("add", "sum")
        .Case("mul", "product")
        .Cases({"maximum", "maxnum", "maxs", "maxu"}, "largest")
        .Cases({"minimum", "minnum", "mins", "minu"}, "smallest")
        .Default("state");
  }
  Operation *op = tile.getDefiningOp();
  if (!op)
    return "tile";
  if (auto keep = dyn_cast<KeepOp>(op))
    return nameOf(keep.getValue());
  if (isa<math::MathDialect>(op->getDialect()))
    return op->getName().stripDialect().str() + "s";
  // A state that was rescaled before a step's own was added.
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<FoldOp>())
      return nameOf(operand);
  return "tile";
}

/// The last dimension has whole vectors: what one reads beyond the tile is
/// there, and anything.
Value KernelLowering::allocate(Location loc, ArrayRef<int64_t> sizes,
                               Type element, StringRef name) {
  SmallVector<int64_t> shape(sizes);
  if (unit.lanes > 1 && !shape.empty() && shape.back() > unit.lanes / 2)
    shape.back() = llvm::alignTo(shape.back(), unit.lanes);
  OpBuilder top(function.getContext());
  top.setInsertionPointToStart(entry);
  auto array =
      top.create<memref::AllocaOp>(loc, MemRefType::get(shape, element));
  array->setAttr("tang.name", top.getStringAttr(name));
  // Rows of whole vectors do not straddle lines of the cache.
  if (unit.lanes > 1 && !shape.empty() && shape.back() % unit.lanes == 0)
    array.setAlignment(64);
  return array;
}

Value KernelLowering::makeArray(Value tile, ValueRange counts, OpBuilder &b,
                                StringRef name) {
  SmallVector<int64_t> shape;
  for (int64_t size : shapeOf(tile))
    if (size != 1)
      shape.push_back(size);
  Value array =
      allocate(tile.getLoc(), shape, getElementTypeOrSelf(tile), name);
  fillArray(array, tile, counts, b);
  return array;
}

void KernelLowering::fillArray(Value array, Value tile, ValueRange counts,
                               OpBuilder &b) {
  SmallVector<int64_t> order = nestingOrder(shapeOf(tile), {});
  LoopNest nest(b, tile.getLoc(), constants, shapeOf(tile), counts, order);
  DenseMap<Value, Value> cache;
  written = array;
  Value value = element(tile, nest, nest.positions(), cache);
  written = {};
  SmallVector<Value> indices = storageIndices(tile, nest.positions());
  nest.innermost().create<memref::StoreOp>(tile.getLoc(), value, array,
                                           indices);
}

/// Whether something after `op` in its block reads `tile`. Tiles are computed
/// where they are needed, so their readers count, not they.
static bool isReadAfter(Value tile, Operation *op) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    if (user == op)
      return false;
    if (!isa<FoldOp, StreamOp, KeepOp>(user) &&
        llvm::any_of(user->getResultTypes(), llvm::IsaPred<VectorType>))
      return llvm::any_of(user->getResults(),
                          [&](Value v) { return isReadAfter(v, op); });
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return !ancestor || op->isBeforeInBlock(ancestor);
  });
}

Value KernelLowering::arrayToUpdate(Value tile, Operation *op,
                                    ValueRange counts, OpBuilder &b,
                                    StringRef name) {
  bool once = llvm::count(op->getOperands(), tile) == 1;
  if (Value array = storage.lookup(tile);
      array && once && !isReadAfter(tile, op))
    return array;
  return makeArray(tile, counts, b, name);
}

/// Whether a fold or an inner stream forms a stream's next state in the array
/// of the one before.
static bool isUpdated(Value carry, Value next) {
  Operation *op = next.getDefiningOp();
  return isa_and_nonnull<FoldOp, StreamOp>(op) &&
         llvm::is_contained(op->getOperands(), carry) &&
         !isReadAfter(carry, op);
}

//===----------------------------------------------------------------------===//
// Operations that end tiles
//===----------------------------------------------------------------------===//

/// Whether a fold's states have the folded dimensions, with size 1.
bool mlir::tang::keepsDims(FoldOp fold) {
  return shapeOf(fold.getAccs().front()).size() ==
         shapeOf(fold.getValues().front()).size();
}

/// The counts of a fold's states; null for a folded dimension that is kept.
static SmallVector<Value> keptCounts(FoldOp fold) {
  SmallVector<Value> counts;
  for (auto [d, count] : llvm::enumerate(fold.getCounts())) {
    if (!llvm::is_contained(fold.getDims(), static_cast<int64_t>(d)))
      counts.push_back(count);
    else if (keepsDims(fold))
      counts.push_back(Value());
  }
  return counts;
}

/// How much of a value that a step yields is there: as much as the operation
/// that ends it says, where that is known before the stream, else all of it.
SmallVector<Value> KernelLowering::countsOf(Value next) {
  while (auto inner = next.getDefiningOp<StreamOp>())
    next = inner.getBody()->getTerminator()->getOperand(
        cast<OpResult>(next).getResultNumber());
  SmallVector<Value> result;
  for (int64_t size : shapeOf(next))
    result.push_back(constants.index(size));
  SmallVector<Value> said;
  if (auto fold = next.getDefiningOp<FoldOp>())
    said = keptCounts(fold);
  else if (auto keep = next.getDefiningOp<KeepOp>())
    said = llvm::to_vector_of<Value>(keep.getCounts());
  if (said.size() == result.size())
    for (auto [have, count] : llvm::zip(result, said))
      if (Value known = count ? mapping.lookupOrNull(count) : Value())
        have = known;
  return result;
}

LogicalResult KernelLowering::lowerStream(StreamOp stream, OpBuilder &b) {
  Location loc = stream.getLoc();
  // The carried state becomes local arrays, updated in place.
  SmallVector<SmallVector<Value>> counts;
  for (auto [init, carry, result, next] :
       llvm::zip(stream.getInits(), stream.getCarries(), stream.getResults(),
                 stream.getBody()->getTerminator()->getOperands())) {
    counts.push_back(countsOf(next));
    storage[carry] = storage[result] = arrayToUpdate(
        init, stream, counts.back(), b,
        (isUpdated(carry, next) ? "" : "running_") + nameOf(next));
  }
  Value lower = mapping.lookupOrDefault(stream.getLower());
  Value upper = mapping.lookupOrDefault(stream.getUpper());
  Value step = constants.index(stream.getStep());
  scf::ForOp loop;
  if (!stream.getReverse()) {
    loop = b.create<scf::ForOp>(loc, lower, upper, step);
    mapping.map(stream.getInductionVar(), loop.getInductionVar());
  } else {
    Value length = b.createOrFold<arith::SubIOp>(loc, upper, lower);
    Value steps = b.createOrFold<arith::CeilDivSIOp>(loc, length, step);
    loop = b.create<scf::ForOp>(loc, constants.index(0), steps,
                                constants.index(1));
    OpBuilder in = OpBuilder::atBlockTerminator(loop.getBody());
    Value back = in.create<arith::SubIOp>(
        loc, in.create<arith::SubIOp>(loc, steps, loop.getInductionVar()),
        constants.index(1));
    Value offset = in.create<arith::MulIOp>(loc, back, step);
    mapping.map(stream.getInductionVar(),
                in.create<arith::AddIOp>(loc, lower, offset).getResult());
  }
  if (auto comment = stream.getComment())
    loop->setAttr("tang.comment",
                  b.getStringAttr("stream over " + *comment +
                                  (stream.getReverse() ? ", reversed" : "")));
  OpBuilder inner = OpBuilder::atBlockTerminator(loop.getBody());
  if (failed(lowerBlock(*stream.getBody(), inner)))
    return failure();
  // What folds did not update in place moves into the arrays, all at once.
  struct Move {
    Value array, carry;
    ValueRange counts;
  };
  SmallVector<Move> moves;
  for (auto [next, carry, count] :
       llvm::zip(stream.getBody()->getTerminator()->getOperands(),
                 stream.getCarries(), counts)) {
    Value array = storage.lookup(next);
    if (array == storage.lookup(carry))
      continue;
    // An array of its own is moved as it is; anything else is computed first,
    // since it may read carries that are about to change.
    bool isCarry = llvm::any_of(stream.getCarries(), [&](Value other) {
      return storage.lookup(other) == array;
    });
    if (!array || isCarry)
      array = makeArray(next, count, inner, "next_" + nameOf(next));
    moves.push_back({array, carry, count});
  }
  for (auto [array, carry, count] : moves) {
    Value target = storage.lookup(carry);
    storage[carry] = array;
    fillArray(target, carry, count, inner);
    storage[carry] = target;
  }
  return success();
}

LogicalResult KernelLowering::lowerFold(FoldOp fold, OpBuilder &b) {
  FailureOr<Monoid> monoid = Monoid::get(fold.getMonoid(), fold);
  if (failed(monoid))
    return fold.emitError("no tang.monoid is named ") << fold.getMonoid();
  SmallVector<Value> kept =
      llvm::map_to_vector(keptCounts(fold), [&](Value count) -> Value {
        return count ? mapping.lookupOrDefault(count) : constants.index(1);
      });
  SmallVector<Value> arrays;
  for (auto [acc, result] : llvm::zip(fold.getAccs(), fold.getResults())) {
    arrays.push_back(arrayToUpdate(acc, fold, kept, b, nameOf(result)));
    storage[result] = arrays.back();
  }
  if (arrays.size() != 1 || !lowerVectorFold(fold, *monoid, arrays.front(), b))
    lowerScalarFold(fold, *monoid, arrays, b);
  return success();
}

arith::MulFOp KernelLowering::productOf(FoldOp fold) {
  if (!fuses || !fold->hasAttr("tang.fused"))
    return {};
  Value value = fold.getValues().front();
  while (!storage.contains(value)) {
    auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
    if (!broadcast || !isa<VectorType>(broadcast.getSourceType()))
      return value.getDefiningOp<arith::MulFOp>();
    value = broadcast.getSource();
  }
  return {};
}

void KernelLowering::lowerScalarFold(FoldOp fold, const Monoid &monoid,
                                     ArrayRef<Value> arrays, OpBuilder &b) {
  Location loc = fold.getLoc();
  bool sameRank = keepsDims(fold);
  ArrayRef<int64_t> tile = shapeOf(fold.getValues().front());
  LoopNest nest(b, loc, constants, tile, mapped(fold.getCounts()),
                nestingOrder(tile, fold.getDims()));
  if (auto builtin = dyn_cast<MonoidAttr>(fold.getMonoid())) {
    std::string text =
        "fold " + stringifyMonoidKind(builtin.getKind()).str() + " along";
    for (int64_t d : fold.getDims())
      text += " d" + std::to_string(d);
    nest.comment(text);
  }
  DenseMap<Value, Value> cache;
  SmallVector<Value> values, states, position;
  for (auto [d, p] : llvm::enumerate(nest.positions()))
    if (sameRank ||
        !llvm::is_contained(fold.getDims(), static_cast<int64_t>(d)))
      position.push_back(p);
  updated = arrays;
  // A product that is added with one rounding is not computed by itself.
  SmallVector<Value> factors;
  if (arith::MulFOp product = productOf(fold)) {
    SmallVector<Value> at(nest.positions());
    for (auto [size, p] : llvm::zip(shapeOf(product), at))
      if (size == 1)
        p = constants.index(0);
    for (Value factor : product->getOperands())
      factors.push_back(element(factor, nest, at, cache));
  } else {
    for (Value value : fold.getValues())
      values.push_back(element(value, nest, nest.positions(), cache));
  }
  updated = {};
  OpBuilder in = nest.innermost();
  SmallVector<Value> indices = storageIndices(fold.getAccs().front(), position);
  for (Value array : arrays)
    states.push_back(in.create<memref::LoadOp>(loc, array, indices));
  SmallVector<Value> combined;
  if (factors.empty())
    combined = monoid.combine(in, loc, states, values);
  else
    combined.push_back(
        in.create<math::FmaOp>(loc, factors[0], factors[1], states.front()));
  for (auto [array, value] : llvm::zip(arrays, combined))
    in.create<memref::StoreOp>(loc, value, array, indices);
}

void KernelLowering::lowerKeep(KeepOp keep, OpBuilder &b) {
  storage[keep.getResult()] = makeArray(
      keep.getValue(), mapped(keep.getCounts()), b, nameOf(keep.getValue()));
}

LogicalResult KernelLowering::lowerStores(ArrayRef<StoreOp> stores,
                                          OpBuilder &b) {
  StoreOp first = stores.front();
  ArrayRef<int64_t> tile = shapeOf(first.getValue());
  LoopNest nest(b, first.getLoc(), constants, tile, mapped(first.getCounts()),
                nestingOrder(tile, {}));
  DenseMap<Value, Value> cache;
  for (StoreOp store : stores) {
    Value value = element(store.getValue(), nest, nest.positions(), cache);
    SmallVector<Value> indices =
        access(nest, store.getMap(), store.getCoords(), nest.positions());
    Value linear = linearize(nest, store.getDestination(), indices);
    Value buffer = mapping.lookupOrDefault(
        store.getDestination().getDefiningOp<ViewOp>().getSource());
    nest.innermost().create<memref::StoreOp>(store.getLoc(), value, buffer,
                                             linear);
  }
  return success();
}

LogicalResult KernelLowering::lowerScatter(ScatterStoreOp store, OpBuilder &b) {
  Location loc = store.getLoc();
  ArrayRef<int64_t> tile = shapeOf(store.getValues().front());
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, tile.size()));
  LoopNest nest(b, loc, constants, tile, mapped(store.getCounts()), order);
  DenseMap<Value, Value> cache;
  SmallVector<Value> values, indices;
  for (Value value : store.getValues())
    values.push_back(element(value, nest, nest.positions(), cache));
  for (Value index : store.getIndices())
    indices.push_back(element(index, nest, nest.positions(), cache));
  Value inside;
  if (store.getCondition())
    inside = element(store.getCondition(), nest, nest.positions(), cache);
  OpBuilder in = nest.innermost();
  Value shape = store.getDestinations().front();
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value below = in.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                           index, sizeOf(shape, d));
    inside = inside ? in.create<arith::AndIOp>(loc, inside, below).getResult()
                    : below;
  }
  auto branch = in.create<scf::IfOp>(loc, inside, /*withElse=*/false);
  OpBuilder then = branch.getThenBodyBuilder();
  Value linear = indices.front();
  for (size_t d = 1; d < indices.size(); ++d)
    linear = then.create<arith::AddIOp>(
        loc, then.create<arith::MulIOp>(loc, linear, sizeOf(shape, d)),
        indices[d]);
  SmallVector<Value> buffers;
  for (Value destination : store.getDestinations())
    buffers.push_back(mapping.lookupOrDefault(
        destination.getDefiningOp<ViewOp>().getSource()));
  if (Attribute attr = store.getMonoidAttr()) {
    FailureOr<Monoid> monoid = Monoid::get(attr, store);
    if (failed(monoid))
      return store.emitError("no tang.monoid is named ") << attr;
    SmallVector<Value> states;
    for (Value buffer : buffers)
      states.push_back(then.create<memref::LoadOp>(loc, buffer, linear));
    values = monoid->combine(then, loc, states, values);
  }
  for (auto [value, buffer] : llvm::zip(values, buffers))
    then.create<memref::StoreOp>(loc, value, buffer, linear);
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerOp(Operation &op, OpBuilder &b) {
  if (auto stream = dyn_cast<StreamOp>(op))
    return lowerStream(stream, b);
  if (auto fold = dyn_cast<FoldOp>(op))
    return lowerFold(fold, b);
  if (auto scatter = dyn_cast<ScatterStoreOp>(op))
    return lowerScatter(scatter, b);
  if (auto keep = dyn_cast<KeepOp>(op)) {
    lowerKeep(keep, b);
    return success();
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    SmallVector<Value> position(shapeOf(extract.getSource()).size(),
                                constants.index(0));
    SmallVector<Value> indices = storageIndices(extract.getSource(), position);
    mapping.map(extract.getResult(),
                b.create<memref::LoadOp>(
                     op.getLoc(), storage.at(extract.getSource()), indices)
                    .getResult());
    return success();
  }
  if (isa<ViewOp>(op))
    return success();
  if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<VectorType>))
    return success(); // Computed where it is needed.
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && !op.getNumResults()) {
    auto clone = b.create<scf::IfOp>(
        op.getLoc(), mapping.lookupOrDefault(branch.getCondition()),
        /*withElse=*/branch.elseBlock() != nullptr);
    OpBuilder inner = clone.getThenBodyBuilder();
    if (failed(lowerBlock(*branch.thenBlock(), inner)))
      return failure();
    if (!branch.elseBlock())
      return success();
    inner = clone.getElseBodyBuilder();
    return lowerBlock(*branch.elseBlock(), inner);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    mapping.map(constant.getResult(), constants.get(constant.getValue()));
    return success();
  }
  b.clone(op, mapping);
  return success();
}

LogicalResult KernelLowering::lowerBlock(Block &block, OpBuilder &b) {
  SmallVector<StoreOp> stores;
  auto flush = [&]() -> LogicalResult {
    if (stores.empty())
      return success();
    LogicalResult result = lowerStores(stores, b);
    stores.clear();
    return result;
  };
  for (Operation &op : block) {
    if (isa<YieldOp, scf::YieldOp>(op))
      break;
    // Stores of one tile share their loops.
    if (auto store = dyn_cast<StoreOp>(op)) {
      bool sameTile =
          stores.empty() ||
          (stores.front().getCounts() == store.getCounts() &&
           shapeOf(stores.front().getValue()) == shapeOf(store.getValue()));
      if (!sameTile && failed(flush()))
        return failure();
      stores.push_back(store);
      continue;
    }
    if (!isMemoryEffectFree(&op) || op.hasTrait<OpTrait::IsTerminator>() ||
        isa<FoldOp, StreamOp, KeepOp>(op))
      if (failed(flush()))
        return failure();
    if (failed(lowerOp(op, b)))
      return failure();
  }
  return flush();
}

LogicalResult KernelLowering::run() {
  Block &old = function.getBody().front();
  for (BlockArgument arg : old.getArguments())
    mapping.map(arg, entry->addArgument(arg.getType(), arg.getLoc()));
  function.getBody().push_back(entry);
  OpBuilder b = OpBuilder::atBlockEnd(entry);
  if (failed(lowerBlock(old, b)))
    return failure();
  // The new block replaces the old one.
  old.dropAllReferences();
  old.clear();
  entry->moveBefore(&old);
  old.erase();
  return success();
}

namespace {
/// Whether everything in a kernel has a form in loops.
LogicalResult checkKernel(gpu::GPUFuncOp function) {
  auto isTang = [](Operation *op) {
    return isa_and_nonnull<TangDialect>(op->getDialect());
  };
  auto isTile = llvm::IsaPred<VectorType>;
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (isa<LoadOp, GatherLoadOp, StoreOp, ScatterStoreOp>(op))
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<MemRefType>(operand.getType());
            type && (!operand.getDefiningOp<ViewOp>() || type.getRank() == 0))
          return op->emitOpError("accesses buffers through a tang.view of rank "
                                 "1 or more");
    if (isTang(op)) {
      Operation *parent = op->getParentOp();
      if (isa<StreamOp, gpu::GPUFuncOp>(parent) ||
          (isa<scf::IfOp>(parent) && parent->getNumResults() == 0))
        return WalkResult::advance();
      return op->emitOpError("stands in a kernel, a tang.stream or an scf.if "
                             "without results");
    }
    if (llvm::none_of(op->getOperandTypes(), isTile) &&
        llvm::none_of(op->getResultTypes(), isTile))
      return WalkResult::advance();
    DenseElementsAttr dense;
    bool isConstant = matchPattern(op, m_Constant(&dense))
                          ? dense.isSplat()
                          : op->hasTrait<OpTrait::ConstantLike>();
    auto broadcast = dyn_cast<vector::BroadcastOp>(op);
    if (isConstant || OpTrait::hasElementwiseMappableTraits(op))
      return WalkResult::advance();
    // Stretches dimensions of size 1, adds none.
    if (broadcast) {
      auto from = dyn_cast<VectorType>(broadcast.getSourceType());
      if (!from || from.getRank() == broadcast.getResultVectorType().getRank())
        return WalkResult::advance();
    }
    // One number of a kept tile of one element.
    auto extract = dyn_cast<vector::ExtractOp>(op);
    if (extract && !isa<VectorType>(extract.getType()) &&
        extract.getSourceVectorType().getNumElements() == 1 &&
        extract.getDynamicPosition().empty() &&
        extract.getSource().getDefiningOp<KeepOp>())
      return WalkResult::advance();
    return op->emitOpError("is not elementwise: tiles are computed position by "
                           "position");
  });
  return failure(result.wasInterrupted());
}

struct TileToKernelPass
    : PassWrapper<TileToKernelPass, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileToKernelPass)

  StringRef getArgument() const final { return "tang-tile-to-kernel"; }
  StringRef getDescription() const final {
    return "The tile stage becomes kernel IR: rolled loops over tiles";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry
        .insert<arith::ArithDialect, math::MathDialect, memref::MemRefDialect,
                scf::SCFDialect, TangDialect, vector::VectorDialect>();
  }
  explicit TileToKernelPass(StringRef name = "") { target = name.str(); }
  TileToKernelPass(const TileToKernelPass &other) : PassWrapper(other) {
    target = other.target;
  }
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The target, whose vectors folds may use; none: scalars")};

  void runOnOperation() final {
    VectorUnit unit;
    bool fuses = true;
    if (!target.empty()) {
      FailureOr<TargetAttr> facts = lookupTarget(&getContext(), target);
      if (failed(facts)) {
        getOperation()->emitError("unknown target '") << target << "'";
        return signalPassFailure();
      }
      unit = VectorUnit(*facts);
      fuses = hasFusedMultiplyAdd(*facts);
    }
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>())
      if (!isNativeKernel(function) && !isAsyncKernel(function) &&
          (failed(checkKernel(function)) ||
           failed(KernelLowering(function, unit, fuses).run())))
        return signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> mlir::tang::createTileToKernelPass(StringRef target) {
  return std::make_unique<TileToKernelPass>(target);
}
void mlir::tang::registerTileToKernelPasses() {
  PassRegistration<TileToKernelPass>();
  registerPass([] { return createDropUnusedArgumentsPass(); });
  registerPass([] { return createForwardLocalsPass(); });
}
