//===- Floor.cpp - How close a run came to its floor ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floor.h"

#include "HostPeaks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace tang_run {

double FunctionFloor::seconds() const {
  double total = 0;
  for (const KernelFloor &kernel : kernels)
    total += kernel.seconds();
  return total;
}

double KernelFloor::scheduleSeconds() const {
  double longest = 0;
  for (const FloorTerm &term : terms)
    if (term.peak > 0)
      longest = std::max(longest, term.scheduled / term.peak);
  return longest;
}

double FunctionFloor::scheduleSeconds() const {
  double total = 0;
  for (const KernelFloor &kernel : kernels)
    total += kernel.scheduleSeconds();
  return total;
}

std::string FunctionFloor::binding() const {
  std::map<std::string, double> times;
  for (const KernelFloor &kernel : kernels)
    if (!kernel.terms.empty())
      times[kernel.terms.front().resource] += kernel.seconds();
  std::string name;
  double most = 0;
  for (auto &[resource, seconds] : times)
    if (seconds > most)
      name = resource, most = seconds;
  return name;
}

double FunctionFloor::amountOf(const std::string &resource) const {
  double total = 0;
  for (const KernelFloor &kernel : kernels)
    for (const FloorTerm &term : kernel.terms)
      if (term.resource == resource)
        total += term.amount;
  return total;
}

static std::optional<KernelFloor> readKernel(const llvm::json::Object &kernel) {
  const llvm::json::Object *floor = kernel.getObject("floor");
  const llvm::json::Object *terms = floor ? floor->getObject("terms") : nullptr;
  if (!terms || terms->empty())
    return std::nullopt;
  KernelFloor result;
  result.name = kernel.getString("name").value_or("").str();
  result.exponent = floor->getString("exponent").value_or("").str();
  for (const auto &[resource, value] : *terms) {
    const llvm::json::Object *term = value.getAsObject();
    if (!term)
      return std::nullopt;
    double amount = term->getNumber("amount").value_or(0);
    result.terms.push_back({resource.str(), amount,
                            term->getNumber("peak").value_or(0),
                            term->getNumber("scheduled").value_or(amount)});
  }
  return result;
}

std::optional<FunctionFloor> readFloor(const std::string &manifest,
                                       const std::string &function, bool onHost,
                                       uint64_t bytes) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(manifest);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *root = parsed->getAsObject();
  const llvm::json::Array *launches =
      root ? root->getArray("launches") : nullptr;
  const llvm::json::Array *kernels = root ? root->getArray("kernels") : nullptr;
  if (!launches || !kernels)
    return std::nullopt;
  FunctionFloor floor;
  floor.source = "as published";
  for (const llvm::json::Value &value : *launches) {
    const llvm::json::Object *launch = value.getAsObject();
    if (!launch || launch->getString("function") != llvm::StringRef(function))
      continue;
    if (!launch->getBoolean("once").value_or(false))
      return std::nullopt;
    for (const llvm::json::Value &entry : *kernels) {
      const llvm::json::Object *kernel = entry.getAsObject();
      if (!kernel || kernel->getString("name") != launch->getString("kernel"))
        continue;
      if (std::optional<KernelFloor> own = readKernel(*kernel))
        floor.kernels.push_back(std::move(*own));
      // Merging what another kernel's floor counts.
      else if (!launch->getString("kernel")->ends_with("_merge") &&
               !launch->getString("kernel")->ends_with("_carry"))
        return std::nullopt;
    }
  }
  bool known = llvm::any_of(floor.kernels, [](const KernelFloor &kernel) {
    return llvm::any_of(kernel.terms,
                        [](const FloorTerm &term) { return term.peak > 0; });
  });
  if (floor.kernels.empty() || (!known && !onHost))
    return std::nullopt;
  if (!known) {
    HostPeaks peaks = measureHostPeaks(bytes);
    floor.source = "copy and multiply-adds, measured here";
    for (KernelFloor &kernel : floor.kernels)
      for (FloorTerm &term : kernel.terms)
        if (term.resource == "memory")
          term.peak = peaks.bytesPerSecond;
        else if (llvm::StringRef(term.resource).starts_with("arithmetic") &&
                 !llvm::StringRef(term.resource).ends_with("f64"))
          term.peak = peaks.flopsPerSecond;
  }
  for (KernelFloor &kernel : floor.kernels)
    std::stable_sort(kernel.terms.begin(), kernel.terms.end(),
                     [](const FloorTerm &a, const FloorTerm &b) {
                       return a.seconds() > b.seconds();
                     });
  if (floor.seconds() <= 0)
    return std::nullopt;
  return floor;
}

} // namespace tang_run
