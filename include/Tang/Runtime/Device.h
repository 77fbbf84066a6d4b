//===- Device.h - What a device must do ----------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole interface between the host-program interpreter and a kind of
// device. Functions throw std::exception with a message on failure; only the
// runtime itself, which is built with exceptions, calls them. One thread at a
// time uses a device. To add a kind: implement these two classes and add a line
// to Devices.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_DEVICE_H
#define TANG_RUNTIME_DEVICE_H

#include "Tang/Runtime/DType.h"

#include <chrono>
#include <functional>
#include <memory>

namespace tang_rt {

/// An argument of a kernel as the manifest describes it.
struct KernelBuffer {
  std::string name;
  DType dtype;
  bool readonly;
};

/// A size that a launch settles: `factor`, or the value of a scalar argument
/// times `factor`.
struct LaunchSize {
  /// A scalar argument by its number, or -1.
  int scalar = -1;
  int64_t factor = 0;
};

/// A view of a buffer for the copy engine of a GPU (CUtensorMap), the innermost
/// dimension first.
struct TensorMapInfo {
  /// A buffer argument by its number.
  size_t buffer = 0;
  DType dtype = DType::F32;
  /// Elements.
  std::vector<LaunchSize> dims;
  /// Bytes from one index of dimension 1, 2, ... to the next.
  std::vector<LaunchSize> strides;
  /// Elements that one copy moves.
  std::vector<int64_t> box;
  /// Bytes: the pattern in shared memory, and the size of fetches into L2.
  int64_t swizzle = 0;
  int64_t l2 = 0;
};

struct KernelInfo {
  std::string name;
  std::string file;
  /// Threads a block.
  int64_t block[3] = {1, 1, 1};
  /// Shared memory that a launch adds to what the kernel declares itself.
  int64_t sharedBytes = 0;
  /// Blocks that run together on neighbouring processors.
  int64_t cluster = 1;
  /// May start before the launch ahead of it is done, for which it waits
  /// itself.
  bool dependentLaunch = false;
  std::vector<KernelBuffer> buffers;
  /// Types of the scalars that follow the buffers.
  std::vector<DType> scalars;
  /// These follow the scalars.
  std::vector<TensorMapInfo> tensorMaps;
};

/// A scalar argument: integers and index in `integer` (sign-extended, i1 as 0
/// or 1), floats in `real`, already rounded to their type.
struct KernelScalar {
  int64_t integer = 0;
  double real = 0;
};

/// Where a device finds the code of the kernels.
struct CodeSource {
  /// The contents of a file of the bundle; throws if there is none.
  std::function<std::string(const std::string &name)> read;
  /// The file's path if the bundle is a directory, else empty.
  std::function<std::string(const std::string &name)> path;
  /// Resolves a kernel of the JIT, or null.
  std::function<void *(const char *name)> resolve;
};

/// Memory on a device; what it is, only the device knows.
using DeviceMemory = void *;

/// The loaded kernels of one program.
class DeviceCode {
public:
  virtual ~DeviceCode() = default;
};

class Device {
public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  virtual std::string driver() const = 0;

  /// At least `bytes` bytes aligned to 64, contents unknown. Throws if there
  /// is not enough memory.
  virtual DeviceMemory alloc(uint64_t bytes) = 0;
  virtual void free(DeviceMemory memory) = 0;

  /// Copies between host and device; done when they return. The source may be
  /// changed and the memory used afterwards.
  virtual void upload(DeviceMemory to, uint64_t offset, const void *from,
                      uint64_t bytes) = 0;
  virtual void download(void *to, DeviceMemory from, uint64_t offset,
                        uint64_t bytes) = 0;
  /// Copies on the device, in order with launches.
  virtual void copy(DeviceMemory to, DeviceMemory from, uint64_t bytes) = 0;

  /// Loads or builds all kernels; throws with the builder's log.
  virtual std::unique_ptr<DeviceCode>
  load(const std::vector<KernelInfo> &kernels, const CodeSource &source) = 0;

  /// Starts kernel number `kernel` over `grid` >= 1 blocks. Launches and
  /// copies take effect in order.
  virtual void launch(DeviceCode &code, size_t kernel, int64_t grid,
                      const std::vector<DeviceMemory> &buffers,
                      const std::vector<KernelScalar> &scalars) = 0;

  /// Waits until everything started is done.
  virtual void sync() = 0;

  /// `stopTimer` waits as `sync` does and returns the seconds since
  /// `startTimer`: by the device's clock where it has one, so that what the
  /// host does after the last launch is not counted, else by the host's.
  virtual void startTimer();
  virtual double stopTimer();

  /// Starts overwriting the caches, so that what comes next finds its data in
  /// memory only. Throws where that cannot be done.
  virtual void flushCache();

  /// True if memory from `alloc` is plain host memory from aligned_alloc, so
  /// that a result may be handed over instead of copied.
  virtual bool sharesHostMemory() const { return false; }

private:
  std::chrono::steady_clock::time_point timerStart;
};

/// `cpu` and `c` are one kind, `host`, `cuda` and `h200` another, `cuda`; empty
/// for a target that this runtime cannot run.
std::string deviceKind(const std::string &target);

/// Opens a device; throws if there is none.
std::unique_ptr<Device> openDevice(const std::string &target, int index);

/// One line a device: its name and driver.
std::vector<std::string> listDevices(const std::string &target);

} // namespace tang_rt

#endif // TANG_RUNTIME_DEVICE_H
