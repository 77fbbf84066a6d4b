//===- TileToKernel.h - From the tile stage to kernel IR --------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_CONVERSION_TILETOKERNEL_H
#define TANG_CONVERSION_TILETOKERNEL_H

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace mlir {
class Pass;
namespace tang {

/// The pass `tang-tile-to-kernel`: every gpu.func at the tile stage becomes
/// kernel IR (docs/KernelIR.md). Tile values are not materialised: elementwise
/// work is recomputed as scalars inside of rolled loops over the tile's
/// positions; only what a stream carries lives in local arrays. Where `target`
/// has vectors, folds run in them, block by block of their results. Numeric
/// effect: none.
std::unique_ptr<Pass> createTileToKernelPass(llvm::StringRef target = "");

/// The pass `tang-drop-unused-arguments`: kernels and their launches lose
/// scalars that the kernel does not use. Run it after simplifying the kernels.
std::unique_ptr<Pass> createDropUnusedArgumentsPass();

/// The pass `tang-forward-locals`: in kernel IR a read of a local array becomes
/// the value that was stored or read last, where nothing is written between the
/// two. Numeric effect: none.
std::unique_ptr<Pass> createForwardLocalsPass();

void registerTileToKernelPasses();

} // namespace tang
} // namespace mlir

#endif // TANG_CONVERSION_TILETOKERNEL_H
