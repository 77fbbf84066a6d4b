//===- Floor.cpp - What no schedule can beat ------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/Floor.h"

#include "Tang/Analysis/Floor/TileProgram.h"
#include "Tang/Analysis/KernelPlan.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

class FloorBuilder {
public:
  FloorBuilder(Floor &floor, const Peaks &peaks, const Sizes &sizes)
      : floor(floor), peaks(peaks), sizes(sizes) {}

  /// The exponent of an operation, all values that it touches counting.
  void addExponent(StructuredOp op);
  /// What its loops must move, given values that memory holds.
  void addLoops(StructuredOp op,
                llvm::function_ref<double(Value, bool)> storedBytes);
  void finish();

private:
  void term(std::string resource, double amount, double peak, StringRef unit) {
    if (amount > 0)
      floor.terms.push_back({std::move(resource), amount, peak, unit});
  }

  Floor &floor;
  const Peaks &peaks;
  const Sizes &sizes;
  double memory = 0, cache = 0, mostPoints = 0;
};

} // namespace

void FloorBuilder::addExponent(StructuredOp op) {
  std::optional<Hbl> hbl = Hbl::get(Nest::get(op, nullptr, sizes));
  floor.exponents.push_back({op, hbl});
  if (!hbl)
    return;
  double points = pointsOf(op).at(sizes).get().value_or(0);
  if (!floor.exponent || points > mostPoints ||
      (points == mostPoints && hbl->exponent > *floor.exponent)) {
    mostPoints = points;
    floor.exponent = hbl->exponent;
  }
}

void FloorBuilder::addLoops(
    StructuredOp op, llvm::function_ref<double(Value, bool)> storedBytes) {
  std::optional<int64_t> points = pointsOf(op).at(sizes).get();
  // A negative size, which a run refuses, is no work.
  if (!points || *points <= 0 || !peaks.cacheBytes)
    return;
  Nest nest = Nest::get(op, storedBytes, sizes);
  double live = *points * floor.work.live;
  memory = std::max(memory, boundTraffic(nest, live, peaks.cacheBytes));
  if (peaks.unitBytes)
    cache = std::max(cache, boundTraffic(nest, live, peaks.unitBytes));
}

/// Bytes of memory that hold an element of a value in a kernel: its own if it
/// is an input or yielded, those of what it becomes if a map at the same points
/// is yielded; else 0.
static double bytesInMemory(Value value, bool isResult) {
  auto own = [](Value of) {
    return static_cast<double>(bytesOfElement(of.getType()).get().value_or(1));
  };
  if (isa<BlockArgument>(value))
    return own(value);
  double bytes = 0;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<KernelOp>(user->getParentOp()) &&
        user->hasTrait<OpTrait::IsTerminator>()) {
      bytes += own(value);
      continue;
    }
    auto map = dyn_cast<MapOp>(user);
    if (!map || !isResult)
      continue;
    auto structured = cast<StructuredOp>(user);
    for (auto [in, indices] :
         llvm::zip(structured.getIns(), structured.getInMapArray()))
      if (in == value && indices.isPermutation())
        for (Value result : user->getResults())
          bytes += bytesInMemory(result, isResult);
  }
  return bytes;
}

void FloorBuilder::finish() {
  if (std::optional<int64_t> bytes = floor.work.bytes().get()) {
    // Whatever a unit needs comes through the cache.
    term("memory", std::max<double>(memory, *bytes), peaks.memoryPerSecond,
         "B");
    if (peaks.cachePerSecond > 0)
      term("cache", std::max<double>(cache, *bytes), peaks.cachePerSecond, "B");
  }
  for (const auto &[type, count] : floor.work.contraction) {
    bool matrix = peaks.matrix.count(type);
    term((matrix ? "matrix " : "arithmetic ") + type, count.get().value_or(0),
         peaks.contractionsPerSecond(type), "flop");
  }
  for (const auto &[type, count] : floor.work.arithmetic)
    term("arithmetic " + type, count.get().value_or(0),
         peaks.arithmeticPerSecond(type), "flop");
  // What one unit does for several kinds of work adds up.
  for (size_t i = 0; i < floor.terms.size(); ++i)
    for (size_t j = floor.terms.size(); j-- > i + 1;)
      if (floor.terms[i].resource == floor.terms[j].resource) {
        floor.terms[i].amount += floor.terms[j].amount;
        floor.terms.erase(floor.terms.begin() + j);
      }
  term("special functions", floor.work.special.get().value_or(0),
       peaks.specialPerSecond, "op");
  term("integers", floor.work.integer.get().value_or(0), peaks.integerPerSecond,
       "op");
  llvm::stable_sort(floor.terms, slower);
}

Floor Floor::get(KernelOp kernel, const Peaks &peaks, const Sizes &sizes) {
  Floor floor;
  floor.work = Work::get(kernel, sizes);
  FloorBuilder builder(floor, peaks, sizes);
  for (StructuredOp op : getKernelOps(kernel)) {
    builder.addExponent(op);
    builder.addLoops(op, bytesInMemory);
  }
  builder.finish();
  return floor;
}

Floor Floor::get(StructuredOp op, const Peaks &peaks, const Sizes &sizes) {
  Floor floor;
  floor.work = Work::get(op, sizes);
  FloorBuilder builder(floor, peaks, sizes);
  builder.addExponent(op);
  builder.addLoops(op, nullptr);
  builder.finish();
  return floor;
}

std::optional<double> Floor::seconds() const {
  if (terms.empty() || terms.front().peak == 0)
    return std::nullopt;
  return terms.front().seconds();
}

std::string Floor::binding() const {
  return seconds() ? terms.front().resource : "";
}

static std::string scaled(double value, ArrayRef<StringRef> units) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(value < 10 ? "%.3g" : "%.4g", value) << " "
      << units[unit];
  return text;
}

std::string mlir::tang::formatSeconds(double seconds) {
  return scaled(seconds * 1e9, {"ns", "us", "ms", "s"});
}

std::string mlir::tang::formatAmount(double amount, StringRef unit) {
  std::string units[] = {unit.str(), ("k" + unit).str(), ("M" + unit).str(),
                         ("G" + unit).str(), ("T" + unit).str()};
  return scaled(amount, {units[0], units[1], units[2], units[3], units[4]});
}
