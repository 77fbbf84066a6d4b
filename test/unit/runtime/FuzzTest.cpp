//===- FuzzTest.cpp - Mutated files never crash the runtime --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TANG_FUZZ_ITERATIONS sets how many mutations of each file are tried.
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Npy.h"
#include "TestUtils.h"

#include <cstdlib>
#include <random>

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
int iterations() {
  const char *text = std::getenv("TANG_FUZZ_ITERATIONS");
  return text ? std::atoi(text) : 4000;
}

/// A few flipped, removed, repeated or exchanged bytes.
std::string mutate(const std::string &original, std::mt19937 &random) {
  static const std::string interesting[] = {
      "-1",      "0",     "9223372036854775807",
      "null",    "[]",    "{}",
      "\"%0\"",  "%5",    "1e308",
      "\"inf\"", "true",  "f64",
      "i1",      "\"",    "[",
      "}",       "65536", ",",
      "\x93",    "index"};
  std::string text = original;
  for (unsigned edits = 1 + random() % 4; edits && !text.empty(); --edits) {
    size_t at = random() % text.size();
    size_t length = 1 + random() % 12;
    switch (random() % 6) {
    case 0:
      text[at] = char(text[at] ^ (1 << random() % 8));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(random() % text.size(), length));
      break;
    case 3:
      text.replace(at, random() % 6, interesting[random() % 20]);
      break;
    case 4:
      text[at] = char('0' + random() % 10);
      break;
    default:
      if (random() % 8 == 0)
        text.resize(at);
      else
        text[at] = char(random());
    }
  }
  return text;
}

/// A program that touches every instruction but needs no kernel: one whose
/// arguments are mutated may well write where it should not.
std::string richManifest() {
  std::string manifest =
      makeManifest(R"({"name": "x", "dtype": "f32", "shape": [null, 2]})",
                   R"({"dtype": "f32", "shape": [null]},
         {"dtype": "index", "shape": [], "scalar": true})",
                   R"(
    {"op": "dim", "dst": "%1", "src": "%0", "index": 0},
    {"op": "muli", "dst": "%2", "args": ["%1", 2], "type": "index"},
    {"op": "alloc", "dst": "%3", "dtype": "f32", "shape": ["%1", 2]},
    {"op": "copy", "dst": "%3", "src": "%0"},
    {"op": "reshape", "dst": "%4", "src": "%3", "shape": ["%2"]},
    {"op": "for", "iv": "%5", "lower": 0, "upper": "%2", "step": 1,
     "carry": ["%6"], "init": [0.0], "body": [
       {"op": "load", "dst": "%7", "src": "%4", "indices": ["%5"]},
       {"op": "addf", "dst": "%8", "args": ["%6", "%7"], "type": "f32"},
       {"op": "store", "value": "%8", "dst": "%4", "indices": ["%5"]}],
     "yield": ["%8"], "results": ["%9"]},
    {"op": "fptosi", "dst": "%10", "args": ["%9"], "type": "f32", "to": "index"},
    {"op": "while", "carry": ["%11"], "init": ["%10"], "before": [
       {"op": "cmpi", "dst": "%12", "args": ["%11", 1], "type": "index",
        "predicate": "sgt"}], "cond": "%12", "forward": ["%11"],
     "after_args": ["%13"], "after": [
       {"op": "divsi", "dst": "%14", "args": ["%13", 2], "type": "index"}],
     "yield": ["%14"], "results": ["%15"]},
    {"op": "constant", "dst": "%16", "id": "c0"},
    {"op": "if", "cond": 1, "then": [
       {"op": "call", "function": "f", "args": ["%16", "%15"],
        "results": ["%17"]}], "then_yield": ["%17"],
     "else_yield": ["%15"], "results": ["%18"]},
    {"op": "drop", "slots": ["%16", "%0"]},
    {"op": "cmpi", "dst": "%19", "args": ["%18", 0], "type": "index",
     "predicate": "sge"},
    {"op": "assert", "cond": "%19", "message": "negative", "loc": "a.mlir:1:2"},
    {"op": "return", "values": ["%4", "%18"]})",
                   R"(, {"name": "f", "inputs": [{"dtype": "f32", "shape": [3]},
    {"dtype": "index", "shape": [], "scalar": true}],
    "outputs": [{"dtype": "index", "shape": [], "scalar": true}],
    "slots": 3, "args": ["%0", "%1"], "body": [
      {"op": "dim", "dst": "%2", "src": "%0", "index": 0},
      {"op": "return", "values": ["%2"]}]})");
  size_t kernels = manifest.find("\"kernels\""),
         constants = manifest.find("\"constants\"");
  return manifest.erase(kernels, constants - kernels);
}

BundleFiles richFiles() {
  return {{"manifest.json", richManifest()},
          {"constants.bin", std::string(76, '\1')}};
}

TEST(Fuzz, Manifest) {
  HostTensor x = makeTensor<double>(DType::F32, {2, 2}, {1, 2, 3, 4});
  BundleFiles files = richFiles();
  std::string original = files[0].second;
  Outcome good = runFiles(files, {x});
  ASSERT_EQ(good.error, "");
  EXPECT_EQ(toDoubles(good.outputs[0]), (std::vector<double>{1, 3, 6, 10}));
  EXPECT_EQ(good.outputs[1].getInt(0), 3);
  std::mt19937 random(7);
  int failures = 0;
  for (int i = 0; i < iterations(); ++i) {
    files[0].second = mutate(original, random);
    Outcome outcome = runFiles(files, {x}, 3000);
    failures += outcome.error != "";
  }
  EXPECT_GT(failures, iterations() / 4);
}

TEST(Fuzz, TruncatedManifest) {
  BundleFiles files = richFiles();
  std::string original = files[0].second;
  for (size_t length = 0; length < original.size(); ++length) {
    files[0].second = original.substr(0, length);
    ASSERT_NE(runFiles(files, {}).error, "");
  }
}

TEST(Fuzz, PackedBundle) {
  std::string original, error;
  ASSERT_TRUE(packBundle(richFiles(), original, error));
  std::mt19937 random(8);
  for (int i = 0; i < iterations(); ++i) {
    BundleFiles files;
    std::string text = mutate(original, random);
    // What the check sums cannot see is a mutated name or order.
    if (unpackBundle(text, files, error))
      runFiles(files, {}, 3000);
  }
}

TEST(Fuzz, Npy) {
  std::string originals[] = {
      formatNpyHeader(DType::F32, {2, 3}) + std::string(24, '\1'),
      formatNpyHeader(DType::I1, {4}) + std::string(4, '\1')};
  std::mt19937 random(9);
  for (int i = 0; i < iterations() * 4; ++i) {
    HostTensor tensor;
    std::string error;
    std::string text = mutate(originals[i % 2], random);
    std::optional<DType> want;
    if (random() % 2)
      want = DType(random() % kNumDTypes);
    if (parseNpy(text, want, tensor, error)) {
      int64_t bytes = -1;
      ASSERT_TRUE(countBytes(tensor.dtype, tensor.shape, bytes));
      ASSERT_EQ(uint64_t(bytes), tensor.data.size());
    } else {
      ASSERT_FALSE(error.empty());
    }
  }
}
} // namespace
