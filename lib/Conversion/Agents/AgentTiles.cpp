//===- AgentTiles.cpp - Tiles of an agent ---------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions become instructions of the matrix unit; everything else on tiles
// is done by each thread on the registers that it holds.
//
//===----------------------------------------------------------------------===//

#include "AgentEmitter.h"

#include "Tang/Dialect/Monoid.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

/// Depth that one instruction of 16-bit operands sums.
static constexpr int64_t kDepth = 16;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

static StringRef elementName(Type tile) {
  return getElementTypeOrSelf(tile).isBF16() ? "bf16" : "f16";
}

static bool isNarrow(Type tile) {
  Type element = getElementTypeOrSelf(tile);
  return element.isBF16() || element.isF16();
}

/// An empty fragment of the shape that a tile has.
Fragment AgentEmitter::like(Value tile) {
  Fragment f;
  f.kind = plan.getKind(tile.getType());
  f.columns = f.kind == Fragment::Column || f.kind == Fragment::Tile
                  ? plan.getColumns(tile.getType())
                  : 1;
  return f;
}

Fragment AgentEmitter::constantTile(Value tile, TypedAttr value) {
  Fragment f = like(tile);
  Value constant;
  if (value.getType().isIndex() || value.getType().isInteger(32))
    constant = p.i32(cast<IntegerAttr>(value).getInt());
  else if (value.getType().isF32())
    constant = p.f32(cast<FloatAttr>(value).getValue().convertToFloat());
  else
    constant = p.b.create<arith::ConstantOp>(loc, value);
  f.registers.assign(Fragment::size(f.kind, f.columns), constant);
  return f;
}

Fragment AgentEmitter::flat(Value tile) {
  if (Value alias = aliases.lookup(tile))
    return flat(alias);
  settle(tile);
  auto it = fragments.find(tile);
  if (it != fragments.end())
    return it->second;
  DenseElementsAttr dense;
  if (matchPattern(tile, m_Constant(&dense)))
    return constantTile(tile,
                        cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  llvm_unreachable("a tile that was not emitted");
}

Fragment AgentEmitter::unpacked(Value tile) {
  Fragment f = flat(tile);
  if (!f.packed)
    return f;
  Fragment wide = f;
  wide.packed = false;
  wide.registers.clear();
  for (Value pair : f.registers) {
    auto [low, high] =
        p.unpack(pair, getElementTypeOrSelf(tile.getType()).isBF16());
    llvm::append_values(wide.registers, low, high);
  }
  return wide;
}

Fragment AgentEmitter::packedOperand(Value tile, Value count) {
  Fragment f = flat(tile);
  if (!count)
    return f;
  // Registers that the compiler knows to be zero would be set between the
  // instructions that read others (ptxas, C7513), and on an H200 some then read
  // what was there before. So it must not know.
  count = p.add(count, zero);
  for (auto [i, value] : llvm::enumerate(f.registers)) {
    // Register 2j + h has columns 8j + 2(l mod 4) and the next one.
    Value first = column(Fragment::Tile, 2 * i);
    Value room = p.sub(count, first);
    Value both = p.cmp(arith::CmpIPredicate::sgt, room, p.i32(1));
    Value one = p.cmp(arith::CmpIPredicate::sgt, room, p.i32(0));
    value = p.select(both, value,
                     p.select(one, p.andi(value, p.i32(0xffff)), p.i32(0)));
  }
  return f;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The count of a fold's dimension where it may be less than the tile has; null
/// where it is not.
Value AgentEmitter::shortCount(FoldOp fold, int64_t dim) {
  auto type = cast<VectorType>(fold.getValues().front().getType());
  Value count = fold.getCounts()[dim];
  if (!partial || getConstantIntValue(count) == type.getDimSize(dim))
    return {};
  return scalar(count);
}

/// The row of the program's tile that register half `h` has.
Value AgentEmitter::row(int64_t h) {
  Value inWarp = p.div(lane, 4);
  Value base = p.add(p.mul(group, kGroupRows), p.mul(warp, 16));
  return p.add(p.add(base, inWarp), 8 * h);
}

Value AgentEmitter::column(Fragment::Kind kind, int64_t i) {
  int64_t j = kind == Fragment::Tile ? i >> 2 : i >> 1, e = i & 1;
  Value first = p.mul(p.andi(lane, p.i32(3)), 2);
  return p.add(first, 8 * j + e);
}

Fragment AgentEmitter::coord(CoordOp op) {
  Fragment f = like(op.getResult());
  Value base = scalar(op.getBase());
  for (int64_t i = 0, e = Fragment::size(f.kind, f.columns); i < e; ++i)
    f.registers.push_back(f.kind == Fragment::Uniform ? base
                          : f.kind == Fragment::Row
                              ? p.add(base, row(i))
                              : p.add(base, column(f.kind, i)));
  return f;
}

Value AgentEmitter::pointer(Value view) {
  Value buffer =
      context.arguments.lookup(view.getDefiningOp<ViewOp>().getSource());
  Value address =
      p.b.create<memref::ExtractAlignedPointerAsIndexOp>(loc, buffer);
  return p.b.create<arith::IndexCastOp>(loc, p.b.getI64Type(), address);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

LogicalResult AgentEmitter::emitContraction(const Contraction &c) {
  SmallVector<size_t> reads;
  for (Value operand : {c.lhs, c.rhs}) {
    const Ring *ring = plan.getRing(operand.getDefiningOp());
    if (!ring)
      continue;
    if (!holding.contains(ring))
      acquire(*ring);
    size_t place = holding.lookup(ring);
    if (!llvm::is_contained(reads, place))
      reads.push_back(place);
  }
  if (consumer) {
    auto sizeOf = [](Value tile, int64_t d) {
      return cast<VectorType>(tile.getType()).getDimSize(d);
    };
    int64_t depth = sizeOf(c.rhs, c.depthDim);
    // Beyond a count that is known there are only zeros.
    if (auto count =
            getConstantIntValue(FoldOp(c.fold).getCounts()[c.depthDim]))
      depth = std::min<int64_t>(depth, llvm::alignTo(*count, kDepth));
    PtxBuilder::Shape shape{sizeOf(c.rhs, c.rhsDim),
                            elementName(c.rhs.getType()), false, false};
    // Descriptors: rows of 128 bytes, eight of which a swizzle spans. Where
    // depth is dense, 16 columns are 32 bytes; where it is not, 16 rows.
    auto descriptor = [&](Value tile, int64_t ownDim, bool isLhs) {
      Operation *load = tile.getDefiningOp();
      const SharedTile &shared = plan.getTile(load);
      Value address = slotAddress(load);
      bool depthDense = shared.denseDim == c.depthDim;
      if (isLhs)
        address =
            p.add(address, p.mul(group, depthDense ? kGroupRows * kBoxRowBytes
                                                   : shared.getBoxBytes()));
      (isLhs ? shape.lhsTransposed : shape.rhsTransposed) = !depthDense;
      return p.descriptor(address, depthDense ? 16 : shared.getBoxBytes(),
                          8 * kBoxRowBytes);
    };
    auto offset = [&](Value tile, int64_t k) -> int64_t {
      const SharedTile &shared = plan.getTile(tile.getDefiningOp());
      if (shared.denseDim != c.depthDim)
        return k * kDepth * kBoxRowBytes / 16;
      int64_t perBox = kBoxColumns / kDepth;
      return (k / perBox * shared.getBoxBytes() + k % perBox * kDepth * 2) / 16;
    };
    bool fromRegisters = !plan.getRing(c.lhs.getDefiningOp());
    Fragment lhs;
    Value lhsDescriptor;
    if (fromRegisters) {
      lhs = flat(c.lhs);
      bool delayed = false;
      for (auto &[op, s] : plan.streams)
        delayed |= llvm::is_contained(s.delayed, c.fold);
      if (!delayed)
        lhs = packedOperand(c.lhs, shortCount(c.fold, c.depthDim));
    } else {
      lhsDescriptor = descriptor(c.lhs, c.lhsDim, true);
    }
    Value rhsDescriptor = descriptor(c.rhs, c.rhsDim, false);
    SmallVector<PtxBuilder::Step> steps;
    for (int64_t k = 0; k < depth / kDepth; ++k) {
      PtxBuilder::Step step{};
      if (fromRegisters)
        step.lhsRegisters.assign(lhs.registers.begin() + 4 * k,
                                 lhs.registers.begin() + 4 * k + 4);
      else
        step.lhs = lhsDescriptor, step.lhsOffset = offset(c.lhs, k);
      step.rhs = rhsDescriptor;
      step.rhsOffset = offset(c.rhs, k);
      steps.push_back(step);
    }
    SmallVector<Value> acc;
    if (!matchPattern(c.getAcc(), m_AnyZeroFloat()))
      acc = flat(c.getAcc()).registers;
    Fragment result = like(c.getResult());
    result.registers = p.multiply(shape, steps, acc, keeps.lookup(c.fold));
    fragments[c.getResult()] = result;
    flights.push_back({c.getResult(), reads});
  }
  for (size_t h : reads) {
    if (held[h].ring->perProgram)
      continue;
    if (--held[h].unissued == 0)
      holding.erase(held[h].ring);
  }
  return afterFirstIssue ? afterFirstIssue() : success();
}

//===----------------------------------------------------------------------===//
// Folds and elements
//===----------------------------------------------------------------------===//

LogicalResult AgentEmitter::emitRowFold(FoldOp fold) {
  FailureOr<Monoid> monoid = Monoid::get(fold.getMonoid(), fold);
  Value tile = fold.getValues().front();
  Fragment values = unpacked(tile), acc = flat(fold.getAccs().front());
  auto combine = [&](Value x, Value y) {
    return monoid->combine(p.b, loc, x, y).front();
  };
  if (values.kind == acc.kind) {
    for (auto [x, y] : llvm::zip(acc.registers, values.registers))
      x = combine(x, y);
    fragments[fold.getResult(0)] = acc;
    return success();
  }
  if (values.kind != Fragment::Tile || acc.kind != Fragment::Row)
    return fold.emitOpError("has no form in a kernel of agents");
  // Positions beyond the count are left out where there may be some.
  Value count;
  for (int64_t d : fold.getDims())
    if (Value less = shortCount(fold, d))
      count = less;
  if (count) {
    FailureOr<SmallVector<TypedAttr>> identity =
        monoid->getIdentity(p.b.getF32Type());
    if (failed(identity))
      return fold.emitOpError("has no identity for positions beyond its count");
    Value neutral =
        p.f32(cast<FloatAttr>(identity->front()).getValue().convertToFloat());
    for (auto [i, value] : llvm::enumerate(values.registers))
      value = p.select(
          p.cmp(arith::CmpIPredicate::slt, column(Fragment::Tile, i), count),
          value, neutral);
  }
  // Chains hide latency; then the four lanes of a row.
  constexpr int64_t kChains = 4;
  for (int64_t h = 0; h < 2; ++h) {
    SmallVector<Value> mine;
    for (size_t i = 0; i < values.registers.size(); ++i)
      if (((i >> 1) & 1) == static_cast<size_t>(h))
        mine.push_back(values.registers[i]);
    SmallVector<Value> chains;
    for (auto [i, value] : llvm::enumerate(mine))
      if (i < kChains)
        chains.push_back(value);
      else
        chains[i % kChains] = combine(chains[i % kChains], value);
    while (chains.size() > 1) {
      size_t half = chains.size() / 2;
      for (size_t i = 0; i < half; ++i)
        chains[i] = combine(chains[i], chains[i + half]);
      chains.resize(half);
    }
    Value row = chains.front();
    for (int64_t lanes : {1, 2})
      row = combine(row, p.shuffle(row, lanes));
    acc.registers[h] = combine(acc.registers[h], row);
  }
  fragments[fold.getResult(0)] = acc;
  return success();
}

LogicalResult AgentEmitter::emitElementwise(Operation &op) {
  if (op.getNumResults() != 1)
    return op.emitOpError("has no form in a kernel of agents");
  Value result = op.getResult(0);
  if (auto keep = dyn_cast<KeepOp>(op)) {
    fragments[result] = flat(keep.getValue());
    return success();
  }
  if (auto position = dyn_cast<CoordOp>(op)) {
    fragments[result] = coord(position);
    return success();
  }
  if (isa<arith::ConstantOp>(op))
    return success(); // Made where it is used.
  Fragment f = like(result);
  int64_t size = Fragment::size(f.kind, f.columns);
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    Value source = broadcast.getSource();
    if (!isa<VectorType>(source.getType())) {
      f.registers.assign(size, scalar(source));
    } else {
      Fragment from = unpacked(source);
      for (int64_t i = 0; i < size; ++i)
        f.registers.push_back(from.at(f.kind, i));
    }
    fragments[result] = f;
    return success();
  }
  // A select whose condition is known to hold here.
  if (auto select = dyn_cast<arith::SelectOp>(op); select && !partial) {
    bool known = false;
    for (auto &[stream, s] : plan.streams)
      for (const StepBound &bound : s.bounds)
        known |= bound.condition == select.getCondition() &&
                 select->getParentOp() == stream;
    if (known) {
      fragments[result] = flat(select.getTrueValue());
      return success();
    }
  }
  SmallVector<Fragment> operands;
  for (Value operand : op.getOperands())
    operands.push_back(unpacked(operand));
  if (auto truncate = dyn_cast<arith::TruncFOp>(op);
      truncate && f.kind == Fragment::Tile && isNarrow(result.getType()) &&
      getElementTypeOrSelf(truncate.getIn()).isF32()) {
    f.packed = true;
    for (int64_t i = 0; i < size; i += 2)
      f.registers.push_back(p.pack(operands[0].registers[i],
                                   operands[0].registers[i + 1],
                                   elementName(result.getType())));
    fragments[result] = f;
    return success();
  }
  // Unpacked 16-bit tiles are f32 already.
  if (isa<arith::ExtFOp>(op) && operands[0].registers[0].getType().isF32()) {
    fragments[result] = operands[0];
    fragments[result].packed = false;
    return success();
  }
  Type element = getElementTypeOrSelf(result.getType());
  if (element.isIndex())
    element = p.b.getI32Type();
  for (int64_t i = 0; i < size; ++i) {
    SmallVector<Value> scalarOperands;
    for (Fragment &operand : operands)
      scalarOperands.push_back(operand.registers[i]);
    if (element.isF32() && isa<math::Exp2Op>(op)) {
      f.registers.push_back(p.exp2(scalarOperands[0]));
      continue;
    }
    if (isa<arith::IndexCastOp>(op)) {
      if (scalarOperands[0].getType() != element)
        return op.emitOpError("has no form in a kernel of agents");
      f.registers.push_back(scalarOperands[0]);
      continue;
    }
    OperationState state(loc, op.getName());
    state.addOperands(scalarOperands);
    state.addTypes(element);
    state.addAttributes(op.getAttrs());
    f.registers.push_back(p.b.create(state)->getResult(0));
  }
  fragments[result] = f;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A program's indices of memory for every register, i64 byte addresses.
Value AgentEmitter::byteAddress(MemRefType type, Value base, ValueRange at) {
  // Indices are i32; of larger tensors their sum need not be.
  bool wide = type.getNumElements() > std::numeric_limits<int32_t>::max();
  Value index;
  for (auto [i, size] : llvm::zip(at, type.getShape())) {
    Value here = wide ? p.toI64(i) : i;
    index = index ? p.add(p.mul(index, wide ? p.i64(size) : p.i32(size)), here)
                  : here;
  }
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return p.add(base, p.mul(wide ? index : p.toI64(index), p.i64(bytes)));
}

LogicalResult AgentEmitter::emitDirectLoad(LoadOp load) {
  Fragment f = like(load.getResult());
  auto type = cast<MemRefType>(load.getSource().getType());
  if (!type.hasStaticShape())
    return load.emitOpError(
        "of dynamic sizes has no form in a kernel of agents");
  AffineMap map = load.getMap();
  auto tile = cast<VectorType>(load.getType());
  Value base = pointer(load.getSource());
  for (int64_t i = 0, e = Fragment::size(f.kind, f.columns); i < e; ++i) {
    SmallVector<Value> coords;
    for (auto [d, coord] : llvm::enumerate(load.getCoords())) {
      Value at = scalar(coord);
      if (d < map.getNumDims() && tile.getDimSize(d) > 1)
        at = p.add(at, static_cast<int64_t>(d) == plan.rowDim
                           ? row(f.kind == Fragment::Row ? i : (i >> 1) & 1)
                           : column(f.kind, i));
      coords.push_back(at);
    }
    ValueRange all(coords);
    SmallVector<Value> position;
    Value inside;
    for (auto [expr, size] : llvm::zip(map.getResults(), type.getShape())) {
      Value at = evaluate(expr, all.take_front(map.getNumDims()),
                          all.drop_front(map.getNumDims()));
      Value within = p.cmp(arith::CmpIPredicate::ult, at, p.i32(size));
      inside = inside ? p.andi(inside, within) : within;
      position.push_back(at);
    }
    f.registers.push_back(p.loadIf(p.toI32(inside),
                                   byteAddress(type, base, position),
                                   type.getElementType()));
  }
  fragments[load.getResult()] = f;
  return success();
}

LogicalResult AgentEmitter::emitStore(StoreOp store) {
  const StorePlan &how = plan.stores.find(store)->second;
  if (how.boxed)
    emitBoxedStore(store, how);
  else
    emitDirectStore(store);
  return success();
}

void AgentEmitter::emitBoxedStore(StoreOp store, const StorePlan &how) {
  Fragment f = flat(store.getValue());
  assert(f.packed && "a 16-bit tile that is stored was rounded before");
  AffineMap map = store.getMap();
  SmallVector<Value> coords;
  for (Value coord : store.getCoords())
    coords.push_back(scalar(coord));
  ValueRange all(coords);
  SmallVector<Value> position;
  for (AffineExpr expr : map.getResults())
    position.push_back(evaluate(expr, all.take_front(map.getNumDims()),
                                all.drop_front(map.getNumDims())));
  position[how.rowResult] =
      p.add(position[how.rowResult], p.mul(group, kGroupRows));

  int64_t boxBytes = kGroupRows * kBoxRowBytes;
  Value staging = p.add(p.add(context.shared, plan.staging),
                        p.mul(group, plan.stagingBytes));
  // Where a lane writes its row of an 8 x 8 matrix, swizzled as copies expect.
  Value lane8 = p.andi(lane, p.i32(7));
  Value inBox = p.add(
      p.mul(p.add(p.mul(warp, 16), p.andi(lane, p.i32(15))), kBoxRowBytes),
      p.mul(p.xori(p.div(lane, 16), lane8), 16));
  Value first = p.add(staging, inBox);
  Value barrier = p.add(group, 1);
  auto byLeader = [&](function_ref<void()> body) {
    auto only = p.b.create<scf::IfOp>(
        loc, p.cmp(arith::CmpIPredicate::ne, leader, p.i32(0)), false);
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(only.thenBlock());
    body();
  };
  int64_t columns = std::min(plan.stagingColumns, f.columns);
  for (int64_t slice = 0; slice < f.columns; slice += columns) {
    // What was written there before has been read.
    byLeader([&] { p.waitCopies(/*onlyRead=*/true); });
    p.barrier(barrier, kGroupThreads);
    int64_t width = std::min(columns, f.columns - slice);
    for (int64_t c = 0; c < width / 16; ++c) {
      int64_t box = c * 16 / kBoxColumns, chunk = 2 * c % 8;
      Value address = p.add(first, box * boxBytes);
      if (chunk)
        address = p.xori(address, p.i32(chunk << 4));
      int64_t at = (slice + 16 * c) / 4;
      p.storeMatrix(address, ArrayRef(f.registers).slice(at, 4));
    }
    p.fenceShared();
    p.barrier(barrier, kGroupThreads);
    byLeader([&] {
      for (int64_t box = 0; box < width / kBoxColumns; ++box) {
        SmallVector<Value> at = position;
        at[how.columnResult] =
            p.add(at[how.columnResult], slice + box * kBoxColumns);
        std::reverse(at.begin(), at.end());
        p.copyOut(context.maps[how.map], p.add(staging, box * boxBytes), at);
      }
      p.commitCopies();
    });
  }
}

void AgentEmitter::emitDirectStore(StoreOp store) {
  Fragment f = unpacked(store.getValue());
  auto type = cast<MemRefType>(store.getDestination().getType());
  auto tile = cast<VectorType>(store.getValue().getType());
  AffineMap map = store.getMap();
  Value base = pointer(store.getDestination());
  // One of the lanes that have the same position writes.
  Value mine = p.i32(1);
  if (f.kind == Fragment::Row || f.kind == Fragment::Uniform)
    mine = p.toI32(
        p.cmp(arith::CmpIPredicate::eq, p.andi(lane, p.i32(3)), p.i32(0)));
  if (f.kind == Fragment::Uniform || f.kind == Fragment::Column)
    mine = p.andi(mine,
                  p.toI32(p.cmp(arith::CmpIPredicate::eq,
                                p.add(p.mul(group, kGroupThreads),
                                      p.add(p.mul(warp, 32), p.div(lane, 4))),
                                p.i32(0))));
  // Of 64 rows that are none, the first stands for the one that there is.
  bool one = plan.rowDim < 0;
  if (one)
    mine = p.andi(mine,
                  p.toI32(p.cmp(arith::CmpIPredicate::eq, row(0), p.i32(0))));
  for (int64_t i = 0, e = Fragment::size(f.kind, f.columns); i < e; ++i) {
    if (one && (f.kind == Fragment::Row ? i : (i >> 1) & 1) != 0)
      continue;
    SmallVector<Value> coords;
    Value inside = mine;
    for (auto [d, coord] : llvm::enumerate(store.getCoords())) {
      Value at = scalar(coord);
      if (d < map.getNumDims() && tile.getDimSize(d) > 1) {
        Value offset = static_cast<int64_t>(d) == plan.rowDim
                           ? row(f.kind == Fragment::Row ? i : (i >> 1) & 1)
                           : column(f.kind, i);
        if (getConstantIntValue(store.getCounts()[d]) != tile.getDimSize(d))
          inside =
              p.andi(inside, p.toI32(p.cmp(arith::CmpIPredicate::slt, offset,
                                           scalar(store.getCounts()[d]))));
        at = p.add(at, offset);
      }
      coords.push_back(at);
    }
    ValueRange all(coords);
    SmallVector<Value> position;
    for (AffineExpr expr : map.getResults())
      position.push_back(evaluate(expr, all.take_front(map.getNumDims()),
                                  all.drop_front(map.getNumDims())));
    Value address = byteAddress(type, base, position);
    Value value = f.registers[i];
    if (value.getType() != type.getElementType())
      value = p.b.create<arith::TruncFOp>(loc, type.getElementType(), value);
    p.storeIf(inside, address, value);
  }
}
