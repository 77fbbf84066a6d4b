//===- IndirectTest.cpp - gather, sort, top_k and group_by ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tang_test;

TEST(Gather, AxisAndBatch) {
  HostTensor table = reals(DType::F32, {3, 2}, {1, 2, 3, 4, 5, 6});
  Outcome outcome = run(R"(
    func.func @main(%t: tensor<3x2xf32>, %i: tensor<2x2xi32>) -> tensor<2x2x2xf32> {
      %r = tang.gather %t[%i] axis 0 : tensor<3x2xf32>, tensor<2x2xi32> -> tensor<2x2x2xf32>
      return %r : tensor<2x2x2xf32>
    })",
                        {table, ints(DType::I32, {2, 2}, {2, 0, -1, 3})});
  expectSame(outcome.reals(), {5, 6, 1, 2, 0, 0, 0, 0});
  outcome = run(R"(
    func.func @main(%t: tensor<3x2xf32>, %i: tensor<i32>) -> tensor<3xf32> {
      %r = tang.gather %t[%i] axis 1 : tensor<3x2xf32>, tensor<i32> -> tensor<3xf32>
      return %r : tensor<3xf32>
    })",
                {table, ints(DType::I32, {}, {1})});
  expectSame(outcome.reals(), {2, 4, 6});
  // result[b, m, i] = source[b, m, indices[b, i]]
  Reals x;
  for (int i = 0; i < 12; ++i)
    x.push_back(i);
  outcome = run(R"(
    func.func @main(%t: tensor<2x2x3xf32>, %i: tensor<2x2xi64>) -> tensor<2x2x2xf32> {
      %r = tang.gather %t[%i] axis 2 batch 1 : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<2x2x2xf32>
      return %r : tensor<2x2x2xf32>
    })",
                {reals(DType::F32, {2, 2, 3}, x),
                 ints(DType::I64, {2, 2}, {0, 2, 1, 1})});
  expectSame(outcome.reals(), {0, 2, 3, 5, 7, 7, 10, 10});
  outcome = run(R"(
    func.func @main(%t: tensor<0x2xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {
      %r = tang.gather %t[%i] axis 0 : tensor<0x2xf32>, tensor<2xi32> -> tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    })",
                {reals(DType::F32, {0, 2}, {}), i32({0, 1})});
  expectSame(outcome.reals(), {0, 0, 0, 0});
}

namespace {
Outcome sort(const std::string &flags, const Reals &x) {
  std::string n = std::to_string(x.size());
  return run("func.func @main(%x: tensor<" + n + "xf32>) -> (tensor<" + n +
                 "xf32>, tensor<" + n +
                 "xi32>) {\n  %s, %p = tang.sort %x dim 0" + flags +
                 " : tensor<" + n + "xf32> -> tensor<" + n +
                 "xi32>\n  return %s, %p : tensor<" + n + "xf32>, tensor<" + n +
                 "xi32>\n}\n",
             {f32(x)});
}
Outcome topK(int k, const Reals &x) {
  std::string n = std::to_string(x.size()), m = std::to_string(k);
  return run("func.func @main(%x: tensor<" + n + "xf32>) -> (tensor<" + m +
                 "xf32>, tensor<" + m +
                 "xi32>) {\n  %s, %p = tang.top_k %x dim 0 : tensor<" + n +
                 "xf32> -> tensor<" + m + "xf32>, tensor<" + m +
                 "xi32>\n  return %s, %p : tensor<" + m + "xf32>, tensor<" + m +
                 "xi32>\n}\n",
             {f32(x)});
}
} // namespace

TEST(Sort, NaNTiesAndDirections) {
  const Reals x = {2, kNaN, -0.0, 0.0, -kInf, kNaN, 2, kInf};
  Outcome outcome = sort("", x);
  expectSame(outcome.reals(0), {-kInf, -0.0, 0.0, 2, 2, kInf, kNaN, kNaN});
  EXPECT_EQ(outcome.ints(1), Ints({4, 2, 3, 0, 6, 7, 1, 5}));
  outcome = sort(" descending", x);
  expectSame(outcome.reals(0), {kInf, 2, 2, -0.0, 0.0, -kInf, kNaN, kNaN});
  EXPECT_EQ(outcome.ints(1), Ints({7, 0, 6, 2, 3, 4, 1, 5}));
  EXPECT_TRUE(sort("", {}).good);
  outcome = run(R"(
    func.func @main(%x: tensor<3x2xi8>) -> (tensor<3x2xi8>, tensor<3x2xindex>) {
      %s, %p = tang.sort %x dim 0 : tensor<3x2xi8> -> tensor<3x2xindex>
      return %s, %p : tensor<3x2xi8>, tensor<3x2xindex>
    })",
                {ints(DType::I8, {3, 2}, {5, -1, -128, 7, 5, 0})});
  EXPECT_EQ(outcome.ints(0), Ints({-128, -1, 5, 0, 5, 7}));
  EXPECT_EQ(outcome.ints(1), Ints({1, 0, 0, 2, 2, 1}));
}

TEST(TopK, NaNTiesAndTooFew) {
  Outcome outcome = topK(3, {1, 7, kNaN, 7, -2});
  expectSame(outcome.reals(0), {kNaN, 7, 7});
  EXPECT_EQ(outcome.ints(1), Ints({2, 1, 3}));
  outcome = topK(4, {1, 2});
  expectSame(outcome.reals(0), {2, 1, -kInf, -kInf});
  EXPECT_EQ(outcome.ints(1), Ints({1, 0, -1, -1}));
  outcome = topK(2, {-0.0, 0.0});
  expectSame(outcome.reals(0), {-0.0, 0.0});
  outcome = topK(2, {});
  expectSame(outcome.reals(0), {-kInf, -kInf});
  EXPECT_TRUE(topK(0, {1, 2}).good);
  outcome = run(R"(
    func.func @main(%x: tensor<2x3xi8>) -> (tensor<3x3xi8>, tensor<3x3xi32>) {
      %s, %p = tang.top_k %x dim 0 : tensor<2x3xi8> -> tensor<3x3xi8>, tensor<3x3xi32>
      return %s, %p : tensor<3x3xi8>, tensor<3x3xi32>
    })",
                {ints(DType::I8, {2, 3}, {1, 2, 3, 4, -5, 3})});
  EXPECT_EQ(outcome.ints(0), Ints({4, 2, 3, 1, -5, 3, -128, -128, -128}));
  EXPECT_EQ(outcome.ints(1), Ints({1, 0, 0, 0, 1, 1, -1, -1, -1}));
}

TEST(GroupBy, KeysOutsideAndEmpty) {
  Outcome outcome = run(R"(
    func.func @main(%k: tensor<8xi32>) -> (tensor<5xi32>, tensor<8xi32>) {
      %o, %m = tang.group_by %k : tensor<8xi32> -> tensor<5xi32>, tensor<8xi32>
      return %o, %m : tensor<5xi32>, tensor<8xi32>
    })",
                        {i32({3, 0, 4, 3, -1, 1, 0, 3})});
  EXPECT_EQ(outcome.ints(0), Ints({0, 2, 3, 3, 6}));
  EXPECT_EQ(outcome.ints(1), Ints({1, 6, 5, 0, 3, 7, -1, -1}));
  outcome = run(R"(
    func.func @main(%k: tensor<?xi32>) -> (tensor<1xi32>, tensor<?xi32>) {
      %o, %m = tang.group_by %k : tensor<?xi32> -> tensor<1xi32>, tensor<?xi32>
      return %o, %m : tensor<1xi32>, tensor<?xi32>
    })",
                {i32({})});
  EXPECT_EQ(outcome.ints(0), Ints({0}));
  EXPECT_EQ(outcome.ints(1), Ints({}));
}
