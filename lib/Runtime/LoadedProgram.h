//===- LoadedProgram.h - A program on a device, ready to be called -------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_LOADEDPROGRAM_H
#define TANG_LIB_RUNTIME_LOADEDPROGRAM_H

#include "Interpreter.h"

#include <mutex>
#include <string_view>

namespace tang_rt {

/// A device with its memory; programs and calls share it.
struct Context {
  Context(const std::string &target, int index)
      : device(openDevice(target, index)), heap(*device),
        kind(deviceKind(target)), name(device->name()),
        driver(device->driver()) {}

  std::unique_ptr<Device> device;
  Heap heap;
  std::string kind, name, driver;
  std::mutex mutex;
};

/// A checked program with its kernels and constants on a device.
struct LoadedProgram {
  std::shared_ptr<Context> context;
  Program program;
  std::unique_ptr<DeviceCode> code;
  std::vector<std::shared_ptr<Buffer>> constants;
  uint64_t stepLimit = 0;

  /// Runs a function and waits for the device; `seconds` is the time that took.
  std::vector<SlotValue> run(size_t function,
                             const std::vector<SlotValue> &inputs,
                             double *seconds = nullptr);
};

/// Files in memory, which are only looked at.
using FileViews = std::vector<std::pair<std::string, std::string_view>>;

/// Loads a program from files in memory; kernels of the host come from
/// `resolve` if it is set. Throws Error.
std::unique_ptr<LoadedProgram>
loadFromFiles(const std::shared_ptr<Context> &context, const FileViews &files,
              std::function<void *(const char *)> resolve);

/// Loads a bundle, a directory or a .tangb file. Throws Error.
std::unique_ptr<LoadedProgram>
loadBundle(const std::shared_ptr<Context> &context, const std::string &path);

/// The text of a bundle's manifest. Throws Error.
std::string readManifest(const std::string &path);

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_LOADEDPROGRAM_H
