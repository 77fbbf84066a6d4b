//===- VectorFold.cpp - Folds in vector registers -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold keeps a block of its results in registers, some rows by some vectors,
// while it runs through the folded dimensions:
//
//   for block of the results:  registers = results
//     for k:  registers[r][v] = registers[r][v] ∨ value(r, k, v)
//     results = registers
//
// Each result still combines its points in order; only different results stand
// side by side. What the rows have in common is computed once and laid out as
// it is read ("packed"): folded dimensions, then the vectors'. So it is dense
// whatever it is read from, transposed or not, and may be of any type.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

using Dims = llvm::SmallBitVector;

/// Decides how a fold's value is computed in vectors.
class VectorPlan {
public:
  VectorPlan(FoldOp fold, VectorUnit unit, const DenseMap<Value, Value> &arrays,
             const DenseMap<Value, SmallVector<int64_t>> &layouts,
             Value results)
      : arrays(arrays), layouts(layouts), results(results),
        tile(shapeOf(fold.getValues().front())), folded(Dims(tile.size())),
        element(getElementTypeOrSelf(results)) {
    for (int64_t d : fold.getDims())
      folded.set(d);
    lanes = unit.lanes * 32 / element.getIntOrFloatBitWidth();
    for (int64_t d = 0, e = tile.size(); d < e; ++d)
      if (!folded[d] && tile[d] > 1) {
        row = along;
        along = d;
      }
    if (along < 0 || tile[along] < lanes)
      return;
    // As many rows as divide the tile; fewer rows have longer ones.
    rows = 1;
    for (int64_t n = 2; row >= 0 && n <= unit.rows(); ++n)
      if (tile[row] % n == 0)
        rows = n;
    vectors = 1;
    int64_t size = llvm::alignTo(tile[along], lanes);
    while (2 * vectors * (rows + 1) + 2 <= unit.registers &&
           size % (2 * vectors * lanes) == 0)
      vectors *= 2;
    good = isPlain(fold.getValues().front()) && visit(fold.getValues().front());
  }

  /// The dimensions that a tile's elements depend on.
  Dims dependences(Value value) {
    auto [it, isNew] = known.try_emplace(value);
    if (!isNew)
      return it->second;
    Dims result(tile.size());
    ArrayRef<int64_t> shape = shapeOf(value);
    Operation *op = value.getDefiningOp();
    if (Value array = arrays.lookup(value)) {
      for (auto [d, size] : llvm::enumerate(shape))
        if (size > 1)
          result.set(d);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      for (unsigned d = 0; d < shape.size(); ++d)
        if (shape[d] > 1 && load.getMap().isFunctionOfDim(d))
          result.set(d);
    } else if (auto coord = dyn_cast<CoordOp>(op)) {
      if (shape[coord.getDim()] > 1)
        result.set(coord.getDim());
    } else {
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<VectorType>(operand.getType());
            type && type.getRank() == static_cast<int64_t>(tile.size()))
          result |= dependences(operand);
    }
    return known[value] = result;
  }

  bool good = false;
  int64_t along = -1, row = -1, lanes = 0, vectors = 0, rows = 0;
  /// Computed before the nest: with the dimension of the vectors, and without.
  llvm::SetVector<Value> packed, rowSide;
  /// Read in vectors from a buffer as it lies there: nothing may be read beyond
  /// the tile.
  bool isDirect = false;

private:
  /// Whether no operand is read at its first place only and stretched.
  bool isPlain(Value value) {
    Operation *op = value.getDefiningOp();
    if (arrays.contains(value))
      return true;
    for (auto [d, size] : llvm::enumerate(shapeOf(value))) {
      if (size == tile[d])
        continue;
      if (auto load = dyn_cast<LoadOp>(op);
          load && load.getMap().isFunctionOfDim(d))
        return false;
      if (auto coord = dyn_cast<CoordOp>(op);
          coord && static_cast<size_t>(coord.getDim()) == d)
        return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isa<VectorType>(operand.getType()) || isPlain(operand);
    });
  }

  /// Whether a value has a form in vectors.
  bool visit(Value value) {
    if (packed.contains(value))
      return true;
    Dims deps = dependences(value);
    Operation *op = value.getDefiningOp();
    Value array = arrays.lookup(value);
    if (array == results && array)
      return false;
    if (!deps[along]) {
      // A plain load is worth it for many vectors: rows that lie powers of two
      // apart would push one another out of the cache.
      int64_t times = tile[along] / (vectors * lanes);
      if (!array && times > (isa<LoadOp>(op) ? 4 : 1) && deps.anyCommon(folded))
        rowSide.insert(value);
      return true;
    }
    bool isElement = getElementTypeOrSelf(value) == element;
    if (array && isElement && isDense(value, array))
      return true;
    bool isReused = row >= 0 && !deps[row] && tile[row] >= 2 * rows;
    if (isReused && isElement && deps.anyCommon(folded)) {
      packed.insert(value);
      return true;
    }
    if (array || !isElement)
      return false;
    if (auto load = dyn_cast<LoadOp>(op)) {
      AffineMap map = load.getMap();
      for (unsigned i = 0; i < map.getNumResults(); ++i) {
        bool isLast = i + 1 == map.getNumResults();
        if (isLast
                ? map.getResult(i) != getAffineDimExpr(along, map.getContext())
                : map.getResult(i).isFunctionOfDim(along))
          return false;
      }
      isDirect = true;
      return true;
    }
    if (!isa<vector::BroadcastOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::DivFOp, arith::NegFOp, math::FmaOp>(op))
      return false;
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return visit(operand); });
  }

  /// Whether neighbours along the vectors' dimension are so in an array.
  bool isDense(Value value, Value array) {
    if (auto it = layouts.find(array); it != layouts.end())
      return it->second.back() == along;
    ArrayRef<int64_t> shape = shapeOf(value);
    for (int64_t d = shape.size() - 1; d > along; --d)
      if (shape[d] > 1)
        return false;
    return true;
  }

  const DenseMap<Value, Value> &arrays;
  const DenseMap<Value, SmallVector<int64_t>> &layouts;
  Value results;
  ArrayRef<int64_t> tile;
  Dims folded;
  Type element;
  DenseMap<Value, Dims> known;
};

} // namespace

/// Whether the built-in combines two vectors as it does two scalars, in one
/// operation that every target has.
static bool isVectorMonoid(const Monoid &monoid) {
  MonoidAttr builtin = monoid.getBuiltin();
  return builtin && (builtin.getKind() == MonoidKind::Add ||
                     builtin.getKind() == MonoidKind::Mul);
}

bool KernelLowering::lowerVectorFold(FoldOp fold, const Monoid &monoid,
                                     Value array, OpBuilder &b) {
  Type element = cast<MemRefType>(array.getType()).getElementType();
  if (unit.lanes <= 1 || !isVectorMonoid(monoid) ||
      !(element.isF32() || element.isF64()))
    return false;
  ArrayRef<int64_t> tile = shapeOf(fold.getValues().front());
  SmallVector<int64_t> foldedDims, outer;
  for (int64_t d = 0, e = tile.size(); d < e; ++d)
    if (llvm::is_contained(fold.getDims(), d) && tile[d] > 1)
      foldedDims.push_back(d);
  if (foldedDims.empty())
    return false;
  VectorPlan plan(fold, unit, storage, layouts, array);
  arith::MulFOp product = productOf(fold);
  if (!plan.good)
    return false;

  Location loc = fold.getLoc();
  SmallVector<Value> counts = mapped(fold.getCounts());
  int64_t width = plan.vectors * plan.lanes;
  // Nothing may be read beyond what lies there.
  std::optional<int64_t> knownCount = getConstantIntValue(counts[plan.along]);
  bool isWhole = knownCount && *knownCount % width == 0;
  if (plan.isDirect && !isWhole)
    return false;

  // What is laid out as it is read: the columns of a block after another.
  bool isPanels = !plan.isDirect && tile[plan.along] > width;
  SmallVector<Value> temporary;
  auto packPanels = [&](Value value) {
    Dims deps = plan.dependences(value);
    SmallVector<int64_t> order, arrayShape, shape(tile.size(), 1);
    arrayShape.push_back(llvm::divideCeil(tile[plan.along], width));
    for (int64_t d : nestingOrder(tile, foldedDims))
      if (deps[d] && d != plan.along) {
        order.push_back(d);
        shape[d] = tile[d];
        arrayShape.push_back(tile[d]);
      }
    SmallVector<int64_t> layout = order, steps(tile.size(), 1);
    arrayShape.push_back(width);
    order.push_back(plan.along);
    shape[plan.along] = tile[plan.along];
    steps[plan.along] = width;
    Value packed = allocate(loc, arrayShape, element, "packed");
    LoopNest nest(b, loc, constants, shape, counts, order, steps);
    SmallVector<Value> laneCounts = counts;
    Value first = nest.positions()[plan.along];
    if (isWhole) {
      laneCounts[plan.along] = constants.index(width);
    } else {
      OpBuilder in = nest.innermost();
      Value rest = in.create<arith::SubIOp>(loc, counts[plan.along], first);
      laneCounts[plan.along] =
          in.create<arith::MinSIOp>(loc, rest, constants.index(width));
    }
    nest.carry(tile, laneCounts, plan.along, {});
    Value lane = nest.positions()[plan.along];
    SmallVector<Value> position(nest.positions()), indices;
    for (Value &p : position)
      p = p ? p : constants.index(0);
    position[plan.along] = nest.add(first, lane);
    Value panel = nest.at(first).create<arith::DivUIOp>(loc, first,
                                                        constants.index(width));
    nest.placed(panel, first);
    indices.push_back(panel);
    for (int64_t d : layout)
      indices.push_back(position[d]);
    indices.push_back(lane);
    DenseMap<Value, Value> cache;
    Value scalar = this->element(value, nest, position, cache);
    nest.innermost().create<memref::StoreOp>(loc, scalar, packed, indices);
    storage[value] = packed;
    layouts[packed] = layout;
    temporary.push_back(value);
  };
  auto pack = [&](Value value) {
    Dims deps = plan.dependences(value);
    SmallVector<int64_t> layout, shape(tile.size(), 1);
    for (int64_t d : nestingOrder(tile, foldedDims))
      if (deps[d] && d != plan.along)
        layout.push_back(d);
    if (deps[plan.along])
      layout.push_back(plan.along);
    for (int64_t d : layout)
      shape[d] = tile[d];
    SmallVector<int64_t> arrayShape =
        llvm::map_to_vector(layout, [&](int64_t d) { return tile[d]; });
    Value packed =
        allocate(loc, arrayShape, getElementTypeOrSelf(value), "packed");
    layouts[packed] = layout;
    LoopNest nest(b, loc, constants, shape, counts, layout);
    SmallVector<Value> position(nest.positions());
    for (Value &p : position)
      p = p ? p : constants.index(0);
    DenseMap<Value, Value> cache;
    Value scalar = this->element(value, nest, position, cache);
    SmallVector<Value> indices =
        llvm::map_to_vector(layout, [&](int64_t d) { return position[d]; });
    nest.innermost().create<memref::StoreOp>(loc, scalar, packed, indices);
    storage[value] = packed;
    temporary.push_back(value);
  };
  for (Value value : plan.rowSide)
    pack(value);
  for (Value value : plan.packed)
    isPanels ? packPanels(value) : pack(value);

  // Blocks: vectors outside, so that what is packed stays near for all rows.
  SmallVector<int64_t> steps(tile.size(), 1);
  steps[plan.along] = width;
  if (plan.row >= 0)
    steps[plan.row] = plan.rows;
  for (int64_t d = 0, e = tile.size(); d < e; ++d)
    if (!llvm::is_contained(fold.getDims(), d) && d != plan.along &&
        d != plan.row)
      outer.push_back(d);
  outer.push_back(plan.along);
  if (plan.row >= 0)
    outer.push_back(plan.row);
  LoopNest nest(b, loc, constants, tile, counts, outer, steps);

  // Rows beyond the tile compute what the last one does, for nobody.
  std::optional<int64_t> rowCount;
  if (plan.row >= 0)
    rowCount = getConstantIntValue(counts[plan.row]);
  bool cut = plan.row >= 0 && (!rowCount || *rowCount % plan.rows);
  VectorType type = VectorType::get({plan.lanes}, element);
  SmallVector<Value> resultRows, readRows;
  for (int64_t r = 0; r < plan.rows; ++r) {
    if (plan.row < 0) {
      resultRows.push_back(Value());
      readRows.push_back(Value());
      continue;
    }
    Value at = nest.add(nest.positions()[plan.row], constants.index(r));
    resultRows.push_back(at);
    if (cut && r) {
      Value last =
          nest.at({counts[plan.row]})
              .create<arith::SubIOp>(loc, counts[plan.row], constants.index(1));
      Value limited = nest.at({at}).create<arith::MinSIOp>(loc, at, last);
      nest.placed(limited, at);
      at = limited;
    }
    readRows.push_back(at);
  }
  SmallVector<Value> vectorAt;
  for (int64_t v = 0; v < plan.vectors; ++v)
    vectorAt.push_back(nest.add(nest.positions()[plan.along],
                                constants.index(v * plan.lanes)));
  auto positionOf = [&](Value row, Value vector) {
    SmallVector<Value> position(nest.positions());
    for (Value &p : position)
      p = p ? p : constants.index(0);
    if (row)
      position[plan.row] = row;
    position[plan.along] = vector;
    return position;
  };
  bool sameRank = keepsDims(fold);
  auto resultIndices = [&](Value row, Value vector) {
    SmallVector<Value> position;
    for (auto [d, p] : llvm::enumerate(positionOf(row, vector)))
      if (sameRank ||
          !llvm::is_contained(fold.getDims(), static_cast<int64_t>(d)))
        position.push_back(p);
    return storageIndices(fold.getAccs().front(), position);
  };
  SmallVector<SmallVector<Value>> slots;
  SmallVector<Value> states;
  for (int64_t r = 0; r < plan.rows; ++r)
    for (int64_t v = 0; v < plan.vectors; ++v) {
      slots.push_back(resultIndices(resultRows[r], vectorAt[v]));
      states.push_back(nest.innermost().create<vector::LoadOp>(loc, type, array,
                                                               slots.back()));
    }
  nest.carry(tile, counts, foldedDims, states);

  // The values of a block at a point.
  SmallVector<DenseMap<Value, Value>> scalars(plan.rows),
      vectors(plan.rows * plan.vectors);
  DenseMap<Value, Value> splats;
  auto splat = [&](Value scalar) {
    Value &known = splats[scalar];
    if (!known) {
      known = nest.at(scalar).create<vector::BroadcastOp>(loc, type, scalar);
      nest.placed(known, scalar);
    }
    return known;
  };
  std::function<Value(Value, int64_t, int64_t)> compute =
      [&](Value value, int64_t r, int64_t v) -> Value {
    Dims deps = plan.dependences(value);
    if (plan.row < 0 || !deps[plan.row])
      r = 0;
    SmallVector<Value> position = positionOf(readRows[r], vectorAt[v]);
    if (!deps[plan.along])
      return this->element(value, nest, position, scalars[r]);
    Value &known = vectors[r * plan.vectors + v][value];
    if (known)
      return known;
    Value made;
    Operation *op = value.getDefiningOp();
    if (Value from = storage.lookup(value)) {
      SmallVector<Value> indices;
      if (isPanels && plan.packed.contains(value)) {
        Value first = nest.positions()[plan.along];
        Value panel = nest.at(first).create<arith::DivUIOp>(
            loc, first, constants.index(width));
        nest.placed(panel, first);
        indices.push_back(panel);
        for (int64_t d : layouts[from])
          indices.push_back(position[d]);
        indices.push_back(constants.index(v * plan.lanes));
      } else {
        indices = storageIndices(value, position);
      }
      made = nest.at(indices).create<vector::LoadOp>(loc, type, from, indices);
      nest.placed(made, indices);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      Value linear =
          linearize(nest, load.getSource(),
                    access(nest, load.getMap(), load.getCoords(), position));
      Value buffer = mapping.lookupOrDefault(
          load.getSource().getDefiningOp<ViewOp>().getSource());
      made = nest.at(linear).create<vector::LoadOp>(loc, type, buffer, linear);
      nest.placed(made, linear);
    } else if (isa<vector::BroadcastOp>(op)) {
      made = compute(op->getOperand(0), r, v);
    } else {
      SmallVector<Value> operands;
      IRMapping map;
      for (Value operand : op->getOperands()) {
        Value one = compute(operand, r, v);
        if (!isa<VectorType>(one.getType()))
          one = splat(one);
        map.map(operand, one);
        operands.push_back(one);
      }
      Operation *clone = nest.at(operands).clone(*op, map);
      clone->getResult(0).setType(type);
      nest.placed(clone, operands);
      made = clone->getResult(0);
    }
    return vectors[r * plan.vectors + v][value] = made;
  };
  SmallVector<Value> next;
  for (int64_t r = 0; r < plan.rows; ++r)
    for (int64_t v = 0; v < plan.vectors; ++v) {
      auto vectorOf = [&](Value tileValue) {
        Value value = compute(tileValue, r, v);
        return isa<VectorType>(value.getType()) ? value : splat(value);
      };
      Value state = nest.carried()[r * plan.vectors + v];
      if (product) {
        Value x = vectorOf(product.getLhs()), y = vectorOf(product.getRhs());
        next.push_back(nest.innermost().create<math::FmaOp>(loc, x, y, state));
        continue;
      }
      Value value = vectorOf(fold.getValues().front());
      OpBuilder in = nest.innermost();
      next.push_back(monoid.combine(in, loc, state, value).front());
    }
  auto [final, behind] = nest.yield(next);
  for (auto [value, indices] : llvm::zip(final, slots))
    behind.create<vector::StoreOp>(loc, value, array, indices);
  for (Value value : temporary)
    storage.erase(value);
  return true;
}
