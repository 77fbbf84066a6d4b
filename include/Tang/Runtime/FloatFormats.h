//===- FloatFormats.h - Bit-exact narrow floats --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_FLOATFORMATS_H
#define TANG_RUNTIME_FLOATFORMATS_H

#include "Tang/Runtime/DType.h"

namespace tang_rt {

/// The value of the low bits of `bits` read as float type `type`. Exact; NaN
/// keeps its sign and payload.
double decodeFloat(DType type, uint64_t bits);

/// The bits of `value` rounded once, to nearest even, to float type `type`.
/// Overflow gives infinity, or NaN in f8E4M3FN, which has no infinity. NaN
/// keeps its sign and the upper bits of its payload.
uint64_t encodeFloat(DType type, double value);

/// `value` rounded to float type `type`.
double roundToType(DType type, double value);

/// An integer rounded once to float type `type` (no detour through a rounded
/// double).
double integerToFloat(DType type, int64_t value, bool isUnsigned);

/// A float as an integer of type `type`: truncated, saturated, NaN gives 0.
int64_t floatToInteger(DType type, double value, bool isUnsigned);

/// The distance from `value`, rounded to `type`, to the next larger magnitude:
/// one unit in the last place. NaN and infinity give NaN.
double unitInLastPlace(DType type, double value);

} // namespace tang_rt

#endif // TANG_RUNTIME_FLOATFORMATS_H
