//===- AgentEmitter.cpp - Walking a kernel as one agent -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, scalars and rings. Tiles are in AgentTiles.cpp, streams in
// AgentStreams.cpp.
//
//===----------------------------------------------------------------------===//

#include "AgentEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

LogicalResult AgentEmitter::run(gpu::GPUFuncOp kernel) {
  if (consumer) {
    group = p.sub(p.uniform(p.div(context.thread, kGroupThreads)), p.i32(1));
    Value inGroup = p.andi(context.thread, p.i32(kGroupThreads - 1));
    lane = p.andi(context.thread, p.i32(31));
    warp = p.div(inGroup, 32);
    zero = p.runtimeZero();
    leader = p.toI32(p.cmp(arith::CmpIPredicate::eq, inGroup, p.i32(0)));
  }
  for (BlockArgument argument : kernel.getArguments())
    if (!isa<MemRefType>(argument.getType())) {
      Value value = context.arguments.lookup(argument);
      if (value.getType().isIndex())
        value = p.b.create<arith::IndexCastOp>(loc, p.b.getI32Type(), value);
      scalars[argument] = value;
    }
  cursors.assign(plan.rings.size(), {p.i32(0), p.i32(0)});
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  if (consumer && plan.stagingBytes) {
    // Shared memory must outlive the copies that read it.
    auto last = p.b.create<scf::IfOp>(
        loc, p.cmp(arith::CmpIPredicate::ne, leader, p.i32(0)), false);
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(last.thenBlock());
    p.waitCopies(/*onlyRead=*/false);
  }
  return success();
}

LogicalResult AgentEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(emitOp(op)))
      return failure();
  return success();
}

/// Whether an operation computes scalars only.
static bool isScalarOp(Operation &op) {
  return op.getNumRegions() == 0 && op.getNumResults() > 0 &&
         llvm::all_of(op.getResultTypes(),
                      [](Type t) { return t.isIntOrIndexOrFloat(); }) &&
         !isa<vector::ExtractOp>(op);
}

LogicalResult AgentEmitter::emitOp(Operation &op) {
  if (isScalarOp(op))
    return emitScalar(op);
  if (isa<ViewOp>(op))
    return success();
  if (isa<scf::ForOp>(op))
    return emitLoop(op);
  if (auto stream = dyn_cast<StreamOp>(op)) {
    LogicalResult result = emitStream(stream);
    settleAll();
    releaseAfter(stream);
    return result;
  }
  if (postponed.contains(&op))
    return success();
  if (const Ring *ring = plan.getRing(&op)) {
    // One of a stream is waited for where it is read first.
    if (ring->perProgram)
      acquire(*ring);
    return success();
  }
  auto it = plan.contractions.find(&op);
  if (it != plan.contractions.end())
    return emitContraction(it->second);
  if (!consumer || !plan.isLive(&op))
    return success();
  if (auto fold = dyn_cast<FoldOp>(op))
    return emitRowFold(fold);
  if (auto load = dyn_cast<LoadOp>(op))
    return emitDirectLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return emitStore(store);
  return emitElementwise(op);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value AgentEmitter::scalar(Value index) {
  if (Value known = scalars.lookup(index))
    return known;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return p.i32(constant.getSExtValue());
  llvm_unreachable("a scalar that was not emitted");
}

/// index becomes i32: the pass has checked that all sizes fit.
LogicalResult AgentEmitter::emitScalar(Operation &op) {
  Type i32 = p.b.getI32Type();
  if (isa<arith::ConstantOp>(op)) {
    Value result = op.getResult(0);
    if (result.getType().isIndex() || result.getType().isInteger(32))
      scalars[result] = scalar(result);
    else
      scalars[result] = p.b.clone(op)->getResult(0);
    return success();
  }
  if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
    scalars[id] = p.blockId();
    return success();
  }
  if (auto dim = dyn_cast<gpu::GridDimOp>(op)) {
    scalars[dim] = p.gridDim();
    return success();
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
    return op.emitOpError("has no form in a kernel of agents");
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(scalar(operand));
  if (isa<arith::IndexCastOp>(op)) {
    Type to = op.getResult(0).getType();
    if (to.isIndex())
      to = i32;
    unsigned have = operands[0].getType().getIntOrFloatBitWidth(),
             want = to.getIntOrFloatBitWidth();
    Value value = operands[0];
    if (have < want)
      value = p.b.create<arith::ExtSIOp>(loc, to, value);
    else if (have > want)
      value = p.b.create<arith::TruncIOp>(loc, to, value);
    scalars[op.getResult(0)] = value;
    return success();
  }
  OperationState state(loc, op.getName());
  state.addOperands(operands);
  for (Type type : op.getResultTypes())
    state.addTypes(type.isIndex() ? i32 : type);
  state.addAttributes(op.getAttrs());
  Operation *made = p.b.create(state);
  for (auto [from, to] : llvm::zip(op.getResults(), made->getResults()))
    scalars[from] = to;
  return success();
}

Value AgentEmitter::evaluate(AffineExpr expr, ValueRange dims,
                             ValueRange symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return p.i32(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value x = evaluate(binary.getLHS(), dims, symbols);
  Value y = evaluate(binary.getRHS(), dims, symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return p.add(x, y);
  case AffineExprKind::Mul:
    return p.mul(x, y);
  // Indices are not negative.
  case AffineExprKind::FloorDiv:
    return p.b.createOrFold<arith::DivUIOp>(loc, x, y);
  case AffineExprKind::Mod:
    return p.b.createOrFold<arith::RemUIOp>(loc, x, y);
  case AffineExprKind::CeilDiv:
    return p.b.createOrFold<arith::DivUIOp>(loc, p.add(x, p.sub(y, p.i32(1))),
                                            y);
  default:
    llvm_unreachable("no other binary expressions");
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult AgentEmitter::emitCounted(
    Value first, Value last, SmallVectorImpl<Fragment> &carried,
    function_ref<LogicalResult(Value, SmallVectorImpl<Fragment> &)> body) {
  SmallVector<Value> init;
  for (Cursor &c : cursors)
    llvm::append_values(init, c.slot, c.phase);
  for (Fragment &f : carried)
    llvm::append_range(init, f.registers);
  auto loop = p.b.create<scf::ForOp>(loc, first, last, p.i32(1), init);
  // Gives the values of the block or the results back their places.
  auto unflatten = [&](ValueRange values) {
    size_t next = 0;
    for (Cursor &c : cursors) {
      c.slot = values[next++];
      c.phase = values[next++];
    }
    for (Fragment &f : carried)
      for (Value &value : f.registers)
        value = values[next++];
  };
  {
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(loop.getBody());
    unflatten(loop.getRegionIterArgs());
    if (failed(body(loop.getInductionVar(), carried)))
      return failure();
    SmallVector<Value> next;
    for (Cursor &c : cursors)
      llvm::append_values(next, c.slot, c.phase);
    for (Fragment &f : carried)
      llvm::append_range(next, f.registers);
    p.b.setInsertionPointToEnd(loop.getBody());
    // Loops with results have no terminator yet.
    if (!loop.getBody()->empty() &&
        loop.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      loop.getBody()->back().erase();
    p.b.create<scf::YieldOp>(loc, next);
  }
  unflatten(loop.getResults());
  return success();
}

/// The loop over programs.
LogicalResult AgentEmitter::emitLoop(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  if (loop.getNumResults() != 0)
    return op.emitOpError("has results, which no kernel of agents has");
  auto body = [&](Value program) -> LogicalResult {
    scalars[loop.getInductionVar()] = program;
    if (failed(emitBlock(*loop.getBody())))
      return failure();
    settleAll();
    held.clear();
    holding.clear();
    return success();
  };
  SmallVector<Fragment> carried;
  if (context.order) {
    // The next program is read while this one runs.
    Value row = p.mul(p.blockId(), context.rowWords);
    auto read = [&](Value index) {
      return p.loadConstant(context.order, p.add(row, index));
    };
    Value count = read(p.i32(0));
    carried.emplace_back().registers.push_back(read(p.i32(1)));
    return emitCounted(p.i32(0), count, carried,
                       [&](Value i, SmallVectorImpl<Fragment> &state) {
                         Value program = state[0].registers[0];
                         state[0].registers[0] = read(p.add(i, 2));
                         return body(program);
                       });
  }
  // Counted in steps, so that the induction variable starts where it should.
  Value lower = scalar(loop.getLowerBound()),
        upper = scalar(loop.getUpperBound()), step = scalar(loop.getStep());
  Value left = p.max(p.sub(upper, lower), p.i32(0));
  Value count = p.b.createOrFold<arith::DivUIOp>(
      loc, p.add(left, p.sub(step, p.i32(1))), step);
  return emitCounted(p.i32(0), count, carried,
                     [&](Value i, SmallVectorImpl<Fragment> &) {
                       return body(p.add(lower, p.mul(i, step)));
                     });
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

void AgentEmitter::advance(const Ring &ring) {
  Cursor &c = cursor(ring);
  if (ring.depth == 1) {
    c.phase = p.xori(c.phase, p.i32(1));
    return;
  }
  Value next = p.add(c.slot, 1);
  Value wraps = p.cmp(arith::CmpIPredicate::eq, next, p.i32(ring.depth));
  c.slot = p.select(wraps, p.i32(0), next);
  c.phase = p.xori(c.phase, p.toI32(wraps));
}

void AgentEmitter::acquire(const Ring &ring) {
  Cursor &c = cursor(ring);
  auto barrier = [&](int64_t base) {
    return p.add(p.add(context.shared, base), p.mul(c.slot, 8));
  };
  if (consumer) {
    p.waitBarrier(barrier(ring.full), c.phase);
  } else {
    p.waitBarrier(barrier(ring.empty), p.xori(c.phase, p.i32(1)));
    Value full = barrier(ring.full);
    p.expect(full, ring.copiedBytes);
    Value slot =
        p.add(p.add(context.shared, ring.slots), p.mul(c.slot, ring.slotBytes));
    for (auto [tile, offset] : llvm::zip(ring.tiles, ring.offsets))
      fill(ring, tile, p.add(slot, offset), full);
  }
  holding[&ring] = held.size();
  lastSlot[&ring] = c.slot;
  int64_t readers = ring.perProgram ? 1 : ring.readers;
  held.push_back({&ring, c.slot, readers, readers});
  advance(ring);
}

void AgentEmitter::fill(const Ring &ring, const SharedTile &tile, Value to,
                        Value barrier) {
  LoadOp load = tile.load;
  AffineMap map = load.getMap();
  SmallVector<Value> coords;
  for (Value coord : load.getCoords())
    coords.push_back(scalar(coord));
  ValueRange dims = ValueRange(coords).take_front(map.getNumDims());
  ValueRange symbols = ValueRange(coords).drop_front(map.getNumDims());
  SmallVector<Value> position;
  for (AffineExpr expr : map.getResults())
    position.push_back(evaluate(expr, dims, symbols));
  for (int64_t box = 0; box < tile.boxes; ++box) {
    SmallVector<Value> at = position;
    at[tile.denseResult] = p.add(at[tile.denseResult], box * kBoxColumns);
    std::reverse(at.begin(), at.end());
    p.copyIn(p.add(to, box * tile.getBoxBytes()), context.maps[tile.map],
             barrier, at);
  }
}

void AgentEmitter::release(const Held &slot, Value condition) {
  if (!consumer)
    return;
  Value barrier =
      p.add(p.add(context.shared, slot.ring->empty), p.mul(slot.slot, 8));
  p.arrive(barrier, condition ? p.andi(leader, condition) : leader);
}

void AgentEmitter::releaseAfter(Operation *op) {
  for (Held &slot : held) {
    if (!slot.ring->perProgram || slot.readers == 0)
      continue;
    bool later = false;
    for (const SharedTile &tile : slot.ring->tiles)
      for (auto &[fold, c] : plan.contractions)
        if (c.lhs == LoadOp(tile.load).getResult() ||
            c.rhs == LoadOp(tile.load).getResult()) {
          Operation *reader = op->getBlock()->findAncestorOpInBlock(*fold);
          later |= reader && op->isBeforeInBlock(reader);
        }
    if (later)
      continue;
    release(slot);
    slot.readers = 0;
  }
}

Value AgentEmitter::slotAddress(Operation *load) {
  const Ring *ring = plan.getRing(load);
  Value slot = held[holding.lookup(ring)].slot;
  return p.add(p.add(context.shared, ring->slots + plan.getOffset(load)),
               p.mul(slot, ring->slotBytes));
}

void AgentEmitter::settle(Value result) {
  auto wanted = llvm::find_if(
      flights, [&](const Flight &f) { return f.result == result; });
  if (wanted == flights.end())
    return;
  size_t count = wanted - flights.begin() + 1;
  for (size_t i = 0; i < count; ++i) {
    Flight &flight = flights[i];
    Fragment &f = fragments[flight.result];
    f.registers = p.waitGroups(flights.size() - 1 - i, f.registers);
    for (size_t h : flight.held)
      if (!held[h].ring->perProgram && --held[h].readers == 0)
        release(held[h]);
  }
  flights.erase(flights.begin(), flights.begin() + count);
}

void AgentEmitter::settleAll() {
  if (!flights.empty())
    settle(flights.back().result);
}
