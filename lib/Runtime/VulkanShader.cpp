//===- VulkanShader.cpp - What a SPIR-V module needs of a device ----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and numbers are those of the SPIR-V specification, section 3.
//
//===----------------------------------------------------------------------===//

#include "VulkanShader.h"

#include "Error.h"

#include <cstring>

namespace tang_rt {

namespace {
constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;

enum Op : uint32_t {
  OpExtension = 10,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpVariable = 59,
  OpLoopMerge = 246,
  OpLabel = 248,
};
constexpr uint32_t kStorageBuffer = 12;
constexpr uint32_t kLocalSize = 17;
constexpr uint32_t kDontUnroll = 2;

// Capabilities 4464, 4466 and 4467, in the order of the modes that need them;
// DenormFlushToZero and RoundingModeRTZ are never asked for.
constexpr uint32_t kDenormPreserve = 4459;
constexpr uint32_t kSignedZeroInfNanPreserve = 4461;
constexpr uint32_t kRoundingModeRTE = 4462;
constexpr uint32_t kModeToCapability = 4464 - kDenormPreserve;

/// A loop that is not over yet: the block after it, and the word that says
/// whether to unroll it.
struct Loop {
  uint32_t merge;
  size_t control;
};

bool has(const ShaderFeatures::FloatControls &floats, uint32_t mode) {
  switch (mode) {
  case kDenormPreserve:
    return floats.preservesDenormals;
  case kSignedZeroInfNanPreserve:
    return floats.preservesSpecials;
  case kRoundingModeRTE:
    return floats.roundsToNearestEven;
  default:
    return false;
  }
}

bool isFloatControl(uint32_t mode) {
  return mode == kDenormPreserve || mode == kSignedZeroInfNanPreserve ||
         mode == kRoundingModeRTE;
}

/// Throws if the device lacks a capability. Float controls are for the caller.
void checkCapability(uint32_t capability, const ShaderFeatures &features) {
  auto need = [](bool has, const char *what) {
    if (!has)
      throw Error(std::string("it needs ") + what +
                  ", which the device does not have");
  };
  switch (capability) {
  case 0: // Matrix
  case 1: // Shader
    return;
  case 10:
    return need(features.float64, "64-bit floats (shaderFloat64)");
  case 11:
    return need(features.int64, "64-bit integers (shaderInt64)");
  case 22:
    return need(features.int16, "16-bit integers (shaderInt16)");
  case 39:
    return need(features.int8, "8-bit integers (shaderInt8)");
  case 4433:
    return need(features.storage16,
                "16-bit elements in buffers (storageBuffer16BitAccess)");
  case 4448:
    return need(features.storage8,
                "8-bit elements in buffers (storageBuffer8BitAccess)");
  default:
    throw Error("it needs SPIR-V capability " + std::to_string(capability));
  }
}

/// A string literal of an instruction, from word `at`.
std::string literal(const uint32_t *instruction, size_t length, size_t at) {
  const char *text = reinterpret_cast<const char *>(instruction + at);
  size_t bytes = length > at ? (length - at) * sizeof(uint32_t) : 0;
  return std::string(text, ::strnlen(text, bytes));
}
} // namespace

Shader adaptShader(const std::string &binary, const std::string &entryPoint,
                   const ShaderFeatures &features) {
  std::vector<uint32_t> words(binary.size() / sizeof(uint32_t));
  if (!words.empty())
    std::memcpy(words.data(), binary.data(), words.size() * sizeof(uint32_t));
  if (binary.size() % sizeof(uint32_t) || words.size() < kHeaderWords ||
      words[0] != kMagic)
    throw Error("it is no SPIR-V module");
  Shader shader;
  shader.words.assign(words.begin(), words.begin() + kHeaderWords);
  uint32_t entry = 0;
  bool usesFloatControls = false;
  std::vector<Loop> loops;
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t *instruction = &words[at];
    size_t length = instruction[0] >> 16;
    uint32_t op = instruction[0] & 0xFFFF;
    if (length == 0 || length > words.size() - at)
      throw Error("its SPIR-V is cut off");
    at += length;
    auto word = [&](size_t i) { return i < length ? instruction[i] : 0; };
    bool keep = true;
    if (op == OpCapability) {
      uint32_t mode = word(1) - kModeToCapability;
      if (isFloatControl(mode))
        usesFloatControls |= keep =
            has(features.floats32, mode) || has(features.floats64, mode);
      else
        checkCapability(word(1), features);
    } else if (op == OpExtension) {
      // Capabilities come before it.
      if (literal(instruction, length, 1) == "SPV_KHR_float_controls")
        keep = usesFloatControls;
    } else if (op == OpEntryPoint) {
      if (literal(instruction, length, 3) == entryPoint)
        entry = word(2);
    } else if (op == OpExecutionMode) {
      if (isFloatControl(word(2)))
        keep =
            has(word(3) == 64 ? features.floats64 : features.floats32, word(2));
      else if (word(2) == kLocalSize && word(1) == entry)
        shader.localSize = word(3);
    } else if (op == OpVariable && word(3) == kStorageBuffer) {
      ++shader.numStorageBuffers;
    }
    if (keep)
      shader.words.insert(shader.words.end(), instruction,
                          instruction + length);
    // Inner loops stay as they are: Mesa's driver for the CPU runs all loops of
    // a kernel for 65,535 steps together, of which they would take most.
    if (op == OpLoopMerge && features.isSlowCompiler) {
      for (Loop &loop : loops)
        shader.words[loop.control] = kDontUnroll;
      loops.push_back({word(1), shader.words.size() - length + 3});
    } else if (op == OpLabel && !loops.empty() &&
               loops.back().merge == word(1)) {
      loops.pop_back();
    }
  }
  if (!entry)
    throw Error("it has no kernel of this name");
  return shader;
}

} // namespace tang_rt
