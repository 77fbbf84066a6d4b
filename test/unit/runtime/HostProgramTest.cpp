//===- HostProgramTest.cpp - Hand-written host programs ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <cmath>

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
const char *kIndexOut = R"({"dtype": "index", "shape": [], "scalar": true})";
const char *kF32Out = R"({"dtype": "f32", "shape": [null]})";

/// Runs a body without inputs whose one result is an index.
int64_t runIndex(const std::string &body) {
  Outcome outcome = runManifest(makeManifest("", kIndexOut, body));
  EXPECT_EQ(outcome.error, "");
  return outcome.outputs.empty() ? -999 : outcome.outputs[0].getInt(0);
}

std::string runError(const std::string &inputs, const std::string &outputs,
                     const std::string &body,
                     const std::vector<HostTensor> &arguments = {}) {
  Outcome outcome = runManifest(makeManifest(inputs, outputs, body), arguments);
  EXPECT_NE(outcome.error, "");
  return outcome.error;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_CONTAINS(TEXT, PART)                                            \
  EXPECT_PRED2(contains, (TEXT), std::string(PART))

TEST(HostProgram, ForCarriesValuesAllAtOnce) {
  // Fibonacci: the yield reads both old values before either is written.
  EXPECT_EQ(runIndex(R"(
    {"op": "for", "iv": "%0", "lower": 0, "upper": 10, "step": 1,
     "carry": ["%1", "%2"], "init": [0, 1],
     "body": [{"op": "addi", "dst": "%3", "args": ["%1", "%2"], "type": "index"}],
     "yield": ["%2", "%3"], "results": ["%4", "%5"]},
    {"op": "return", "values": ["%4"]})"),
            55);
}

TEST(HostProgram, ForBounds) {
  auto trips = [](const std::string &bounds) {
    return runIndex(R"({"op": "for", "iv": "%0", )" + bounds +
                    R"(, "carry": ["%1"], "init": [0],
      "body": [{"op": "addi", "dst": "%2", "args": ["%1", 1], "type": "index"}],
      "yield": ["%2"], "results": ["%3"]},
      {"op": "return", "values": ["%3"]})");
  };
  EXPECT_EQ(trips(R"("lower": 0, "upper": 10, "step": 3)"), 4);
  EXPECT_EQ(trips(R"("lower": 5, "upper": 5, "step": 1)"), 0);
  EXPECT_EQ(trips(R"("lower": 5, "upper": -5, "step": 1)"), 0);
  EXPECT_EQ(trips(R"("lower": 5, "upper": -5, "step": 100000000000000000,
                     "unsigned": true)"),
            185);
  EXPECT_EQ(trips(R"("lower": -100, "upper": 120, "step": 100,
                     "type": "i8")"),
            3);
  EXPECT_EQ(trips(R"("lower": 100, "upper": -56, "step": 50,
                     "type": "i8", "unsigned": true)"),
            2);
  // Near the end of the type nothing overflows.
  EXPECT_EQ(trips(R"("lower": 9223372036854775800,
                     "upper": 9223372036854775807, "step": 5)"),
            2);
}

TEST(HostProgram, ZeroStepIsAnError) {
  EXPECT_CONTAINS(runError("", kIndexOut, R"(
    {"op": "for", "iv": "%0", "lower": 0, "upper": 1, "step": 0, "body": []},
    {"op": "return", "values": [0]})"),
                  "a loop's step is 0, must be at least 1");
}

TEST(HostProgram, While) {
  // Collatz steps of 27.
  EXPECT_EQ(runIndex(R"(
    {"op": "while", "carry": ["%0", "%1"], "init": [27, 0],
     "before": [{"op": "cmpi", "dst": "%2", "args": ["%0", 1],
                 "type": "index", "predicate": "ne"}],
     "cond": "%2", "forward": ["%0", "%1"], "after_args": ["%3", "%4"],
     "after": [
       {"op": "remsi", "dst": "%5", "args": ["%3", 2], "type": "index"},
       {"op": "cmpi", "dst": "%6", "args": ["%5", 0], "type": "index",
        "predicate": "eq"},
       {"op": "if", "cond": "%6",
        "then": [{"op": "divsi", "dst": "%7", "args": ["%3", 2], "type": "index"}],
        "then_yield": ["%7"],
        "else": [{"op": "muli", "dst": "%8", "args": ["%3", 3], "type": "index"},
                 {"op": "addi", "dst": "%8", "args": ["%8", 1], "type": "index"}],
        "else_yield": ["%8"], "results": ["%9"]},
       {"op": "addi", "dst": "%10", "args": ["%4", 1], "type": "index"}],
     "yield": ["%9", "%10"], "results": ["%11", "%12"]},
    {"op": "return", "values": ["%12"]})"),
            111);
}

TEST(HostProgram, EndlessLoopsMeetTheStepLimit) {
  std::string manifest = makeManifest("", kIndexOut, R"(
    {"op": "while", "cond": 1}, {"op": "return", "values": [0]})");
  EXPECT_CONTAINS(runManifest(manifest, {}, 1000).error,
                  "exceeds its limit of 1000 instructions");
  manifest = makeManifest("", kIndexOut, R"(
    {"op": "for", "iv": "%0", "lower": 0, "upper": 9223372036854775807,
     "step": 1}, {"op": "return", "values": [0]})");
  EXPECT_CONTAINS(runManifest(manifest, {}, 1000).error, "exceeds its limit");
}

TEST(HostProgram, AssertsGiveTheirMessage) {
  std::string body = R"(
    {"op": "dim", "dst": "%2", "src": "%0", "index": 0},
    {"op": "dim", "dst": "%3", "src": "%1", "index": 0},
    {"op": "cmpi", "dst": "%4", "args": ["%2", "%3"], "type": "index",
     "predicate": "eq"},
    {"op": "assert", "cond": "%4", "message": "x and y differ",
     "loc": "model.mlir:3:5"},
    {"op": "return", "values": ["%0"]})";
  std::string inputs = R"({"dtype": "f32", "shape": [null]},
                          {"dtype": "f32", "shape": [null]})";
  HostTensor two = makeTensor<double>(DType::F32, {2}, {1, 2}),
             three = makeTensor<double>(DType::F32, {3}, {1, 2, 3});
  EXPECT_EQ(runError(inputs, kF32Out, body, {two, three}),
            "x and y differ\n  at model.mlir:3:5");
  Outcome good = runManifest(makeManifest(inputs, kF32Out, body), {two, two});
  EXPECT_EQ(good.error, "");
  EXPECT_EQ(toDoubles(good.outputs.at(0)), (std::vector<double>{1, 2}));
}

TEST(HostProgram, InputsAreChecked) {
  std::string manifest = makeManifest(
      R"({"name": "arg0", "dtype": "f32", "shape": [4]},
         {"name": "n", "dtype": "index", "shape": [], "scalar": true})",
      "", R"({"op": "return", "values": []})");
  HostTensor four = makeTensor<double>(DType::F32, {4}, {1, 2, 3, 4}),
             five = makeTensor<double>(DType::F32, {5}, {1, 2, 3, 4, 5}),
             n = makeTensor<int64_t>(DType::Index, {}, {7}),
             square = makeTensor<double>(DType::F32, {2, 2}, {1, 2, 3, 4}),
             wide = makeTensor<double>(DType::F64, {4}, {1, 2, 3, 4});
  EXPECT_EQ(runManifest(manifest, {four, n}).error, "");
  EXPECT_EQ(runManifest(manifest, {five, n}).error,
            "input 0 (arg0): expected 4xf32, got 5xf32 (dimension 0 is 5, must "
            "be 4)");
  EXPECT_EQ(runManifest(manifest, {square, n}).error,
            "input 0 (arg0): expected 4xf32, got 2x2xf32 (rank is 2, must be "
            "1)");
  EXPECT_EQ(runManifest(manifest, {wide, n}).error,
            "input 0 (arg0): expected 4xf32, got 4xf64 (element type is f64, "
            "must be f32)");
  EXPECT_EQ(runManifest(manifest, {four}).error,
            "function main takes 2 inputs, got 1");
  EXPECT_EQ(runManifest(manifest, {four, four}).error,
            "input 1 (n): expected index, got 4xf32 (element type is f32, must "
            "be index)");
  HostTensor negative = four;
  negative.shape[0] = -4;
  EXPECT_CONTAINS(runManifest(manifest, {negative, n}).error,
                  "dimension 0 is negative: -4");
}

TEST(HostProgram, KernelsOverBlocks) {
  int64_t count = 1000;
  HostTensor x;
  std::string error;
  ASSERT_TRUE(HostTensor::create(DType::F32, {count}, x, error));
  for (int64_t i = 0; i < count; ++i)
    x.setDouble(i, double(i));
  Outcome outcome = runManifest(
      makeManifest(R"({"dtype": "f32", "shape": [null]})", kF32Out, R"(
    {"op": "dim", "dst": "%1", "src": "%0", "index": 0},
    {"op": "alloc", "dst": "%2", "dtype": "f32", "shape": ["%1"]},
    {"op": "launch", "kernel": "scale", "grid": "%1", "buffers": ["%0", "%2"],
     "scalars": [2]},
    {"op": "launch", "kernel": "scale", "grid": 0, "buffers": ["%0", "%2"],
     "scalars": [7]},
    {"op": "launch", "kernel": "scale", "grid": -3, "buffers": ["%0", "%2"],
     "scalars": [7]},
    {"op": "return", "values": ["%2"]})"),
      {x});
  ASSERT_EQ(outcome.error, "");
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(outcome.outputs[0].getDouble(i), 2.0 * double(i) + 1);
}

TEST(HostProgram, ScalarArgumentsOfKernels) {
  Outcome outcome =
      runManifest(makeManifest("", R"({"dtype": "i64", "shape": [6]})", R"(
    {"op": "const", "dst": "%0", "type": "i8", "value": 200},
    {"op": "const", "dst": "%1", "type": "bf16", "value": 1.00390625},
    {"op": "alloc", "dst": "%2", "dtype": "i64", "shape": [6]},
    {"op": "launch", "kernel": "record", "grid": 1, "buffers": ["%2"],
     "scalars": [-2, "%0", 1, 0.1, "%1", "-inf"]},
    {"op": "return", "values": ["%2"]})"));
  ASSERT_EQ(outcome.error, "");
  const HostTensor &out = outcome.outputs.at(0);
  EXPECT_EQ(out.getInt(0), -2);
  EXPECT_EQ(out.getInt(1), -56);
  EXPECT_EQ(out.getInt(2), 1);
  double real = 0.1;
  EXPECT_EQ(std::memcmp(out.as<double>() + 3, &real, 8), 0);
  EXPECT_EQ(out.getInt(4), 0x3f800000); // 1 + 2^-8 rounds to even: 1.0f.
  EXPECT_EQ(out.getInt(5), 0xff800000);
}

TEST(HostProgram, TensorOps) {
  Outcome outcome =
      runManifest(makeManifest(R"({"dtype": "f32", "shape": [2, 3]})",
                               R"({"dtype": "f32", "shape": [null, null]},
                      {"dtype": "f32", "shape": [], "scalar": true},
                      {"dtype": "f32", "shape": [3]},
                      {"dtype": "bf16", "shape": []})",
                               R"(
    {"op": "alloc", "dst": "%1", "dtype": "f32", "shape": [2, 3]},
    {"op": "copy", "dst": "%1", "src": "%0"},
    {"op": "store", "value": 9.5, "dst": "%1", "indices": [1, 2]},
    {"op": "reshape", "dst": "%2", "src": "%1", "shape": [3, 2]},
    {"op": "drop", "slots": ["%1"]},
    {"op": "load", "dst": "%3", "src": "%2", "indices": [2, 1]},
    {"op": "constant", "dst": "%4", "id": "c0"},
    {"op": "alloc", "dst": "%5", "dtype": "bf16", "shape": []},
    {"op": "store", "value": 1.001, "dst": "%5", "indices": []},
    {"op": "return", "values": ["%2", "%3", "%4", "%5"]})"),
                  {makeTensor<double>(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.outputs[0].shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(toDoubles(outcome.outputs[0]),
            (std::vector<double>{1, 2, 3, 4, 5, 9.5}));
  EXPECT_EQ(outcome.outputs[1].getDouble(0), 9.5);
  EXPECT_EQ(toDoubles(outcome.outputs[2]),
            (std::vector<double>{1.5, 2.5, 3.5}));
  EXPECT_EQ(outcome.outputs[3].getDouble(0), 1.0);
}

TEST(HostProgram, Calls) {
  std::string square = R"(, {"name": "square",
    "inputs": [{"dtype": "i32", "shape": [], "scalar": true}],
    "outputs": [{"dtype": "i32", "shape": [], "scalar": true}],
    "slots": 2, "args": ["%0"],
    "body": [{"op": "muli", "dst": "%1", "args": ["%0", "%0"], "type": "i32"},
             {"op": "return", "values": ["%1"]}]})";
  Outcome outcome = runManifest(
      makeManifest("", R"({"dtype": "i32", "shape": [], "scalar": true})", R"(
    {"op": "const", "dst": "%0", "type": "i32", "value": 65536},
    {"op": "addi", "dst": "%0", "args": ["%0", 3], "type": "i32"},
    {"op": "call", "function": "square", "args": ["%0"], "results": ["%1"]},
    {"op": "return", "values": ["%1"]})",
                   square));
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.outputs[0].getInt(0), 65536 * 6 + 9);
  // Endless recursion is an error, not a stack overflow.
  EXPECT_CONTAINS(runManifest(makeManifest("", "", R"(
    {"op": "call", "function": "main", "args": [], "results": []},
    {"op": "return", "values": []})"))
                      .error,
                  "nested too deeply");
}

TEST(HostProgram, ErrorsAtRunTime) {
  std::string in = R"({"dtype": "f32", "shape": [null]})";
  std::string end = R"(, {"op": "return", "values": []})";
  HostTensor x = makeTensor<double>(DType::F32, {2}, {1, 2});
  auto error = [&](const std::string &body) {
    return runError(in, "", body + end, {x});
  };
  EXPECT_CONTAINS(
      error(R"({"op": "dim", "dst": "%1", "src": "%5", "index": 0})"),
      "slot %5 is read before it is set");
  EXPECT_CONTAINS(
      error(R"({"op": "dim", "dst": "%1", "src": "%0", "index": 1})"),
      "dimension 1 of 2xf32 does not exist");
  EXPECT_CONTAINS(
      error(R"({"op": "load", "dst": "%1", "src": "%0", "indices": [2]})"),
      "index 2 is out of range in dimension 0 of 2xf32");
  EXPECT_CONTAINS(
      error(R"({"op": "store", "value": 1.0, "dst": "%0", "indices": [0]})"),
      "read only");
  EXPECT_CONTAINS(
      error(R"({"op": "reshape", "dst": "%1", "src": "%0", "shape": [3]})"),
      "the element counts differ");
  EXPECT_CONTAINS(
      error(R"({"op": "alloc", "dst": "%1", "dtype": "f32", "shape": [-1]})"),
      "dimension 0 of a tensor is negative: -1");
  EXPECT_CONTAINS(error(R"({"op": "alloc", "dst": "%1", "dtype": "f32",
                            "shape": [4294967296, 4294967296]})"),
                  "exceeds 63 bits");
  EXPECT_CONTAINS(error(R"({"op": "alloc", "dst": "%1", "dtype": "f32",
                            "shape": [1152921504606846976]})"),
                  "cannot allocate 4611686018427387904 bytes");
  EXPECT_CONTAINS(
      error(
          R"({"op": "addi", "dst": "%1", "args": ["%0", 1], "type": "index"})"),
      "holds a tensor where a scalar is needed");
  EXPECT_CONTAINS(
      error(R"({"op": "const", "dst": "%1", "type": "f32", "value": 1},
    {"op": "addi", "dst": "%1", "args": ["%1", 1], "type": "index"})"),
      "holds a float where an integer is needed");
  EXPECT_CONTAINS(error(R"({"op": "launch", "kernel": "scale", "grid": 1,
    "buffers": ["%0", "%0"], "scalars": [1]})"),
                  "buffer 1 (y) is written, but is an input");
  EXPECT_CONTAINS(error(R"({"op": "alloc", "dst": "%1", "dtype": "f32",
    "shape": [2]}, {"op": "launch", "kernel": "scale", "grid": 1,
    "buffers": ["%1", "%1"], "scalars": [1]})"),
                  "is the same as buffer 0");
  EXPECT_CONTAINS(error(R"({"op": "alloc", "dst": "%1", "dtype": "f64",
    "shape": [2]}, {"op": "launch", "kernel": "scale", "grid": 1,
    "buffers": ["%0", "%1"], "scalars": [1]})"),
                  "must have elements of f32, got f64");
  EXPECT_CONTAINS(runError(in, R"({"dtype": "f32", "shape": [3]})",
                           R"({"op": "return", "values": ["%0"]})", {x}),
                  "result 0: expected 3xf32, got 2xf32");
  EXPECT_CONTAINS(
      runError(in, kIndexOut, R"({"op": "return", "values": ["%0"]})", {x}),
      "result 0 must be a scalar");
}

TEST(HostProgram, ErrorsInTheManifest) {
  std::string end = R"({"op": "return", "values": []})";
  auto error = [&](const std::string &body) { return runError("", "", body); };
  EXPECT_CONTAINS(error(""), "body must end with a return");
  EXPECT_CONTAINS(error(end + "," + end), "returns before the end");
  EXPECT_CONTAINS(error(R"({"op": "dance"},)" + end),
                  "functions[0].body[0].op is not an instruction: 'dance'");
  EXPECT_CONTAINS(error(R"({"op": "copy", "dst": "%0"},)" + end),
                  "functions[0].body[0] lacks 'src'");
  EXPECT_CONTAINS(error(R"({"op": "copy", "dst": "%0", "src": "%40"},)" + end),
                  "body[0].src is slot %40, but the function has 40");
  for (const char *slot : {"0", "%", "%-1", "%x", "%99999999999999999999", ""})
    EXPECT_CONTAINS(error(R"({"op": "copy", "dst": "%0", "src": ")" +
                          std::string(slot) + "\"}," + end),
                    "must be a slot");
  EXPECT_CONTAINS(error(R"({"op": "addi", "dst": "%0", "args": [1],
                            "type": "index"},)" +
                        end),
                  "different lengths (1 and 2)");
  EXPECT_CONTAINS(error(R"({"op": "addi", "dst": "%0", "args": [1, 2],
                            "type": "f32"},)" +
                        end),
                  "must be an integer type");
  EXPECT_CONTAINS(error(R"({"op": "addi", "dst": "%0", "args": [1, 2],
                            "type": "i5"},)" +
                        end),
                  "is not an element type: 'i5'");
  EXPECT_CONTAINS(
      error(R"({"op": "launch", "kernel": "none", "grid": 1},)" + end),
      "names no kernel: 'none'");
  EXPECT_CONTAINS(
      error(R"({"op": "launch", "kernel": "scale", "grid": 1},)" + end),
      "different lengths (0 and 2)");
  EXPECT_CONTAINS(error(R"({"op": "constant", "dst": "%0", "id": "x"},)" + end),
                  "names no constant");
  EXPECT_CONTAINS(
      error(R"({"op": "if", "cond": 1, "then": [)" + end + "]}," + end),
      "returns before the end");
  std::string deep = end;
  for (int i = 0; i < 300; ++i)
    deep = R"({"op": "if", "cond": 1, "then": [)" + deep + "]}";
  EXPECT_CONTAINS(error(deep + "," + end), "nested too deeply");
  EXPECT_CONTAINS(runManifest("{").error, "not valid JSON at byte 2");
  EXPECT_CONTAINS(runManifest("[1e999]").error, "out of range");
  EXPECT_CONTAINS(runManifest(std::string(1000000, '[')).error, "JSON");
  EXPECT_CONTAINS(runManifest(R"({"tang": 2})").error, "manifest.json: tang");
  EXPECT_CONTAINS(runManifest(R"({"tang": 1})").error, "lacks 'target'");
  std::string twice = makeManifest("", "", end);
  size_t at = twice.find("\"record\"");
  EXPECT_CONTAINS(runManifest(twice.replace(at, 8, "\"scale\"")).error,
                  "two kernels are called 'scale'");
}

TEST(HostProgram, BuffersAreReused) {
  tang_rt_device *device = nullptr;
  ASSERT_EQ(tang_rt_open_device("cpu", 0, &device, nullptr), 0);
  std::string manifest = makeManifest("", "", R"(
    {"op": "for", "iv": "%0", "lower": 0, "upper": 50, "step": 1, "body": [
      {"op": "alloc", "dst": "%1", "dtype": "f32", "shape": [100000]},
      {"op": "drop", "slots": ["%1"]}]},
    {"op": "return", "values": []})");
  std::string zeros(76, '\0');
  tang_rt_file files[] = {
      {"manifest.json", manifest.data(), manifest.size()},
      {"kernels.so", testKernels().data(), testKernels().size()},
      {"constants.bin", zeros.data(), zeros.size()}};
  tang_rt_program *program = nullptr;
  char *error = nullptr;
  ASSERT_EQ(
      tang_rt_load_files(device, files, 3, nullptr, nullptr, &program, &error),
      0)
      << error;
  EXPECT_EQ(callProgram(program, "", {}).error, "");
  tang_rt_memory memory = tang_rt_device_memory(device);
  EXPECT_GE(memory.peak, 400000u);
  EXPECT_LT(memory.peak, 500000u);
  tang_rt_reset_memory(device);
  EXPECT_EQ(tang_rt_device_memory(device).held, 64u) << "a constant is left";
  tang_rt_free_program(program);
  tang_rt_close_device(device);
}
} // namespace
