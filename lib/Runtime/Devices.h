//===- Devices.h - The kinds of device there are -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_DEVICES_H
#define TANG_LIB_RUNTIME_DEVICES_H

#include "Error.h"
#include "Tang/Runtime/Device.h"

namespace tang_rt {

std::unique_ptr<Device> openHostDevice();
std::vector<std::string> listHostDevices();

/// `index` counts over the devices of all platforms.
std::unique_ptr<Device> openOpenCLDevice(int index);
std::vector<std::string> listOpenCLDevices();

std::unique_ptr<Device> openVulkanDevice(int index);
std::vector<std::string> listVulkanDevices();

std::unique_ptr<Device> openWebGpuDevice(int index);
std::vector<std::string> listWebGpuDevices();

std::unique_ptr<Device> openCudaDevice(int index);
std::vector<std::string> listCudaDevices();

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_DEVICES_H
