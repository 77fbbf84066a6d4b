//===- CudaLoader.cpp - The functions of the CUDA driver -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaLoader.h"

#include "Error.h"

#include <dlfcn.h>

namespace tang_rt::cuda {

Driver::Driver() {
  // Never closed: drivers do not like to be unloaded.
  void *library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error("there is no CUDA device: libcuda.so.1, which comes with "
                "NVIDIA's driver, is not installed");
#define F(name, symbol, parameters)                                            \
  name = reinterpret_cast<decltype(name)>(::dlsym(library, #symbol));
  TANG_CUDA_FUNCTIONS(F)
  TANG_CUDA_OPTIONAL_FUNCTIONS(F)
#undef F
#define F(name, symbol, parameters)                                            \
  if (!name)                                                                   \
    throw Error("libcuda.so.1 lacks " #symbol ": the driver is too old");
  TANG_CUDA_FUNCTIONS(F)
#undef F
  Result code = Init(0);
  if (code == kErrorNoDevice)
    throw Error("there is no CUDA device: " + errorText(code));
  check(code, "cuInit");
}

const Driver &Driver::get() {
  static const Driver instance;
  return instance;
}

std::string Driver::errorText(Result code) const {
  const char *name = nullptr, *text = nullptr;
  GetErrorName(code, &name);
  GetErrorString(code, &text);
  std::string number = std::to_string(code);
  if (!name)
    return "CUDA error " + number;
  return std::string(name) + " (" + number + ")" +
         (text ? std::string(", ") + text : "");
}

void Driver::check(Result code, const std::string &what) const {
  if (code != kSuccess)
    throw Error(what + ": " + errorText(code));
}

int Driver::attribute(DeviceId device, int which) const {
  int value = 0;
  check(DeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

std::string Driver::deviceName(DeviceId device) const {
  char name[256] = "";
  check(DeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName");
  return name;
}

std::string Driver::deviceDriver(DeviceId device) const {
  int version = 0;
  check(DriverGetVersion(&version), "cuDriverGetVersion");
  return "compute capability " +
         std::to_string(attribute(device, kDeviceComputeMajor)) + "." +
         std::to_string(attribute(device, kDeviceComputeMinor)) + ", CUDA " +
         std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

} // namespace tang_rt::cuda
