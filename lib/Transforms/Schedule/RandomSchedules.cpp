//===- RandomSchedules.cpp - Legal schedules drawn at random ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// For tests: no legal schedule may change what a kernel computes.

#include "Check.h"
#include "Tang/Analysis/Targets.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"

#include <random>

namespace mlir::tang {
#define GEN_PASS_DEF_TANGRANDOMSCHEDULES
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// Elements of a tile, of which a thread may hold several.
constexpr int64_t kMaxElements = 2048;

struct RandomSchedulesPass
    : tang::impl::TangRandomSchedulesBase<RandomSchedulesPass> {
  using Base::Base;

  /// Small sizes are more likely, and so is the whole.
  int64_t draw(int64_t size) {
    int64_t most =
        ShapedType::isDynamic(size) ? 64 : std::min<int64_t>(size, 64);
    if (most <= 1)
      return 1;
    switch (random() % 4) {
    case 0:
      return 1;
    case 1:
      return most;
    case 2:
      return 1 + random() % std::min<int64_t>(most, 8);
    default:
      return 1 + random() % most;
    }
  }

  /// A tile that `isLegal` accepts, if one of a few draws is.
  ScheduleAttr find(int64_t dims, int64_t block,
                    llvm::function_ref<void(SmallVector<int64_t> &)> draw,
                    llvm::function_ref<bool(ScheduleAttr)> isLegal) {
    for (int tries = 0; tries < 20; ++tries) {
      SmallVector<int64_t> tile(dims, 1);
      draw(tile);
      int64_t elements = 1;
      for (int64_t size : tile)
        elements *= size;
      ScheduleAttr schedule = ScheduleAttr::get(&getContext(), tile, block);
      if (elements <= kMaxElements && isLegal(schedule))
        return schedule;
    }
    return {};
  }

  ScheduleAttr scheduleOf(StructuredOp op, TargetAttr target) {
    SmallVector<int64_t> domain = op.getStaticDomain();
    return find(
        domain.size(), target.getBlock(),
        [&](SmallVector<int64_t> &tile) {
          for (auto [size, own] : llvm::zip(domain, tile))
            own = draw(size);
          if (isa<ScanOp>(op.getOperation()))
            for (int64_t d = 0, e = domain.size(); d < e; ++d)
              if (!op.isParallelDim(d))
                tile[d] = 1;
        },
        [&](ScheduleAttr schedule) {
          return succeeded(checkSchedule(op, schedule));
        });
  }

  ScheduleAttr scheduleOf(KernelOp kernel, TargetAttr target) {
    std::string why;
    FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
    if (failed(plan))
      return {};
    return find(
        plan->getDims().size(), target.getBlock(),
        [&](SmallVector<int64_t> &tile) {
          for (auto [d, dim] : llvm::enumerate(plan->getDims()))
            tile[d] = dim.kind == KernelDim::Inner ? dim.size
                      : plan->stepsByOne(d)        ? 1
                                                   : draw(dim.size);
          for (const KernelPass &pass : plan->getPasses())
            if (pass.block)
              tile[pass.stream.back()] = pass.block;
        },
        [&](ScheduleAttr schedule) {
          return succeeded(checkSchedule(kernel, *plan, schedule));
        });
  }

  void runOnOperation() override {
    FailureOr<TargetAttr> facts = lookupTarget(&getContext(), target);
    if (failed(facts)) {
      getOperation()->emitError("unknown target '") << target << "'";
      return signalPassFailure();
    }
    random.seed(seed);
    // What is illegal is drawn again, in silence.
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto kernel = dyn_cast<KernelOp>(op);
      auto structured = dyn_cast<StructuredOp>(op);
      if ((!kernel && !structured) || op->hasAttr("schedule"))
        return kernel ? WalkResult::skip() : WalkResult::advance();
      ScheduleAttr schedule =
          kernel ? scheduleOf(kernel, *facts) : scheduleOf(structured, *facts);
      if (schedule)
        op->setAttr("schedule", schedule);
      return WalkResult::skip();
    });
  }

private:
  std::mt19937_64 random;
};
} // namespace
