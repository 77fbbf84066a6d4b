//===- AgentStreams.cpp - Streams of an agent -----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is emitted in one of three forms:
//
//  - a chain, where each step's contraction adds to the one before and nothing
//    else happens: the next is issued while the last is under way;
//  - skewed: contractions that wait for another one of the same step run a step
//    behind, between the issue of the next one and its use;
//  - plain, step after step.
//
// Where some steps need masks, these are the last; the stream runs backwards so
// that they are first, without masks from there on.
//
//===----------------------------------------------------------------------===//

#include "AgentEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

/// Whether a tile is a constant 0 everywhere.
static bool isZero(Value tile) { return matchPattern(tile, m_AnyZeroFloat()); }

/// The extreme of a linear form over a tile's positions, less one scalar.
Value AgentEmitter::extreme(const LinearForm &form, bool greatest,
                            ArrayRef<int64_t> shape, Value without) {
  Value sum = p.i32(form.constant);
  for (auto [value, factor] : form.scalars)
    if (value != without && factor > 0)
      sum = p.add(sum, p.mul(scalar(value), factor));
    else if (value != without && factor < 0)
      sum = p.sub(sum, p.mul(scalar(value), -factor));
  int64_t span = 0;
  for (auto [d, factor] : form.dims)
    if ((factor > 0) == greatest)
      span += factor * (shape[d] - 1);
  return p.add(sum, span);
}

void AgentEmitter::setStep(StreamOp stream, Value index) {
  scalars[stream.getInductionVar()] =
      p.add(streamLower, p.mul(index, stream.getStep()));
}

LogicalResult AgentEmitter::emitStream(StreamOp stream) {
  const StreamPlan &s = plan.streams.find(stream)->second;
  int64_t step = stream.getStep();
  streamLower = scalar(stream.getLower());
  Value length = p.sub(scalar(stream.getUpper()), streamLower);
  Value total = p.div(p.add(length, step - 1), step);
  Value full = total;
  bool masks = !s.bounds.empty() || s.countsMatter;
  if (s.countsMatter)
    full = p.div(length, step);
  // How many i >= 0 there are with lower + i * step + form <= 0.
  auto countUpTo = [&](const StepBound &bound, bool greatest) {
    // The condition's positions are the tile's.
    auto shape = cast<VectorType>(bound.condition.getType()).getShape();
    Value first = p.add(streamLower, extreme(bound.form, greatest, shape,
                                             stream.getInductionVar()));
    return p.select(p.cmp(arith::CmpIPredicate::sle, first, p.i32(0)),
                    p.div(p.add(p.sub(p.i32(0), first), step), step), p.i32(0));
  };
  for (const StepBound &bound : s.bounds) {
    // In full steps even the greatest position holds, in any the least.
    full = p.min(full, countUpTo(bound, true));
    // At least one, which may change nothing.
    if (s.skipsFalse)
      total = p.max(p.min(total, countUpTo(bound, false)), p.i32(1));
  }
  if (masks)
    full = p.min(full, total);

  streamTotal = total;
  LogicalResult result = success();
  if (s.chained) {
    result = emitChain(stream, total);
  } else if (!s.delayed.empty()) {
    result = emitSkewed(stream, total, full, masks);
  } else {
    SmallVector<Fragment> carried;
    if (consumer)
      for (Value init : stream.getInits())
        carried.push_back(flat(init));
    partial = masks;
    Value cut = p.sub(total, full);
    if (masks)
      result = emitPlain(stream, p.i32(0), cut, true, carried);
    partial = false;
    if (succeeded(result))
      result = emitPlain(stream, masks ? cut : p.i32(0), total, masks, carried);
    if (consumer)
      for (auto [value, f] : llvm::zip(stream.getResults(), carried))
        fragments[value] = f;
  }
  partial = true;
  return result;
}

SmallVector<Fragment> AgentEmitter::yieldedBy(StreamOp stream) {
  SmallVector<Fragment> result;
  if (consumer)
    for (Value value : stream.getBody()->getTerminator()->getOperands())
      result.push_back(flat(value));
  return result;
}

LogicalResult AgentEmitter::emitStep(StreamOp stream, Value index,
                                     ArrayRef<Fragment> carried) {
  setStep(stream, index);
  if (consumer)
    for (auto [argument, f] : llvm::zip(stream.getCarries(), carried))
      fragments[argument] = f;
  return emitBlock(*stream.getBody());
}

LogicalResult AgentEmitter::emitPlain(StreamOp stream, Value first, Value last,
                                      bool descending,
                                      SmallVector<Fragment> &carried) {
  return emitCounted(
      first, last, carried,
      [&](Value i, SmallVectorImpl<Fragment> &state) -> LogicalResult {
        Value index = i;
        if (descending)
          index = p.sub(p.sub(streamTotal, p.i32(1)), i);
        if (failed(emitStep(stream, index, state)))
          return failure();
        settleAll();
        SmallVector<Fragment> next = yieldedBy(stream);
        state.assign(next.begin(), next.end());
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

LogicalResult AgentEmitter::emitChain(StreamOp stream, Value steps) {
  SmallVector<Fragment> carried;
  SmallVector<const Ring *> read;
  SmallVector<Contraction> chain;
  for (Operation &op : *stream.getBody()) {
    auto it = plan.contractions.find(&op);
    if (it == plan.contractions.end())
      continue;
    chain.push_back(it->second);
    for (Value operand : {it->second.lhs, it->second.rhs}) {
      const Ring *ring = plan.getRing(operand.getDefiningOp());
      if (!ring->perProgram && !llvm::is_contained(read, ring))
        read.push_back(ring);
    }
  }
  if (consumer) {
    for (Contraction &c : chain) {
      auto argument = cast<BlockArgument>(c.getAcc());
      Value init = stream.getInits()[argument.getArgNumber() - 1];
      Fragment f;
      f.kind = Fragment::Tile;
      f.columns = plan.getColumns(init.getType());
      if (isZero(init))
        f.registers.assign(Fragment::size(f.kind, f.columns),
                           p.undef(p.b.getF32Type()));
      else
        f = flat(init);
      carried.push_back(f);
    }
    // The slots of the step before.
    for (size_t i = 0; i < read.size(); ++i) {
      Fragment f;
      f.registers.push_back(p.i32(0));
      carried.push_back(f);
    }
  }
  LogicalResult result = emitCounted(
      p.i32(0), steps, carried,
      [&](Value i, SmallVectorImpl<Fragment> &state) -> LogicalResult {
        setStep(stream, i);
        Value later = p.toI32(p.cmp(arith::CmpIPredicate::ne, i, p.i32(0)));
        if (consumer)
          for (auto [c, f] : llvm::zip(chain, state)) {
            auto argument = cast<BlockArgument>(c.getAcc());
            fragments[argument] = f;
            if (isZero(stream.getInits()[argument.getArgNumber() - 1]))
              keeps[c.fold] = later;
          }
        size_t firstHeld = held.size();
        if (failed(emitBlock(*stream.getBody())))
          return failure();
        if (consumer) {
          p.waitGroups(chain.size(), {});
          for (auto [i, ring] : llvm::enumerate(read)) {
            Fragment &before = state[chain.size() + i];
            release({ring, before.registers[0], 0, 0}, later);
            before.registers[0] = lastSlot.lookup(ring);
          }
          for (auto [c, f] : llvm::zip(chain, state))
            f = fragments[c.getResult()];
        }
        flights.clear();
        held.resize(firstHeld);
        return success();
      });
  if (failed(result) || !consumer)
    return result;
  for (auto [c, f] : llvm::zip(chain, carried)) {
    f.registers = p.waitGroups(0, f.registers);
    auto argument = cast<BlockArgument>(c.getAcc());
    fragments[stream.getResult(argument.getArgNumber() - 1)] = f;
  }
  for (auto [i, ring] : llvm::enumerate(read))
    release({ring, carried[chain.size() + i].registers[0], 0, 0});
  return success();
}

//===----------------------------------------------------------------------===//
// Skewed streams
//===----------------------------------------------------------------------===//

LogicalResult AgentEmitter::emitDelayed(StreamOp stream) {
  for (Operation &op : stream.getBody()->without_terminator())
    if (op.getNumRegions() == 0 && op.getNumResults() == 1 &&
        op.getResult(0).getType().isIntOrIndex() && failed(emitScalar(op)))
      return failure();
  for (FoldOp fold : plan.streams.find(stream)->second.delayed)
    if (failed(emitContraction(plan.contractions.find(fold)->second)))
      return failure();
  return success();
}

LogicalResult AgentEmitter::emitSkewed(StreamOp stream, Value total, Value full,
                                       bool masks) {
  const StreamPlan &s = plan.streams.find(stream)->second;
  Operation *yield = stream.getBody()->getTerminator();
  // The number of a step from its place.
  auto indexOf = [&](Value place) {
    return masks ? p.sub(p.sub(total, p.i32(1)), place) : place;
  };
  // What goes from step to step: the stream's values, for one that a delayed
  // contraction gives its accumulator, and the operands of these.
  LogicalResult ok = success();
  auto collect = [&] {
    SmallVector<Fragment> state;
    if (!consumer)
      return state;
    for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
      auto fold = value.getDefiningOp<FoldOp>();
      if (fold && llvm::is_contained(s.delayed, fold))
        state.push_back(flat(fold.getAccs().front()));
      else
        state.push_back(flat(value));
    }
    // Registers that a contraction under way reads are written again only when
    // it has ended.
    settleAll();
    for (FoldOp fold : s.delayed) {
      const Contraction &c = plan.contractions.find(fold)->second;
      if (Operation *last = c.lhs.getDefiningOp(); postponed.contains(last))
        if (failed(emitElementwise(*last)))
          ok = failure();
      state.push_back(packedOperand(c.lhs, shortCount(fold, c.depthDim)));
    }
    return state;
  };
  // Emits what is behind, from the values carried.
  auto behind = [&](Value index, ArrayRef<Fragment> state) -> LogicalResult {
    DenseMap<Value, Value> saved = scalars;
    setStep(stream, index);
    if (consumer) {
      size_t operands = yield->getNumOperands();
      for (auto [i, known] : llvm::enumerate(s.delayed)) {
        FoldOp fold = known;
        const Contraction &c = plan.contractions.find(fold)->second;
        fragments[c.lhs] = state[operands + i];
        for (auto [k, value] : llvm::enumerate(yield->getOperands()))
          if (value == fold.getResult(0))
            fragments[c.getAcc()] = state[k];
      }
    }
    LogicalResult result = emitDelayed(stream);
    scalars = saved;
    return result;
  };
  for (FoldOp fold : s.delayed) {
    postponed.insert(fold);
    const Contraction &c = plan.contractions.find(fold)->second;
    Operation *last = c.lhs.getDefiningOp();
    if (isa<arith::TruncFOp>(last) &&
        llvm::all_of(last->getUsers(), [&](Operation *user) {
          return llvm::is_contained(c.getProduct(), user);
        }))
      postponed.insert(last);
  }

  SmallVector<Fragment> state;
  if (consumer)
    for (Value init : stream.getInits())
      state.push_back(flat(init));
  partial = masks;
  if (failed(emitStep(stream, indexOf(p.i32(0)), state)))
    return failure();
  state = collect();

  auto loop = [&](Value first, Value last) {
    return emitCounted(
        first, last, state,
        [&](Value place, SmallVectorImpl<Fragment> &carried) -> LogicalResult {
          SmallVector<Fragment> before(carried.begin(), carried.end());
          bool issued = false;
          auto after = [&]() -> LogicalResult {
            if (issued)
              return success();
            issued = true;
            if (failed(behind(indexOf(p.sub(place, p.i32(1))), before)))
              return failure();
            if (consumer)
              for (auto [argument, value] :
                   llvm::zip(stream.getCarries(), yield->getOperands()))
                if (auto fold = value.getDefiningOp<FoldOp>();
                    fold && llvm::is_contained(s.delayed, fold))
                  aliases[argument] = value;
            return success();
          };
          afterFirstIssue = after;
          ArrayRef<Fragment> values(before);
          LogicalResult result = emitStep(
              stream, indexOf(place),
              consumer ? values.take_front(yield->getNumOperands()) : values);
          afterFirstIssue = nullptr;
          if (failed(result))
            return failure();
          SmallVector<Fragment> next = collect();
          aliases.clear();
          carried.assign(next.begin(), next.end());
          return success();
        });
  };
  Value cut = masks ? p.max(p.sub(total, full), p.i32(1)) : p.i32(1);
  if (masks && failed(loop(p.i32(1), cut)))
    return failure();
  partial = false;
  if (failed(loop(cut, total)))
    return failure();
  if (failed(behind(indexOf(p.sub(total, p.i32(1))), state)))
    return failure();
  settleAll();
  postponed.clear();
  if (failed(ok))
    return failure();
  if (consumer)
    for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
      auto fold = value.getDefiningOp<FoldOp>();
      fragments[stream.getResult(i)] =
          fold && llvm::is_contained(s.delayed, fold) ? flat(value) : state[i];
    }
  return success();
}
