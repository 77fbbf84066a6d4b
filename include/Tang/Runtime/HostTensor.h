//===- HostTensor.h - An owned tensor in host memory ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_HOSTTENSOR_H
#define TANG_RUNTIME_HOSTTENSOR_H

#include "Tang/Runtime/DType.h"

#include <cstdlib>
#include <cstring>
#include <utility>

struct tang_rt_tensor;

namespace tang_rt {

/// Bytes aligned to 64, from the C library's aligned_alloc. Copying copies.
class HostStorage {
public:
  HostStorage() = default;
  HostStorage(HostStorage &&other) noexcept { swap(other); }
  HostStorage(const HostStorage &other) {
    if (allocate(other.bytes) && bytes)
      std::memcpy(memory, other.memory, bytes);
  }
  HostStorage &operator=(HostStorage other) noexcept {
    swap(other);
    return *this;
  }
  ~HostStorage() { std::free(memory); }

  /// Replaces the contents by `size` bytes of unknown value; false if there is
  /// not enough memory (the storage is then empty).
  bool allocate(size_t size);
  /// Takes over memory from aligned_alloc or malloc.
  void adopt(void *allocated, size_t size) {
    std::free(memory);
    memory = allocated;
    bytes = size;
  }
  /// Gives the memory up; the caller frees it with free().
  void *release() {
    bytes = 0;
    return std::exchange(memory, nullptr);
  }
  std::byte *data() { return static_cast<std::byte *>(memory); }
  const std::byte *data() const { return static_cast<std::byte *>(memory); }
  size_t size() const { return bytes; }
  void swap(HostStorage &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
  }

private:
  void *memory = nullptr;
  size_t bytes = 0;
};

/// A dense tensor, last dimension fastest, that owns its memory. Elements are
/// stored as in a bundle's buffers: i4 one a byte, sign-extended; i1 one a
/// byte, 0 or 1; index as 64 bits; bf16 and f8 as their bits.
struct HostTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  HostStorage data;

  /// Makes `tensor` one of that type and shape, its elements zero. False with
  /// a message if a size is negative, the size overflows or memory is short.
  static bool create(DType dtype, std::vector<int64_t> shape,
                     HostTensor &tensor, std::string &error);

  int64_t numElements() const;
  std::string typeStr() const { return typeString(dtype, shape); }

  template <typename T> T *as() { return reinterpret_cast<T *>(data.data()); }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(data.data());
  }

  /// Element `i` in memory order as a double. An integer past 2^53 is rounded;
  /// i1 is 0 or 1.
  double getDouble(int64_t i) const;
  /// Element `i` of an integer tensor, sign-extended (i1 as 0 or 1).
  int64_t getInt(int64_t i) const;
  /// Rounds `value` once to the element type (to nearest even; integers:
  /// truncated and saturated).
  void setDouble(int64_t i, double value);
  /// Stores the low bits into an integer tensor, or rounds into a float one.
  void setInt(int64_t i, int64_t value);

  /// A copy converted element by element to `type`; false if memory is short.
  bool convertTo(DType type, HostTensor &result, std::string &error) const;

  /// A view for the C ABI; valid as long as this tensor is not changed.
  tang_rt_tensor view() const;
};

/// One element at `address`, as `HostTensor::getInt`.
int64_t loadInteger(DType type, const void *address);
void storeInteger(DType type, void *address, int64_t value);
/// One float element at `address`.
double loadFloat(DType type, const void *address);
void storeFloat(DType type, void *address, double value);

} // namespace tang_rt

#endif // TANG_RUNTIME_HOSTTENSOR_H
