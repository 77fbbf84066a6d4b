//===- OpenCLLoader.cpp - The functions of libOpenCL ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenCLLoader.h"

#include "Error.h"

#include <dlfcn.h>

namespace tang_rt {

OpenCL::OpenCL() {
  // Never closed: drivers do not like to be unloaded.
  void *library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error("there is no OpenCL device: libOpenCL.so.1 is not installed");
#define F(name)                                                                \
  name = reinterpret_cast<decltype(name)>(::dlsym(library, "cl" #name));       \
  if (!name)                                                                   \
    throw Error("libOpenCL.so.1 lacks cl" #name);
  TANG_OPENCL_FUNCTIONS(F)
#undef F
}

const OpenCL &OpenCL::get() {
  static const OpenCL instance;
  return instance;
}

std::string OpenCL::errorText(cl_int code) {
  const char *name = nullptr;
  switch (code) {
#define C(value)                                                               \
  case value:                                                                  \
    name = #value;                                                             \
    break;
    C(CL_DEVICE_NOT_AVAILABLE)
    C(CL_COMPILER_NOT_AVAILABLE)
    C(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    C(CL_OUT_OF_RESOURCES)
    C(CL_OUT_OF_HOST_MEMORY)
    C(CL_BUILD_PROGRAM_FAILURE)
    C(CL_INVALID_VALUE)
    C(CL_INVALID_DEVICE)
    C(CL_INVALID_BUFFER_SIZE)
    C(CL_INVALID_BUILD_OPTIONS)
    C(CL_INVALID_KERNEL_NAME)
    C(CL_INVALID_ARG_INDEX)
    C(CL_INVALID_ARG_VALUE)
    C(CL_INVALID_ARG_SIZE)
    C(CL_INVALID_KERNEL_ARGS)
    C(CL_INVALID_WORK_GROUP_SIZE)
    C(CL_INVALID_GLOBAL_WORK_SIZE)
    C(CL_INVALID_MEM_OBJECT)
#undef C
  default:
    break;
  }
  std::string number = std::to_string(code);
  return name ? std::string(name) + " (" + number + ")"
              : "OpenCL error " + number;
}

void OpenCL::check(cl_int code, const std::string &what) {
  if (code != CL_SUCCESS)
    throw Error(what + ": " + errorText(code));
}

std::string OpenCL::deviceText(cl_device_id device, cl_device_info what) const {
  size_t size = 0;
  if (GetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || !size)
    return "unknown";
  std::string text(size, 0);
  if (GetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS)
    return "unknown";
  while (!text.empty() && (text.back() == 0 || text.back() == ' '))
    text.pop_back();
  return text;
}

} // namespace tang_rt
