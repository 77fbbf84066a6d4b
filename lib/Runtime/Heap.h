//===- Heap.h - Counted buffers of a device, reused ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_HEAP_H
#define TANG_LIB_RUNTIME_HEAP_H

#include "Tang/Runtime/Device.h"

#include <map>

namespace tang_rt {

class Heap;

/// Memory on a device that goes back to its heap with the last reference.
class Buffer {
public:
  Buffer(Heap &heap, DeviceMemory memory, uint64_t capacity)
      : heap(heap), memory(memory), capacity(capacity) {}
  Buffer(const Buffer &) = delete;
  ~Buffer();

  DeviceMemory get() const { return memory; }

  /// Inputs of a call and constants may not be written.
  bool readonly = false;

private:
  friend class Heap;
  Heap &heap;
  DeviceMemory memory;
  uint64_t capacity;
};

/// A device's memory. A buffer that is not used any more is kept for the next
/// request of about its size; when the device is out of memory, everything
/// kept is given back first.
class Heap {
public:
  explicit Heap(Device &device);
  ~Heap() { trim(); }

  std::shared_ptr<Buffer> alloc(uint64_t bytes);

  /// Takes the memory out of a buffer that only the caller refers to; it is
  /// then the caller's to free. Null for memory that is shared or reserved.
  DeviceMemory take(std::shared_ptr<Buffer> &buffer);

  /// Gives memory kept for reuse back to the device.
  void trim();

  uint64_t heldBytes() const { return held; }
  uint64_t peakBytes() const { return peak; }
  void resetPeak() { peak = held; }

private:
  friend class Buffer;
  void giveBack(DeviceMemory memory, uint64_t capacity);

  Device &device;
  std::multimap<uint64_t, DeviceMemory> kept;
  uint64_t held = 0;
  uint64_t peak = 0;
  /// Fill new buffers with a pattern, to find reads of undefined contents.
  bool poison;
};

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_HEAP_H
