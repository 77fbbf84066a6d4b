//===- Targets.h - Facts about targets --------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_TARGETS_H
#define TANG_ANALYSIS_TARGETS_H

#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang {

/// The facts of a target by name; fails for an unknown name.
FailureOr<TargetAttr> lookupTarget(MLIRContext *context, StringRef name);

/// The names `lookupTarget` knows, for messages and help.
SmallVector<StringRef> getTargetNames();

/// All facts as a table in Markdown, and below it where they come from.
void printTargets(llvm::raw_ostream &os);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_TARGETS_H
