//===- ArithTest.cpp - arith in bodies -----------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tang_test;

namespace {
/// An integer operation on two i8 vectors.
Ints bytes(const std::string &op, const Ints &a, const Ints &b) {
  int64_t n = a.size();
  return apply("arith." + op + " %a, %b", "i8", "i8",
               {ints(DType::I8, {n}, a), ints(DType::I8, {n}, b)})
      .ints();
}
Reals floats(const std::string &op, const Reals &a, const Reals &b,
             bool exact = false) {
  return apply("arith." + op + " %a, %b", "f32", "f32", {f32(a), f32(b)}, exact)
      .reals();
}
} // namespace

TEST(Arith, IntegersWrapAndAreTotal) {
  EXPECT_EQ(bytes("addi", {127, -128}, {1, -1}), Ints({-128, 127}));
  EXPECT_EQ(bytes("subi", {-128, 0}, {1, -128}), Ints({127, -128}));
  EXPECT_EQ(bytes("muli", {16, -128}, {16, -1}), Ints({0, -128}));
  EXPECT_EQ(bytes("divsi", {7, -7, -128, 5}, {2, 2, -1, 0}),
            Ints({3, -3, -128, 0}));
  EXPECT_EQ(bytes("remsi", {7, -7, -128, 5}, {2, 2, -1, 0}),
            Ints({1, -1, 0, 5}));
  EXPECT_EQ(bytes("divui", {-1, 7, 9}, {2, -1, 0}), Ints({127, 0, 0}));
  EXPECT_EQ(bytes("remui", {-1, 7, -9}, {2, -1, 0}), Ints({1, 7, -9}));
  EXPECT_EQ(bytes("floordivsi", {-7, 7, 6, 1}, {2, -2, 3, 0}),
            Ints({-4, -4, 2, 0}));
  EXPECT_EQ(bytes("ceildivsi", {-7, 7, 7, 1}, {2, -2, 2, 0}),
            Ints({-3, -3, 4, 0}));
  EXPECT_EQ(bytes("ceildivui", {-1, 0, 3}, {2, 5, 0}), Ints({-128, 0, 0}));
  EXPECT_EQ(bytes("shli", {1, 1, 3}, {7, 8, -1}), Ints({-128, 0, 0}));
  EXPECT_EQ(bytes("shrui", {-128, -1, -1}, {7, 8, 4}), Ints({1, 0, 15}));
  EXPECT_EQ(bytes("shrsi", {-128, -1, 64}, {7, 100, 8}), Ints({-1, -1, 0}));
  EXPECT_EQ(bytes("maxsi", {-1, 3}, {1, 2}), Ints({1, 3}));
  EXPECT_EQ(bytes("maxui", {-1, 3}, {1, 2}), Ints({-1, 3}));
  EXPECT_EQ(bytes("minui", {-1, 3}, {1, 2}), Ints({1, 2}));
  EXPECT_EQ(bytes("andi", {12, -1}, {10, 5}), Ints({8, 5}));
  EXPECT_EQ(bytes("ori", {12, 0}, {10, 5}), Ints({14, 5}));
  EXPECT_EQ(bytes("xori", {12, -1}, {10, 5}), Ints({6, -6}));
  Outcome wide = apply(
      "arith.muli %a, %b", "i64", "i64",
      {ints(DType::I64, {1}, {int64_t(1) << 62}), ints(DType::I64, {1}, {6})});
  EXPECT_EQ(wide.ints(), Ints({int64_t(uint64_t(6) << 62)}));
  EXPECT_EQ(
      apply("arith.addi %a, %b", "i4", "i4",
            {ints(DType::I4, {2}, {7, -8}), ints(DType::I4, {2}, {1, -1})})
          .ints(),
      Ints({-8, 7}));
  EXPECT_EQ(apply("arith.addi %a, %b", "i1", "i1",
                  {ints(DType::I1, {2}, {1, 1}), ints(DType::I1, {2}, {1, 0})})
                .ints(),
            Ints({0, 1}));
}

TEST(Arith, Extended) {
  Outcome outcome =
      run(R"(
    func.func @main(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i1) {
      %l, %h = arith.mulsi_extended %a, %b : i8
      %m, %i = arith.mului_extended %a, %b : i8
      %s, %o = arith.addui_extended %a, %b : i8, i1
      return %l, %h, %m, %i, %s, %o : i8, i8, i8, i8, i8, i1
    })",
          {ints(DType::I8, {}, {-100}), ints(DType::I8, {}, {120})});
  int64_t product = -100 * 120, wide = 156 * 120;
  EXPECT_EQ(outcome.ints(0), Ints({int8_t(product)}));
  EXPECT_EQ(outcome.ints(1), Ints({int8_t(product >> 8)}));
  EXPECT_EQ(outcome.ints(2), Ints({int8_t(wide)}));
  EXPECT_EQ(outcome.ints(3), Ints({int8_t(wide >> 8)}));
  EXPECT_EQ(outcome.ints(4), Ints({20}));
  EXPECT_EQ(outcome.ints(5), Ints({1}));
}

TEST(Arith, Floats) {
  expectSame(floats("maximumf", {-0.0, kNaN, 1, -kInf}, {0.0, 1, kNaN, 3}),
             {0.0, kNaN, kNaN, 3});
  expectSame(floats("minimumf", {-0.0, kNaN, 1, -kInf}, {0.0, 1, kNaN, 3}),
             {-0.0, kNaN, kNaN, -kInf});
  expectSame(floats("maxnumf", {0.0, kNaN, 1, kNaN}, {-0.0, 1, kNaN, kNaN}),
             {0.0, 1, 1, kNaN});
  expectSame(floats("minnumf", {0.0, kNaN, 1}, {-0.0, 1, kNaN}), {-0.0, 1, 1});
  expectSame(floats("divf", {1, -1, 0}, {0, 0, 0}), {kInf, -kInf, kNaN});
  expectSame(floats("remf", {5.5, -5.5, 1}, {2, 2, 0}), {1.5, -1.5, kNaN});
  expectSame(floats("subf", {0.0, -0.0}, {0.0, 0.0}), {0.0, -0.0});
  // f64 keeps what f32 loses.
  expectSame(floats("addf", {16777216}, {1}), {16777217});
  expectSame(floats("addf", {16777216}, {1}, true), {16777216});
  expectSame(floats("mulf", {1e30}, {1e30}, true), {kInf});
  EXPECT_LT(floats("mulf", {1e30}, {1e30})[0], kInf);
  expectSame(floats("mulf", {0x1p-149}, {0.5}, true), {0.0});
  expectSame(apply("arith.negf %a", "f32", "f32", {f32({0.0, kInf})}).reals(),
             {-0.0, -kInf});
}

TEST(Arith, ExactRoundsInDeclaredType) {
  HostTensor a = reals(DType::BF16, {3}, {256, 1.0078125, 3e38});
  HostTensor b = reals(DType::BF16, {3}, {1, 0.00390625, 3e38});
  expectSame(apply("arith.addf %a, %b", "bf16", "bf16", {a, b}, true).reals(),
             {256, 1.015625, kInf});
  Outcome outcome = apply("arith.addf %a, %b", "bf16", "bf16", {a, b});
  EXPECT_EQ(outcome.results[0].dtype, DType::F64);
  EXPECT_EQ(outcome.reals()[0], 257);
  EXPECT_EQ(
      apply("arith.addf %a, %b", "bf16", "bf16", {a, b}, true).results[0].dtype,
      DType::BF16);
}

TEST(Arith, Compare) {
  const Reals a = {1, 1, 2, kNaN}, b = {1, 2, 1, 1};
  auto compare = [&](const std::string &predicate) {
    return apply("arith.cmpf " + predicate + ", %a, %b", "f32", "i1",
                 {f32(a), f32(b)})
        .ints();
  };
  EXPECT_EQ(compare("oeq"), Ints({1, 0, 0, 0}));
  EXPECT_EQ(compare("ogt"), Ints({0, 0, 1, 0}));
  EXPECT_EQ(compare("oge"), Ints({1, 0, 1, 0}));
  EXPECT_EQ(compare("olt"), Ints({0, 1, 0, 0}));
  EXPECT_EQ(compare("ole"), Ints({1, 1, 0, 0}));
  EXPECT_EQ(compare("one"), Ints({0, 1, 1, 0}));
  EXPECT_EQ(compare("ord"), Ints({1, 1, 1, 0}));
  EXPECT_EQ(compare("ueq"), Ints({1, 0, 0, 1}));
  EXPECT_EQ(compare("ugt"), Ints({0, 0, 1, 1}));
  EXPECT_EQ(compare("uge"), Ints({1, 0, 1, 1}));
  EXPECT_EQ(compare("ult"), Ints({0, 1, 0, 1}));
  EXPECT_EQ(compare("ule"), Ints({1, 1, 0, 1}));
  EXPECT_EQ(compare("une"), Ints({0, 1, 1, 1}));
  EXPECT_EQ(compare("uno"), Ints({0, 0, 0, 1}));
  EXPECT_EQ(compare("true"), Ints({1, 1, 1, 1}));
  EXPECT_EQ(compare("false"), Ints({0, 0, 0, 0}));
  auto whole = [&](const std::string &predicate) {
    return apply("arith.cmpi " + predicate + ", %a, %b", "i32", "i1",
                 {i32({-1, 2, 5}), i32({1, 2, -5})})
        .ints();
  };
  EXPECT_EQ(whole("eq"), Ints({0, 1, 0}));
  EXPECT_EQ(whole("ne"), Ints({1, 0, 1}));
  EXPECT_EQ(whole("slt"), Ints({1, 0, 0}));
  EXPECT_EQ(whole("sle"), Ints({1, 1, 0}));
  EXPECT_EQ(whole("sgt"), Ints({0, 0, 1}));
  EXPECT_EQ(whole("sge"), Ints({0, 1, 1}));
  EXPECT_EQ(whole("ult"), Ints({0, 0, 1}));
  EXPECT_EQ(whole("ule"), Ints({0, 1, 1}));
  EXPECT_EQ(whole("ugt"), Ints({1, 0, 0}));
  EXPECT_EQ(whole("uge"), Ints({1, 1, 0}));
  // i1 true is -1 as a signed number and 1 as an unsigned one.
  HostTensor yes = ints(DType::I1, {1}, {1}), no = ints(DType::I1, {1}, {0});
  EXPECT_EQ(apply("arith.cmpi slt, %a, %b", "i1", "i1", {yes, no}).ints(),
            Ints({1}));
  EXPECT_EQ(apply("arith.cmpi ult, %a, %b", "i1", "i1", {yes, no}).ints(),
            Ints({0}));
}

TEST(Arith, Conversions) {
  auto convert = [](const std::string &op, const std::string &to, DType from,
                    const Ints &values) {
    return apply("arith." + op + " %a : " + tang_rt::dtypeName(from) + " to " +
                     to,
                 "", to, {ints(from, {int64_t(values.size())}, values)});
  };
  EXPECT_EQ(convert("extsi", "i32", DType::I8, {-1, 127}).ints(),
            Ints({-1, 127}));
  EXPECT_EQ(convert("extui", "i32", DType::I8, {-1, 127}).ints(),
            Ints({255, 127}));
  EXPECT_EQ(convert("extui", "i8", DType::I4, {-8}).ints(), Ints({8}));
  EXPECT_EQ(convert("extui", "i8", DType::I1, {1}).ints(), Ints({1}));
  EXPECT_EQ(convert("extsi", "i8", DType::I1, {1}).ints(), Ints({-1}));
  EXPECT_EQ(convert("trunci", "i8", DType::I32, {384, 255}).ints(),
            Ints({-128, -1}));
  EXPECT_EQ(convert("index_cast", "index", DType::I32, {-5}).ints(),
            Ints({-5}));
  EXPECT_EQ(convert("index_castui", "index", DType::I32, {-1}).ints(),
            Ints({4294967295}));
  expectSame(convert("sitofp", "f32", DType::I32, {16777217, -3}).reals(),
             {16777216, -3});
  expectSame(convert("sitofp", "bf16", DType::I64, {257, 259}).reals(),
             {256, 260});
  expectSame(convert("uitofp", "f64", DType::I64, {-1}).reals(), {0x1p64});
  expectSame(convert("uitofp", "f32", DType::I1, {1}).reals(), {1});
  expectSame(convert("sitofp", "f32", DType::I1, {1}).reals(), {-1});
  auto whole = [](const std::string &op, const std::string &to,
                  const Reals &values) {
    return apply("arith." + op + " %a : f32 to " + to, "", to, {f32(values)})
        .ints();
  };
  EXPECT_EQ(whole("fptosi", "i8", {1.9, -1.9, 300, -300, kNaN, -kInf}),
            Ints({1, -1, 127, -128, 0, -128}));
  EXPECT_EQ(whole("fptoui", "i8", {1.9, -1, 255.5, 300, kNaN}),
            Ints({1, 0, -1, -1, 0}));
  // Explicit conversions round in both modes.
  HostTensor x = reals(DType::F64, {4}, {1.00390625, 1.01171875, 1e39, -1e-50});
  expectSame(apply("arith.truncf %a : f64 to bf16", "", "bf16", {x}).reals(),
             {1, 1.015625, kInf, -0.0});
  expectSame(apply("arith.truncf %a : f64 to f8E4M3FN", "", "f8E4M3FN",
                   {reals(DType::F64, {3}, {448, 464, 500})})
                 .reals(),
             {448, 448, kNaN});
}

TEST(Arith, Bitcast) {
  EXPECT_EQ(
      apply("arith.bitcast %a : f32 to i32", "", "i32", {f32({1, -0.0, -kInf})})
          .ints(),
      Ints({0x3f800000, int32_t(0x80000000), int32_t(0xff800000)}));
  expectSame(apply("arith.bitcast %a : i16 to bf16", "", "bf16",
                   {ints(DType::I16, {3}, {0x3f80, 0x7f80, 1})})
                 .reals(),
             {1, kInf, 0x1p-133});
  expectSame(apply("arith.bitcast %a : f16 to bf16", "", "bf16",
                   {reals(DType::F16, {1}, {1.0})})
                 .reals(),
             {0x1p-7}); // 0x3c00
  // Signalling NaN keeps its bits on the way through a float.
  Outcome outcome = run(R"(
    func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
      %e = tensor.empty() : tensor<2xi32>
      %y = tang.map [i] ins(%a[i] : tensor<2xi32>) outs(%e : tensor<2xi32>) (%x: i32) {
        %f = arith.bitcast %x : i32 to f32
        %i = arith.bitcast %f : f32 to i32
        tang.yield %i : i32
      }
      return %y : tensor<2xi32>
    })",
                        {i32({0x7f800001, int32_t(0xffc12345)})});
  EXPECT_EQ(outcome.ints(), Ints({0x7f800001, int32_t(0xffc12345)}));
  // In f64 the value is rounded to the declared type first.
  outcome = run(R"(
    func.func @main(%a: f32) -> i32 {
      %b = arith.addf %a, %a : f32
      %c = arith.constant 1.0 : f32
      %d = arith.addf %b, %c : f32
      %i = arith.bitcast %d : f32 to i32
      return %i : i32
    })",
                {reals(DType::F32, {}, {8388608})});
  EXPECT_EQ(outcome.ints(), Ints({0x4b800000})); // 16777216
}

TEST(Arith, SelectAndConstants) {
  Outcome outcome = run(R"(
    func.func @main(%c: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xi64>) {
      %e = tensor.empty() : tensor<3xf32>
      %f = tensor.empty() : tensor<3xi64>
      %y:2 = tang.map [i] ins(%c[i] : tensor<3xi1>)
               outs(%e, %f : tensor<3xf32>, tensor<3xi64>) (%x: i1) {
        %a = arith.constant 0xFF800000 : f32
        %b = arith.constant 0.1 : f32
        %r = arith.select %x, %a, %b : f32
        %m = arith.constant -9223372036854775808 : i64
        %n = arith.constant 7 : i64
        %s = arith.select %x, %m, %n : i64
        tang.yield %r, %s : f32, i64
      }
      return %y#0, %y#1 : tensor<3xf32>, tensor<3xi64>
    })",
                        {ints(DType::I1, {3}, {1, 0, 1})});
  expectSame(outcome.reals(0), {-kInf, double(0.1f), -kInf});
  int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(outcome.ints(1), Ints({least, 7, least}));
}
