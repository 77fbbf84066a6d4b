//===- VulkanTest.cpp - What the Vulkan device makes of a SPIR-V module ---===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace tang_rt;
using namespace tang_rt::test;

namespace {

/// A program of one kernel `k` over one buffer.
class Vulkan : public ::testing::Test {
protected:
  void SetUp() override {
    char *error = nullptr;
    if (tang_rt_open_device("vulkan", 0, &device, &error)) {
      std::string why = error;
      tang_rt_free_string(error);
      GTEST_SKIP() << why;
    }
  }
  void TearDown() override { tang_rt_close_device(device); }

  /// Why a module is not loaded.
  std::string load(const std::vector<uint32_t> &words, size_t cut = 0) {
    std::string manifest = R"({"tang": 1, "target": "vulkan", "functions": [],
  "kernels": [{"name": "k", "block": [64, 1, 1],
               "buffers": [{"dtype": "f32"}], "scalars": []}]})";
    tang_rt_file files[] = {{"manifest.json", manifest.data(), manifest.size()},
                            {"k.spv",
                             reinterpret_cast<const char *>(words.data()),
                             words.size() * sizeof(uint32_t) - cut}};
    tang_rt_program *program = nullptr;
    char *error = nullptr;
    if (!tang_rt_load_files(device, files, 2, nullptr, nullptr, &program,
                            &error)) {
      tang_rt_free_program(program);
      return "";
    }
    std::string why = error;
    tang_rt_free_string(error);
    return why;
  }

  tang_rt_device *device = nullptr;
};

const std::vector<uint32_t> kHeader = {0x07230203, 0x10300, 0, 10, 0};

std::vector<uint32_t> module(std::vector<uint32_t> instructions) {
  std::vector<uint32_t> words = kHeader;
  words.insert(words.end(), instructions.begin(), instructions.end());
  return words;
}

void expectMessage(const std::string &why, const std::string &part) {
  EXPECT_NE(why.find(part), std::string::npos) << why;
  EXPECT_NE(why.find("cannot load kernel k from k.spv"), std::string::npos)
      << why;
}

TEST_F(Vulkan, RefusesWhatIsNoModule) {
  expectMessage(load({1, 2, 3, 4, 5}), "it is no SPIR-V module");
  expectMessage(load(kHeader, 1), "it is no SPIR-V module");
  // An instruction longer than the file, and one without length.
  expectMessage(load(module({9u << 16 | 17, 1})), "its SPIR-V is cut off");
  expectMessage(load(module({17, 1})), "its SPIR-V is cut off");
}

TEST_F(Vulkan, NamesWhatAKernelNeeds) {
  // 61 is GroupNonUniform, which kernels do not ask for.
  expectMessage(load(module({2u << 16 | 17, 61})),
                "it needs SPIR-V capability 61");
}

TEST_F(Vulkan, ChecksTheInterface) {
  expectMessage(load(kHeader), "it has no kernel of this name");
  // OpEntryPoint GLCompute %1 "k", and a workgroup of 32.
  const uint32_t entry = 4u << 16 | 15, mode = 6u << 16 | 16;
  expectMessage(load(module({entry, 5, 1, 'k', mode, 1, 17, 32, 1, 1})),
                "it has 0 buffers and workgroups of 32, the manifest says "
                "otherwise");
}

} // namespace
