//===- TensorMaps.cpp - Views of buffers for the copy engine of a GPU ----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All limits are those of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map
// Object Management") without interleaving. The driver would only answer
// CUDA_ERROR_INVALID_VALUE.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "Tang/Runtime/DType.h"

#include <algorithm>

namespace tang_rt {

static constexpr size_t kMaxRank = 5;
static constexpr int64_t kMaxDim = int64_t(1) << 32;
static constexpr int64_t kMaxStride = int64_t(1) << 40;
static constexpr int64_t kMaxBox = 256;

/// Why a tensor map cannot have this size, or null.
static const char *badDim(int64_t size) {
  return size < 0 || size > kMaxDim ? "must be from 0 to 2^32" : nullptr;
}

static const char *badStride(int64_t bytes) {
  return bytes < 0 || bytes >= kMaxStride || bytes % 16 != 0
             ? "must be a multiple of 16 bytes below 2^40"
             : nullptr;
}

static LaunchSize parseSize(const JsonNode &node, const KernelInfo &kernel,
                            const char *(*bad)(int64_t)) {
  LaunchSize size;
  if (!node.get().is_object()) {
    size.factor = node.integer();
    if (const char *why = bad(size.factor))
      node.fail(why);
    return size;
  }
  JsonNode scalar = node["scalar"];
  size.scalar = int(scalar.integer(0, std::numeric_limits<int>::max()));
  if (size_t(size.scalar) >= kernel.scalars.size())
    scalar.fail("is scalar " + std::to_string(size.scalar) +
                ", but the kernel has " +
                std::to_string(kernel.scalars.size()));
  if (isFloat(kernel.scalars[size_t(size.scalar)]))
    scalar.fail("is a float, must be an integer");
  size.factor = node.has("times") ? node["times"].integer(1, kMaxStride) : 1;
  return size;
}

/// A member that is one of a few numbers; absent: 0.
static int64_t parseChoice(const JsonNode &node, const char *member,
                           std::initializer_list<int64_t> choices) {
  if (!node.has(member))
    return 0;
  JsonNode choice = node[member];
  int64_t value = choice.integer();
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    std::string list;
    for (int64_t known : choices)
      list += (list.empty() ? "" : ", ") + std::to_string(known);
    choice.fail("is " + std::to_string(value) + ", must be one of " + list);
  }
  return value;
}

TensorMapInfo parseTensorMap(const JsonNode &node, const KernelInfo &kernel) {
  TensorMapInfo map;
  JsonNode buffer = node["buffer"], dtype = node["dtype"], dims = node["dims"],
           strides = node["strides"], box = node["box"];
  map.buffer = size_t(buffer.integer(0));
  if (map.buffer >= kernel.buffers.size())
    buffer.fail("is buffer " + std::to_string(map.buffer) +
                ", but the kernel has " +
                std::to_string(kernel.buffers.size()));
  if (!parseDType(dtype.string(), map.dtype))
    dtype.fail("is not an element type: '" + dtype.string() + "'");
  if (dtypeBytes(map.dtype) != dtypeBytes(kernel.buffers[map.buffer].dtype))
    dtype.fail("differs in size from the buffer's, " +
               std::string(dtypeName(kernel.buffers[map.buffer].dtype)));
  for (const JsonNode &size : dims.elements())
    map.dims.push_back(parseSize(size, kernel, badDim));
  if (map.dims.empty() || map.dims.size() > kMaxRank)
    dims.fail("must have one to five sizes");
  for (const JsonNode &stride : strides.elements())
    map.strides.push_back(parseSize(stride, kernel, badStride));
  if (map.strides.size() != map.dims.size() - 1)
    strides.fail("must have one size less than dims");
  for (const JsonNode &size : box.elements())
    map.box.push_back(size.integer(1, kMaxBox));
  if (map.box.size() != map.dims.size())
    box.fail("must have as many sizes as dims");
  map.swizzle = parseChoice(node, "swizzle", {0, 32, 64, 128});
  map.l2 = parseChoice(node, "l2", {0, 64, 128, 256});
  int64_t row = map.box[0] * int64_t(dtypeBytes(map.dtype));
  if (row % 16 != 0)
    box.fail("has rows of " + std::to_string(row) +
             " bytes, must be a multiple of 16");
  if (map.swizzle != 0 && row > map.swizzle)
    box.fail("has rows of " + std::to_string(row) +
             " bytes, more than the swizzle of " + std::to_string(map.swizzle));
  return map;
}

TensorMapSizes resolveSizes(const TensorMapInfo &map,
                            const std::vector<KernelScalar> &scalars) {
  TensorMapSizes sizes;
  auto resolve = [&](const LaunchSize &size, const std::string &what,
                     const char *(*bad)(int64_t)) {
    int64_t value = size.factor;
    if (size.scalar >= 0 &&
        __builtin_mul_overflow(scalars[size_t(size.scalar)].integer,
                               size.factor, &value))
      throw Error(what + " exceeds 63 bits");
    if (const char *why = bad(value))
      throw Error(what + " is " + std::to_string(value) + ", " + why);
    return uint64_t(value);
  };
  for (size_t i = 0; i < map.dims.size(); ++i) {
    sizes.dims.push_back(
        resolve(map.dims[i], "dimension " + std::to_string(i), badDim));
    sizes.isEmpty |= sizes.dims.back() == 0;
  }
  for (size_t i = 0; i < map.strides.size(); ++i)
    sizes.strides.push_back(
        resolve(map.strides[i],
                "the stride of dimension " + std::to_string(i + 1), badStride));
  return sizes;
}

} // namespace tang_rt
