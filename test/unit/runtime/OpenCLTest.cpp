//===- OpenCLTest.cpp - Running a bundle through OpenCL ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
class OpenCL : public ::testing::Test {
protected:
  void SetUp() override {
    char *error = nullptr;
    if (tang_rt_open_device("opencl", 0, &device, &error)) {
      std::string why = error;
      tang_rt_free_string(error);
      GTEST_SKIP() << why;
    }
  }
  void TearDown() override { tang_rt_close_device(device); }

  tang_rt_program *load(const std::string &source, std::string &why) {
    std::string manifest = R"({"tang": 1, "target": "opencl", "functions": [
  {"name": "main", "inputs": [{"dtype": "f32", "shape": [null]}],
   "outputs": [{"dtype": "f32", "shape": [null]}, {"dtype": "i64", "shape": [6]}],
   "slots": 9, "args": ["%0"], "body": [
    {"op": "dim", "dst": "%1", "src": "%0", "index": 0},
    {"op": "alloc", "dst": "%2", "dtype": "f32", "shape": ["%1"]},
    {"op": "ceildivui", "dst": "%3", "args": ["%1", 64], "type": "index"},
    {"op": "launch", "kernel": "scale", "grid": "%3", "buffers": ["%0", "%2"],
     "scalars": ["%1", 2]},
    {"op": "alloc", "dst": "%4", "dtype": "i64", "shape": [6]},
    {"op": "launch", "kernel": "record", "grid": 1, "buffers": ["%4"],
     "scalars": [-2, -56, 1, 0.1, 1.0, "-inf"]},
    {"op": "return", "values": ["%2", "%4"]}]}],
  "kernels": [
   {"name": "scale", "file": "kernels.cl", "block": [64, 1, 1],
    "buffers": [{"name": "x", "dtype": "f32", "readonly": true},
                {"name": "y", "dtype": "f32"}],
    "scalars": [{"type": "index"}, {"type": "f32"}]},
   {"name": "record", "file": "kernels.cl", "buffers": [{"dtype": "i64"}],
    "scalars": [{"type": "index"}, {"type": "i8"}, {"type": "i1"},
                {"type": "f64"}, {"type": "bf16"}, {"type": "f32"}]}]})";
    tang_rt_file files[] = {{"manifest.json", manifest.data(), manifest.size()},
                            {"kernels.cl", source.data(), source.size()}};
    tang_rt_program *program = nullptr;
    char *error = nullptr;
    if (tang_rt_load_files(device, files, 2, nullptr, nullptr, &program,
                           &error)) {
      why = error;
      tang_rt_free_string(error);
      return nullptr;
    }
    return program;
  }

  tang_rt_device *device = nullptr;
};

const char *kSource = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void scale(__global const float *x, __global float *y, long n, float f) {
  long i = get_global_id(0);
  if (i < n) y[i] = x[i] * f + 1;
}
__kernel void record(__global long *out, long a, char b, char c, double d,
                     float e, float f) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = as_long(d);
  out[4] = as_int(e); out[5] = as_int(f);
}
)";

TEST_F(OpenCL, RunsKernels) {
  std::string why;
  tang_rt_program *program = load(kSource, why);
  ASSERT_NE(program, nullptr) << why;
  HostTensor x;
  ASSERT_TRUE(HostTensor::create(DType::F32, {1000}, x, why));
  for (int64_t i = 0; i < 1000; ++i)
    x.setDouble(i, double(i));
  for (int round = 0; round < 2; ++round) {
    Outcome outcome = callProgram(program, "", {x});
    ASSERT_EQ(outcome.error, "");
    for (int64_t i = 0; i < 1000; ++i)
      ASSERT_EQ(outcome.outputs[0].getDouble(i), 2.0 * double(i) + 1);
    const HostTensor &out = outcome.outputs[1];
    EXPECT_EQ(out.getInt(0), -2);
    EXPECT_EQ(out.getInt(1), -56);
    EXPECT_EQ(out.getInt(2), 1);
    double real = 0.1;
    EXPECT_EQ(std::memcmp(out.as<double>() + 3, &real, 8), 0);
    EXPECT_EQ(out.getInt(4), 0x3f800000);
    EXPECT_EQ(out.getInt(5), int32_t(0xff800000));
  }
  HostTensor none;
  ASSERT_TRUE(HostTensor::create(DType::F32, {0}, none, why));
  Outcome outcome = callProgram(program, "", {none});
  EXPECT_EQ(outcome.error, "");
  tang_rt_free_program(program);
}

TEST_F(OpenCL, ErrorsShowTheBuildLog) {
  std::string why;
  EXPECT_EQ(load("__kernel void scale(int x) { y = no_such; }", why), nullptr);
  EXPECT_NE(why.find("kernels.cl"), std::string::npos);
  EXPECT_NE(why.find("no_such"), std::string::npos) << why;
  EXPECT_EQ(load("__kernel void scale(int x) {}", why), nullptr);
  EXPECT_NE(why.find("arguments"), std::string::npos) << why;
}

TEST_F(OpenCL, DevicesAreCounted) {
  tang_rt_device *other = nullptr;
  char *error = nullptr;
  EXPECT_NE(tang_rt_open_device("opencl", 1000, &other, &error), 0);
  EXPECT_NE(std::string(error).find("device 1000"), std::string::npos);
  tang_rt_free_string(error);
}
} // namespace
