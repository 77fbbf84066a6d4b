//===- VulkanLoader.h - The functions of libvulkan -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_VULKANLOADER_H
#define TANG_LIB_RUNTIME_VULKANLOADER_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <string>
#include <vector>

namespace tang_rt {

/// Every Vulkan function that the runtime calls of an instance or what belongs
/// to one, without the prefix `vk`.
#define TANG_VULKAN_FUNCTIONS(F)                                               \
  F(EnumeratePhysicalDevices)                                                  \
  F(EnumerateDeviceExtensionProperties)                                        \
  F(GetPhysicalDeviceFeatures2)                                                \
  F(GetPhysicalDeviceProperties)                                               \
  F(GetPhysicalDeviceProperties2)                                              \
  F(GetPhysicalDeviceMemoryProperties)                                         \
  F(GetPhysicalDeviceQueueFamilyProperties)                                    \
  F(CreateDevice)                                                              \
  F(DestroyDevice)                                                             \
  F(DeviceWaitIdle)                                                            \
  F(GetDeviceQueue)                                                            \
  F(QueueSubmit)                                                               \
  F(AllocateMemory)                                                            \
  F(FreeMemory)                                                                \
  F(MapMemory)                                                                 \
  F(CreateBuffer)                                                              \
  F(DestroyBuffer)                                                             \
  F(GetBufferMemoryRequirements)                                               \
  F(BindBufferMemory)                                                          \
  F(CreateShaderModule)                                                        \
  F(DestroyShaderModule)                                                       \
  F(CreateDescriptorSetLayout)                                                 \
  F(DestroyDescriptorSetLayout)                                                \
  F(CreatePipelineLayout)                                                      \
  F(DestroyPipelineLayout)                                                     \
  F(CreateComputePipelines)                                                    \
  F(DestroyPipeline)                                                           \
  F(CreateDescriptorPool)                                                      \
  F(DestroyDescriptorPool)                                                     \
  F(ResetDescriptorPool)                                                       \
  F(AllocateDescriptorSets)                                                    \
  F(UpdateDescriptorSets)                                                      \
  F(CreateCommandPool)                                                         \
  F(DestroyCommandPool)                                                        \
  F(AllocateCommandBuffers)                                                    \
  F(BeginCommandBuffer)                                                        \
  F(EndCommandBuffer)                                                          \
  F(CreateFence)                                                               \
  F(DestroyFence)                                                              \
  F(ResetFences)                                                               \
  F(WaitForFences)                                                             \
  F(CreateQueryPool)                                                           \
  F(DestroyQueryPool)                                                          \
  F(GetQueryPoolResults)                                                       \
  F(CmdBindPipeline)                                                           \
  F(CmdBindDescriptorSets)                                                     \
  F(CmdPushConstants)                                                          \
  F(CmdDispatch)                                                               \
  F(CmdCopyBuffer)                                                             \
  F(CmdFillBuffer)                                                             \
  F(CmdPipelineBarrier)                                                        \
  F(CmdResetQueryPool)                                                         \
  F(CmdWriteTimestamp)

/// libvulkan.so.1 and an instance, loaded when first asked for.
class Vulkan {
public:
  /// Throws if the library is missing or has no driver.
  static const Vulkan &get();

#define F(name) PFN_vk##name name = nullptr;
  TANG_VULKAN_FUNCTIONS(F)
#undef F

  static std::string errorText(VkResult code);
  /// Throws `WHAT: ERROR` unless `code` is success.
  static void check(VkResult code, const std::string &what);

  /// Those with version 1.1 and a queue that computes.
  std::vector<VkPhysicalDevice> devices() const;
  /// The first family of queues that computes, or -1.
  int computeFamily(VkPhysicalDevice device) const;
  bool hasExtension(VkPhysicalDevice device, const std::string &name) const;
  std::string deviceName(VkPhysicalDevice device) const;
  /// `Vulkan 1.3.230, llvmpipe, Mesa 22.3.6`
  std::string deviceDriver(VkPhysicalDevice device) const;

private:
  Vulkan();

  /// Never destroyed.
  VkInstance instance = nullptr;
};

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_VULKANLOADER_H
