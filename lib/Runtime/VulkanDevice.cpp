//===- VulkanDevice.cpp - Vulkan, loaded at run time ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches and copies are recorded one after the other into a command buffer,
// with a barrier after each, which is submitted when someone waits or when it
// is full. Where host and device share their memory, buffers are mapped and the
// host copies; elsewhere copies go through a staging buffer.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "VulkanLoader.h"
#include "VulkanShader.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tang_rt {

namespace {
/// What every device takes (Vulkan specification, "Required Limits"); the
/// compiler relies on the same numbers.
constexpr uint32_t kMaxRow = 65535;
constexpr uint32_t kMaxPushConstantBytes = 128;
/// Kernels index with 32 bits and sign.
constexpr uint32_t kMaxBufferBytes = uint32_t(1) << 31;

constexpr uint64_t kStagingBytes = uint64_t(16) << 20;
/// More than the last level cache of any GPU.
constexpr uint64_t kFlushBytes = uint64_t(256) << 20;
/// Launches until a command buffer is submitted.
constexpr uint32_t kMaxRecorded = 256;

struct Memory {
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  uint64_t bytes = 0;
  /// Null if the host cannot see it.
  char *mapped = nullptr;
};

struct Kernel {
  VkShaderModule module = nullptr;
  VkDescriptorSetLayout setLayout = nullptr;
  VkPipelineLayout layout = nullptr;
  VkPipeline pipeline = nullptr;
  /// Of the block with the scalars and the number of blocks.
  uint32_t argumentBytes = 0;
  bool pushes() const { return argumentBytes <= kMaxPushConstantBytes; }
};

class VulkanDevice;

class VulkanCode : public DeviceCode {
public:
  explicit VulkanCode(VulkanDevice &device) : device(device) {}
  ~VulkanCode() override;
  VulkanDevice &device;
  std::vector<Kernel> kernels;
  std::vector<KernelInfo> infos;
};

/// The bytes that a scalar takes in the block: integers narrower than 32 bits
/// are widened, floats narrower than f64 are f32.
uint32_t scalarBytes(DType type) {
  return type == DType::F64 || type == DType::I64 || type == DType::Index ? 8
                                                                          : 4;
}

uint32_t alignTo(uint32_t offset, uint32_t size) {
  return (offset + size - 1) / size * size;
}

/// Each scalar aligned to its size, then the number of blocks.
std::vector<char> packArguments(const std::vector<DType> &types,
                                const std::vector<KernelScalar> &scalars,
                                uint32_t blocks) {
  std::vector<char> bytes;
  auto add = [&](const void *data, uint32_t size) {
    uint32_t at = alignTo(uint32_t(bytes.size()), size);
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, data, size);
  };
  for (size_t i = 0; i < types.size(); ++i) {
    float single = float(scalars[i].real);
    if (types[i] == DType::F64)
      add(&scalars[i].real, 8);
    else if (isFloat(types[i]))
      add(&single, 4);
    else // Little-endian: the low bytes come first.
      add(&scalars[i].integer, scalarBytes(types[i]));
  }
  add(&blocks, 4);
  return bytes;
}

class VulkanDevice : public Device {
public:
  VulkanDevice(const Vulkan &vk, VkPhysicalDevice physical)
      : vk(vk), physical(physical) {
    try {
      open();
    } catch (...) {
      close();
      throw;
    }
  }
  ~VulkanDevice() override { close(); }

  std::string name() const override { return deviceName; }
  std::string driver() const override { return driverName; }

  DeviceMemory alloc(uint64_t bytes) override {
    uint64_t limit = std::min(limits.maxStorageBufferRange, kMaxBufferBytes);
    if (bytes > limit)
      throw Error("a buffer of " + std::to_string(bytes) +
                  " bytes exceeds the limit of " + deviceName + ", " +
                  std::to_string(limit) +
                  " bytes (maxStorageBufferRange, at most 2 GiB)");
    return new Memory(create(bytes, deviceTypes));
  }
  void free(DeviceMemory memory) override {
    // A launch that uses it may not have begun.
    try {
      sync();
    } catch (const Error &) {
      // A lost device: whoever waits next is told.
    }
    destroy(*static_cast<Memory *>(memory));
    delete static_cast<Memory *>(memory);
  }

  void upload(DeviceMemory to, uint64_t offset, const void *from,
              uint64_t bytes) override;
  void download(void *to, DeviceMemory from, uint64_t offset,
                uint64_t bytes) override;
  void copy(DeviceMemory to, DeviceMemory from, uint64_t bytes) override {
    if (bytes)
      record([&](VkCommandBuffer commands) {
        VkBufferCopy region = {0, 0, bytes};
        vk.CmdCopyBuffer(commands, static_cast<Memory *>(from)->buffer,
                         static_cast<Memory *>(to)->buffer, 1, &region);
      });
  }
  void sync() override;

  void startTimer() override;
  double stopTimer() override;
  void flushCache() override {
    if (!scratch.buffer)
      scratch = create(kFlushBytes, deviceTypes);
    record([&](VkCommandBuffer commands) {
      vk.CmdFillBuffer(commands, scratch.buffer, 0, kFlushBytes, 0);
    });
  }

  std::unique_ptr<DeviceCode> load(const std::vector<KernelInfo> &kernels,
                                   const CodeSource &source) override;
  void launch(DeviceCode &code, size_t kernel, int64_t grid,
              const std::vector<DeviceMemory> &buffers,
              const std::vector<KernelScalar> &scalars) override;

private:
  friend class VulkanCode;
  void open();
  void close();
  void readFeatures();
  void chooseMemory();
  void createDevice(uint32_t family);
  Memory create(uint64_t bytes, const std::vector<uint32_t> &types);
  void destroy(Memory &memory);
  void destroy(Kernel &kernel);
  void createLayouts(const KernelInfo &info, Kernel &kernel);
  void createPipeline(const KernelInfo &info, const std::string &binary,
                      Kernel &kernel);
  VkDescriptorSet bind(const Kernel &kernel, std::vector<VkBuffer> buffers);
  /// Adds a command and the barrier after it.
  template <typename F> void record(F command);

  const Vulkan &vk;
  VkPhysicalDevice physical;
  VkPhysicalDeviceLimits limits = {};
  ShaderFeatures features;
  /// Types of memory from the best to the worst: for buffers of kernels, and
  /// for copies from and to the host.
  std::vector<uint32_t> deviceTypes, stagingTypes;
  VkPhysicalDeviceMemoryProperties memoryProperties = {};
  bool sharesMemory = false;
  bool hasTimestamps = false;
  std::string deviceName, driverName;

  VkDevice device = nullptr;
  VkQueue queue = nullptr;
  VkCommandPool commandPool = nullptr;
  VkCommandBuffer commands = nullptr;
  VkDescriptorPool descriptorPool = nullptr;
  VkFence fence = nullptr;
  VkQueryPool queries = nullptr;
  Memory staging, scratch;
  /// Blocks of arguments that are no push constants, until they are read.
  std::vector<Memory> arguments;
  bool isRecording = false;
  uint32_t numRecorded = 0, numBuffersBound = 0;
};

VulkanCode::~VulkanCode() {
  try {
    device.sync();
  } catch (const Error &) {
    // A lost device: whoever waits next is told.
  }
  for (Kernel &kernel : kernels)
    device.destroy(kernel);
}

//===----------------------------------------------------------------------===//
// Opening a device
//===----------------------------------------------------------------------===//

void VulkanDevice::readFeatures() {
  VkPhysicalDevice16BitStorageFeatures storage16 = {};
  storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  VkPhysicalDevice8BitStorageFeatures storage8 = {};
  storage8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES;
  VkPhysicalDeviceShaderFloat16Int8Features small = {};
  small.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
  VkPhysicalDeviceFeatures2 all = {};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  all.pNext = &storage16;
  if (vk.hasExtension(physical, VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) {
    storage8.pNext = all.pNext;
    all.pNext = &storage8;
  }
  if (vk.hasExtension(physical, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) {
    small.pNext = all.pNext;
    all.pNext = &small;
  }
  vk.GetPhysicalDeviceFeatures2(physical, &all);
  features.int8 = small.shaderInt8;
  features.int16 = all.features.shaderInt16;
  features.int64 = all.features.shaderInt64;
  features.float64 = all.features.shaderFloat64;
  features.storage8 = storage8.storageBuffer8BitAccess;
  features.storage16 = storage16.storageBuffer16BitAccess;

  VkPhysicalDeviceFloatControlsProperties floats = {};
  floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  if (vk.hasExtension(physical, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
    properties.pNext = &floats;
  vk.GetPhysicalDeviceProperties2(physical, &properties);
  limits = properties.properties.limits;
  features.floats32 = {bool(floats.shaderDenormPreserveFloat32),
                       bool(floats.shaderRoundingModeRTEFloat32),
                       bool(floats.shaderSignedZeroInfNanPreserveFloat32)};
  features.floats64 = {bool(floats.shaderDenormPreserveFloat64),
                       bool(floats.shaderRoundingModeRTEFloat64),
                       bool(floats.shaderSignedZeroInfNanPreserveFloat64)};
  // A kernel sets both widths alike, which not every device can.
  if (floats.denormBehaviorIndependence ==
      VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
    features.floats32.preservesDenormals =
        features.floats64.preservesDenormals =
            features.floats32.preservesDenormals &&
            features.floats64.preservesDenormals;
  if (floats.roundingModeIndependence ==
      VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
    features.floats32.roundsToNearestEven =
        features.floats64.roundsToNearestEven =
            features.floats32.roundsToNearestEven &&
            features.floats64.roundsToNearestEven;
  VkPhysicalDeviceType type = properties.properties.deviceType;
  features.isSlowCompiler = type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  sharesMemory = type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                 type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

void VulkanDevice::chooseMemory() {
  vk.GetPhysicalDeviceMemoryProperties(physical, &memoryProperties);
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                  cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  auto types = [&](std::initializer_list<VkMemoryPropertyFlags> wishes) {
    std::vector<uint32_t> result;
    for (VkMemoryPropertyFlags wish : wishes)
      for (uint32_t i = 0; i < memoryProperties.memoryTypeCount; ++i)
        if ((memoryProperties.memoryTypes[i].propertyFlags & wish) == wish)
          result.push_back(i);
    return result;
  };
  stagingTypes = types({host | cached, host});
  if (sharesMemory)
    deviceTypes = types({local | host | cached, local | host, host, local, 0});
  else
    deviceTypes = types({local, 0});
}

void VulkanDevice::createDevice(uint32_t family) {
  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo = {};
  queueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queueInfo.queueFamilyIndex = family;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;

  std::vector<const char *> extensions;
  VkPhysicalDevice16BitStorageFeatures storage16 = {};
  storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  storage16.storageBuffer16BitAccess = features.storage16;
  VkPhysicalDevice8BitStorageFeatures storage8 = {};
  storage8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES;
  storage8.storageBuffer8BitAccess = features.storage8;
  VkPhysicalDeviceShaderFloat16Int8Features small = {};
  small.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
  small.shaderInt8 = features.int8;
  void *chain = &storage16;
  if (features.storage8) {
    extensions.push_back(VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
    storage8.pNext = chain;
    chain = &storage8;
  }
  if (features.int8) {
    extensions.push_back(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
    small.pNext = chain;
    chain = &small;
  }
  if (vk.hasExtension(physical, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
    extensions.push_back(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);

  VkPhysicalDeviceFeatures core = {};
  core.shaderInt16 = features.int16;
  core.shaderInt64 = features.int64;
  core.shaderFloat64 = features.float64;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = chain;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.pEnabledFeatures = &core;
  vk.check(vk.CreateDevice(physical, &info, nullptr, &device),
           "vkCreateDevice of " + deviceName);
  vk.GetDeviceQueue(device, family, 0, &queue);
}

void VulkanDevice::open() {
  deviceName = vk.deviceName(physical);
  driverName = vk.deviceDriver(physical);
  readFeatures();
  chooseMemory();
  auto family = uint32_t(vk.computeFamily(physical));
  uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  hasTimestamps = families[family].timestampValidBits == 64;
  createDevice(family);

  VkCommandPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = family;
  vk.check(vk.CreateCommandPool(device, &poolInfo, nullptr, &commandPool),
           "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commandInfo = {};
  commandInfo.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commandInfo.commandPool = commandPool;
  commandInfo.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commandInfo.commandBufferCount = 1;
  vk.check(vk.AllocateCommandBuffers(device, &commandInfo, &commands),
           "vkAllocateCommandBuffers");
  VkFenceCreateInfo fenceInfo = {};
  fenceInfo.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  vk.check(vk.CreateFence(device, &fenceInfo, nullptr, &fence),
           "vkCreateFence");

  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                               16 * kMaxRecorded};
  VkDescriptorPoolCreateInfo descriptorInfo = {};
  descriptorInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  descriptorInfo.maxSets = kMaxRecorded;
  descriptorInfo.poolSizeCount = 1;
  descriptorInfo.pPoolSizes = &size;
  vk.check(vk.CreateDescriptorPool(device, &descriptorInfo, nullptr,
                                   &descriptorPool),
           "vkCreateDescriptorPool");
  if (hasTimestamps) {
    VkQueryPoolCreateInfo queryInfo = {};
    queryInfo.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    queryInfo.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queryInfo.queryCount = 2;
    vk.check(vk.CreateQueryPool(device, &queryInfo, nullptr, &queries),
             "vkCreateQueryPool");
  }
}

void VulkanDevice::close() {
  if (!device)
    return;
  vk.DeviceWaitIdle(device);
  destroy(staging);
  destroy(scratch);
  for (Memory &memory : arguments)
    destroy(memory);
  if (queries)
    vk.DestroyQueryPool(device, queries, nullptr);
  if (descriptorPool)
    vk.DestroyDescriptorPool(device, descriptorPool, nullptr);
  if (fence)
    vk.DestroyFence(device, fence, nullptr);
  if (commandPool)
    vk.DestroyCommandPool(device, commandPool, nullptr);
  vk.DestroyDevice(device, nullptr);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Memory VulkanDevice::create(uint64_t bytes,
                            const std::vector<uint32_t> &types) {
  std::string what = "cannot allocate " + std::to_string(bytes) + " bytes on " +
                     deviceName + ": ";
  Memory result;
  // A whole number of words, of which there is one.
  result.bytes = std::max<uint64_t>((bytes + 3) / 4 * 4, 4);
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = result.bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkResult code = vk.CreateBuffer(device, &info, nullptr, &result.buffer);
  if (code != VK_SUCCESS)
    throw Error(what + vk.errorText(code));
  VkMemoryRequirements needs;
  vk.GetBufferMemoryRequirements(device, result.buffer, &needs);
  code = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (uint32_t type : types) {
    if (!(needs.memoryTypeBits >> type & 1))
      continue;
    VkMemoryAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type;
    code = vk.AllocateMemory(device, &allocate, nullptr, &result.memory);
    if (code != VK_SUCCESS)
      continue;
    code = vk.BindBufferMemory(device, result.buffer, result.memory, 0);
    bool isVisible = memoryProperties.memoryTypes[type].propertyFlags &
                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    void *mapped = nullptr;
    if (code == VK_SUCCESS && isVisible &&
        (sharesMemory || &types == &stagingTypes))
      code = vk.MapMemory(device, result.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    result.mapped = static_cast<char *>(mapped);
    break;
  }
  if (code != VK_SUCCESS) {
    destroy(result);
    throw Error(what + vk.errorText(code));
  }
  return result;
}

void VulkanDevice::destroy(Memory &memory) {
  if (memory.buffer)
    vk.DestroyBuffer(device, memory.buffer, nullptr);
  if (memory.memory)
    vk.FreeMemory(device, memory.memory, nullptr);
  memory = {};
}

void VulkanDevice::upload(DeviceMemory to, uint64_t offset, const void *from,
                          uint64_t bytes) {
  auto &memory = *static_cast<Memory *>(to);
  // Launches that read what is overwritten come first.
  sync();
  if (memory.mapped) {
    if (bytes)
      std::memcpy(memory.mapped + offset, from, bytes);
    return;
  }
  if (!staging.buffer)
    staging = create(kStagingBytes, stagingTypes);
  for (uint64_t done = 0; done < bytes; done += kStagingBytes) {
    uint64_t part = std::min(kStagingBytes, bytes - done);
    std::memcpy(staging.mapped, static_cast<const char *>(from) + done, part);
    record([&](VkCommandBuffer commands) {
      VkBufferCopy region = {0, offset + done, part};
      vk.CmdCopyBuffer(commands, staging.buffer, memory.buffer, 1, &region);
    });
    sync();
  }
}

void VulkanDevice::download(void *to, DeviceMemory from, uint64_t offset,
                            uint64_t bytes) {
  auto &memory = *static_cast<Memory *>(from);
  sync();
  if (memory.mapped) {
    if (bytes)
      std::memcpy(to, memory.mapped + offset, bytes);
    return;
  }
  if (!staging.buffer)
    staging = create(kStagingBytes, stagingTypes);
  for (uint64_t done = 0; done < bytes; done += kStagingBytes) {
    uint64_t part = std::min(kStagingBytes, bytes - done);
    record([&](VkCommandBuffer commands) {
      VkBufferCopy region = {offset + done, 0, part};
      vk.CmdCopyBuffer(commands, memory.buffer, staging.buffer, 1, &region);
    });
    sync();
    std::memcpy(static_cast<char *>(to) + done, staging.mapped, part);
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

template <typename F> void VulkanDevice::record(F command) {
  if (!isRecording) {
    VkCommandBufferBeginInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    vk.check(vk.BeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
    isRecording = true;
  }
  command(commands);
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask =
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  constexpr VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  vk.CmdPipelineBarrier(commands, stages, stages | VK_PIPELINE_STAGE_HOST_BIT,
                        0, 1, &barrier, 0, nullptr, 0, nullptr);
  ++numRecorded;
}

void VulkanDevice::sync() {
  if (!isRecording)
    return;
  isRecording = false;
  numRecorded = numBuffersBound = 0;
  vk.check(vk.EndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  vk.check(vk.QueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
  vk.check(vk.WaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX),
           "vkWaitForFences");
  vk.check(vk.ResetFences(device, 1, &fence), "vkResetFences");
  vk.check(vk.ResetDescriptorPool(device, descriptorPool, 0),
           "vkResetDescriptorPool");
  for (Memory &memory : arguments)
    destroy(memory);
  arguments.clear();
}

void VulkanDevice::startTimer() {
  if (!hasTimestamps)
    return Device::startTimer();
  sync();
  record([&](VkCommandBuffer commands) {
    vk.CmdResetQueryPool(commands, queries, 0, 2);
    vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                         queries, 0);
  });
}

double VulkanDevice::stopTimer() {
  if (!hasTimestamps)
    return Device::stopTimer();
  record([&](VkCommandBuffer commands) {
    vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                         queries, 1);
  });
  sync();
  uint64_t ticks[2] = {};
  vk.check(vk.GetQueryPoolResults(
               device, queries, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
           "vkGetQueryPoolResults");
  return double(ticks[1] - ticks[0]) * double(limits.timestampPeriod) * 1e-9;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void VulkanDevice::destroy(Kernel &kernel) {
  if (kernel.pipeline)
    vk.DestroyPipeline(device, kernel.pipeline, nullptr);
  if (kernel.layout)
    vk.DestroyPipelineLayout(device, kernel.layout, nullptr);
  if (kernel.setLayout)
    vk.DestroyDescriptorSetLayout(device, kernel.setLayout, nullptr);
  if (kernel.module)
    vk.DestroyShaderModule(device, kernel.module, nullptr);
  kernel = {};
}

void VulkanDevice::createLayouts(const KernelInfo &info, Kernel &kernel) {
  kernel.argumentBytes =
      uint32_t(packArguments(info.scalars,
                             std::vector<KernelScalar>(info.scalars.size()), 0)
                   .size());
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  size_t count = info.buffers.size() + !kernel.pushes();
  if (count > limits.maxPerStageDescriptorStorageBuffers)
    throw Error("it has " + std::to_string(count) + " buffers, the limit is " +
                std::to_string(limits.maxPerStageDescriptorStorageBuffers));
  for (uint32_t i = 0; i < count; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                        VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  VkDescriptorSetLayoutCreateInfo setInfo = {};
  setInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  setInfo.bindingCount = uint32_t(bindings.size());
  setInfo.pBindings = bindings.data();
  vk.check(vk.CreateDescriptorSetLayout(device, &setInfo, nullptr,
                                        &kernel.setLayout),
           "vkCreateDescriptorSetLayout");
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               kernel.argumentBytes};
  VkPipelineLayoutCreateInfo layoutInfo = {};
  layoutInfo.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layoutInfo.setLayoutCount = 1;
  layoutInfo.pSetLayouts = &kernel.setLayout;
  layoutInfo.pushConstantRangeCount = kernel.pushes();
  layoutInfo.pPushConstantRanges = &range;
  vk.check(
      vk.CreatePipelineLayout(device, &layoutInfo, nullptr, &kernel.layout),
      "vkCreatePipelineLayout");
}

void VulkanDevice::createPipeline(const KernelInfo &info,
                                  const std::string &binary, Kernel &kernel) {
  Shader shader = adaptShader(binary, info.name, features);
  if (shader.numStorageBuffers != info.buffers.size() + !kernel.pushes() ||
      shader.localSize != info.block[0])
    throw Error("it has " + std::to_string(shader.numStorageBuffers) +
                " buffers and workgroups of " +
                std::to_string(shader.localSize) +
                ", the manifest says otherwise");
  uint32_t limit = std::min(limits.maxComputeWorkGroupInvocations,
                            limits.maxComputeWorkGroupSize[0]);
  if (shader.localSize > limit)
    throw Error("it needs a workgroup of " + std::to_string(shader.localSize) +
                ", the limit is " + std::to_string(limit));
  VkShaderModuleCreateInfo moduleInfo = {};
  moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  moduleInfo.codeSize = shader.words.size() * sizeof(uint32_t);
  moduleInfo.pCode = shader.words.data();
  vk.check(vk.CreateShaderModule(device, &moduleInfo, nullptr, &kernel.module),
           "vkCreateShaderModule");
  VkComputePipelineCreateInfo pipelineInfo = {};
  pipelineInfo.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipelineInfo.stage.sType =
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipelineInfo.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipelineInfo.stage.module = kernel.module;
  pipelineInfo.stage.pName = info.name.c_str();
  pipelineInfo.layout = kernel.layout;
  vk.check(vk.CreateComputePipelines(device, nullptr, 1, &pipelineInfo, nullptr,
                                     &kernel.pipeline),
           "vkCreateComputePipelines");
}

std::unique_ptr<DeviceCode>
VulkanDevice::load(const std::vector<KernelInfo> &kernels,
                   const CodeSource &source) {
  auto code = std::make_unique<VulkanCode>(*this);
  code->infos = kernels;
  for (const KernelInfo &info : kernels) {
    std::string file = info.file.empty() ? info.name + ".spv" : info.file;
    std::string binary = source.read(file);
    Kernel &kernel = code->kernels.emplace_back();
    try {
      createLayouts(info, kernel);
      createPipeline(info, binary, kernel);
    } catch (const Error &error) {
      throw Error(deviceName + " cannot load kernel " + info.name + " from " +
                  file + ": " + error.what());
    }
  }
  return code;
}

VkDescriptorSet VulkanDevice::bind(const Kernel &kernel,
                                   std::vector<VkBuffer> buffers) {
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = descriptorPool;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &kernel.setLayout;
  VkDescriptorSet set = nullptr;
  vk.check(vk.AllocateDescriptorSets(device, &info, &set),
           "vkAllocateDescriptorSets");
  std::vector<VkDescriptorBufferInfo> infos;
  for (VkBuffer buffer : buffers)
    infos.push_back({buffer, 0, VK_WHOLE_SIZE});
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  // The bindings that follow take what is left over of each.
  write.descriptorCount = uint32_t(infos.size());
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = infos.data();
  if (!infos.empty())
    vk.UpdateDescriptorSets(device, 1, &write, 0, nullptr);
  return set;
}

void VulkanDevice::launch(DeviceCode &code, size_t number, int64_t grid,
                          const std::vector<DeviceMemory> &buffers,
                          const std::vector<KernelScalar> &scalars) {
  auto &loaded = static_cast<VulkanCode &>(code);
  const Kernel &kernel = loaded.kernels[number];
  const KernelInfo &info = loaded.infos[number];
  if (grid > int64_t(kMaxRow) * kMaxRow)
    throw Error("kernel " + info.name + ": a grid of " + std::to_string(grid) +
                " blocks is too large");
  uint32_t used = uint32_t(buffers.size()) + 1;
  if (numRecorded >= kMaxRecorded || numBuffersBound + used > 16 * kMaxRecorded)
    sync();
  numBuffersBound += used;
  std::vector<char> block =
      packArguments(info.scalars, scalars, uint32_t(grid));
  std::vector<VkBuffer> bound;
  for (DeviceMemory buffer : buffers)
    bound.push_back(static_cast<Memory *>(buffer)->buffer);
  if (!kernel.pushes()) {
    arguments.push_back(create(block.size(), stagingTypes));
    std::memcpy(arguments.back().mapped, block.data(), block.size());
    bound.push_back(arguments.back().buffer);
  }
  VkDescriptorSet set = bind(kernel, std::move(bound));
  auto blocks = uint32_t(grid);
  uint32_t row = std::min(blocks, kMaxRow);
  record([&](VkCommandBuffer commands) {
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                       kernel.pipeline);
    vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                             kernel.layout, 0, 1, &set, 0, nullptr);
    if (kernel.pushes())
      vk.CmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                          0, uint32_t(block.size()), block.data());
    vk.CmdDispatch(commands, row, (blocks - 1) / row + 1, 1);
  });
}
} // namespace

std::unique_ptr<Device> openVulkanDevice(int index) {
  const Vulkan &vk = Vulkan::get();
  std::vector<VkPhysicalDevice> devices = vk.devices();
  if (devices.empty())
    throw Error("there is no Vulkan device with version 1.1");
  if (size_t(index) >= devices.size())
    throw Error("Vulkan device " + std::to_string(index) +
                " does not exist; there are " + std::to_string(devices.size()));
  return std::make_unique<VulkanDevice>(vk, devices[size_t(index)]);
}

std::vector<std::string> listVulkanDevices() {
  const Vulkan &vk = Vulkan::get();
  std::vector<std::string> lines;
  for (VkPhysicalDevice device : vk.devices())
    lines.push_back(vk.deviceName(device) + ", " + vk.deviceDriver(device));
  return lines;
}

} // namespace tang_rt
