//===- WarpSpecialize.h - Kernels of agents ---------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_CONVERSION_WARPSPECIALIZE_H
#define TANG_CONVERSION_WARPSPECIALIZE_H

#include <memory>

namespace mlir {
class Pass;
namespace tang {

/// The pass `tang-warp-specialize`: every kernel at the tile stage whose
/// schedule is asynchronous (`#tang.async`) becomes a producer, which issues
/// bulk copies into rings in shared memory, and groups of 128 threads, which
/// run contractions on the matrix unit and everything else on its registers.
/// What a kernel computes is not looked at: folds that are sums of products
/// become contractions, whatever they are part of.
///
/// Numeric effect: the matrix unit sums in an order of its own and does not
/// round as IEEE says in between; 2 u a step bound its error. Masked steps are
/// left out (StepBounds.cpp).
std::unique_ptr<Pass> createWarpSpecializePass();

void registerWarpSpecializePass();

} // namespace tang
} // namespace mlir

#endif // TANG_CONVERSION_WARPSPECIALIZE_H
