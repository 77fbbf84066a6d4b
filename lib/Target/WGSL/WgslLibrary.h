//===- WgslLibrary.h - WGSL text that kernels call --------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each text is a list of functions with an empty line between two, none within,
// and comments directly above.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_WGSL_WGSLLIBRARY_H
#define TANG_LIB_TARGET_WGSL_WGSLLIBRARY_H

#include "WgslImpl.h"

namespace mlir::tang {

/// Packed elements, 64-bit integers, and conversions between integers and f32.
extern const char *const wgslIntegers;
/// What WGSL leaves open of f32: special values, fused and exact operations.
extern const char *const wgslFloats;
/// The functions of `math` on f32.
extern const char *const wgslMath;

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_WGSL_WGSLLIBRARY_H
