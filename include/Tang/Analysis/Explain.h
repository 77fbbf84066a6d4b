//===- Explain.h - What derivation did, in words ----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivation leaves its record in the IR, as discardable attributes:
//
//  - `tang.rules` on kernels and operations, strings
//    "<rule>: <law>; <numeric effect>",
//  - `tang.missed` on operations that were tried and not fused, strings
//    "<rule>: <why, with the subexpression>",
//  - `tang.fold` on reductions, `#tang.fold`.
//
// Here they are put together with each kernel's passes and traffic, for
// `--tang-explain` and reports.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_EXPLAIN_H
#define TANG_ANALYSIS_EXPLAIN_H

#include "Tang/Analysis/Traffic.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tang {

/// A string of `tang.rules` or, without an effect, of `tang.missed`.
struct Rule {
  std::string name, text, effect;
};

/// An operation of a kernel, or one that is a kernel of its own.
struct OperationFacts {
  Operation *op;
  /// As the module is printed: `%7`.
  std::string name;
  /// `add over 16`.
  std::string what;
  /// When it runs: `pass 1`, `each step of pass 1`, `after pass 1`.
  std::string when;
  /// Null without a contract.
  FoldAttr fold;
  /// Names of the running values that rescale it.
  SmallVector<std::string> gauges;
  SmallVector<Rule> rules, missed;

  /// `accumulates in f32 in blocks of 32; error at most 43 u`; empty without a
  /// contract.
  std::string contract() const;
};

struct KernelFacts {
  Operation *op;
  /// As in emitted source: `main_kernel0`.
  std::string name;
  std::vector<OperationFacts> ops;
  /// One line for each pass.
  SmallVector<std::string> passes;
  /// Sizes of the dimensions that programs share out: `4 x 16`.
  std::string grid;
  /// Why a kernel has no plan; empty if it has one.
  std::string noPlan;
  SmallVector<Rule> rules, missed;
  Traffic traffic;
  /// Runs once for each iteration of a loop.
  bool inLoop = false;

  /// `5 operations in one pass`.
  std::string summary() const;
};

/// The kernels of a function in order: each `tang.kernel`, and each structured
/// operation outside of one.
std::vector<KernelFacts> explainKernels(FunctionOpInterface function,
                                        AsmState &state);

/// One operation: `add over 16`, `map on 8 x 96`.
std::string describeOperation(Operation *op);
/// The same and where it is written: `add over 16 at 12:8`.
std::string describePlace(Operation *op);
/// A value of a body as a formula, `roundeven(x0 / r)`: x0, x1, ... are the
/// body's arguments, those in `gauges` r (or r0, r1, ...).
std::string describeExpression(Value value, ArrayRef<Value> gauges);
/// A value as the module is printed.
std::string nameOf(Value value, AsmState &state);
/// `4 tensors`, `1 tensor`.
std::string plural(int64_t count, StringRef what);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_EXPLAIN_H
