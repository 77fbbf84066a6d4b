//===- WebGpuDevice.cpp - WebGPU, through Dawn in Node.js -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers and programs are numbers here and objects in WebGpuHost.js. Requests
// are worked off in order, so only those whose result matters wait for it.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "WebGpuNode.h"

#include <cstring>
#include <dlfcn.h>
#include <limits>

namespace tang_rt {

namespace {

/// Workgroups in a dimension, and the largest argument of type index, in
/// magnitude: docs/Bundle.md, "Kernel ABI".
constexpr int64_t kMaxRow = 65535;
constexpr int64_t kMaxIndex = int64_t(1) << 30;

/// Storage buffers that a kernel can bind.
constexpr size_t kMaxBuffers = 8;

struct Memory {
  uint64_t id;
  uint64_t bytes;
};

/// Which buffers share one binding if there are too many: the last of those
/// that are only read.
std::vector<bool> packedBuffers(const KernelInfo &info) {
  std::vector<bool> packed(info.buffers.size(), false);
  if (packed.size() <= kMaxBuffers)
    return packed;
  size_t surplus = packed.size() - (kMaxBuffers - 1);
  for (size_t i = packed.size(); i-- > 0 && surplus;)
    if (info.buffers[i].readonly) {
      packed[i] = true;
      --surplus;
    }
  if (surplus)
    throw Error("kernel " + info.name + " writes too many buffers for the " +
                std::to_string(kMaxBuffers) + " that WebGPU guarantees");
  return packed;
}

class WebGpuCode : public DeviceCode {
public:
  WebGpuCode(WebGpuNode &node, uint64_t id,
             const std::vector<KernelInfo> &infos)
      : node(node), id(id), infos(infos) {}
  ~WebGpuCode() override {
    std::string ignored;
    catchErrors(ignored, [&] {
      for (const auto &[file, number] : files)
        node.tell({{"op", "unload"}, {"id", number}});
    });
  }
  WebGpuNode &node;
  uint64_t id;
  std::vector<KernelInfo> infos;
  /// A program for each file, and where each kernel is.
  std::vector<std::pair<std::string, uint64_t>> files;
  std::vector<std::pair<uint64_t, size_t>> kernels;
};

/// Folders that may be the npm package: TANG_WEBGPU_MODULE, those of
/// `node_modules` beside this library and its folder (a build has it there),
/// and where npm installs for all users.
std::vector<std::string> packageFolders() {
  if (const char *given = std::getenv("TANG_WEBGPU_MODULE"))
    return {given};
  std::vector<std::string> folders;
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void *>(&openWebGpuDevice), &info) &&
      info.dli_fname) {
    std::string library = info.dli_fname;
    size_t slash = library.rfind('/');
    std::string folder = slash == library.npos ? "." : library.substr(0, slash);
    folders.push_back(folder + "/../node_modules/webgpu");
    folders.push_back(folder + "/node_modules/webgpu");
  }
  folders.push_back("/usr/local/lib/node_modules/webgpu");
  folders.push_back("/usr/lib/node_modules/webgpu");
  return folders;
}

/// Where Chromium's software device is told to be. Dawn refuses that of Mesa
/// 22.
std::vector<std::string> fallbackDrivers() {
  return {"/usr/lib/chromium/vk_swiftshader_icd.json",
          "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
          "/opt/google/chrome/vk_swiftshader_icd.json"};
}

/// The block of a kernel's arguments: scalars, the number of blocks, and the
/// words at which packed buffers begin.
std::string packArguments(const KernelInfo &info,
                          const std::vector<KernelScalar> &scalars,
                          int64_t grid, const std::vector<int32_t> &starts) {
  std::string block;
  auto add = [&](const void *data, size_t bytes) {
    block.resize((block.size() + bytes - 1) / bytes * bytes);
    block.append(static_cast<const char *>(data), bytes);
  };
  for (size_t i = 0; i < scalars.size(); ++i) {
    DType type = info.scalars[i];
    if (isFloat(type)) {
      auto single = float(scalars[i].real);
      add(&single, sizeof single);
    } else if (type == DType::I64) {
      add(&scalars[i].integer, sizeof(int64_t));
    } else {
      int64_t value = scalars[i].integer;
      if (type == DType::Index && (value > kMaxIndex || value < -kMaxIndex))
        throw Error("kernel " + info.name + ": a size or index is " +
                    std::to_string(value) +
                    ", beyond what WebGPU's 32-bit integers are used for, " +
                    std::to_string(kMaxIndex));
      auto word = int32_t(value);
      add(&word, sizeof word);
    }
  }
  auto blocks = uint32_t(grid);
  add(&blocks, sizeof blocks);
  for (int32_t start : starts)
    add(&start, sizeof start);
  block.resize((block.size() + 15) / 16 * 16);
  return block;
}

class WebGpuDevice : public Device {
public:
  WebGpuDevice() {
    nlohmann::json opened;
    try {
      opened = node.ask({{"op", "open"},
                         {"folders", packageFolders()},
                         {"fallbackDrivers", fallbackDrivers()}})
                   .value;
    } catch (const Error &error) {
      throw Error(std::string("there is no WebGPU device: ") + error.what());
    }
    deviceName = opened.value("name", "WebGPU device");
    driverName = opened.value("driver", "");
    maxBuffer = opened.value("maxBuffer", uint64_t(1) << 27);
  }

  std::string name() const override { return deviceName; }
  std::string driver() const override { return driverName; }

  DeviceMemory alloc(uint64_t bytes) override {
    if (bytes > maxBuffer)
      throw Error("a buffer of " + std::to_string(bytes) +
                  " bytes exceeds the limit of " + deviceName + ", " +
                  std::to_string(maxBuffer) + " bytes");
    auto memory = std::make_unique<Memory>(Memory{next++, bytes});
    try {
      node.ask({{"op", "alloc"}, {"id", memory->id}, {"bytes", bytes}});
    } catch (const Error &error) {
      throw Error("cannot allocate " + std::to_string(bytes) + " bytes on " +
                  deviceName + ": " + error.what());
    }
    return memory.release();
  }
  void free(DeviceMemory memory) override {
    std::unique_ptr<Memory> owned(static_cast<Memory *>(memory));
    // An error shows at the next request.
    std::string ignored;
    catchErrors(ignored,
                [&] { node.tell({{"op", "free"}, {"id", owned->id}}); });
  }
  void upload(DeviceMemory to, uint64_t offset, const void *from,
              uint64_t bytes) override {
    if (bytes)
      node.tell({{"op", "write"}, {"id", idOf(to)}, {"offset", offset}},
                {static_cast<const char *>(from), bytes});
  }
  void download(void *to, DeviceMemory from, uint64_t offset,
                uint64_t bytes) override {
    if (!bytes)
      return;
    std::string data = node.ask({{"op", "read"},
                                 {"id", idOf(from)},
                                 {"offset", offset},
                                 {"bytes", bytes}})
                           .data;
    if (data.size() != bytes)
      throw Error("WebGPU returned " + std::to_string(data.size()) +
                  " bytes of " + std::to_string(bytes));
    std::memcpy(to, data.data(), bytes);
  }
  void copy(DeviceMemory to, DeviceMemory from, uint64_t bytes) override {
    if (bytes)
      node.tell({{"op", "copy"},
                 {"to", idOf(to)},
                 {"from", idOf(from)},
                 {"bytes", bytes}});
  }
  void sync() override { node.ask({{"op", "sync"}}); }

  std::unique_ptr<DeviceCode> load(const std::vector<KernelInfo> &kernels,
                                   const CodeSource &source) override;
  void launch(DeviceCode &code, size_t kernel, int64_t grid,
              const std::vector<DeviceMemory> &buffers,
              const std::vector<KernelScalar> &scalars) override;

private:
  static uint64_t idOf(DeviceMemory memory) {
    return static_cast<Memory *>(memory)->id;
  }

  WebGpuNode node;
  uint64_t next = 1, maxBuffer = 0;
  std::string deviceName, driverName;
};

std::unique_ptr<DeviceCode>
WebGpuDevice::load(const std::vector<KernelInfo> &kernels,
                   const CodeSource &source) {
  auto code = std::make_unique<WebGpuCode>(node, next++, kernels);
  auto fileOf = [](const KernelInfo &kernel) {
    return kernel.file.empty() ? std::string("kernels.wgsl") : kernel.file;
  };
  for (const KernelInfo &kernel : kernels) {
    std::string file = fileOf(kernel);
    size_t number = 0;
    uint64_t program = 0;
    for (const auto &[name, id] : code->files)
      program = name == file ? id : program;
    if (program) {
      for (const auto &[id, position] : code->kernels)
        number += id == program;
      code->kernels.emplace_back(program, number);
      continue;
    }
    program = next++;
    code->files.emplace_back(file, program);
    code->kernels.emplace_back(program, 0);
    nlohmann::json list = nlohmann::json::array();
    for (const KernelInfo &other : kernels) {
      if (fileOf(other) != file)
        continue;
      nlohmann::json readonly = nlohmann::json::array();
      std::vector<bool> packed = packedBuffers(other);
      bool any = false;
      for (size_t i = 0; i < packed.size(); ++i) {
        if (!packed[i])
          readonly.push_back(other.buffers[i].readonly);
        any |= packed[i];
      }
      if (any)
        readonly.push_back(true);
      list.push_back({{"name", other.name}, {"readonly", readonly}});
    }
    try {
      node.ask(
          {{"op", "load"}, {"id", program}, {"file", file}, {"kernels", list}},
          source.read(file));
    } catch (const Error &error) {
      throw Error(deviceName + " cannot build " + file + ":\n" + error.what());
    }
  }
  return code;
}

void WebGpuDevice::launch(DeviceCode &code, size_t number, int64_t grid,
                          const std::vector<DeviceMemory> &buffers,
                          const std::vector<KernelScalar> &scalars) {
  auto &loaded = static_cast<WebGpuCode &>(code);
  const KernelInfo &info = loaded.infos[number];
  // A thread's number is an i32.
  if (grid > kMaxRow * kMaxRow ||
      grid > (int64_t(1) << 31) / std::max<int64_t>(info.block[0], 1))
    throw Error("kernel " + info.name + ": a grid of " + std::to_string(grid) +
                " blocks is too large");
  std::vector<uint64_t> bound;
  std::vector<bool> packed = packedBuffers(info);
  // Each begins with a word that an i64 may begin with.
  nlohmann::json parts = nlohmann::json::array();
  std::vector<int32_t> starts;
  uint64_t end = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!packed[i]) {
      bound.push_back(idOf(buffers[i]));
      continue;
    }
    uint64_t bytes = static_cast<Memory *>(buffers[i])->bytes;
    bytes = std::max<uint64_t>((bytes + 15) / 16 * 16, 16);
    starts.push_back(int32_t(end / 4));
    parts.push_back({{"id", idOf(buffers[i])}, {"offset", end}});
    end += bytes;
    if (end > maxBuffer)
      throw Error("kernel " + info.name + " has " +
                  std::to_string(buffers.size()) +
                  " buffers, and those that must share a binding exceed the "
                  "limit of " +
                  deviceName + ", " + std::to_string(maxBuffer) + " bytes");
  }
  auto [program, kernel] = loaded.kernels[number];
  node.tell({{"op", "launch"},
             {"what", "launch of " + info.name},
             {"program", program},
             {"kernel", kernel},
             {"blocks", grid},
             {"bound", bound},
             {"packed", parts},
             {"packedBytes", end}},
            packArguments(info, scalars, grid, starts));
}
} // namespace

std::unique_ptr<Device> openWebGpuDevice(int index) {
  if (index != 0)
    throw Error("WebGPU device " + std::to_string(index) +
                " does not exist; WebGPU offers one");
  return std::make_unique<WebGpuDevice>();
}

std::vector<std::string> listWebGpuDevices() {
  WebGpuDevice device;
  return {device.name() + ", " + device.driver()};
}

} // namespace tang_rt
