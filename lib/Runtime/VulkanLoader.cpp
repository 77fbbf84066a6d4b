//===- VulkanLoader.cpp - The functions of libvulkan ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VulkanLoader.h"

#include "Error.h"

#include <dlfcn.h>

namespace tang_rt {

Vulkan::Vulkan() {
  // Never closed: drivers do not like to be unloaded.
  void *library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error("there is no Vulkan device: libvulkan.so.1 is not installed");
  auto load = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      ::dlsym(library, "vkGetInstanceProcAddr"));
  auto create = load ? reinterpret_cast<PFN_vkCreateInstance>(
                           load(nullptr, "vkCreateInstance"))
                     : nullptr;
  if (!create)
    throw Error("libvulkan.so.1 lacks vkCreateInstance");
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "tang";
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkResult code = create(&info, nullptr, &instance);
  if (code == VK_ERROR_INCOMPATIBLE_DRIVER)
    throw Error("there is no Vulkan device: no driver is installed (" +
                errorText(code) + ")");
  check(code, "vkCreateInstance");
#define F(name)                                                                \
  name = reinterpret_cast<PFN_vk##name>(load(instance, "vk" #name));           \
  if (!name)                                                                   \
    throw Error("libvulkan.so.1 lacks vk" #name);
  TANG_VULKAN_FUNCTIONS(F)
#undef F
}

const Vulkan &Vulkan::get() {
  static const Vulkan instance;
  return instance;
}

std::string Vulkan::errorText(VkResult code) {
  const char *name = nullptr;
  switch (code) {
#define C(value)                                                               \
  case value:                                                                  \
    name = #value;                                                             \
    break;
    C(VK_NOT_READY)
    C(VK_TIMEOUT)
    C(VK_INCOMPLETE)
    C(VK_ERROR_OUT_OF_HOST_MEMORY)
    C(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    C(VK_ERROR_INITIALIZATION_FAILED)
    C(VK_ERROR_DEVICE_LOST)
    C(VK_ERROR_MEMORY_MAP_FAILED)
    C(VK_ERROR_LAYER_NOT_PRESENT)
    C(VK_ERROR_EXTENSION_NOT_PRESENT)
    C(VK_ERROR_FEATURE_NOT_PRESENT)
    C(VK_ERROR_INCOMPATIBLE_DRIVER)
    C(VK_ERROR_TOO_MANY_OBJECTS)
    C(VK_ERROR_FRAGMENTED_POOL)
    C(VK_ERROR_UNKNOWN)
    C(VK_ERROR_OUT_OF_POOL_MEMORY)
    C(VK_ERROR_INVALID_SHADER_NV)
#undef C
  default:
    break;
  }
  std::string number = std::to_string(code);
  return name ? std::string(name) + " (" + number + ")"
              : "Vulkan error " + number;
}

void Vulkan::check(VkResult code, const std::string &what) {
  if (code != VK_SUCCESS)
    throw Error(what + ": " + errorText(code));
}

int Vulkan::computeFamily(VkPhysicalDevice device) const {
  uint32_t count = 0;
  GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
      return int(i);
  return -1;
}

std::vector<VkPhysicalDevice> Vulkan::devices() const {
  uint32_t count = 0;
  VkResult code = EnumeratePhysicalDevices(instance, &count, nullptr);
  if (code == VK_ERROR_INITIALIZATION_FAILED)
    return {};
  check(code, "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count), usable;
  check(EnumeratePhysicalDevices(instance, &count, all.data()),
        "vkEnumeratePhysicalDevices");
  for (VkPhysicalDevice device : all) {
    VkPhysicalDeviceProperties properties;
    GetPhysicalDeviceProperties(device, &properties);
    if (properties.apiVersion >= VK_API_VERSION_1_1 &&
        computeFamily(device) >= 0)
      usable.push_back(device);
  }
  return usable;
}

bool Vulkan::hasExtension(VkPhysicalDevice device,
                          const std::string &name) const {
  uint32_t count = 0;
  check(EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr),
        "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> all(count);
  check(EnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()),
        "vkEnumerateDeviceExtensionProperties");
  for (const VkExtensionProperties &extension : all)
    if (name == extension.extensionName)
      return true;
  return false;
}

std::string Vulkan::deviceName(VkPhysicalDevice device) const {
  VkPhysicalDeviceProperties properties;
  GetPhysicalDeviceProperties(device, &properties);
  return properties.deviceName;
}

std::string Vulkan::deviceDriver(VkPhysicalDevice device) const {
  VkPhysicalDeviceDriverProperties driver = {};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  if (hasExtension(device, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME))
    properties.pNext = &driver;
  GetPhysicalDeviceProperties2(device, &properties);
  uint32_t version = properties.properties.apiVersion;
  std::string text = "Vulkan " + std::to_string(VK_VERSION_MAJOR(version)) +
                     "." + std::to_string(VK_VERSION_MINOR(version)) + "." +
                     std::to_string(VK_VERSION_PATCH(version));
  if (driver.driverName[0])
    text += std::string(", ") + driver.driverName + " " + driver.driverInfo;
  return text;
}

} // namespace tang_rt
