//===- VulkanShader.h - What a SPIR-V module needs of a device ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_VULKANSHADER_H
#define TANG_LIB_RUNTIME_VULKANSHADER_H

#include <cstdint>
#include <string>
#include <vector>

namespace tang_rt {

/// What a device can do that a kernel may ask for.
struct ShaderFeatures {
  bool int8 = false, int16 = false, int64 = false, float64 = false;
  bool storage8 = false, storage16 = false;
  /// Compiles unrolled loops for minutes, as drivers that run kernels on the
  /// CPU do; loops around loops are then marked to be left alone.
  bool isSlowCompiler = false;
  /// Float controls by the width of the float, 32 and 64 bits.
  struct FloatControls {
    bool preservesDenormals = false;
    bool roundsToNearestEven = false;
    bool preservesSpecials = false;
  } floats32, floats64;
};

struct Shader {
  std::vector<uint32_t> words;
  /// Variables in storage buffers, and the size of a workgroup of the entry
  /// point.
  unsigned numStorageBuffers = 0;
  uint32_t localSize = 0;
};

/// Reads the parts of a module that say what it needs. Float controls that the
/// device does not have are left out, as the device's own way is then the best
/// there is; all else that it lacks is an Error.
Shader adaptShader(const std::string &binary, const std::string &entryPoint,
                   const ShaderFeatures &features);

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_VULKANSHADER_H
