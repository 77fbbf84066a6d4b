//===- PrintTensor.h - Tensors as text for people ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_PRINTTENSOR_H
#define TANG_RUNTIME_PRINTTENSOR_H

#include "Tang/Runtime/HostTensor.h"

namespace tang_rt {

/// Element `i` in memory order with as many digits as its type needs.
std::string elementText(const HostTensor &tensor, int64_t i);

/// The tensor in nested brackets as NumPy prints it; above `threshold`
/// elements only the first and last three of each dimension are shown.
std::string formatTensor(const HostTensor &tensor, int64_t threshold = 1000);

} // namespace tang_rt

#endif // TANG_RUNTIME_PRINTTENSOR_H
