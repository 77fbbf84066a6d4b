//===- ErrorTest.cpp - Bad programs and inputs give one clear error -------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdlib>

using namespace tang_test;

namespace {
/// Runs a module that must fail with a message that contains `part`.
void expectError(const std::string &part, const std::string &module,
                 const std::vector<HostTensor> &inputs) {
  Outcome outcome = run(module, inputs);
  EXPECT_FALSE(outcome.good) << part;
  EXPECT_NE(outcome.message.find(part), std::string::npos)
      << "want: " << part << "\ngot: " << outcome.message;
  EXPECT_EQ(std::count(outcome.message.begin(), outcome.message.end(), '\n'), 1)
      << outcome.message;
}
HostTensor index(int64_t value) { return ints(DType::Index, {}, {value}); }
} // namespace

TEST(Error, Unsupported) {
  expectError("'tensor.gather' is not supported", R"(
    func.func @main(%x: tensor<4xf32>, %i: tensor<1x1xindex>) -> tensor<1x1xf32> {
      %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<1x1xindex>) -> tensor<1x1xf32>
      return %r : tensor<1x1xf32>
    })",
              {f32({1, 2, 3, 4}), ints(DType::Index, {1, 1}, {0})});
  expectError("'tensor<*xf32>' is not supported", R"(
    func.func @main(%x: tensor<*xf32>) {
      return
    })",
              {f32({1})});
  expectError("'vector<4xf32>' is not supported", R"(
    func.func @main() {
      %c = arith.constant dense<0.0> : vector<4xf32>
      return
    })",
              {});
  expectError("type 'i128' is not supported", R"(
    func.func @main() {
      %c = arith.constant 0 : i128
      return
    })",
              {});
  expectError("type 'f80' is not supported", R"(
    func.func @main(%x: f32) {
      %c = arith.extf %x : f32 to f80
      return
    })",
              {reals(DType::F32, {}, {1})});
  expectError("'tensor.empty' is not supported", R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) {
        %e = tensor.empty() : tensor<2xf32>
        %c0 = arith.constant 0 : index
        %v = tang.at %e[%c0] : tensor<2xf32>
        tang.yield %v : f32
      }
      return %r : tensor<4xf32>
    })",
              {f32({1, 2, 3, 4})});
  expectError("control flow between blocks", R"(
    func.func @main(%c: i1) {
      cf.cond_br %c, ^a, ^b
    ^a:
      return
    ^b:
      return
    })",
              {ints(DType::I1, {}, {1})});
}

TEST(Error, Functions) {
  expectError("'main' takes 1 arguments, got 0",
              "func.func @main(%x: f32) { return }", {});
  expectError("is given a 2xi32",
              "func.func @main(%x: tensor<2xf32>) { return }", {i32({1, 2})});
  expectError("is given a 3xf32",
              "func.func @main(%x: tensor<2xf32>) { return }",
              {f32({1, 2, 3})});
  expectError("no function is named 'main'",
              "func.func @f() { return }\nfunc.func @g() { return }", {});
  expectError(
      "which has no body",
      "func.func private @f()\nfunc.func @main() {\n  call @f() : () -> "
      "()\n  return\n}",
      {});
  expectError("calls deeper than", R"(
    func.func @main() {
      call @main() : () -> ()
      return
    })",
              {});
}

TEST(Error, Outside) {
  expectError("index 4 is outside of dimension 0 of size 4", R"(
    func.func @main(%x: tensor<4xf32>, %i: index) -> f32 {
      %r = tensor.extract %x[%i] : tensor<4xf32>
      return %r : f32
    })",
              {f32({1, 2, 3, 4}), index(4)});
  expectError("offset 2, size 3 and stride 1 do not lie within the size 4", R"(
    func.func @main(%x: tensor<4xf32>, %i: index) -> tensor<3xf32> {
      %r = tensor.extract_slice %x[%i] [3] [1] : tensor<4xf32> to tensor<3xf32>
      return %r : tensor<3xf32>
    })",
              {f32({1, 2, 3, 4}), index(2)});
  const char *window = R"(
    func.func @main(%x: tensor<?xf32>, %o: index) -> tensor<3xf32> {
      %e = tensor.empty() : tensor<3xf32>
      %r = tang.map [i] symbols(o = %o) ins(%x[i * 2 + o] : tensor<?xf32>) outs(%e : tensor<3xf32>) (%a: f32) {
        tang.yield %a : f32
      }
      return %r : tensor<3xf32>
    })";
  EXPECT_TRUE(run(window, {f32({1, 2, 3, 4, 5}), index(0)}).good);
  expectError("'ins' #0 has size 5 in dimension 0, but is read at index 5",
              window, {f32({1, 2, 3, 4, 5}), index(1)});
  expectError("is read at index -1", window, {f32({1, 2, 3, 4, 5}), index(-1)});
  // Overflow in the middle is not a way around the check.
  expectError("'ins' #0", window, {f32({1, 2, 3, 4, 5}), index(INT64_MAX - 1)});
  expectError("'ins' #0 is read at [2], outside of its shape [2]", R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<6xf32> {
      %e = tensor.empty() : tensor<6xf32>
      %r = tang.map [i] ins(%x[i floordiv 2] : tensor<?xf32>) outs(%e : tensor<6xf32>) (%a: f32) {
        tang.yield %a : f32
      }
      return %r : tensor<6xf32>
    })",
              {f32({1, 2})});
  expectError("dimension 3 is out of range for rank 1", R"(
    func.func @main(%x: tensor<?xf32>, %i: index) -> index {
      %r = tensor.dim %x, %i : tensor<?xf32>
      return %r : index
    })",
              {f32({1, 2}), index(3)});
}

TEST(Error, SizesThatDisagree) {
  expectError("'ins' #1 has size 2 in dimension 0, but is read at index 2: "
              "dimension 0 of the domain has size 3",
              R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = tang.map [i] ins(%x[i], %y[i] : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) (%a: f32, %b: f32) {
        %s = arith.addf %a, %b : f32
        tang.yield %s : f32
      }
      return %r : tensor<?xf32>
    })",
              {f32({1, 2, 3}), f32({1, 2})});
  expectError("'outs' #1 has size 2 in dimension 0, where 'outs' #0 asks for 3",
              R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) {
      %r:2 = tang.map [i] outs(%x, %y : tensor<?xf32>, tensor<?xf32>) () {
        %s = arith.constant 0.0 : f32
        tang.yield %s, %s : f32, f32
      }
      return
    })",
              {f32({1, 2, 3}), f32({1, 2})});
  expectError("whose dimension 0 has size 3", R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
      %r = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    })",
              {f32({1, 2, 3})});
  expectError("negative size -2", R"(
    func.func @main(%n: index) {
      %r = tensor.empty(%n) : tensor<?xf32>
      return
    })",
              {index(-2)});
  expectError("negative size -1", R"(
    func.func @main(%x: tensor<4xf32>, %e: tensor<f32>, %n: index) -> tensor<f32> {
      %r = tang.reduce #tang.monoid<add> [] over [k = %n] ins(%x[k] : tensor<4xf32>) outs(%e : tensor<f32>) (%a: f32) {
        tang.yield %a : f32
      }
      return %r : tensor<f32>
    })",
              {f32({1, 2, 3, 4}), reals(DType::F32, {}, {0}), index(-1)});
  expectError("another number of elements", R"(
    func.func @main(%x: tensor<?xf32>, %n: index) {
      %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
      return
    })",
              {f32({1, 2, 3}), index(2)});
}

TEST(Error, LoopsAndAssertions) {
  expectError("step must be positive, got 0", R"(
    func.func @main(%n: index) {
      %c0 = arith.constant 0 : index
      scf.for %i = %c0 to %n step %c0 {
      }
      return
    })",
              {index(3)});
  expectError("step must be positive, got -3", R"(
    func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
      %r = tang.map [i] ins(%x[i] : tensor<2xi32>) outs(%x : tensor<2xi32>) (%a: i32) {
        %c0 = arith.constant 0 : i32
        %s = scf.for %k = %c0 to %a step %a iter_args(%p = %c0) -> i32 : i32 {
          scf.yield %k : i32
        }
        tang.yield %s : i32
      }
      return %r : tensor<2xi32>
    })",
              {i32({2, -3})});
  expectError("assertion failed: sizes agree", R"(
    func.func @main(%c: i1) {
      cf.assert %c, "sizes agree"
      return
    })",
              {ints(DType::I1, {}, {0})});
}

TEST(Error, Memory) {
  expectError("exceeds 63 bits", R"(
    func.func @main(%n: index) {
      %r = tensor.empty(%n, %n) : tensor<?x?xf32>
      return
    })",
              {index(int64_t(1) << 40)});
  const char *module = R"(
    func.func @main(%n: index, %v: f32) {
      %r = tensor.splat %v[%n] : tensor<?xf32>
      return
    })";
  expectError("TANG_MEMORY_LIMIT", module,
              {index(int64_t(1) << 40), reals(DType::F32, {}, {1})});
  setenv("TANG_MEMORY_LIMIT", "1K", 1);
  expectError("needs 8192 bytes", module,
              {index(1024), reals(DType::F32, {}, {1})});
  EXPECT_TRUE(run(module, {index(127), reals(DType::F32, {}, {1})}).good);
  unsetenv("TANG_MEMORY_LIMIT");
}
