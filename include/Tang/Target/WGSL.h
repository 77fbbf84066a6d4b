//===- WGSL.h - Kernels as WGSL source --------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The WebGPU Shading Language has f32, i32, u32 and bool, and memory of 32-bit
// words. So
// - index is i32 where that is provably enough (no argument of type index is
//   beyond `kWgslMaxIndex` in magnitude, which the runtime checks), else i64;
// - i64 is a `vec2<u32>`, low word first, with functions for its arithmetic;
// - i16 and i8 compute as i32, cut to size after each operation, and are packed
//   in memory, two or four a word, with atomic stores;
// - infinities, NaN and comparisons that know NaN go through bits, since an
//   implementation may assume that there are none;
// - functions of `math`, the fused multiply-add and the remainder are computed
//   from integer arithmetic and f32 sums, products and quotients.
//
// f64 is an error at its operation. A kernel's interface is in docs/Bundle.md,
// "Kernel ABI".
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_WGSL_H
#define TANG_TARGET_WGSL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <utility>

namespace mlir::tang {

/// The largest magnitude of an argument of type index: twice it is still an
/// i32, so that a loop may step beyond its bound.
constexpr int64_t kWgslMaxIndex = int64_t(1) << 30;

/// WebGPU guarantees no more (maxStorageBuffersPerShaderStage,
/// maxComputeInvocationsPerWorkgroup).
constexpr unsigned kWgslMaxBuffers = 8;
constexpr int64_t kWgslMaxBlock = 256;

/// Writes the kernels of the `gpu.module`s in `module` (after
/// `tang-emulate-types` and `tang-legalize-kernel`) as one WGSL file. `module`
/// is not changed; errors are diagnostics at an operation.
LogicalResult emitWgsl(ModuleOp module, llvm::raw_ostream &os);

/// One HTML file, without outside resources, that runs the bundle of `files`
/// (names and contents) in a browser with WebGPU: on inputs that it makes up,
/// it shows progress, results, times and the kernels' source.
std::string makeWebGpuPage(StringRef title, StringRef numerics,
                           ArrayRef<std::pair<std::string, std::string>> files);

} // namespace mlir::tang

#endif // TANG_TARGET_WGSL_H
