//===- StructureTest.cpp - Loops, arrays, arguments and errors ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Tang/Target/C.h"

#include <bit>
#include <cmath>
#include <dlfcn.h>

using namespace tangtest;

namespace {

std::string module(const std::string &text) {
  return "gpu.module @kernels {\n" + text + "\n}\n";
}

template <typename T>
std::vector<T> runOne(const std::string &text, Launch launch) {
  Program program(module(text));
  EXPECT_TRUE(program.ok()) << program.errors();
  if (!program.ok())
    return {};
  launch.kernel = "k";
  auto buffers = runEverywhere(program, launch);
  return buffers.empty() ? std::vector<T>() : fromBytes<T>(buffers.back());
}

Launch output(size_t bytes, std::vector<int64_t> scalars = {},
              int64_t blocks = 1) {
  Launch launch;
  launch.buffers = {Bytes(bytes, 0)};
  launch.scalars = std::move(scalars);
  launch.blocks = blocks;
  return launch;
}

TEST(Structure, CarriedValuesMoveAtOnce) {
  // Fibonacci by swapping, and a rotation of three.
  auto result = runOne<int64_t>(R"(
    gpu.func @k(%y: memref<?xi64>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %f:2 = scf.for %i = %c0 to %n step %c1
          iter_args(%a = %zero, %b = %one) -> (i64, i64) {
        %s = arith.addi %a, %b : i64
        scf.yield %b, %s : i64, i64
      }
      %r:3 = scf.for %i = %c0 to %n step %c3
          iter_args(%a = %zero, %b = %one, %c = %two) -> (i64, i64, i64) {
        scf.yield %b, %c, %a : i64, i64, i64
      }
      memref.store %f#0, %y[%c0] : memref<?xi64>
      memref.store %f#1, %y[%c1] : memref<?xi64>
      memref.store %r#0, %y[%c2] : memref<?xi64>
      memref.store %r#1, %y[%c3] : memref<?xi64>
      memref.store %r#2, %y[%c4] : memref<?xi64>
      gpu.return
    })",
                                output(40, {10}));
  EXPECT_EQ(result, (std::vector<int64_t>{55, 89, 1, 2, 0}));
}

TEST(Structure, WhileWithOtherForwardedValues) {
  // Collatz steps; the condition forwards a computed value.
  auto result = runOne<int32_t>(R"(
    gpu.func @k(%y: memref<?xi32>, %start: i32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %r:2 = scf.while (%x = %start, %steps = %zero)
          : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi sgt, %x, %one : i32
        %next = arith.addi %steps, %one : i32
        scf.condition(%more) %next, %x : i32, i32
      } do {
      ^bb0(%steps: i32, %x: i32):
        %bit = arith.andi %x, %one : i32
        %odd = arith.cmpi ne, %bit, %zero : i32
        %t = scf.if %odd -> (i32) {
          %m = arith.muli %x, %three : i32
          %p = arith.addi %m, %one : i32
          scf.yield %p : i32
        } else {
          %h = arith.divsi %x, %two : i32
          scf.yield %h : i32
        }
        scf.yield %t, %steps : i32, i32
      }
      memref.store %r#0, %y[%c0] : memref<?xi32>
      memref.store %r#1, %y[%c1] : memref<?xi32>
      %plain:2 = scf.while (%x = %start, %s = %zero)
          : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi sgt, %x, %one : i32
        scf.condition(%more) %x, %s : i32, i32
      } do {
      ^bb0(%x: i32, %s: i32):
        %h = arith.shrsi %x, %one : i32
        %t = arith.addi %s, %x : i32
        scf.yield %h, %t : i32, i32
      }
      %c2 = arith.constant 2 : index
      memref.store %plain#1, %y[%c2] : memref<?xi32>
      gpu.return
    })",
                                output(12, {27}));
  EXPECT_EQ(result, (std::vector<int32_t>{112, 1, 27 + 13 + 6 + 3}));
}

TEST(Structure, ThreadsOfABlock) {
  std::string text = R"(
    gpu.func @k(%x: memref<?xf32> {tang.readonly}, %y: memref<?xf32>,
                %n: index) kernel attributes {tang.block = 64 : i64} {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %thread = gpu.thread_id x
      %base = arith.muli %block, %size : index
      %i = arith.addi %base, %thread : index
      %ok = arith.cmpi slt, %i, %n : index
      scf.if %ok {
        %v = memref.load %x[%i] : memref<?xf32>
        %s = arith.addf %v, %v : f32
        memref.store %s, %y[%i] : memref<?xf32>
      }
      gpu.return
    })";
  std::vector<float> x(1000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  Launch launch;
  launch.buffers = {toBytes(x), Bytes(4000, 0)};
  launch.scalars = {1000};
  launch.blocks = 16;
  auto result = runOne<float>(text, launch);
  ASSERT_EQ(result.size(), 1000u);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(result[i], 2 * x[i]);
}

TEST(Structure, LocalArraysOfEveryKind) {
  std::string body;
  int k = 0;
  std::string text = R"(
    gpu.func @k(%y: memref<?xf64>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
)";
  for (std::string type : {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"}) {
    std::string i = std::to_string(k);
    text += "%t" + i + " = memref.alloca() : memref<2x3x4x" + type + ">\n";
    text += "%v" + i + " = arith.constant 1.3 : " + type + "\n";
    text += "memref.store %v" + i + ", %t" + i +
            "[%c1, %c2, %c3] : " + "memref<2x3x4x" + type + ">\n";
    text += "%l" + i + " = memref.load %t" + i +
            "[%c1, %c2, %c3] : " + "memref<2x3x4x" + type + ">\n";
    text += "%w" + i + " = arith." +
            (type == "f64" ? "mulf %l" + i + ", %l" + i + " : f64\n"
                           : "extf %l" + i + " : " + type + " to f64\n");
    text += "%p" + i + " = arith.constant " + i + " : index\n";
    text += "memref.store %w" + i + ", %y[%p" + i + "] : memref<?xf64>\n";
    ++k;
  }
  for (std::string type : {"i64", "i32", "i16", "i8", "i4", "i1"}) {
    std::string i = std::to_string(k);
    text += "%t" + i + " = memref.alloca() : memref<" +
            (type == "i8" ? "" : "5x") + type + ">\n";
    std::string at = type == "i8" ? "[]" : "[%c2]";
    std::string memref =
        std::string("memref<") + (type == "i8" ? "" : "5x") + type + ">";
    text += "%v" + i + " = arith.constant -1 : " + type + "\n";
    text += "memref.store %v" + i + ", %t" + i + at + " : " + memref + "\n";
    text += "%l" + i + " = memref.load %t" + i + at + " : " + memref + "\n";
    text += "%w" + i + " = arith.sitofp %l" + i + " : " + type + " to f64\n";
    text += "%p" + i + " = arith.constant " + i + " : index\n";
    text += "memref.store %w" + i + ", %y[%p" + i + "] : memref<?xf64>\n";
    ++k;
  }
  text += R"(
      %ti = memref.alloca() {tang.name = "offsets"} : memref<3xindex>
      memref.store %n, %ti[%c0] : memref<3xindex>
      %li = memref.load %ti[%c0] : memref<3xindex>
      %ii = arith.index_cast %li : index to i64
      %fi = arith.sitofp %ii : i64 to f64
      %pi = arith.constant 12 : index
      memref.store %fi, %y[%pi] : memref<?xf64>
      gpu.return
    })";
  auto result = runOne<double>(text, output(13 * 8, {77}));
  EXPECT_EQ(result,
            (std::vector<double>{1.3 * 1.3, 1.3f, 1.2998046875, 1.296875, 1.25,
                                 1.25, -1, -1, -1, -1, -1, -1, 77}));
}

TEST(Structure, ScalarsOfEveryType) {
  std::string text = R"(
    gpu.func @k(%y: memref<?xf64>, %a: f64, %b: f32, %c: f16, %d: bf16,
                %e: f8E4M3FN, %f: i64, %g: i32, %h: i16, %i: i8, %j: i4, %k: i1,
                %l: index) kernel {
      %one = arith.constant 1.0 : f64
      %zero = arith.constant 0.0 : f64
      %fb = arith.extf %b : f32 to f64
      %fc = arith.extf %c : f16 to f64
      %fd = arith.extf %d : bf16 to f64
      %fe = arith.extf %e : f8E4M3FN to f64
      %ff = arith.sitofp %f : i64 to f64
      %fg = arith.sitofp %g : i32 to f64
      %fh = arith.sitofp %h : i16 to f64
      %fi = arith.sitofp %i : i8 to f64
      %fj = arith.sitofp %j : i4 to f64
      %fk = arith.select %k, %one, %zero : f64
      %li = arith.index_cast %l : index to i64
      %fl = arith.sitofp %li : i64 to f64
)";
  std::string names[] = {"a",  "fb", "fc", "fd", "fe", "ff",
                         "fg", "fh", "fi", "fj", "fk", "fl"};
  for (int i = 0; i < 12; ++i)
    text += "%p" + std::to_string(i) + " = arith.constant " +
            std::to_string(i) + " : index\nmemref.store %" + names[i] +
            ", %y[%p" + std::to_string(i) + "] : memref<?xf64>\n";
  text += "gpu.return\n}";
  auto single = [](float x) { return int64_t(std::bit_cast<uint32_t>(x)); };
  auto result = runOne<double>(
      text, output(96, {std::bit_cast<int64_t>(-1e300), single(1.5f),
                        single(0.25f), single(-3), single(448), -5000000000, -7,
                        -300, -100, -8, 1, 1ll << 40}));
  EXPECT_EQ(result,
            (std::vector<double>{-1e300, 1.5, 0.25, -3, 448, -5e9, -7, -300,
                                 -100, -8, 1, double(1ll << 40)}));
}

TEST(Structure, MoreScalarsThanPushConstants) {
  // 240 bytes, where Vulkan has push constants for 128.
  std::string text = "gpu.func @k(%y: memref<?xi64>";
  for (int i = 0; i < 30; ++i)
    text += ", %s" + std::to_string(i) + ": i64";
  text += ") kernel {\n";
  std::vector<int64_t> scalars;
  for (int i = 0; i < 30; ++i) {
    std::string n = std::to_string(i);
    text += "%p" + n + " = arith.constant " + n + " : index\nmemref.store %s" +
            n + ", %y[%p" + n + "] : memref<?xi64>\n";
    scalars.push_back((int64_t(1) << 40) - i * 1000);
  }
  text += "gpu.return\n}";
  EXPECT_EQ(runOne<int64_t>(text, output(240, scalars)), scalars);
}

TEST(Structure, LoadsStayBeforeStores) {
  // Each load must see memory as it was at its place.
  Launch launch = output(0, {0});
  launch.buffers = {toBytes(std::vector<int32_t>{10, 20, 5, 0})};
  auto result = runOne<int32_t>(R"(
    gpu.func @k(%y: memref<?xi32>, %n: index) kernel {
      %c = arith.constant true
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %one = arith.constant 1 : i32
      %a = memref.load %y[%c0] : memref<?xi32>
      %b = memref.load %y[%c1] : memref<?xi32>
      memref.store %b, %y[%c0] : memref<?xi32>
      memref.store %a, %y[%c1] : memref<?xi32>
      %limit = memref.load %y[%c2] : memref<?xi32>
      %end = arith.index_cast %limit : i32 to index
      scf.for %i = %c0 to %end step %c1 {
        %v = memref.load %y[%c2] : memref<?xi32>
        %w = arith.addi %v, %one : i32
        memref.store %w, %y[%c2] : memref<?xi32>
      }
      %before = memref.load %y[%c0] : memref<?xi32>
      scf.if %c {
        memref.store %one, %y[%c0] : memref<?xi32>
      }
      %c3 = arith.constant 3 : index
      memref.store %before, %y[%c3] : memref<?xi32>
      gpu.return
    })",
                                launch);
  EXPECT_EQ(result, (std::vector<int32_t>{1, 10, 10, 20}));
}

TEST(Structure, NamesAndComments) {
  std::string text = R"(
    gpu.func @k(%a: memref<?xf32> {tang.name = "exp", tang.readonly},
                %b: memref<?xf32> {tang.name = "for"},
                %c: f32 {tang.name = "float"}, %d: f32 {tang.name = "i"},
                %e: f32 {tang.name = "1 x-y"}) kernel
        attributes {tang.comment = "one \\\nint broken = ;"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %v = memref.load %a[%i] : memref<?xf32>
        %x = math.exp %v : f32
        %y = arith.addf %x, %c : f32
        %z = arith.subf %y, %d : f32
        %w = arith.mulf %z, %e : f32
        memref.store %w, %b[%i] : memref<?xf32>
      } {tang.comment = "a loop \\"}
      gpu.return
    })";
  Launch launch;
  launch.buffers = {toBytes(std::vector<float>{0, 0, 0, 0}), Bytes(16, 0)};
  auto single = [](float x) { return int64_t(std::bit_cast<uint32_t>(x)); };
  launch.scalars = {single(2), single(1), single(3)};
  EXPECT_EQ(runOne<float>(text, launch), (std::vector<float>{6, 6, 6, 6}));
}

TEST(Structure, HelpersCallHelpers) {
  auto result = runOne<float>(R"(
    func.func private @twice(%x: f32 {tang.name = "value"}) -> f32 {
      %y = func.call @add(%x, %x) : (f32, f32) -> f32
      return %y : f32
    }
    func.func private @unused(%x: f32) -> f32 {
      return %x : f32
    }
    func.func private @add(%x: f32, %y: f32) -> f32 {
      %r = arith.addf %x, %y : f32
      return %r : f32
    }
    func.func private @small(%x: bf16, %c: i1) -> bf16 {
      %z = arith.constant 0.0 : bf16
      %r = arith.select %c, %x, %z : bf16
      return %r : bf16
    }
    gpu.func @k(%y: memref<?xf32>, %x: f32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = arith.constant true
      %r = func.call @twice(%x) : (f32) -> f32
      memref.store %r, %y[%c0] : memref<?xf32>
      %b = arith.truncf %x : f32 to bf16
      %s = func.call @small(%b, %t) : (bf16, i1) -> bf16
      %e = arith.extf %s : bf16 to f32
      memref.store %e, %y[%c1] : memref<?xf32>
      gpu.return
    })",
                              output(8, {std::bit_cast<uint32_t>(1.001f)}));
  EXPECT_EQ(result, (std::vector<float>{2.002f, 1.0f}));
}

TEST(Structure, UnsignedLoopsAndSteps) {
  auto result = runOne<int32_t>(R"(
    gpu.func @k(%y: memref<?xi32>, %low: i32, %high: i32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %step = arith.constant 1000000000 : i32
      %one = arith.constant 1 : i32
      %u = scf.for unsigned %i = %low to %high step %step
          iter_args(%s = %zero) -> (i32) : i32 {
        %n = arith.addi %s, %one : i32
        scf.yield %n : i32
      }
      %v = scf.for %i = %low to %high step %step
          iter_args(%s = %zero) -> (i32) : i32 {
        %n = arith.addi %s, %one : i32
        scf.yield %n : i32
      }
      memref.store %u, %y[%c0] : memref<?xi32>
      memref.store %v, %y[%c1] : memref<?xi32>
      gpu.return
    })",
                                output(8, {0, int32_t(3000000000u)}));
  EXPECT_EQ(result, (std::vector<int32_t>{3, 0}));
}

TEST(Structure, SpecialConstants) {
  auto result = runOne<uint64_t>(R"(
    gpu.func @k(%y: memref<?xi64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %inf = arith.constant 0x7FF0000000000000 : f64
      %nan = arith.constant 0x7FF8000000000000 : f64
      %odd = arith.constant 0xFFF8000000000123 : f64
      %min = arith.constant -9223372036854775808 : i64
      %tiny = arith.constant 4.9406564584124654e-324 : f64
      %a = arith.bitcast %inf : f64 to i64
      %b = arith.bitcast %nan : f64 to i64
      %c = arith.bitcast %odd : f64 to i64
      %d = arith.bitcast %tiny : f64 to i64
      memref.store %a, %y[%c0] : memref<?xi64>
      memref.store %b, %y[%c1] : memref<?xi64>
      memref.store %c, %y[%c2] : memref<?xi64>
      memref.store %min, %y[%c3] : memref<?xi64>
      memref.store %d, %y[%c4] : memref<?xi64>
      gpu.return
    })",
                                 output(40));
  EXPECT_EQ(result,
            (std::vector<uint64_t>{0x7FF0000000000000, 0x7FF8000000000000,
                                   0xFFF8000000000123, uint64_t(1) << 63, 1}));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void expectError(const std::string &text, const std::string &message) {
  Program program(module(text));
  if (program.ok()) {
    program.emitC();
  }
  EXPECT_NE(program.errors().find(message), std::string::npos)
      << program.errors();
}

TEST(Errors, NameTheOperation) {
  expectError(R"(gpu.func @k(%y: memref<?xf32>) kernel {
      %v = arith.constant dense<0.0> : vector<2x4xf32>
      gpu.return
    })",
              "uses type 'vector<2x4xf32>'");
  expectError(R"(gpu.func @k(%y: memref<?xf32>) kernel {
      gpu.barrier
      gpu.return
    })",
              "'gpu.barrier' op is not part of kernel IR");
  expectError(R"(gpu.func @k(%y: memref<?xf32>) kernel {
      %i = gpu.thread_id y
      gpu.return
    })",
              "asks for another dimension than x");
  expectError(R"(gpu.func @k(%y: memref<?x?xf32>) kernel {
      gpu.return
    })",
              "buffers have one dimension");
  expectError(R"(gpu.func @k(%n: index, %y: memref<?xf32>) kernel {
      gpu.return
    })",
              "has a buffer after a scalar argument");
  expectError(R"(gpu.func @k(%y: memref<?xi128>) kernel {
      %c0 = arith.constant 0 : index
      %v = memref.load %y[%c0] : memref<?xi128>
      gpu.return
    })",
              "i128");
  expectError(R"(gpu.func @k(%y: memref<?xf32>, %n: index) kernel {
      %t = memref.alloca(%n) : memref<?xf32>
      gpu.return
    })",
              "local arrays are static");
  expectError(R"(
    func.func private @loop(%x: f32) -> f32 {
      %y = func.call @loop(%x) : (f32) -> f32
      return %y : f32
    }
    gpu.func @k(%y: memref<?xf32>, %x: f32) kernel {
      %c0 = arith.constant 0 : index
      %r = func.call @loop(%x) : (f32) -> f32
      memref.store %r, %y[%c0] : memref<?xf32>
      gpu.return
    })",
              "is recursive");
}

TEST(Errors, OfTheSystemCompiler) {
  Program program(module("gpu.func @k(%y: memref<?xf32>) kernel {\n"
                         "gpu.return\n}"));
  ASSERT_TRUE(program.ok());
  auto loc = program.module().getLoc();
  EXPECT_TRUE(
      failed(mlir::tang::compileCToSharedObject(loc, "int main( {", "gcc")));
  EXPECT_NE(program.errors().find("error:"), std::string::npos);
  EXPECT_TRUE(failed(
      mlir::tang::compileCToSharedObject(loc, "int x;", "no-such-compiler")));
  EXPECT_NE(program.errors().find("no compiler no-such-compiler"),
            std::string::npos);
}

} // namespace
