//===- WgslImpl.h - Inside the WGSL target ----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_WGSL_WGSLIMPL_H
#define TANG_LIB_TARGET_WGSL_WGSLIMPL_H

#include "Tang/Target/WGSL.h"

namespace mlir::tang {

/// Index arithmetic that 32 bits may not hold becomes i64; afterwards every
/// index is an i32.
LogicalResult widenLargeIndices(ModuleOp module);

/// The functions of the WGSL library that `source` calls, directly or not, as
/// text.
std::string wgslFunctionsFor(StringRef source);

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_WGSL_WGSLIMPL_H
