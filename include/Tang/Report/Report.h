//===- Report.h - Derivation as a page for a person -------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_REPORT_REPORT_H
#define TANG_REPORT_REPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::tang {

struct ReportOptions {
  /// For the header: the module's name, the target and the numerics it was
  /// derived for.
  std::string title, target, numerics;
};

/// One HTML page that needs nothing else: the graph before and after
/// derivation, each kernel with its passes, rules, folds and traffic, what did
/// not fuse and why, and the IR. `graph` is the module at the graph stage, or
/// null if it is not known; `derived` is at the derived or scheduled stage.
/// Equal modules give equal pages.
std::string makeReport(ModuleOp graph, ModuleOp derived,
                       const ReportOptions &options);

} // namespace mlir::tang

#endif // TANG_REPORT_REPORT_H
