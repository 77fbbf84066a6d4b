//===- OpenCLDevice.cpp - OpenCL, loaded at run time ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "OpenCLLoader.h"

#include <map>

namespace tang_rt {

namespace {
struct Found {
  cl_platform_id platform;
  cl_device_id device;
};

class OpenCLCode : public DeviceCode {
public:
  explicit OpenCLCode(const OpenCL &cl) : cl(cl) {}
  ~OpenCLCode() override {
    for (cl_kernel kernel : kernels)
      cl.ReleaseKernel(kernel);
  }
  const OpenCL &cl;
  std::vector<cl_kernel> kernels;
  std::vector<KernelInfo> infos;
};

std::vector<Found> findDevices(const OpenCL &cl) {
  std::vector<Found> found;
  cl_uint count = 0;
  // No platforms is an error code of the ICD loader, not a count of 0.
  if (cl.GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0)
    return found;
  std::vector<cl_platform_id> platforms(count);
  cl.check(cl.GetPlatformIDs(count, platforms.data(), nullptr),
           "clGetPlatformIDs");
  for (cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    if (cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) !=
            CL_SUCCESS ||
        devices == 0)
      continue;
    std::vector<cl_device_id> ids(devices);
    cl.check(cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, ids.data(),
                             nullptr),
             "clGetDeviceIDs");
    for (cl_device_id id : ids)
      found.push_back({platform, id});
  }
  return found;
}

class OpenCLDevice : public Device {
public:
  OpenCLDevice(const OpenCL &cl, Found found) : cl(cl), id(found.device) {
    deviceName = cl.deviceText(id, CL_DEVICE_NAME);
    driverName = cl.deviceText(id, CL_DEVICE_VERSION) + ", driver " +
                 cl.deviceText(id, CL_DRIVER_VERSION);
    cl.GetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof maxAlloc,
                     &maxAlloc, nullptr);
    cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, cl_context_properties(found.platform), 0};
    cl_int code;
    context = cl.CreateContext(properties, 1, &id, nullptr, nullptr, &code);
    cl.check(code, "clCreateContext");
    queue = cl.CreateCommandQueue(context, id, 0, &code);
    if (code != CL_SUCCESS)
      cl.ReleaseContext(context);
    cl.check(code, "clCreateCommandQueue");
  }
  ~OpenCLDevice() override {
    cl.Finish(queue);
    for (auto &entry : programs)
      cl.ReleaseProgram(entry.second);
    cl.ReleaseCommandQueue(queue);
    cl.ReleaseContext(context);
  }

  std::string name() const override { return deviceName; }
  std::string driver() const override { return driverName; }

  DeviceMemory alloc(uint64_t bytes) override {
    if (bytes > maxAlloc)
      throw Error("a buffer of " + std::to_string(bytes) +
                  " bytes exceeds the limit of " + deviceName + ", " +
                  std::to_string(maxAlloc) + " bytes");
    cl_int code;
    cl_mem memory = cl.CreateBuffer(context, CL_MEM_READ_WRITE, size_t(bytes),
                                    nullptr, &code);
    if (code != CL_SUCCESS)
      throw Error("cannot allocate " + std::to_string(bytes) + " bytes on " +
                  deviceName + ": " + cl.errorText(code));
    return memory;
  }
  void free(DeviceMemory memory) override {
    cl.ReleaseMemObject(cl_mem(memory));
  }
  void upload(DeviceMemory to, uint64_t offset, const void *from,
              uint64_t bytes) override {
    if (bytes)
      cl.check(cl.EnqueueWriteBuffer(queue, cl_mem(to), CL_TRUE, offset, bytes,
                                     from, 0, nullptr, nullptr),
               "clEnqueueWriteBuffer");
  }
  void download(void *to, DeviceMemory from, uint64_t offset,
                uint64_t bytes) override {
    if (bytes)
      cl.check(cl.EnqueueReadBuffer(queue, cl_mem(from), CL_TRUE, offset, bytes,
                                    to, 0, nullptr, nullptr),
               "clEnqueueReadBuffer");
  }
  void copy(DeviceMemory to, DeviceMemory from, uint64_t bytes) override {
    if (bytes)
      cl.check(cl.EnqueueCopyBuffer(queue, cl_mem(from), cl_mem(to), 0, 0,
                                    bytes, 0, nullptr, nullptr),
               "clEnqueueCopyBuffer");
  }
  void sync() override { cl.check(cl.Finish(queue), "clFinish"); }

  std::unique_ptr<DeviceCode> load(const std::vector<KernelInfo> &kernels,
                                   const CodeSource &source) override;
  void launch(DeviceCode &code, size_t kernel, int64_t grid,
              const std::vector<DeviceMemory> &buffers,
              const std::vector<KernelScalar> &scalars) override;

private:
  cl_program build(const std::string &file, const std::string &text);

  const OpenCL &cl;
  cl_device_id id;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_ulong maxAlloc = 0;
  std::string deviceName, driverName;
  /// Built programs by their source.
  std::map<std::string, cl_program> programs;
};

cl_program OpenCLDevice::build(const std::string &file,
                               const std::string &text) {
  auto found = programs.find(text);
  if (found != programs.end())
    return found->second;
  const char *data = text.data();
  size_t size = text.size();
  cl_int code;
  cl_program program =
      cl.CreateProgramWithSource(context, 1, &data, &size, &code);
  cl.check(code, "clCreateProgramWithSource");
  std::string options = "-cl-std=CL1.2";
  cl_device_fp_config single = 0;
  cl.GetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single,
                   nullptr);
  // Division and square root are exact where the device can.
  if (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  code = cl.BuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    size_t length = 0;
    cl.GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr,
                           &length);
    std::string log(length, 0);
    if (length)
      cl.GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, length,
                             log.data(), nullptr);
    cl.ReleaseProgram(program);
    while (!log.empty() && (log.back() == 0 || log.back() == '\n'))
      log.pop_back();
    throw Error(deviceName + " cannot build " + file + ": " +
                cl.errorText(code) + (log.empty() ? "" : "\n" + log));
  }
  programs.emplace(text, program);
  return program;
}

std::unique_ptr<DeviceCode>
OpenCLDevice::load(const std::vector<KernelInfo> &kernels,
                   const CodeSource &source) {
  auto code = std::make_unique<OpenCLCode>(cl);
  code->infos = kernels;
  std::map<std::string, cl_program> files;
  for (const KernelInfo &kernel : kernels) {
    std::string file = kernel.file.empty() ? "kernels.cl" : kernel.file;
    cl_program &program = files[file];
    if (!program)
      program = build(file, source.read(file));
    cl_int status;
    cl_kernel handle = cl.CreateKernel(program, kernel.name.c_str(), &status);
    if (status != CL_SUCCESS)
      throw Error("kernel " + kernel.name + " is not in " + file + ": " +
                  cl.errorText(status));
    code->kernels.push_back(handle);
    // A wrong count would be undefined arguments.
    cl_uint arguments = 0;
    cl.check(cl.GetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof arguments,
                              &arguments, nullptr),
             "clGetKernelInfo");
    if (arguments != kernel.buffers.size() + kernel.scalars.size())
      throw Error("kernel " + kernel.name + " has " +
                  std::to_string(arguments) +
                  " arguments, the manifest says otherwise");
    size_t limit = 0;
    cl.check(cl.GetKernelWorkGroupInfo(handle, id, CL_KERNEL_WORK_GROUP_SIZE,
                                       sizeof limit, &limit, nullptr),
             "clGetKernelWorkGroupInfo");
    if (uint64_t(kernel.block[0]) > limit)
      throw Error("kernel " + kernel.name + " needs a work group of " +
                  std::to_string(kernel.block[0]) + ", the limit of " +
                  deviceName + " is " + std::to_string(limit));
  }
  return code;
}

void OpenCLDevice::launch(DeviceCode &code, size_t number, int64_t grid,
                          const std::vector<DeviceMemory> &buffers,
                          const std::vector<KernelScalar> &scalars) {
  auto &loaded = static_cast<OpenCLCode &>(code);
  cl_kernel kernel = loaded.kernels[number];
  const KernelInfo &info = loaded.infos[number];
  cl_uint position = 0;
  auto set = [&](size_t size, const void *value) {
    cl.check(cl.SetKernelArg(kernel, position, size, value),
             "clSetKernelArg of " + info.name + ", argument " +
                 std::to_string(position));
    ++position;
  };
  for (DeviceMemory buffer : buffers)
    set(sizeof(cl_mem), &buffer);
  for (size_t i = 0; i < scalars.size(); ++i) {
    DType type = info.scalars[i];
    float single = float(scalars[i].real);
    if (type == DType::F64)
      set(sizeof(double), &scalars[i].real);
    else if (isFloat(type))
      set(sizeof single, &single);
    else // Little-endian: the low bytes come first.
      set(dtypeBytes(type), &scalars[i].integer);
  }
  size_t local = size_t(info.block[0]), global;
  if (__builtin_mul_overflow(size_t(grid), local, &global))
    throw Error("kernel " + info.name + ": a grid of " + std::to_string(grid) +
                " blocks is too large");
  cl.check(cl.EnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local,
                                   0, nullptr, nullptr),
           "launch of " + info.name);
}
} // namespace

std::unique_ptr<Device> openOpenCLDevice(int index) {
  const OpenCL &cl = OpenCL::get();
  std::vector<Found> found = findDevices(cl);
  if (found.empty())
    throw Error("there is no OpenCL device: no platform is installed");
  if (size_t(index) >= found.size())
    throw Error("OpenCL device " + std::to_string(index) +
                " does not exist; there are " + std::to_string(found.size()));
  return std::make_unique<OpenCLDevice>(cl, found[size_t(index)]);
}

std::vector<std::string> listOpenCLDevices() {
  const OpenCL &cl = OpenCL::get();
  std::vector<std::string> lines;
  for (const Found &found : findDevices(cl))
    lines.push_back(cl.deviceText(found.device, CL_DEVICE_NAME) + ", " +
                    cl.deviceText(found.device, CL_DEVICE_VERSION) +
                    ", driver " +
                    cl.deviceText(found.device, CL_DRIVER_VERSION));
  return lines;
}

} // namespace tang_rt
