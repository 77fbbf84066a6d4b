//===- AnnotateFloor.cpp - What no schedule can beat, as attributes -------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Explain.h"
#include "Tang/Analysis/Floor/Floor.h"
#include "Tang/Analysis/Floor/ScheduleCost.h"
#include "Tang/Analysis/Targets.h"
#include "Tang/Transforms/Passes.h"

#include <cmath>

namespace mlir::tang {
#define GEN_PASS_DEF_TANGANNOTATEFLOOR
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// `terms` are an amount, how many of it a second at most, and the amount that
/// the schedule makes of it.
DictionaryAttr attributeOf(const Floor &floor,
                           const std::optional<ScheduleCost> &cost,
                           Builder builder) {
  NamedAttrList list;
  if (floor.exponent)
    list.set("exponent",
             builder.getStringAttr(formatFraction(*floor.exponent)));
  if (std::optional<double> seconds = floor.seconds()) {
    list.set("binding", builder.getStringAttr(floor.binding()));
    list.set("seconds", builder.getF64FloatAttr(*seconds));
  }
  if (std::optional<int64_t> bytes = floor.work.bytes().get())
    list.set("bytes", builder.getI64IntegerAttr(*bytes));
  NamedAttrList terms;
  auto whole = [](double value) {
    return static_cast<int64_t>(std::llround(std::min(value, 9e18)));
  };
  for (const FloorTerm &term : floor.terms)
    terms.set(term.resource,
              builder.getDenseI64ArrayAttr(
                  {whole(term.amount), whole(term.peak),
                   whole(cost ? cost->amountOf(term.resource) : term.amount)}));
  if (!terms.empty())
    list.set("terms", terms.getDictionary(builder.getContext()));
  return list.getDictionary(builder.getContext());
}

/// Work whose amount depends on dynamic sizes.
void noteDynamic(InFlightDiagnostic &remark, Location loc, const Work &work) {
  auto note = [&](const Twine &resource, const Count &count, StringRef unit) {
    if (!count.get())
      remark.attachNote(loc) << resource << ": " << count.str() << " " << unit;
  };
  note("memory", work.bytes(), "B");
  for (const auto &[type, count] : work.contraction)
    note("contractions of " + type, count, "flop");
  for (const auto &[type, count] : work.arithmetic)
    note("arithmetic " + type, count, "flop");
  note("special functions", work.special, "op");
  note("integers", work.integer, "op");
}

struct AnnotateFloorPass
    : tang::impl::TangAnnotateFloorBase<AnnotateFloorPass> {
  using Base::Base;

  LogicalResult readSizes(Sizes &result) {
    for (StringRef text : sizes) {
      auto [place, number] = text.split('=');
      auto [argument, dim] = place.split('.');
      int64_t size;
      unsigned position, dimension;
      if (!argument.consume_front("arg") ||
          argument.getAsInteger(10, position) ||
          (!dim.empty() && dim.getAsInteger(10, dimension)) ||
          number.getAsInteger(10, size) || size < 0)
        return getOperation().emitError("option 'sizes' takes arg0.1=4096 for "
                                        "dimension 1 of argument 0, not '")
               << text << "'";
      std::string name = ("arg" + Twine(position)).str();
      if (!dim.empty())
        name = ("dim(" + name + ", " + Twine(dimension) + ")").str();
      result[name] = size;
    }
    return success();
  }

  void say(const KernelFacts &kernel, const Floor &floor,
           const std::optional<ScheduleCost> &cost) {
    InFlightDiagnostic remark = emitRemark(kernel.op->getLoc());
    remark << kernel.name << ": ";
    if (floor.exponent)
      remark << "exponent = " << formatFraction(*floor.exponent) << "; ";
    if (std::optional<double> seconds = floor.seconds())
      remark << "floor " << formatSeconds(*seconds) << " on " << target
             << ", bound by " << floor.binding();
    else
      remark << "no time on " << target << ": "
             << (floor.work.bytes().get()
                     ? "no peak of it is known"
                     : "sizes are dynamic (option 'sizes' gives them)");
    for (const FloorTerm &term : floor.terms) {
      Diagnostic &note = remark.attachNote(kernel.op->getLoc());
      note << term.resource << ": " << formatAmount(term.amount, term.unit);
      if (term.peak > 0)
        note << " at " << formatAmount(term.peak, term.unit) << "/s, "
             << formatSeconds(term.seconds());
    }
    noteDynamic(remark, kernel.op->getLoc(), floor.work);
    if (cost && cost->seconds())
      remark.attachNote(kernel.op->getLoc())
          << "this schedule: " << formatSeconds(*cost->seconds())
          << " at best, bound by " << cost->terms.front().resource;
    if (floor.work.live < 1)
      remark.attachNote(kernel.op->getLoc())
          << "a mask leaves " << formatAmount(100 * floor.work.live, "%")
          << " of the points";
    if (floor.exponents.size() > 1)
      for (auto [facts, exponent] : llvm::zip(kernel.ops, floor.exponents)) {
        Diagnostic &note = remark.attachNote(facts.op->getLoc());
        note << facts.name << " = " << facts.what << ": exponent = ";
        if (exponent.hbl)
          note << formatFraction(exponent.hbl->exponent);
        else
          note << "none, since no array bounds one of its loops";
      }
  }

  static std::optional<ScheduleCost> costOf(Operation *op, TargetAttr target,
                                            const Floor &floor) {
    auto kernel = dyn_cast<KernelOp>(op);
    auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
    std::string why;
    if (!kernel || !schedule)
      return std::nullopt;
    FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
    if (failed(plan))
      return std::nullopt;
    return ScheduleCost::get(kernel, *plan, schedule, target, floor);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<TargetAttr> facts = lookupTarget(&getContext(), target);
    if (failed(facts)) {
      auto error = module.emitError("unknown target '")
                   << target << "'; known are ";
      llvm::interleaveComma(getTargetNames(), error);
      return signalPassFailure();
    }
    Sizes given;
    if (failed(readSizes(given)))
      return signalPassFailure();
    Peaks peaks = lookupPeaks(target);
    AsmState state(module);
    bool any = false;
    module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
      double total = 0;
      bool timed = true;
      std::vector<KernelFacts> kernels = explainKernels(function, state);
      for (const KernelFacts &kernel : kernels) {
        any = true;
        auto structured = dyn_cast<StructuredOp>(kernel.op);
        Floor floor = structured
                          ? Floor::get(structured, peaks, given)
                          : Floor::get(cast<KernelOp>(kernel.op), peaks, given);
        std::optional<ScheduleCost> cost = costOf(kernel.op, *facts, floor);
        kernel.op->setAttr("tang.floor",
                           attributeOf(floor, cost, Builder(&getContext())));
        timed &= floor.seconds().has_value() && !kernel.inLoop;
        total += floor.seconds().value_or(0);
        if (remarks)
          say(kernel, floor, cost);
      }
      if (remarks && timed && kernels.size() > 1)
        emitRemark(function.getLoc())
            << function.getName() << ": floor " << formatSeconds(total)
            << " on " << target << " for " << kernels.size()
            << " kernels one after another";
    });
    if (remarks && !any)
      emitRemark(module.getLoc())
          << "no floor: no maps, folds or kernels on tensors";
  }
};
} // namespace
