//===- CudaTest.cpp - What the runtime asks of a CUDA driver -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against FakeCuda, which records calls: no GPU is needed, and none is used.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <dlfcn.h>

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
const char *(*fakeLog)() = nullptr;

class Cuda : public ::testing::Test {
protected:
  void SetUp() override {
    // The runtime's own dlopen of libcuda.so.1 then finds this one.
    void *library = ::dlopen(TANG_TEST_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    fakeLog =
        reinterpret_cast<decltype(fakeLog)>(::dlsym(library, "fake_cuda_log"));
    ASSERT_NE(fakeLog, nullptr);
    char *error = nullptr;
    ASSERT_EQ(tang_rt_open_device("h200", 0, &device, &error), 0) << error;
    ASSERT_STREQ(tang_rt_device_name(device), "Fake GPU");
    fakeLog();
  }
  void TearDown() override { tang_rt_close_device(device); }

  /// A program whose `main` makes a f32 tensor of the input's shape and
  /// launches kernel `k` on both with the input's two sizes.
  static std::string manifest(const std::string &kernel,
                              const std::string &grid = "6") {
    return R"({"tang": 1, "target": "h200", "functions": [
  {"name": "main", "inputs": [{"dtype": "bf16", "shape": [null, null]}],
   "outputs": [{"dtype": "f32", "shape": [null, null]}],
   "slots": 9, "args": ["%0"], "body": [
    {"op": "dim", "dst": "%1", "src": "%0", "index": 0},
    {"op": "dim", "dst": "%2", "src": "%0", "index": 1},
    {"op": "alloc", "dst": "%3", "dtype": "f32", "shape": ["%1", "%2"]},
    {"op": "launch", "kernel": "k", "grid": )" +
           grid + R"(, "buffers": ["%0", "%3"], "scalars": ["%1", "%2", 1.5]},
    {"op": "return", "values": ["%3"]}]}],
  "kernels": [{"name": "k", "block": [384, 1, 1],
    "buffers": [{"name": "x", "dtype": "bf16", "readonly": true},
                {"name": "y", "dtype": "f32"}],
    "scalars": [{"type": "index"}, {"type": "i32"}, {"type": "f32"}])" +
           kernel + "}]}";
  }

  /// PTX of an entry `k` for that kernel with `maps` tensor maps.
  static std::string ptx(int maps) {
    std::string text = ".visible .entry k(\n\t.param .u64 .ptr .global a,\n"
                       "\t.param .u64 b,\n\t.param .u64 c,\n\t.param .u32 d,\n"
                       "\t.param .f32 e";
    for (int i = 0; i < maps; ++i)
      text += ",\n\t.param .align 64 .b8 m" + std::to_string(i) + "[128]";
    return text + "\n)\n{ ret; }\n";
  }

  tang_rt_program *load(const std::string &manifest, const std::string &code,
                        std::string &why,
                        const std::string &file = "kernels.ptx") {
    tang_rt_file files[] = {{"manifest.json", manifest.data(), manifest.size()},
                            {file.c_str(), code.data(), code.size()}};
    tang_rt_program *program = nullptr;
    char *error = nullptr;
    why.clear();
    if (tang_rt_load_files(device, files, 2, nullptr, nullptr, &program,
                           &error)) {
      why = error;
      tang_rt_free_string(error);
    }
    return program;
  }

  /// Why a program with this kernel cannot be loaded.
  std::string loadError(const std::string &kernel, int maps = 0) {
    std::string why;
    tang_rt_program *program = load(manifest(kernel), ptx(maps), why);
    tang_rt_free_program(program);
    return why;
  }

  static HostTensor input(int64_t rows, int64_t columns) {
    HostTensor tensor;
    std::string why;
    EXPECT_TRUE(HostTensor::create(DType::BF16, {rows, columns}, tensor, why));
    return tensor;
  }

  tang_rt_device *device = nullptr;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_CONTAINS(TEXT, PART)                                            \
  EXPECT_PRED2(contains, (TEXT), std::string(PART))

/// The lines of the log that start with `word`.
std::vector<std::string> lines(const std::string &log,
                               const std::string &word) {
  std::vector<std::string> found;
  for (size_t at = 0; at < log.size();) {
    size_t end = log.find('\n', at);
    std::string line = log.substr(at, end - at);
    if (line.starts_with(word + " ") || line == word)
      found.push_back(line);
    at = end + 1;
  }
  return found;
}

TEST_F(Cuda, PlainLaunch) {
  std::string why;
  tang_rt_program *program = load(manifest(""), ptx(0), why);
  ASSERT_NE(program, nullptr) << why;
  EXPECT_EQ(lines(fakeLog(), "attribute").size(), 0u);
  ASSERT_EQ(callProgram(program, "", {input(3, 5)}).error, "");
  std::vector<std::string> launches = lines(fakeLog(), "launch");
  ASSERT_EQ(launches.size(), 1u);
  // 1.5 as f32 is 3fc00000.
  EXPECT_TRUE(
      launches[0].starts_with("launch k grid 6 block 384 shared 0 args m"))
      << launches[0];
  EXPECT_TRUE(launches[0].ends_with(" 3 5 3fc00000")) << launches[0];
  tang_rt_free_program(program);
  EXPECT_EQ(lines(fakeLog(), "unload").size(), 1u);
}

TEST_F(Cuda, LaunchAttributes) {
  std::string why;
  tang_rt_program *program =
      load(manifest(R"(, "shared_bytes": 200000, "cluster": 2,
                       "dependent_launch": true)"),
           ptx(0), why);
  ASSERT_NE(program, nullptr) << why;
  EXPECT_EQ(lines(fakeLog(), "attribute"),
            std::vector<std::string>{"attribute k 8 200000"});
  ASSERT_EQ(callProgram(program, "", {input(3, 5)}).error, "");
  EXPECT_CONTAINS(fakeLog(), "launch k grid 6 block 384 shared 200000 "
                             "cluster 2 dependent 1 args ");
  tang_rt_free_program(program);

  program = load(manifest(R"(, "shared_bytes": 49152, "cluster": 16)", "32"),
                 ptx(0), why);
  ASSERT_NE(program, nullptr) << why;
  EXPECT_EQ(lines(fakeLog(), "attribute"),
            std::vector<std::string>{"attribute k 14 1"});
  ASSERT_EQ(callProgram(program, "", {input(3, 5)}).error, "");
  EXPECT_CONTAINS(fakeLog(), "grid 32 block 384 shared 49152 cluster 16 args");
  tang_rt_free_program(program);
}

const char *kMaps = R"(, "tensor_maps": [
  {"buffer": 0, "dtype": "bf16", "dims": [{"scalar": 1}, {"scalar": 0}],
   "strides": [{"scalar": 1, "times": 2}], "box": [64, 128], "swizzle": 128,
   "l2": 256},
  {"buffer": 1, "dtype": "f32", "dims": [32, 8, 2], "strides": [128, 1024],
   "box": [8, 256, 1], "swizzle": 32, "l2": 64},
  {"buffer": 1, "dtype": "i32", "dims": [4], "strides": [], "box": [4]}])";

TEST_F(Cuda, TensorMaps) {
  std::string why;
  tang_rt_program *program = load(manifest(kMaps), ptx(3), why);
  ASSERT_NE(program, nullptr) << why;
  fakeLog();
  ASSERT_EQ(callProgram(program, "", {input(16, 24)}).error, "");
  std::string log = fakeLog();
  std::vector<std::string> allocs = lines(log, "alloc"),
                           encodes = lines(log, "encode"),
                           launches = lines(log, "launch");
  ASSERT_EQ(allocs.size(), 2u);
  auto word = [](const std::string &line, int number) {
    size_t at = 0;
    for (; number > 0; --number)
      at = line.find(' ', at) + 1;
    return line.substr(at, line.find(' ', at) - at);
  };
  std::string x = word(allocs[0], 1), y = word(allocs[1], 1);
  ASSERT_EQ(encodes.size(), 3u);
  std::string first = word(encodes[0], 1), second = word(encodes[1], 1),
              third = word(encodes[2], 1);
  EXPECT_EQ(encodes[0], "encode " + first + " type 9 " + x +
                            " dims [24 16] strides [48] box [64 128] steps "
                            "[1 1] interleave 0 swizzle 3 l2 3 fill 0");
  EXPECT_EQ(encodes[1], "encode " + second + " type 7 " + y +
                            " dims [32 8 2] strides [128 1024] box [8 256 1] "
                            "steps [1 1 1] interleave 0 swizzle 1 l2 1 fill 0");
  EXPECT_EQ(encodes[2], "encode " + third + " type 3 " + y +
                            " dims [4] strides [] box [4] steps [1] "
                            "interleave 0 swizzle 0 l2 0 fill 0");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0], "launch k grid 6 block 384 shared 0 args " + x + " " +
                             y + " 10 18 3fc00000 " + first + " " + second +
                             " " + third);

  // The same buffers and sizes again: the maps are kept. (Memory is reused.)
  ASSERT_EQ(callProgram(program, "", {input(16, 24)}).error, "");
  EXPECT_EQ(lines(fakeLog(), "encode").size(), 0u);
  // Other sizes: only the map that depends on them is made anew.
  ASSERT_EQ(callProgram(program, "", {input(24, 16)}).error, "");
  std::vector<std::string> again = lines(fakeLog(), "encode");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_CONTAINS(again[0], "dims [16 24] strides [32]");
  // An empty tensor has no map; the launch goes on without.
  ASSERT_EQ(callProgram(program, "", {input(0, 16)}).error, "");
  log = fakeLog();
  EXPECT_EQ(lines(log, "launch").size(), 1u);
  EXPECT_FALSE(contains(log, "type 9")) << log;
  EXPECT_CONTAINS(log, " map0 ");
  tang_rt_free_program(program);
}

TEST_F(Cuda, SizesThatNoMapHas) {
  std::string why;
  tang_rt_program *program = load(manifest(kMaps), ptx(3), why);
  ASSERT_NE(program, nullptr) << why;
  EXPECT_EQ(callProgram(program, "", {input(4, 5)}).error,
            "kernel k: tensor map 0: the stride of dimension 1 is 10, must be "
            "a multiple of 16 bytes below 2^40");
  tang_rt_free_program(program);
  program = load(manifest(R"(, "cluster": 4)", "6"), ptx(0), why);
  ASSERT_NE(program, nullptr) << why;
  EXPECT_EQ(callProgram(program, "", {input(4, 5)}).error,
            "kernel k: a grid of 6 blocks is not a multiple of the cluster, 4");
  tang_rt_free_program(program);
  program = load(manifest("", "2147483648"), ptx(0), why);
  ASSERT_NE(program, nullptr) << why;
  EXPECT_CONTAINS(callProgram(program, "", {input(4, 5)}).error, "too large");
  tang_rt_free_program(program);
}

TEST_F(Cuda, ManifestsAreChecked) {
  EXPECT_CONTAINS(loadError(R"(, "cluster": 0)"), "kernels[0].cluster");
  EXPECT_CONTAINS(loadError(R"(, "cluster": 17)"), "kernels[0].cluster");
  EXPECT_CONTAINS(loadError(R"(, "dependent_launch": 1)"), "dependent_launch");
  EXPECT_CONTAINS(loadError(R"(, "shared_bytes": 4294967296)"), "shared_bytes");
  EXPECT_CONTAINS(loadError(R"(, "shared_bytes": 232449)"),
                  "needs 232449 bytes of shared memory, the limit of Fake GPU "
                  "is 232448");
  std::string why, large = manifest("");
  large.replace(large.find("384"), 3, "2048");
  EXPECT_EQ(load(large, ptx(0), why), nullptr);
  EXPECT_EQ(why, "kernel k needs a block of 2048 threads, its limit on Fake "
                 "GPU is 1024");
  auto map = [&](const std::string &entry) {
    return loadError(R"(, "tensor_maps": [{)" + entry + "}]", 1);
  };
  auto good =
      R"("buffer": 0, "dtype": "bf16", "dims": [64, 8], "strides": [128],
                 "box": [64, 8])";
  EXPECT_EQ(map(good), "");
  EXPECT_EQ(map(std::string(good) + R"(, "swizzle": 128)"), "");
  EXPECT_CONTAINS(map(std::string(good) + R"(, "swizzle": 64)"),
                  "more than the swizzle of 64");
  EXPECT_CONTAINS(map(std::string(good) + R"(, "swizzle": 16)"),
                  "must be one of 0, 32, 64, 128");
  EXPECT_CONTAINS(map(std::string(good) + R"(, "l2": 32)"),
                  "must be one of 0, 64, 128, 256");
  EXPECT_CONTAINS(map(R"("buffer": 2, "dtype": "bf16", "dims": [64],
                         "strides": [], "box": [64])"),
                  "is buffer 2, but the kernel has 2");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "f32", "dims": [64],
                         "strides": [], "box": [64])"),
                  "differs in size from the buffer's, bf16");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [],
                         "strides": [], "box": [])"),
                  "must have one to five sizes");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [64, 8],
                         "strides": [], "box": [64, 8])"),
                  "one size less than dims");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [64, 8],
                         "strides": [8], "box": [64, 8])"),
                  "must be a multiple of 16 bytes");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [4294967297],
                         "strides": [], "box": [64])"),
                  "must be from 0 to 2^32");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [64, 8],
                         "strides": [128], "box": [64, 257])"),
                  "tensor_maps[0].box[1]");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [64, 8],
                         "strides": [128], "box": [64])"),
                  "as many sizes as dims");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [64, 8],
                         "strides": [128], "box": [4, 8])"),
                  "rows of 8 bytes");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [{"scalar": 3}],
                         "strides": [], "box": [64])"),
                  "is scalar 3, but the kernel has 3");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "dims": [{"scalar": 2}],
                         "strides": [], "box": [64])"),
                  "is a float");
  EXPECT_CONTAINS(map(R"("buffer": 0, "dtype": "bf16", "strides": [],
                         "dims": [{"scalar": 0, "times": 0}], "box": [64])"),
                  "times");
}

TEST_F(Cuda, OtherTargetsHaveNoTensorMaps) {
  std::string text = manifest(kMaps);
  text.replace(text.find("h200"), 4, "c");
  EXPECT_CONTAINS(runManifest(text).error, "are for target cuda only");
}

TEST_F(Cuda, LoadErrors) {
  std::string why;
  EXPECT_EQ(load(manifest(""), "error: line 3 is nonsense\n", why), nullptr);
  EXPECT_EQ(why, "Fake GPU cannot load kernels.ptx: CUDA_ERROR_INVALID_PTX "
                 "(218), the fake driver says no\nerror: line 3 is nonsense");
  EXPECT_EQ(load(manifest(""), ".visible .entry other() { ret; }", why),
            nullptr);
  EXPECT_CONTAINS(why, "kernel k is not in kernels.ptx: CUDA_ERROR_NOT_FOUND");
  // One argument too many, and one of another size.
  EXPECT_EQ(load(manifest(""), ptx(1), why), nullptr);
  EXPECT_EQ(why, "kernel k has 6 arguments, the manifest says 5");
  std::string wide = ptx(0);
  wide.replace(wide.find(".u32"), 4, ".u64");
  EXPECT_EQ(load(manifest(""), wide, why), nullptr);
  EXPECT_EQ(why, "kernel k takes 8 bytes as argument 3, the manifest says 4");
  fakeLog();
  // A cubin is preferred, and either may be named.
  tang_rt_program *program = load(manifest(""), ptx(0), why, "kernels.cubin");
  EXPECT_NE(program, nullptr) << why;
  tang_rt_free_program(program);
  program = load(manifest(R"(, "file": "mine.ptx")"), ptx(0), why, "mine.ptx");
  EXPECT_NE(program, nullptr) << why;
  tang_rt_free_program(program);
  EXPECT_EQ(load(manifest(""), ptx(0), why, "mine.ptx"), nullptr);
  EXPECT_CONTAINS(why, "the bundle has no kernels.ptx");
}

TEST_F(Cuda, TimesByEventsAndReusesMemory) {
  std::string why;
  tang_rt_program *program = load(manifest(""), ptx(0), why);
  ASSERT_NE(program, nullptr) << why;
  HostTensor x = input(16, 24);
  tang_rt_tensor view = x.view();
  tang_rt_call *call = nullptr;
  char *error = nullptr;
  ASSERT_EQ(tang_rt_prepare(program, 0, &view, 1, &call, &error), 0) << error;
  double seconds = 0;
  ASSERT_EQ(tang_rt_run(call, &seconds, &error), 0) << error;
  EXPECT_FLOAT_EQ(float(seconds), 2.5e-3f);
  fakeLog();
  ASSERT_EQ(tang_rt_flush_cache(device, &error), 0) << error;
  ASSERT_EQ(tang_rt_run(call, &seconds, &error), 0) << error;
  ASSERT_EQ(tang_rt_flush_cache(device, &error), 0) << error;
  std::string log = fakeLog();
  // The scratch of the flush is all that was allocated, and only once.
  EXPECT_EQ(lines(log, "alloc").size(), 1u) << log;
  EXPECT_EQ(lines(log, "memset").size(), 2u);
  // The launch lies between the events, the flush before them.
  EXPECT_TRUE(contains(log, "memset 268435456\nevent\nlaunch k")) << log;
  tang_rt_free_call(call);
  tang_rt_free_program(program);
}

TEST_F(Cuda, OtherDevicesCannotFlush) {
  tang_rt_device *cpu = nullptr;
  char *error = nullptr;
  ASSERT_EQ(tang_rt_open_device("cpu", 0, &cpu, &error), 0);
  EXPECT_NE(tang_rt_flush_cache(cpu, &error), 0);
  EXPECT_CONTAINS(error, "cannot be flushed");
  tang_rt_free_string(error);
  tang_rt_close_device(cpu);
}
} // namespace
