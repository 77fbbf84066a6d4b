//===- TestUtils.cpp - Helpers of the runtime's tests --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "Tang/Runtime/Files.h"

#include <cstdlib>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Asking for too much memory is an error to report here, not a bug.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
#endif
#endif

namespace tang_rt::test {

TempDir::TempDir() {
  std::string name =
      (std::filesystem::temp_directory_path() / "tang-test-XXXXXX").string();
  path = ::mkdtemp(name.data());
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::vector<double> toDoubles(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    values.push_back(tensor.getDouble(i));
  return values;
}

std::string compileC(const std::string &source) {
  TempDir dir;
  std::string error, contents;
  EXPECT_TRUE(replaceFile(dir / "k.c", {source}, error)) << error;
  std::string command = TANG_TEST_CC " -std=c11 -O1 -shared -fPIC -o " +
                        (dir / "k.so") + " " + (dir / "k.c");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(readFile(dir / "k.so", contents, error)) << error;
  return contents;
}

const std::string &testKernels() {
  static const std::string contents = compileC(R"(
#include <stdint.h>
#include <string.h>
// y[b] = x[b] * factor + 1, a block an element.
void scale(void *const *buffers, const int64_t *scalars, int64_t first,
           int64_t last) {
  const float *x = buffers[0];
  float *y = buffers[1];
  float factor;
  memcpy(&factor, &scalars[0], 4);
  for (int64_t b = first; b < last; ++b)
    y[b] = x[b] * factor + 1;
}
// Records the scalars as it gets them.
void record(void *const *buffers, const int64_t *scalars, int64_t first,
            int64_t last) {
  memcpy(buffers[0], scalars, 6 * sizeof(int64_t));
}
)");
  return contents;
}

std::string makeManifest(const std::string &inputs, const std::string &outputs,
                         const std::string &body, const std::string &more) {
  size_t count = 0;
  std::string args;
  // Each input is an object without nested ones.
  for (char c : inputs)
    if (c == '{')
      args += (count ? ", \"%" : "\"%") + std::to_string(count) + "\"", ++count;
  return R"({"tang": 1, "target": "c", "numerics": "stable", "functions": [
  {"name": "main", "inputs": [)" +
         inputs + R"(], "outputs": [)" + outputs +
         R"(], "slots": 40, "args": [)" + args + R"(], "body": [)" + body +
         "]}" + more + R"(],
  "kernels": [
    {"name": "scale", "file": "kernels.so", "block": [1, 1, 1],
     "buffers": [{"name": "x", "dtype": "f32", "readonly": true},
                 {"name": "y", "dtype": "f32"}],
     "scalars": [{"name": "factor", "type": "f32"}]},
    {"name": "record", "file": "kernels.so", "buffers": [
      {"name": "out", "dtype": "i64"}],
     "scalars": [{"type": "index"}, {"type": "i8"}, {"type": "i1"},
                 {"type": "f64"}, {"type": "bf16"}, {"type": "f32"}]}],
  "constants": [{"id": "c0", "dtype": "f32", "shape": [3], "offset": 64,
                 "bytes": 12}]})";
}

static std::string take(char *error) {
  std::string text = error ? error : "no message";
  tang_rt_free_string(error);
  return text;
}

Outcome callProgram(tang_rt_program *program, const std::string &name,
                    const std::vector<HostTensor> &inputs) {
  Outcome outcome;
  char *error = nullptr;
  size_t function;
  if (tang_rt_find_function(program, name.c_str(), &function, &error)) {
    outcome.error = take(error);
    return outcome;
  }
  std::vector<tang_rt_tensor> views;
  for (const HostTensor &input : inputs)
    views.push_back(input.view());
  std::vector<tang_rt_tensor> outputs(tang_rt_num_outputs(program, function));
  if (tang_rt_invoke(program, function, views.data(), views.size(),
                     outputs.data(), &error)) {
    outcome.error = take(error);
    return outcome;
  }
  for (tang_rt_tensor &output : outputs) {
    HostTensor tensor;
    tensor.dtype = DType(output.dtype);
    tensor.shape.assign(output.shape, output.shape + output.rank);
    int64_t bytes = 0;
    EXPECT_TRUE(countBytes(tensor.dtype, tensor.shape, bytes));
    EXPECT_EQ(uintptr_t(output.data) % 64, 0u);
    tensor.data.adopt(std::exchange(output.data, nullptr), size_t(bytes));
    tang_rt_free_tensor(&output);
    outcome.outputs.push_back(std::move(tensor));
  }
  return outcome;
}

Outcome runFiles(const BundleFiles &files,
                 const std::vector<HostTensor> &inputs, uint64_t stepLimit) {
  char *error = nullptr;
  static tang_rt_device *device = [] {
    tang_rt_device *opened = nullptr;
    EXPECT_EQ(tang_rt_open_device("cpu", 0, &opened, nullptr), 0);
    return opened;
  }();
  std::vector<tang_rt_file> list;
  for (const auto &[name, contents] : files)
    list.push_back({name.c_str(), contents.data(), contents.size()});
  tang_rt_program *program = nullptr;
  if (tang_rt_load_files(device, list.data(), list.size(), nullptr, nullptr,
                         &program, &error))
    return {take(error), {}};
  tang_rt_set_step_limit(program, stepLimit);
  Outcome outcome = callProgram(program, "", inputs);
  tang_rt_free_program(program);
  return outcome;
}

Outcome runManifest(const std::string &manifest,
                    const std::vector<HostTensor> &inputs, uint64_t stepLimit) {
  HostTensor constants = makeTensor<float>(
      DType::F32, {19},
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.5f, 2.5f, 3.5f});
  std::string data(reinterpret_cast<const char *>(constants.data.data()),
                   constants.data.size());
  return runFiles({{"manifest.json", manifest},
                   {"kernels.so", testKernels()},
                   {"constants.bin", data}},
                  inputs, stepLimit);
}

} // namespace tang_rt::test
