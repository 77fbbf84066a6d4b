//===- Devices.cpp - The kinds of device there are -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

namespace tang_rt {

void Device::startTimer() {
  sync();
  timerStart = std::chrono::steady_clock::now();
}

double Device::stopTimer() {
  sync();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - timerStart;
  return elapsed.count();
}

void Device::flushCache() {
  throw Error("the caches of " + name() + " cannot be flushed from here");
}

std::string deviceKind(const std::string &target) {
  if (target == "cpu" || target == "c")
    return "host";
  if (target == "opencl" || target == "vulkan" || target == "webgpu")
    return target;
  if (target == "adreno740" || target == "mali-g715")
    return "vulkan";
  if (target == "cuda" || target == "h200" || target == "rtx3090")
    return "cuda";
  return "";
}

[[noreturn]] static void failUnknown(const std::string &target) {
  throw Error(
      "this runtime has no devices for target '" + target +
      "'; it runs cpu, c, opencl, vulkan, webgpu, adreno740, mali-g715, "
      "cuda, h200 and rtx3090");
}

std::unique_ptr<Device> openDevice(const std::string &target, int index) {
  std::string kind = deviceKind(target);
  if (kind.empty())
    failUnknown(target);
  if (index < 0)
    throw Error("device index " + std::to_string(index) + " is negative");
  if (kind == "opencl")
    return openOpenCLDevice(index);
  if (kind == "vulkan")
    return openVulkanDevice(index);
  if (kind == "webgpu")
    return openWebGpuDevice(index);
  if (kind == "cuda")
    return openCudaDevice(index);
  if (index != 0)
    throw Error("device " + std::to_string(index) + " does not exist; target " +
                target + " has device 0 only");
  return openHostDevice();
}

std::vector<std::string> listDevices(const std::string &target) {
  std::string kind = deviceKind(target);
  if (kind.empty())
    failUnknown(target);
  if (kind == "opencl")
    return listOpenCLDevices();
  if (kind == "vulkan")
    return listVulkanDevices();
  if (kind == "webgpu")
    return listWebGpuDevices();
  return kind == "cuda" ? listCudaDevices() : listHostDevices();
}

} // namespace tang_rt
