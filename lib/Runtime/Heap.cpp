//===- Heap.cpp - Counted buffers of a device, reused --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Heap.h"

#include "Error.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tang_rt {

Heap::Heap(Device &device)
    : device(device), poison(std::getenv("TANG_POISON_BUFFERS") != nullptr) {}

Buffer::~Buffer() {
  if (memory)
    heap.giveBack(memory, capacity);
}

void Heap::giveBack(DeviceMemory memory, uint64_t capacity) {
  try {
    kept.emplace(capacity, memory);
  } catch (...) {
    held -= capacity;
    device.free(memory);
  }
}

std::shared_ptr<Buffer> Heap::alloc(uint64_t bytes) {
  if (bytes > uint64_t(1) << 62)
    throw Error("cannot allocate " + std::to_string(bytes) + " bytes on " +
                device.name());
  uint64_t unit = bytes < 65536 ? 64 : 4096;
  uint64_t capacity = std::max<uint64_t>(64, (bytes + unit - 1) / unit * unit);
  DeviceMemory memory = nullptr;
  auto found = kept.lower_bound(capacity);
  if (found != kept.end() && found->first <= capacity + capacity / 4) {
    capacity = found->first;
    memory = found->second;
    kept.erase(found);
  } else {
    try {
      memory = device.alloc(capacity);
    } catch (const std::exception &) {
      if (kept.empty())
        throw;
      trim();
      memory = device.alloc(capacity);
    }
    held += capacity;
    peak = std::max(peak, held);
  }
  auto buffer = std::make_shared<Buffer>(*this, memory, capacity);
  if (poison) {
    std::string pattern(std::min<uint64_t>(capacity, 1 << 20), '\xcb');
    for (uint64_t at = 0; at < capacity; at += pattern.size())
      device.upload(memory, at, pattern.data(),
                    std::min<uint64_t>(pattern.size(), capacity - at));
  }
  return buffer;
}

DeviceMemory Heap::take(std::shared_ptr<Buffer> &buffer) {
  if (buffer.use_count() != 1 || buffer->readonly)
    return nullptr;
  DeviceMemory memory = std::exchange(buffer->memory, nullptr);
  held -= buffer->capacity;
  buffer.reset();
  return memory;
}

void Heap::trim() {
  for (auto [capacity, memory] : kept) {
    held -= capacity;
    device.free(memory);
  }
  kept.clear();
}

} // namespace tang_rt
