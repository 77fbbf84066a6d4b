//===- OpenCLRunner.cpp - Running emitted OpenCL C ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#ifdef TANG_TEST_OPENCL
#include <CL/cl.h>
#endif

#include <map>

using namespace tangtest;

#ifndef TANG_TEST_OPENCL
bool tangtest::hasOpenCL() { return false; }
std::vector<Bytes> tangtest::runOpenCL(const std::string &, const Launch &,
                                       const std::vector<std::string> &,
                                       int64_t) {
  return {};
}
#else

namespace {
struct Device {
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::map<std::string, cl_program> programs;

  Device() {
    cl_platform_id platform;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || !count ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, &count) !=
            CL_SUCCESS ||
        !count) {
      id = nullptr;
      return;
    }
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, id, 0, nullptr);
  }

  static Device &get() {
    static Device *device = new Device;
    return *device;
  }

  cl_program build(const std::string &source) {
    auto it = programs.find(source);
    if (it != programs.end())
      return it->second;
    const char *text = source.c_str();
    cl_program program =
        clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    bool isBuilt = clBuildProgram(program, 1, &id, "-cl-std=CL1.2", nullptr,
                                  nullptr) == CL_SUCCESS;
    std::string log(1 << 16, '\0');
    clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, log.size(),
                          log.data(), nullptr);
    log = log.c_str();
    if (!isBuilt || log.find("warning:") != std::string::npos)
      ADD_FAILURE() << "opencl objects to\n"
                    << source.substr(0, 1500) << "\n"
                    << log.substr(0, 1500);
    if (!isBuilt)
      return nullptr;
    return programs[source] = program;
  }
};
} // namespace

bool tangtest::hasOpenCL() { return Device::get().id != nullptr; }

std::vector<Bytes>
tangtest::runOpenCL(const std::string &source, const Launch &launch,
                    const std::vector<std::string> &scalarTypes,
                    int64_t block) {
  Device &device = Device::get();
  cl_program program = device.build(source);
  if (!program)
    return {};
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, launch.kernel.c_str(), &error);
  EXPECT_EQ(error, CL_SUCCESS) << source;
  std::vector<Bytes> buffers = launch.buffers;
  std::vector<cl_mem> memory;
  cl_uint position = 0;
  for (Bytes &buffer : buffers) {
    size_t size = std::max<size_t>(buffer.size(), 1);
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, size,
                                nullptr, &error);
    if (!buffer.empty())
      clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0, buffer.size(),
                           buffer.data(), 0, nullptr, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, position++, sizeof mem, &mem), CL_SUCCESS);
    memory.push_back(mem);
  }
  for (size_t i = 0; i < scalarTypes.size(); ++i) {
    const std::string &type = scalarTypes[i];
    size_t size = type == "index" || type == "i64" || type == "f64" ? 8
                  : type == "i32" || type == "f32"                  ? 4
                  : type == "i16"                                   ? 2
                                                                    : 1;
    // Little-endian: the low bytes come first.
    EXPECT_EQ(clSetKernelArg(kernel, position++, size, &launch.scalars[i]),
              CL_SUCCESS);
  }
  size_t local = block, global = launch.blocks * block;
  EXPECT_EQ(clEnqueueNDRangeKernel(device.queue, kernel, 1, nullptr, &global,
                                   &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].empty())
      clEnqueueReadBuffer(device.queue, memory[i], CL_TRUE, 0,
                          buffers[i].size(), buffers[i].data(), 0, nullptr,
                          nullptr);
  for (cl_mem mem : memory)
    clReleaseMemObject(mem);
  clReleaseKernel(kernel);
  return buffers;
}
#endif
