//===- Report.h - Results, comparisons and times for people and files ----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_REPORT_H
#define TANG_TOOLS_TANG_RUN_REPORT_H

#include "Floor.h"
#include "Runner.h"

#include "Tang/Runtime/Compare.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tang_run {

/// What results must be, and how closely.
class Expectations {
public:
  /// Reads the files and parses --rtol and --atol (empty: not given), before
  /// anything is run. Prints an error and returns false.
  bool read(const tang_rt::FunctionInfo &function,
            llvm::ArrayRef<std::string> files, llvm::StringRef rtol,
            llvm::StringRef atol);

  /// Compares each result and prints what it finds. `maxError` becomes the
  /// largest absolute error of all.
  ExitCode compare(const tang_rt::FunctionInfo &function,
                   llvm::ArrayRef<tang_rt::HostTensor> outputs,
                   double &maxError) const;

private:
  std::vector<tang_rt::HostTensor> wanted;
  std::vector<tang_rt::Tolerance> tolerances;
};

/// The middle of the times in seconds.
double medianOf(const Timing &timing);

/// Median, minimum, spread and rates on standard output, and how close that is
/// to the floor, if one is known.
void printTiming(const Runner &runner, llvm::StringRef target,
                 const Timing &timing,
                 const std::optional<FunctionFloor> &floor);

/// Writes a result file of the contracts with one row.
bool writeJson(const std::string &path, llvm::StringRef name,
               const Runner &runner, const std::optional<Timing> &timing,
               const std::optional<FunctionFloor> &floor,
               std::optional<double> error);

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_REPORT_H
