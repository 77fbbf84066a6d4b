//===- BundleTest.cpp - Reading and writing bundles ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Bundle.h"
#include "Tang/Runtime/Files.h"
#include "TestUtils.h"

namespace fs = std::filesystem;
using namespace tang_rt;
using namespace tang_rt::test;

namespace {
const BundleFiles kFiles = {
    {"manifest.json", "{}"}, {"kernels.c", "int x;\n"}, {"empty", ""}};

std::string pack(const BundleFiles &files) {
  std::string text, error;
  EXPECT_TRUE(packBundle(files, text, error)) << error;
  return text;
}

std::string unpackError(const std::string &text) {
  BundleFiles files;
  std::string error;
  EXPECT_FALSE(unpackBundle(text, files, error));
  EXPECT_FALSE(error.empty());
  return error;
}

std::string withIndex(const std::string &index, const std::string &rest = "") {
  char length[18];
  std::snprintf(length, sizeof length, "%016zx\n", index.size());
  return "TANGB1\n" + std::string(length) + index + rest;
}

TEST(Bundle, CheckSum) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(Bundle, PackedFormIsAsDocumented) {
  std::string text = pack({{"a", "xyz"}});
  EXPECT_EQ(text.substr(0, 24), "TANGB1\n000000000000003f\n");
  BundleFiles files;
  std::string error;
  ASSERT_TRUE(unpackBundle(pack(kFiles), files, error)) << error;
  EXPECT_EQ(files, kFiles);
}

TEST(Bundle, CorruptFilesAreErrors) {
  std::string good = pack(kFiles);
  for (size_t length = 0; length < good.size(); ++length)
    unpackError(good.substr(0, length));
  std::string damaged = good;
  damaged.back() ^= 1;
  EXPECT_EQ(unpackError(damaged),
            "the check sum of kernels.c in the bundle is wrong");
  unpackError(withIndex("[]"));
  unpackError(withIndex("{\"files\":[{}]}"));
  for (const char *name : {"../x", "/etc/passwd", "a/b", "", ".", "..", ".x"})
    EXPECT_NE(
        unpackError(withIndex("{\"files\":[{\"name\":\"" + std::string(name) +
                              "\",\"offset\":0,\"size\":0,\"crc32\":0}]}"))
            .find("file name"),
        std::string::npos)
        << name;
  EXPECT_NE(unpackError(withIndex("{\"files\":[{\"name\":\"a\",\"offset\":1,"
                                  "\"size\":9223372036854775807,\"crc32\":0}]}",
                                  "xy"))
                .find("cut short"),
            std::string::npos);
  unpackError(withIndex("{\"files\":[{\"name\":\"a\",\"offset\":-1,"
                        "\"size\":0,\"crc32\":0}]}"));
}

TEST(Bundle, BadNamesAreNotWritten) {
  TempDir dir;
  std::string error;
  for (const char *out : {"b", "b.tangb"}) {
    EXPECT_FALSE(writeBundle(dir / out, {{"../x", ""}}, error));
    EXPECT_FALSE(writeBundle(dir / out, {{"a", ""}, {"a", ""}}, error));
  }
  EXPECT_TRUE(fs::is_empty(dir.path));
}

TEST(Bundle, WritingReplacesABundle) {
  TempDir dir;
  std::string error;
  for (const char *out : {"b", "b.tangb"}) {
    std::string path = dir / out;
    ASSERT_TRUE(writeBundle(path, kFiles, error)) << error;
    EXPECT_TRUE(isBundle(path));
    ASSERT_TRUE(writeBundle(path, {{"manifest.json", "[]"}}, error)) << error;
    BundleFiles files;
    ASSERT_TRUE(readBundle(path, files, error)) << error;
    EXPECT_EQ(files, (BundleFiles{{"manifest.json", "[]"}}));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path), {}), 2);
}

TEST(Bundle, WritingReplacesNothingElse) {
  TempDir dir;
  std::string error;
  fs::create_directory(dir.path / "mine");
  ASSERT_TRUE(replaceFile(dir / "mine/thesis.txt", {"years"}, error));
  ASSERT_TRUE(replaceFile(dir / "file.tangb", {"years"}, error));
  EXPECT_FALSE(writeBundle(dir / "mine", kFiles, error));
  EXPECT_NE(error.find("not a bundle"), std::string::npos);
  EXPECT_FALSE(writeBundle(dir / "file.tangb", kFiles, error));
  EXPECT_TRUE(fs::exists(dir.path / "mine" / "thesis.txt"));
  fs::create_directory(dir.path / "empty");
  EXPECT_TRUE(writeBundle(dir / "empty", kFiles, error)) << error;
}

TEST(Bundle, MissingBundle) {
  BundleFiles files;
  std::string error;
  EXPECT_FALSE(readBundle("/no/such/bundle", files, error));
  TempDir dir;
  EXPECT_FALSE(readBundle(dir.path.string(), files, error));
  EXPECT_NE(error.find("no manifest.json"), std::string::npos);
  EXPECT_FALSE(isBundle(dir.path.string()));
}

/// The same program from a directory, a .tangb and memory.
TEST(Bundle, ProgramsRunFromEveryForm) {
  std::string manifest =
      makeManifest(R"({"name": "x", "dtype": "f32", "shape": [null]})",
                   R"({"dtype": "f32", "shape": [null]})",
                   R"({"op": "dim", "dst": "%1", "src": "%0", "index": 0},
         {"op": "alloc", "dst": "%2", "dtype": "f32", "shape": ["%1"]},
         {"op": "launch", "kernel": "scale", "grid": "%1",
          "buffers": ["%0", "%2"], "scalars": [0.5]},
         {"op": "return", "values": ["%2"]})");
  BundleFiles files = {{"manifest.json", manifest},
                       {"kernels.so", testKernels()},
                       {"constants.bin", std::string(76, '\0')}};
  HostTensor x = makeTensor<double>(DType::F32, {3}, {1, 2, 4});
  TempDir dir;
  for (const char *out : {"b", "b.tangb"}) {
    std::string why;
    ASSERT_TRUE(writeBundle(dir / out, files, why)) << why;
    char *error = nullptr, *target = nullptr;
    ASSERT_EQ(tang_rt_bundle_target((dir / out).c_str(), &target, &error), 0)
        << error;
    EXPECT_STREQ(target, "c");
    tang_rt_free_string(target);
    tang_rt_device *device = nullptr;
    ASSERT_EQ(tang_rt_open_device("c", 0, &device, &error), 0) << error;
    tang_rt_program *program = nullptr;
    ASSERT_EQ(tang_rt_load(device, (dir / out).c_str(), &program, &error), 0)
        << error;
    tang_rt_close_device(device); // The program keeps it.
    EXPECT_STREQ(tang_rt_target(program), "c");
    EXPECT_STREQ(tang_rt_numerics(program), "stable");
    EXPECT_EQ(tang_rt_num_functions(program), 1u);
    EXPECT_STREQ(tang_rt_function_name(program, 0), "main");
    EXPECT_EQ(tang_rt_function_name(program, 1), nullptr);
    tang_rt_spec spec = tang_rt_input(program, 0, 0);
    EXPECT_STREQ(spec.name, "x");
    EXPECT_EQ(spec.rank, 1);
    EXPECT_EQ(spec.shape[0], -1);
    EXPECT_EQ(tang_rt_input(program, 0, 1).name, nullptr);
    EXPECT_EQ(tang_rt_output(program, 7, 0).name, nullptr);
    Outcome outcome = callProgram(program, "main", {x});
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(toDoubles(outcome.outputs.at(0)),
              (std::vector<double>{1.5, 2, 3}));

    // The same call again, prepared and timed.
    tang_rt_tensor view = x.view(), output = {};
    tang_rt_call *call = nullptr;
    ASSERT_EQ(tang_rt_prepare(program, 0, &view, 1, &call, &error), 0);
    EXPECT_NE(tang_rt_call_outputs(call, &output, nullptr), 0);
    double seconds = -1;
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(tang_rt_run(call, &seconds, &error), 0);
    EXPECT_GE(seconds, 0);
    EXPECT_EQ(tang_rt_call_bytes(call), 24u);
    tang_rt_free_program(program); // The call keeps it.
    ASSERT_EQ(tang_rt_call_outputs(call, &output, &error), 0);
    EXPECT_EQ(static_cast<float *>(output.data)[2], 3.0f);
    tang_rt_free_tensor(&output);
    tang_rt_free_call(call);
  }
}

TEST(Bundle, KernelsComeFromAResolver) {
  std::string manifest = makeManifest(
      R"({"dtype": "f32", "shape": [2]})", R"({"dtype": "f32", "shape": [2]})",
      R"({"op": "alloc", "dst": "%2", "dtype": "f32", "shape": [2]},
         {"op": "launch", "kernel": "scale", "grid": 2,
          "buffers": ["%0", "%2"], "scalars": [3]},
         {"op": "return", "values": ["%2"]})");
  manifest.replace(manifest.find("\"constants\""), 11, "\"unused\"");
  auto resolve = [](void *, const char *name) -> void * {
    using Kernel = void (*)(void *const *, const int64_t *, int64_t, int64_t);
    Kernel scale = [](void *const *buffers, const int64_t *, int64_t first,
                      int64_t last) {
      for (int64_t b = first; b < last; ++b)
        static_cast<float *>(buffers[1])[b] = float(b) + 10;
    };
    return reinterpret_cast<void *>(scale);
  };
  tang_rt_device *device = nullptr;
  char *error = nullptr;
  ASSERT_EQ(tang_rt_open_device("cpu", 0, &device, &error), 0);
  tang_rt_file file{"manifest.json", manifest.data(), manifest.size()};
  tang_rt_program *program = nullptr;
  ASSERT_EQ(
      tang_rt_load_files(device, &file, 1, resolve, nullptr, &program, &error),
      0)
      << error;
  HostTensor x = makeTensor<double>(DType::F32, {2}, {0, 0});
  EXPECT_EQ(toDoubles(callProgram(program, "", {x}).outputs.at(0)),
            (std::vector<double>{10, 11}));
  tang_rt_free_program(program);
  // Without a resolver and without kernels.so there is nothing to run.
  EXPECT_NE(
      tang_rt_load_files(device, &file, 1, nullptr, nullptr, &program, &error),
      0);
  EXPECT_STREQ(error, "the bundle has no kernels.so");
  tang_rt_free_string(error);
  tang_rt_close_device(device);
}

TEST(Bundle, BadKernelLibraries) {
  std::string manifest =
      makeManifest("", "", R"({"op": "return", "values": []})");
  std::string zeros(76, '\0'), library = testKernels();
  auto run = [&](const std::string &m, const std::string &so) {
    return runFiles({{"manifest.json", m},
                     {"kernels.so", so},
                     {"constants.bin", zeros}},
                    {})
        .error;
  };
  EXPECT_EQ(run(manifest, library), "");
  EXPECT_NE(run(manifest, "not ELF").find("not a whole shared library"),
            std::string::npos);
  EXPECT_NE(
      run(manifest, library.substr(0, library.size() / 4)).find("kernels.so"),
      std::string::npos);
  // A function of the C library is no kernel.
  std::string evil = manifest;
  evil.replace(evil.find("\"record\""), 8, "\"abort\"");
  EXPECT_EQ(run(evil, library), "kernel abort is not in the compiled code");
  EXPECT_NE(runFiles({{"manifest.json", manifest},
                      {"kernels.so", library},
                      {"constants.bin", "short"}},
                     {})
                .error.find("constants.bin has 5 bytes"),
            std::string::npos);
  std::string metal = manifest;
  metal.replace(metal.find("\"c\""), 3, "\"metal\"");
  EXPECT_NE(run(metal, library).find("target 'metal'"), std::string::npos);
}

TEST(Devices, Errors) {
  tang_rt_device *device = nullptr;
  char *error = nullptr;
  EXPECT_NE(tang_rt_open_device("abacus", 0, &device, &error), 0);
  EXPECT_NE(std::string(error).find("'abacus'"), std::string::npos);
  tang_rt_free_string(error);
  EXPECT_NE(tang_rt_open_device("cpu", 1, &device, &error), 0);
  tang_rt_free_string(error);
  EXPECT_NE(tang_rt_open_device("cpu", -1, &device, nullptr), 0);
  char *text = nullptr;
  ASSERT_EQ(tang_rt_list_devices("cpu", &text, &error), 0);
  EXPECT_EQ(std::string(text).find("0: "), 0u);
  tang_rt_free_string(text);
}
} // namespace
