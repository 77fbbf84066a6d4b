//===- HostTensor.cpp - An owned tensor in host memory -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/HostTensor.h"

#include "Tang/Runtime/FloatFormats.h"
#include "Tang/Runtime/Runtime.h"

#include <algorithm>

namespace tang_rt {

bool HostStorage::allocate(size_t size) {
  std::free(std::exchange(memory, nullptr));
  bytes = 0;
  if (size > (size_t(1) << 62))
    return false;
  // aligned_alloc wants a multiple of the alignment.
  memory = std::aligned_alloc(64, (std::max<size_t>(size, 1) + 63) & ~63ull);
  if (!memory)
    return false;
  bytes = size;
  return true;
}

bool HostTensor::create(DType dtype, std::vector<int64_t> shape,
                        HostTensor &tensor, std::string &error) {
  int64_t bytes;
  for (int64_t size : shape)
    if (size < 0) {
      error = "negative size in " + typeString(dtype, shape);
      return false;
    }
  if (!countBytes(dtype, shape, bytes)) {
    error = "the size of " + typeString(dtype, shape) + " exceeds 63 bits";
    return false;
  }
  if (!tensor.data.allocate(size_t(bytes))) {
    error = "cannot allocate " + std::to_string(bytes) + " bytes for " +
            typeString(dtype, shape);
    return false;
  }
  std::memset(tensor.data.data(), 0, size_t(bytes));
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return true;
}

int64_t HostTensor::numElements() const {
  int64_t count = 0;
  countElements(shape, count);
  return count;
}

int64_t loadInteger(DType type, const void *address) {
  auto read = [&](auto value) {
    std::memcpy(&value, address, sizeof value);
    return int64_t(value);
  };
  switch (dtypeBytes(type)) {
  case 8:
    return read(int64_t());
  case 4:
    return read(int32_t());
  case 2:
    return read(int16_t());
  default:
    if (type == DType::I1)
      return read(int8_t()) != 0;
    return wrapInteger(type, read(int8_t()));
  }
}

void storeInteger(DType type, void *address, int64_t value) {
  value = wrapInteger(type, value);
  std::memcpy(address, &value, dtypeBytes(type)); // Little-endian hosts.
}

double loadFloat(DType type, const void *address) {
  uint64_t bits = 0;
  std::memcpy(&bits, address, dtypeBytes(type));
  return decodeFloat(type, bits);
}

void storeFloat(DType type, void *address, double value) {
  uint64_t bits = encodeFloat(type, value);
  std::memcpy(address, &bits, dtypeBytes(type));
}

double HostTensor::getDouble(int64_t i) const {
  const std::byte *address = data.data() + size_t(i) * dtypeBytes(dtype);
  return isFloat(dtype) ? loadFloat(dtype, address)
                        : double(loadInteger(dtype, address));
}

int64_t HostTensor::getInt(int64_t i) const {
  const std::byte *address = data.data() + size_t(i) * dtypeBytes(dtype);
  return isFloat(dtype) ? floatToInteger(DType::I64, loadFloat(dtype, address),
                                         /*isUnsigned=*/false)
                        : loadInteger(dtype, address);
}

void HostTensor::setDouble(int64_t i, double value) {
  std::byte *address = data.data() + size_t(i) * dtypeBytes(dtype);
  if (isFloat(dtype))
    storeFloat(dtype, address, value);
  else
    storeInteger(dtype, address,
                 floatToInteger(dtype, value, dtype == DType::I1));
}

void HostTensor::setInt(int64_t i, int64_t value) {
  std::byte *address = data.data() + size_t(i) * dtypeBytes(dtype);
  if (isFloat(dtype))
    storeFloat(dtype, address,
               integerToFloat(dtype, value, /*isUnsigned=*/false));
  else
    storeInteger(dtype, address, value);
}

bool HostTensor::convertTo(DType type, HostTensor &result,
                           std::string &error) const {
  if (!create(type, shape, result, error))
    return false;
  int64_t count = numElements();
  bool viaFloat = isFloat(dtype);
  for (int64_t i = 0; i < count; ++i)
    if (viaFloat)
      result.setDouble(i, getDouble(i));
    else
      result.setInt(i, getInt(i));
  return true;
}

tang_rt_tensor HostTensor::view() const {
  return {tang_rt_dtype(dtype), int32_t(shape.size()), shape.data(),
          const_cast<std::byte *>(data.data())};
}

} // namespace tang_rt
