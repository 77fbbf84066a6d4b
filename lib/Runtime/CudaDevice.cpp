//===- CudaDevice.cpp - NVIDIA GPUs through the driver -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaLoader.h"
#include "Devices.h"
#include "TensorMaps.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

namespace tang_rt {

using namespace cuda;

namespace {
/// What a launch may use without asking (CUDA programming guide, "Shared
/// Memory": more than 48 KiB is opt-in).
constexpr int64_t kSharedBytesUnasked = 48 * 1024;
/// Larger clusters are not portable and are opt-in ("Thread Block Clusters").
constexpr int64_t kPortableCluster = 8;
/// Compute capability 2.0 and later; one dimension only.
constexpr int64_t kMaxGrid = (int64_t(1) << 31) - 1;
/// More than any L2: 50 MB on an H200.
constexpr uint64_t kFlushBytes = 256 << 20;
/// Encoded tensor maps of a program that are kept.
constexpr size_t kMaxKeptMaps = 4096;

/// What an encoded tensor map depends on: kernel, map, address and sizes.
using MapKey = std::vector<uint64_t>;

class CudaCode : public DeviceCode {
public:
  CudaCode(const Driver &driver, Context context)
      : driver(driver), context(context) {}
  ~CudaCode() override {
    driver.CtxSetCurrent(context);
    for (auto &entry : modules)
      driver.ModuleUnload(entry.second);
  }
  const Driver &driver;
  Context context;
  std::map<std::string, Module> modules;
  std::vector<Function> functions;
  std::vector<KernelInfo> infos;
  /// A kernel's blocks are launched over and over on the same buffers.
  std::map<MapKey, TensorMap> maps;
};

/// CUtensorMapDataType of an element; narrow ones are copied as their bits.
int mapType(DType type) {
  switch (type) {
  case DType::F16:
    return 6;
  case DType::F32:
    return 7;
  case DType::F64:
    return 8;
  case DType::BF16:
    return 9;
  default:
    break;
  }
  switch (dtypeBytes(type)) {
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 3;
  default:
    return 5;
  }
}

/// CUtensorMapSwizzle of 0, 32, 64, 128 and CUtensorMapL2promotion of 0, 64,
/// 128, 256 bytes.
int mapStep(int64_t bytes, int64_t first) {
  return bytes == 0 ? 0 : std::countr_zero(uint64_t(bytes / first)) + 1;
}

class CudaDevice : public Device {
public:
  CudaDevice(const Driver &driver, int index) : driver_(driver) {
    driver_.check(driver_.DeviceGet(&id, index), "cuDeviceGet");
    deviceName = driver_.deviceName(id);
    driverName = driver_.deviceDriver(id);
    sharedLimit = driver_.attribute(id, kDeviceMaxSharedBytesOptIn);
    driver_.check(driver_.DevicePrimaryCtxRetain(&context, id),
                  "cuDevicePrimaryCtxRetain");
    Result code = driver_.CtxSetCurrent(context);
    if (code == kSuccess)
      code = driver_.StreamCreate(&stream, kStreamNonBlocking);
    for (Event *event : {&start, &stop})
      if (code == kSuccess)
        code = driver_.EventCreate(event, kEventDefault);
    if (code != kSuccess)
      close();
    driver_.check(code, "cannot open " + deviceName);
  }
  ~CudaDevice() override { close(); }

  std::string name() const override { return deviceName; }
  std::string driver() const override { return driverName; }

  DeviceMemory alloc(uint64_t bytes) override {
    enter();
    Pointer pointer = 0;
    Result code = driver_.MemAlloc(&pointer, bytes);
    if (code != kSuccess)
      throw Error("cannot allocate " + std::to_string(bytes) + " bytes on " +
                  deviceName + ": " + driver_.errorText(code));
    return DeviceMemory(pointer);
  }
  void free(DeviceMemory memory) override {
    enter();
    driver_.MemFree(Pointer(memory));
  }
  void upload(DeviceMemory to, uint64_t offset, const void *from,
              uint64_t bytes) override {
    enter();
    if (bytes)
      driver_.check(
          driver_.MemcpyHtoDAsync(Pointer(to) + offset, from, bytes, stream),
          "cuMemcpyHtoDAsync");
    sync();
  }
  void download(void *to, DeviceMemory from, uint64_t offset,
                uint64_t bytes) override {
    enter();
    if (bytes)
      driver_.check(
          driver_.MemcpyDtoHAsync(to, Pointer(from) + offset, bytes, stream),
          "cuMemcpyDtoHAsync");
    sync();
  }
  void copy(DeviceMemory to, DeviceMemory from, uint64_t bytes) override {
    enter();
    if (bytes)
      driver_.check(
          driver_.MemcpyDtoDAsync(Pointer(to), Pointer(from), bytes, stream),
          "cuMemcpyDtoDAsync");
  }
  void sync() override {
    enter();
    driver_.check(driver_.StreamSynchronize(stream), "cuStreamSynchronize");
  }

  void startTimer() override {
    enter();
    driver_.check(driver_.EventRecord(start, stream), "cuEventRecord");
  }
  double stopTimer() override {
    enter();
    driver_.check(driver_.EventRecord(stop, stream), "cuEventRecord");
    sync();
    float milliseconds = 0;
    driver_.check(driver_.EventElapsedTime(&milliseconds, start, stop),
                  "cuEventElapsedTime");
    return double(milliseconds) * 1e-3;
  }
  void flushCache() override {
    if (!scratch)
      scratch = alloc(kFlushBytes);
    enter();
    driver_.check(
        driver_.MemsetD32Async(Pointer(scratch), 0, kFlushBytes / 4, stream),
        "cuMemsetD32Async");
  }

  std::unique_ptr<DeviceCode> load(const std::vector<KernelInfo> &kernels,
                                   const CodeSource &source) override;
  void launch(DeviceCode &code, size_t kernel, int64_t grid,
              const std::vector<DeviceMemory> &buffers,
              const std::vector<KernelScalar> &scalars) override;

private:
  /// The calling thread may be another one than last time.
  void enter() {
    driver_.check(driver_.CtxSetCurrent(context), "cuCtxSetCurrent");
  }
  void close();
  Module build(const std::string &file, std::string image);
  void checkFunction(const KernelInfo &kernel, Function function);
  const TensorMap &tensorMap(CudaCode &code, size_t kernel, size_t number,
                             const std::vector<DeviceMemory> &buffers,
                             const std::vector<KernelScalar> &scalars);

  const Driver &driver_;
  DeviceId id = 0;
  Context context = nullptr;
  Stream stream = nullptr;
  Event start = nullptr, stop = nullptr;
  DeviceMemory scratch = nullptr;
  int64_t sharedLimit = 0;
  std::string deviceName, driverName;
};

void CudaDevice::close() {
  driver_.CtxSetCurrent(context);
  if (stream)
    driver_.StreamSynchronize(stream);
  if (scratch)
    driver_.MemFree(Pointer(scratch));
  for (Event event : {start, stop})
    if (event)
      driver_.EventDestroy(event);
  if (stream)
    driver_.StreamDestroy(stream);
  driver_.DevicePrimaryCtxRelease(id);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Module CudaDevice::build(const std::string &file, std::string image) {
  // PTX is text that ends with a zero; std::string adds it.
  std::string log(1 << 16, 0);
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  Module module = nullptr;
  Result code =
      driver_.ModuleLoadDataEx(&module, image.c_str(), 2, options, values);
  if (code == kSuccess)
    return module;
  log.resize(std::strlen(log.c_str()));
  while (!log.empty() && log.back() == '\n')
    log.pop_back();
  throw Error(deviceName + " cannot load " + file + ": " +
              driver_.errorText(code) + (log.empty() ? "" : "\n" + log));
}

/// Throws unless `function` fits its description: a wrong list of parameters
/// would be read beyond its end.
void CudaDevice::checkFunction(const KernelInfo &kernel, Function function) {
  auto fail = [&](const std::string &why) {
    throw Error("kernel " + kernel.name + " " + why);
  };
  std::vector<size_t> sizes(kernel.buffers.size(), sizeof(Pointer));
  for (DType type : kernel.scalars)
    sizes.push_back(isFloat(type) && type != DType::F64 ? sizeof(float)
                                                        : dtypeBytes(type));
  sizes.resize(sizes.size() + kernel.tensorMaps.size(), sizeof(TensorMap));
  if (driver_.FuncGetParamInfo) {
    size_t offset = 0, size = 0, count = 0;
    while (driver_.FuncGetParamInfo(function, count, &offset, &size) ==
           kSuccess) {
      if (count < sizes.size() && size != sizes[count])
        fail("takes " + std::to_string(size) + " bytes as argument " +
             std::to_string(count) + ", the manifest says " +
             std::to_string(sizes[count]));
      ++count;
    }
    if (count != sizes.size())
      fail("has " + std::to_string(count) + " arguments, the manifest says " +
           std::to_string(sizes.size()));
  }
  if (!kernel.tensorMaps.empty() && !driver_.TensorMapEncodeTiled)
    fail("needs tensor maps, and the driver is too old for them");
  int threads = 0;
  driver_.check(
      driver_.FuncGetAttribute(&threads, kFunctionMaxThreadsPerBlock, function),
      "cuFuncGetAttribute");
  int64_t block = kernel.block[0] * kernel.block[1] * kernel.block[2];
  if (block > threads)
    fail("needs a block of " + std::to_string(block) +
         " threads, its limit on " + deviceName + " is " +
         std::to_string(threads));
  if (kernel.sharedBytes > sharedLimit)
    fail("needs " + std::to_string(kernel.sharedBytes) +
         " bytes of shared memory, the limit of " + deviceName + " is " +
         std::to_string(sharedLimit));
}

std::unique_ptr<DeviceCode>
CudaDevice::load(const std::vector<KernelInfo> &kernels,
                 const CodeSource &source) {
  enter();
  auto code = std::make_unique<CudaCode>(driver_, context);
  code->infos = kernels;
  for (const KernelInfo &kernel : kernels) {
    std::string file = kernel.file, image;
    if (file.empty()) {
      file = "kernels.cubin";
      try {
        image = source.read(file);
      } catch (const Error &) {
        file = "kernels.ptx";
      }
    }
    Module &module = code->modules[file];
    if (!module) {
      if (image.empty())
        image = source.read(file);
      // An entry without a module must not be unloaded.
      try {
        module = build(file, std::move(image));
      } catch (...) {
        code->modules.erase(file);
        throw;
      }
    }
    Function function = nullptr;
    Result status =
        driver_.ModuleGetFunction(&function, module, kernel.name.c_str());
    if (status != kSuccess)
      throw Error("kernel " + kernel.name + " is not in " + file + ": " +
                  driver_.errorText(status));
    checkFunction(kernel, function);
    if (kernel.sharedBytes > kSharedBytesUnasked)
      driver_.check(
          driver_.FuncSetAttribute(function, kFunctionMaxDynamicSharedBytes,
                                   int(kernel.sharedBytes)),
          "kernel " + kernel.name + ": " + std::to_string(kernel.sharedBytes) +
              " bytes of shared memory");
    if (kernel.cluster > kPortableCluster)
      driver_.check(driver_.FuncSetAttribute(
                        function, kFunctionNonPortableClusterAllowed, 1),
                    "kernel " + kernel.name + ": a cluster of " +
                        std::to_string(kernel.cluster));
    code->functions.push_back(function);
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

const TensorMap &
CudaDevice::tensorMap(CudaCode &code, size_t kernel, size_t number,
                      const std::vector<DeviceMemory> &buffers,
                      const std::vector<KernelScalar> &scalars) {
  const TensorMapInfo &info = code.infos[kernel].tensorMaps[number];
  std::string what = "kernel " + code.infos[kernel].name + ": tensor map " +
                     std::to_string(number);
  TensorMapSizes sizes;
  try {
    sizes = resolveSizes(info, scalars);
  } catch (const Error &error) {
    throw Error(what + ": " + error.what());
  }
  Pointer base = Pointer(buffers[info.buffer]);
  if (base % 16 != 0)
    throw Error(what + ": its buffer is not aligned to 16 bytes");
  MapKey key = {kernel, number, base};
  key.insert(key.end(), sizes.dims.begin(), sizes.dims.end());
  key.insert(key.end(), sizes.strides.begin(), sizes.strides.end());
  auto found = code.maps.find(key);
  if (found != code.maps.end())
    return found->second;
  TensorMap map = {};
  // There is no map of an empty tensor; a kernel copies nothing from one.
  if (!sizes.isEmpty) {
    std::vector<uint32_t> box(info.box.begin(), info.box.end());
    std::vector<uint32_t> steps(box.size(), 1);
    sizes.strides.push_back(0); // So that data() is never null.
    driver_.check(driver_.TensorMapEncodeTiled(
                      &map, mapType(info.dtype), uint32_t(box.size()),
                      reinterpret_cast<void *>(base), sizes.dims.data(),
                      sizes.strides.data(), box.data(), steps.data(),
                      /*interleave=*/0, mapStep(info.swizzle, 32),
                      mapStep(info.l2, 64),
                      /*fill=*/0),
                  what + ": cuTensorMapEncodeTiled");
  }
  return code.maps.emplace(std::move(key), map).first->second;
}

/// A scalar in the form of the kernel's parameter.
uint64_t scalarBits(DType type, const KernelScalar &scalar) {
  if (type == DType::F64)
    return std::bit_cast<uint64_t>(scalar.real);
  if (isFloat(type))
    return std::bit_cast<uint32_t>(float(scalar.real));
  return uint64_t(scalar.integer); // Little-endian: the low bytes come first.
}

void CudaDevice::launch(DeviceCode &code, size_t kernel, int64_t grid,
                        const std::vector<DeviceMemory> &buffers,
                        const std::vector<KernelScalar> &scalars) {
  enter();
  auto &loaded = static_cast<CudaCode &>(code);
  const KernelInfo &info = loaded.infos[kernel];
  if (grid > kMaxGrid)
    throw Error("kernel " + info.name + ": a grid of " + std::to_string(grid) +
                " blocks is too large");
  if (grid % info.cluster != 0)
    throw Error("kernel " + info.name + ": a grid of " + std::to_string(grid) +
                " blocks is not a multiple of the cluster, " +
                std::to_string(info.cluster));
  // The driver copies all arguments before it returns.
  std::vector<uint64_t> words;
  for (DeviceMemory buffer : buffers)
    words.push_back(Pointer(buffer));
  for (size_t i = 0; i < scalars.size(); ++i)
    words.push_back(scalarBits(info.scalars[i], scalars[i]));
  std::vector<void *> arguments;
  for (uint64_t &word : words)
    arguments.push_back(&word);
  // Before the first map of this launch: none of its own may go.
  if (loaded.maps.size() > kMaxKeptMaps)
    loaded.maps.clear();
  for (size_t i = 0; i < info.tensorMaps.size(); ++i)
    arguments.push_back(const_cast<TensorMap *>(
        &tensorMap(loaded, kernel, i, buffers, scalars)));

  LaunchAttribute attributes[2] = {};
  LaunchConfig config = {};
  config.grid[0] = uint32_t(grid);
  config.grid[1] = config.grid[2] = 1;
  std::copy(std::begin(info.block), std::end(info.block), config.block);
  config.sharedBytes = uint32_t(info.sharedBytes);
  config.stream = stream;
  config.attributes = attributes;
  if (info.cluster > 1) {
    LaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = kLaunchClusterDimension;
    attribute.value.words[0] = uint32_t(info.cluster);
    attribute.value.words[1] = attribute.value.words[2] = 1;
  }
  if (info.dependentLaunch) {
    LaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = kLaunchProgrammaticStreamSerialization;
    attribute.value.words[0] = 1;
  }
  driver_.check(driver_.LaunchKernelEx(&config, loaded.functions[kernel],
                                       arguments.data(), nullptr),
                "launch of " + info.name);
}

int deviceCount(const Driver &driver) {
  int count = 0;
  driver.check(driver.DeviceGetCount(&count), "cuDeviceGetCount");
  return count;
}
} // namespace

std::unique_ptr<Device> openCudaDevice(int index) {
  const Driver &driver = Driver::get();
  int count = deviceCount(driver);
  if (count == 0)
    throw Error("there is no CUDA device");
  if (index >= count)
    throw Error("CUDA device " + std::to_string(index) +
                " does not exist; there are " + std::to_string(count));
  return std::make_unique<CudaDevice>(driver, index);
}

std::vector<std::string> listCudaDevices() {
  const Driver &driver = Driver::get();
  std::vector<std::string> lines;
  int count = deviceCount(driver);
  for (int i = 0; i < count; ++i) {
    DeviceId id = 0;
    driver.check(driver.DeviceGet(&id, i), "cuDeviceGet");
    lines.push_back(driver.deviceName(id) + ", " + driver.deviceDriver(id));
  }
  return lines;
}

} // namespace tang_rt
