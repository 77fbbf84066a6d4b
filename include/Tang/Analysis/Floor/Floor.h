//===- Floor.h - What no schedule can beat ----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least time of a kernel on a device: that of the resource which is busiest
// even if everything overlaps perfectly.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_FLOOR_H
#define TANG_ANALYSIS_FLOOR_FLOOR_H

#include "Tang/Analysis/Floor/Hbl.h"
#include "Tang/Analysis/Floor/Peaks.h"
#include "Tang/Analysis/Floor/Work.h"

namespace mlir::tang {

/// One resource's part.
struct FloorTerm {
  /// `memory`, `cache`, `matrix bf16`, `arithmetic f32`, `special functions`,
  /// `integers`.
  std::string resource;
  /// Bytes or operations, and how many a second at most; 0 if that is not
  /// known.
  double amount, peak;
  /// `B` or `flop` or `op`.
  StringRef unit;

  /// 0 without a peak.
  double seconds() const { return peak > 0 ? amount / peak : 0; }
};

/// Orders terms, the slowest first.
inline bool slower(const FloorTerm &a, const FloorTerm &b) {
  return a.seconds() > b.seconds();
}

/// The bound of one operation's loops.
struct FloorExponent {
  Operation *op;
  /// Empty where memory bounds nothing.
  std::optional<Hbl> hbl;
};

struct Floor {
  Work work;
  /// The exponent of the operation with the most points, the greatest one among
  /// several; for unbounded loops, with unlimited sizes.
  std::optional<presburger::Fraction> exponent;
  std::vector<FloorExponent> exponents;
  /// Of resources with static work, the slowest first; those without a known
  /// peak last.
  std::vector<FloorTerm> terms;

  /// Empty if no term has a peak.
  std::optional<double> seconds() const;
  /// The name of the binding resource.
  std::string binding() const;

  static Floor get(KernelOp kernel, const Peaks &peaks,
                   const Sizes &sizes = {});
  static Floor get(StructuredOp op, const Peaks &peaks,
                   const Sizes &sizes = {});
};

/// `1.111 ms`.
std::string formatSeconds(double seconds);
/// `6.25 GB`, `1.1 Tflop`; in powers of 1000, `amount` of `unit`.
std::string formatAmount(double amount, StringRef unit);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_FLOOR_H
