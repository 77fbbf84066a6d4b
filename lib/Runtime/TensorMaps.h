//===- TensorMaps.h - Views of buffers for the copy engine of a GPU ------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_TENSORMAPS_H
#define TANG_LIB_RUNTIME_TENSORMAPS_H

#include "Json.h"
#include "Tang/Runtime/Device.h"

namespace tang_rt {

/// An entry of a kernel's `tensor_maps` (docs/Bundle.md); the buffers and
/// scalars of `kernel` are complete. Throws Error.
TensorMapInfo parseTensorMap(const JsonNode &node, const KernelInfo &kernel);

/// The sizes of a tensor map in one launch.
struct TensorMapSizes {
  std::vector<uint64_t> dims, strides;
  /// There is nothing to copy.
  bool isEmpty = false;
};

/// Throws Error for a size that the hardware has no tensor map for.
TensorMapSizes resolveSizes(const TensorMapInfo &map,
                            const std::vector<KernelScalar> &scalars);

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_TENSORMAPS_H
