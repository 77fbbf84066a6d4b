//===- Report.h - Results, comparisons and times for people and files ----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_REPORT_H
#define TANG_TOOLS_TANG_RUN_REPORT_H

#include "Runner.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tang_run {

/// Tolerances as given on the command line.
struct ToleranceTexts {
  std::string rtol;
  std::string atol;
};

/// Compares each result with its .npy file and prints what it finds.
/// `maxError` becomes the largest absolute error of all.
ExitCode compareOutputs(const tang_rt::FunctionInfo &function,
                        llvm::ArrayRef<tang_rt::HostTensor> outputs,
                        llvm::ArrayRef<std::string> files,
                        const ToleranceTexts &tolerances, double &maxError);

/// Median, minimum, spread and rates on standard output.
void printTiming(const Runner &runner, llvm::StringRef target,
                 const Timing &timing);

/// Writes a result file of the contracts with one row.
bool writeJson(const std::string &path, llvm::StringRef name,
               const Runner &runner, const std::optional<Timing> &timing,
               std::optional<double> error);

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_REPORT_H
