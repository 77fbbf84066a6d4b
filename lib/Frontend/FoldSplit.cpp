//===- FoldSplit.cpp - A folding body as lift and combination -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldSplit.h"

#include "Tang/Dialect/Monoid.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// The values that the combination takes from the lift: everything it uses that
/// does not depend on the state. With `constants` constants too, else they
/// are part of the combination.
SetVector<Value> findLeaves(const FlatBody &body, ArrayRef<Value> results,
                            const DenseSet<Value> &dependents, bool constants) {
  SetVector<Operation *> slice;
  SetVector<Value> args;
  body.getSlice(results, slice, args);
  SetVector<Value> leaves;
  auto consider = [&](Value value) {
    if (!dependents.contains(value) && (constants || !isConstant(value)))
      leaves.insert(value);
  };
  for (Operation *op : slice)
    if (llvm::any_of(op->getResults(),
                     [&](Value value) { return dependents.contains(value); }))
      for (Value operand : op->getOperands())
        consider(operand);
  for (Value result : results)
    consider(result);
  // What is made of other leaves alone need not be handed over.
  bool changed = !constants;
  while (changed) {
    changed = false;
    for (Value leaf : leaves) {
      Operation *op = leaf.getDefiningOp();
      if (!op || op->getNumOperands() == 0 ||
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return !isConstant(operand) && !leaves.contains(operand);
          }))
        continue;
      leaves.remove(leaf);
      changed = true;
      break;
    }
  }
  return leaves;
}

/// The combination as a detached tang.monoid.
OwningOpRef<MonoidOp> buildCombination(const FlatBody &body,
                                       ArrayRef<Value> state,
                                       ArrayRef<Value> results,
                                       ArrayRef<Value> leaves) {
  MLIRContext *context = state.front().getContext();
  OpBuilder builder(context);
  OperationState opState(state.front().getLoc(), MonoidOp::getOperationName());
  opState.addAttribute("sym_name", builder.getStringAttr("fold"));
  opState.addAttribute("sym_visibility", builder.getStringAttr("private"));
  opState.addRegion();
  OwningOpRef<MonoidOp> op = cast<MonoidOp>(Operation::create(opState));
  Block *block = builder.createBlock(&op->getRegion());
  IRMapping mapping;
  for (ArrayRef<Value> group : {state, leaves})
    for (Value value : group)
      mapping.map(value, block->addArgument(value.getType(), value.getLoc()));
  SmallVector<Value> yields =
      cloneSlice(builder, body, results, mapping, /*newDims=*/{});
  builder.create<YieldOp>(state.front().getLoc(), yields);
  return op;
}

} // namespace

FoldSplit mlir::tang::detail::splitFold(const FlatBody &body,
                                        ArrayRef<Value> state,
                                        ArrayRef<Value> results,
                                        const FoldFacts &facts) {
  DenseSet<Value> dependents = body.getDependents(state);
  FoldSplit split;
  split.order = llvm::to_vector(llvm::seq<unsigned>(0, state.size()));
  auto attempt = [&](SetVector<Value> leaves) {
    split.lift = leaves.takeVector();
    split.declaration = buildCombination(body, state, results, split.lift);
  };
  // A built-in monoid takes constants from the lift like anything else.
  attempt(findLeaves(body, results, dependents, /*constants=*/true));
  split.monoid = matchBuiltinMonoid(*split.declaration->getBody());
  if (split.monoid)
    return split;
  attempt(findLeaves(body, results, dependents, /*constants=*/false));
  size_t n = state.size();
  if (split.lift.size() != n || n > 2)
    return split;
  // A value and the index where it was found may come in either order, in the
  // state as well as in the lift.
  auto proves = [&](ArrayRef<unsigned> order, ArrayRef<Value> lift) {
    SmallVector<Value> states, values;
    SmallVector<TypedAttr> init;
    for (unsigned i : order) {
      states.push_back(state[i]);
      values.push_back(results[i]);
      init.push_back(facts.init[i]);
    }
    for (auto [s, v] : llvm::zip(states, lift))
      if (s.getType() != v.getType())
        return false;
    OwningOpRef<MonoidOp> tried = buildCombination(body, states, values, lift);
    bool increases = n == 2 && facts.isIncreasing(lift[1]);
    MonoidAttr monoid = proveChoosingMonoid(*tried->getBody(), init, increases);
    if (!monoid)
      return false;
    split.order.assign(order.begin(), order.end());
    split.lift.assign(lift.begin(), lift.end());
    split.monoid = monoid;
    return true;
  };
  SmallVector<Value> lift = split.lift;
  SmallVector<unsigned> order = split.order;
  for (unsigned i = 0; i < (n == 2 ? 4 : 1); ++i) {
    if (proves(order, lift))
      break;
    std::swap(lift.front(), lift.back());
    if (i % 2)
      std::swap(order.front(), order.back());
  }
  return split;
}
