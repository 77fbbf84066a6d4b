//===- ScheduleCost.cpp - What a schedule makes of the floor --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/ScheduleCost.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tang;

std::optional<double> ScheduleCost::seconds() const {
  if (terms.empty() || terms.front().peak == 0)
    return std::nullopt;
  return terms.front().seconds();
}

double ScheduleCost::amountOf(StringRef resource) const {
  for (const FloorTerm &term : terms)
    if (term.resource == resource)
      return term.amount;
  return 0;
}

/// Bytes that programs load, each its own: of every input what a tile needs,
/// once a pass, and of every result what it stores.
static double bytesOfPrograms(KernelOp kernel, const KernelPlan &plan,
                              ArrayRef<int64_t> tile, double programs,
                              double live) {
  double bytes = 0;
  DenseSet<std::pair<Value, AffineMap>> seen;
  Traffic traffic = Traffic::get(kernel);
  for (StructuredOp op : getKernelOps(kernel))
    for (auto [in, map] : llvm::zip(op.getIns(), op.getInMapArray())) {
      if (!isa<BlockArgument>(in))
        continue;
      SmallVector<AffineExpr> to;
      double elements = 1;
      bool streamed = false;
      for (auto [d, dim] : llvm::enumerate(plan.dimsOf(op))) {
        to.push_back(getAffineDimExpr(dim + 1, op->getContext()));
        if (dim < 0 || !map.isFunctionOfDim(d))
          continue;
        const KernelDim &facts = plan.getDims()[dim];
        streamed |= facts.kind == KernelDim::Serial;
        elements *= facts.kind == KernelDim::Parallel
                        ? std::min(tile[dim], facts.size)
                        : facts.size;
      }
      AffineMap known = map.replaceDimsAndSymbols(
          to, {}, plan.getDims().size() + 1, map.getNumSymbols());
      Value outside = outsideOf(in);
      if (!seen.insert({outside, known}).second)
        continue;
      int64_t passes = 1;
      for (const Access &read : traffic.reads)
        if (read.value == outside)
          passes = read.passes;
      elements *=
          programs * passes * bytesOfElement(in.getType()).get().value_or(1);
      // Tiles that a mask leaves empty are not loaded.
      bytes += streamed ? elements * live : elements;
    }
  return bytes + traffic.bytesWritten.get().value_or(0);
}

std::optional<ScheduleCost> ScheduleCost::get(KernelOp kernel,
                                              const KernelPlan &plan,
                                              ScheduleAttr schedule,
                                              TargetAttr target,
                                              const Floor &floor) {
  ArrayRef<int64_t> tile = schedule.getTile();
  if (tile.size() != plan.getDims().size())
    return std::nullopt;
  double programs = 1, padding = 1;
  for (auto [d, dim] : llvm::enumerate(plan.getDims())) {
    if (ShapedType::isDynamic(dim.size) || dim.size == 0)
      return std::nullopt;
    double tiles = llvm::divideCeil(dim.size, tile[d]);
    if (dim.kind == KernelDim::Parallel)
      programs *= tiles;
    padding *= tiles * tile[d] / dim.size;
  }
  ScheduleCost cost;
  // A program is a block where agents share it, else a thread; a pass in chunks
  // with programs of their own has one for each.
  double atOnce = target.getUnits();
  if (!schedule.getAsync())
    atOnce *= std::max<int64_t>(1, target.getBlock());
  double running = programs;
  if (kernel.getChunk() && kernel->hasAttr("tang.split"))
    for (const KernelPass &pass : plan.getPasses())
      running *= llvm::divideCeil(plan.getDims()[pass.stream.back()].size,
                                  *kernel.getChunk());
  cost.waves = std::ceil(running / atOnce) * atOnce / running;
  double bytes = bytesOfPrograms(kernel, plan, tile, programs, floor.work.live);
  for (FloorTerm term : floor.terms) {
    if (term.resource == "cache")
      term.amount = std::max(term.amount, bytes);
    else if (term.resource != "memory")
      // Masked points that share a tile with others are computed, too; those of
      // whole tiles are not.
      term.amount *= padding * cost.waves;
    cost.terms.push_back(std::move(term));
  }
  llvm::stable_sort(cost.terms, slower);
  return cost;
}
