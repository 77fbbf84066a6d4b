//===- TensorTest.cpp - tensor operations, control flow, calls ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tang_test;

static const Reals kSix = {1, 2, 3, 4, 5, 6};

TEST(Tensor, Shapes) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x1x3xf32>, tensor<?xf32>, index, index) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x3xf32>
      %r = tensor.rank %x : tensor<?x3xf32>
      %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 1, 3] : tensor<?x3xf32> into tensor<?x1x3xf32>
      %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
      %s = tensor.cast %c : tensor<?xf32> to tensor<6xf32>
      %d = tensor.cast %s : tensor<6xf32> to tensor<?xf32>
      return %e, %d, %n, %r : tensor<?x1x3xf32>, tensor<?xf32>, index, index
    })",
                        {reals(DType::F32, {2, 3}, kSix)});
  expectSame(outcome.reals(0), kSix);
  EXPECT_EQ(outcome.results[0].shape, std::vector<int64_t>({2, 1, 3}));
  expectSame(outcome.reals(1), kSix);
  EXPECT_EQ(outcome.ints(2), Ints({2}));
  EXPECT_EQ(outcome.ints(3), Ints({2}));
}

TEST(Tensor, ElementsAndValueSemantics) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, f32, tensor<2xf32>, tensor<3xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tensor.extract %x[%c1, %c0] : tensor<2x3xf32>
      %y = tensor.insert %v into %x[%c0, %c1] : tensor<2x3xf32>
      %f = tensor.from_elements %v, %v : tensor<2xf32>
      %s = tensor.splat %v : tensor<3xf32>
      return %x, %y, %v, %f, %s : tensor<2x3xf32>, tensor<2x3xf32>, f32, tensor<2xf32>, tensor<3xf32>
    })",
                        {reals(DType::F32, {2, 3}, kSix)});
  expectSame(outcome.reals(0), kSix);
  expectSame(outcome.reals(1), {1, 4, 3, 4, 5, 6});
  expectSame(outcome.reals(2), {4});
  expectSame(outcome.reals(3), {4, 4});
  expectSame(outcome.reals(4), {4, 4, 4});
}

TEST(Tensor, Slices) {
  Outcome outcome =
      run(R"(
    func.func @main(%x: tensor<2x3xf32>, %o: index) -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<?x0xf32>, tensor<4x3xf32>) {
      %c2 = arith.constant 2 : index
      %a = tensor.extract_slice %x[0, %o] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
      %b = tensor.extract_slice %x[0, 0] [2, 2] [1, 2] : tensor<2x3xf32> to tensor<2x2xf32>
      %c = tensor.insert_slice %a into %x[1, 0] [1, 2] [1, 2] : tensor<2xf32> into tensor<2x3xf32>
      %d = tensor.extract_slice %x[0, 2] [%c2, 0] [1, 1] : tensor<2x3xf32> to tensor<?x0xf32>
      %e = tensor.concat dim(0) %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<?x0xf32>, tensor<4x3xf32>
    })",
          {reals(DType::F32, {2, 3}, kSix), ints(DType::Index, {}, {1})});
  expectSame(outcome.reals(0), {2, 5});
  expectSame(outcome.reals(1), {1, 3, 4, 6});
  expectSame(outcome.reals(2), {1, 2, 3, 2, 5, 5});
  EXPECT_EQ(outcome.results[3].shape, std::vector<int64_t>({2, 0}));
  expectSame(outcome.reals(4), {1, 2, 3, 4, 5, 6, 1, 2, 3, 2, 5, 5});
}

TEST(Tensor, PadAndGenerate) {
  Outcome outcome =
      run(R"(
    func.func @main(%x: tensor<2x3xf32>, %z: f32, %n: index) -> (tensor<3x4xf32>, tensor<1x3xf32>, tensor<?xf32>) {
      %p = tensor.pad %x low[1, 0] high[0, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %z : f32
      } : tensor<2x3xf32> to tensor<3x4xf32>
      %q = tensor.pad %x low[-1, 0] high[0, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %z : f32
      } : tensor<2x3xf32> to tensor<1x3xf32>
      %g = tensor.generate %n {
      ^bb0(%i: index):
        %c1 = arith.constant 1 : index
        %v = tensor.extract %x[%c1, %i] : tensor<2x3xf32>
        %w = arith.addf %v, %z : f32
        tensor.yield %w : f32
      } : tensor<?xf32>
      return %p, %q, %g : tensor<3x4xf32>, tensor<1x3xf32>, tensor<?xf32>
    })",
          {reals(DType::F32, {2, 3}, kSix), reals(DType::F32, {}, {9}),
           ints(DType::Index, {}, {2})});
  expectSame(outcome.reals(0), {9, 9, 9, 9, 1, 2, 3, 9, 4, 5, 6, 9});
  expectSame(outcome.reals(1), {4, 5, 6});
  expectSame(outcome.reals(2), {13, 14});
}

TEST(Tensor, ConstantsOfEveryKind) {
  Outcome outcome = run(R"(
    func.func @main() -> (tensor<4xi4>, tensor<3xi1>, tensor<2xbf16>, tensor<2xf8E4M3FN>, tensor<2xf64>, tensor<2x2xi16>, tensor<0xf32>, tensor<3xf32>) {
      %a = arith.constant dense<[1, -8, 7, -1]> : tensor<4xi4>
      %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
      %c = arith.constant dense<[1.5, 0xFF80]> : tensor<2xbf16>
      %d = arith.constant dense<[448.0, -0.0]> : tensor<2xf8E4M3FN>
      %e = arith.constant dense<[0.1, 0x7FF8000000000000]> : tensor<2xf64>
      %f = arith.constant dense<7> : tensor<2x2xi16>
      %g = arith.constant dense<> : tensor<0xf32>
      %h = arith.constant dense_resource<blob> : tensor<3xf32>
      return %a, %b, %c, %d, %e, %f, %g, %h : tensor<4xi4>, tensor<3xi1>, tensor<2xbf16>, tensor<2xf8E4M3FN>, tensor<2xf64>, tensor<2x2xi16>, tensor<0xf32>, tensor<3xf32>
    }
    {-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040000080FF" } } #-})",
                        {});
  EXPECT_EQ(outcome.ints(0), Ints({1, -8, 7, -1}));
  EXPECT_EQ(outcome.ints(1), Ints({1, 0, 1}));
  expectSame(outcome.reals(2), {1.5, -kInf});
  expectSame(outcome.reals(3), {448, -0.0});
  expectSame(outcome.reals(4), {0.1, kNaN});
  EXPECT_EQ(outcome.ints(5), Ints({7, 7, 7, 7}));
  expectSame(outcome.reals(6), {});
  expectSame(outcome.reals(7), {1, 2, -kInf});
}

TEST(Tensor, ElementwiseOnWholeTensors) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<2x3xf32>, %c: tensor<2x3xi1>, %k: i1) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
      %a = arith.mulf %x, %x : tensor<2x3xf32>
      %b = arith.select %c, %a, %x : tensor<2x3xi1>, tensor<2x3xf32>
      %d = arith.select %k, %a, %x : tensor<2x3xf32>
      return %a, %b, %d : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    })",
                        {reals(DType::F32, {2, 3}, kSix),
                         ints(DType::I1, {2, 3}, {1, 0, 1, 0, 1, 0}),
                         ints(DType::I1, {}, {0})});
  expectSame(outcome.reals(0), {1, 4, 9, 16, 25, 36});
  expectSame(outcome.reals(1), {1, 2, 9, 4, 25, 6});
  expectSame(outcome.reals(2), kSix);
}

TEST(Control, LoopsOverTensors) {
  // A prefix sum as frontends write it: a while with slices.
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, index, tensor<6xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c6 = arith.constant 6 : index
      %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<6xf32>
      %r:3 = scf.while (%i = %c0, %s = %z, %y = %e) : (index, f32, tensor<6xf32>) -> (index, f32, tensor<6xf32>) {
        %go = arith.cmpi slt, %i, %c6 : index
        scf.condition(%go) %i, %s, %y : index, f32, tensor<6xf32>
      } do {
      ^bb0(%i: index, %s: f32, %y: tensor<6xf32>):
        %v = tensor.extract %f[%i] : tensor<6xf32>
        %t = arith.addf %s, %v : f32
        %u = tensor.insert %t into %y[%i] : tensor<6xf32>
        %j = arith.addi %i, %c1 : index
        scf.yield %j, %t, %u : index, f32, tensor<6xf32>
      }
      %w = scf.for %i = %c0 to %c6 step %c2 iter_args(%y = %f) -> tensor<6xf32> {
        %is = arith.cmpi eq, %i, %c2 : index
        %n = scf.if %is -> tensor<6xf32> {
          scf.yield %y : tensor<6xf32>
        } else {
          %p = tensor.insert %z into %y[%i] : tensor<6xf32>
          scf.yield %p : tensor<6xf32>
        }
        scf.yield %n : tensor<6xf32>
      }
      return %r#2, %r#0, %w : tensor<6xf32>, index, tensor<6xf32>
    })",
                        {reals(DType::F32, {2, 3}, kSix)});
  expectSame(outcome.reals(0), {1, 3, 6, 10, 15, 21});
  EXPECT_EQ(outcome.ints(1), Ints({6}));
  expectSame(outcome.reals(2), {0, 2, 3, 4, 0, 6});
}

TEST(Control, CallsAndSwitch) {
  Outcome outcome = run(R"(
    func.func private @double(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = arith.addf %x, %x : tensor<3xf32>
      return %y : tensor<3xf32>
    }
    func.func private @fib(%n: i32) -> i32 {
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %small = arith.cmpi sle, %n, %c1 : i32
      %r = scf.if %small -> i32 {
        scf.yield %n : i32
      } else {
        %a = arith.subi %n, %c1 : i32
        %b = arith.subi %n, %c2 : i32
        %p = func.call @fib(%a) : (i32) -> i32
        %q = func.call @fib(%b) : (i32) -> i32
        %s = arith.addi %p, %q : i32
        scf.yield %s : i32
      }
      return %r : i32
    }
    func.func @main(%x: tensor<3xf32>, %n: i32, %k: index) -> (tensor<3xf32>, i32, i32) {
      %y = func.call @double(%x) : (tensor<3xf32>) -> tensor<3xf32>
      %z = func.call @double(%y) : (tensor<3xf32>) -> tensor<3xf32>
      %f = func.call @fib(%n) : (i32) -> i32
      %s = scf.index_switch %k -> i32
      case 2 {
        %c = arith.constant 20 : i32
        scf.yield %c : i32
      }
      default {
        %c = arith.constant 0 : i32
        scf.yield %c : i32
      }
      return %z, %f, %s : tensor<3xf32>, i32, i32
    })",
                        {f32({1, 2, 3}), ints(DType::I32, {}, {15}),
                         ints(DType::Index, {}, {2})});
  expectSame(outcome.reals(0), {4, 8, 12});
  EXPECT_EQ(outcome.ints(1), Ints({610}));
  EXPECT_EQ(outcome.ints(2), Ints({20}));
}
