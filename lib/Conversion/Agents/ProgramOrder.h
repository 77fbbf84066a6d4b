//===- ProgramOrder.h - Which block runs which programs ---------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_PROGRAMORDER_H
#define TANG_LIB_CONVERSION_AGENTS_PROGRAMORDER_H

#include "AgentPlan.h"

namespace mlir::tang {

/// The programs of each of `blocks` blocks, in order, where dealing them out
/// one by one would give some blocks more to do than others; nothing where it
/// would not, where it is not known how many steps a program has, or for more
/// programs than a table should hold.
///
/// Programs are taken in their order and given to the block that has least to
/// do (Graham's list scheduling): neighbours still run at the same time, and if
/// the last programs are short ones, all blocks end together.
std::optional<SmallVector<SmallVector<int32_t>>>
orderPrograms(gpu::GPUFuncOp kernel, const AgentPlan &plan, int64_t blocks);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_PROGRAMORDER_H
