//===- Floor.h - How close a run came to its floor --------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_FLOOR_H
#define TANG_TOOLS_TANG_RUN_FLOOR_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tang_run {

/// One resource of one kernel: bytes or operations, how many a second at most
/// (0: not known), and how many the schedule takes.
struct FloorTerm {
  std::string resource;
  double amount = 0, peak = 0, scheduled = 0;
  double seconds() const { return peak > 0 ? amount / peak : 0; }
};

struct KernelFloor {
  std::string name, exponent;
  /// The slowest first.
  std::vector<FloorTerm> terms;

  double seconds() const { return terms.empty() ? 0 : terms.front().seconds(); }
  /// What the schedule takes at best.
  double scheduleSeconds() const;
};

/// What no schedule of a function can beat, kernels one after another.
struct FunctionFloor {
  std::vector<KernelFloor> kernels;
  /// Where peaks come from: `as published`.
  std::string source;

  double seconds() const;
  double scheduleSeconds() const;
  /// The resource that binds for the longest time.
  std::string binding() const;
  /// Of a resource in all kernels.
  double amountOf(const std::string &resource) const;
};

/// What the manifest says of a function's kernels; nothing where one has no
/// floor (dynamic sizes) or runs more than once. Where it has no peaks and the
/// target runs on this machine's processor, they are measured: a copy of
/// `bytes`, and multiply-adds of f32.
std::optional<FunctionFloor> readFloor(const std::string &manifest,
                                       const std::string &function, bool onHost,
                                       uint64_t bytes);

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_FLOOR_H
