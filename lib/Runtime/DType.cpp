//===- DType.cpp - Element types and shapes of the runtime ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/DType.h"

namespace tang_rt {

namespace {
struct TypeFacts {
  const char *name;
  unsigned bytes;
  unsigned bits;
};
constexpr TypeFacts kTypes[kNumDTypes] = {
    {"f64", 8, 64},     {"f32", 4, 32},   {"f16", 2, 16}, {"bf16", 2, 16},
    {"f8E4M3FN", 1, 8}, {"f8E5M2", 1, 8}, {"i64", 8, 64}, {"i32", 4, 32},
    {"i16", 2, 16},     {"i8", 1, 8},     {"i4", 1, 4},   {"i1", 1, 1},
    {"index", 8, 64},
};
} // namespace

const char *dtypeName(DType type) { return kTypes[unsigned(type)].name; }
unsigned dtypeBytes(DType type) { return kTypes[unsigned(type)].bytes; }
unsigned dtypeBits(DType type) { return kTypes[unsigned(type)].bits; }

bool parseDType(std::string_view name, DType &type) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (name == kTypes[i].name) {
      type = DType(i);
      return true;
    }
  return false;
}

bool countElements(const std::vector<int64_t> &shape, int64_t &count) {
  // A zero anywhere makes the product zero, whatever the other sizes are, but
  // the others must still fit: strides are computed from them.
  int64_t product = 1;
  bool zero = false;
  for (int64_t size : shape) {
    if (size < 0)
      return false;
    if (size == 0)
      zero = true;
    else if (__builtin_mul_overflow(product, size, &product))
      return false;
  }
  count = zero ? 0 : product;
  return true;
}

bool countBytes(DType type, const std::vector<int64_t> &shape, int64_t &bytes) {
  int64_t count;
  return countElements(shape, count) &&
         !__builtin_mul_overflow(count, int64_t(dtypeBytes(type)), &bytes);
}

std::string typeString(DType type, const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape) {
    text += size == kDynamic ? "?" : std::to_string(size);
    text += 'x';
  }
  return text + dtypeName(type);
}

bool parseTypeString(std::string_view text, DType &type,
                     std::vector<int64_t> &shape, std::string &error) {
  shape.clear();
  std::string_view rest = text;
  while (!rest.empty() &&
         (rest[0] == '?' || (rest[0] >= '0' && rest[0] <= '9'))) {
    int64_t size = 0;
    size_t used = 0;
    if (rest[0] == '?') {
      size = kDynamic;
      used = 1;
    } else {
      for (; used < rest.size() && rest[used] >= '0' && rest[used] <= '9';
           ++used)
        if (__builtin_mul_overflow(size, int64_t(10), &size) ||
            __builtin_add_overflow(size, int64_t(rest[used] - '0'), &size)) {
          error = "a size in '" + std::string(text) + "' exceeds 63 bits";
          return false;
        }
    }
    if (used >= rest.size() || rest[used] != 'x') {
      error = "'" + std::string(text) + "' is not a type such as 4x8xf32";
      return false;
    }
    shape.push_back(size);
    rest.remove_prefix(used + 1);
  }
  if (parseDType(rest, type))
    return true;
  error = "unknown element type '" + std::string(rest) + "' in '" +
          std::string(text) + "'";
  return false;
}

int64_t wrapInteger(DType type, int64_t value) {
  unsigned bits = dtypeBits(type);
  if (bits == 64)
    return value;
  if (bits == 1)
    return value & 1;
  unsigned shift = 64 - bits;
  return int64_t(uint64_t(value) << shift) >> shift;
}

} // namespace tang_rt
