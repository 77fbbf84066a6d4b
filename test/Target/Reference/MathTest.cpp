//===- MathTest.cpp - math in bodies -------------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tang_test;

namespace {
struct Unary {
  const char *name;
  double (*real)(double);
  float (*single)(float);
};
#define UNARY(NAME, FN)                                                        \
  {NAME, [](double x) -> double { return std::FN(x); },                        \
   [](float x) -> float { return std::FN(x); }}
const Unary kUnary[] = {UNARY("acos", acos),
                        UNARY("acosh", acosh),
                        UNARY("asin", asin),
                        UNARY("asinh", asinh),
                        UNARY("atan", atan),
                        UNARY("atanh", atanh),
                        UNARY("cbrt", cbrt),
                        UNARY("ceil", ceil),
                        UNARY("cos", cos),
                        UNARY("cosh", cosh),
                        UNARY("erf", erf),
                        UNARY("erfc", erfc),
                        UNARY("exp", exp),
                        UNARY("exp2", exp2),
                        UNARY("expm1", expm1),
                        UNARY("floor", floor),
                        UNARY("log", log),
                        UNARY("log10", log10),
                        UNARY("log1p", log1p),
                        UNARY("log2", log2),
                        UNARY("round", round),
                        UNARY("sin", sin),
                        UNARY("sinh", sinh),
                        UNARY("tan", tan),
                        UNARY("tanh", tanh),
                        UNARY("trunc", trunc),
                        UNARY("sqrt", sqrt),
                        UNARY("absf", fabs),
                        UNARY("roundeven", nearbyint)};
#undef UNARY
} // namespace

TEST(Math, UnaryFunctions) {
  const Reals x = {0.0,  -0.0, 0.3,  -0.7,  1,    1.5,   2.5,  -2.5,
                   1e-3, 40,   -100, 1e-40, kInf, -kInf, kNaN, 3e38};
  for (const Unary &fn : kUnary) {
    SCOPED_TRACE(fn.name);
    Reals wide, single, narrow;
    for (double value : x) {
      float in = float(value);
      wide.push_back(fn.real(double(in)));
      single.push_back(fn.single(in));
    }
    std::string op = std::string("math.") + fn.name + " %a";
    expectSame(apply(op, "f32", "f32", {f32(x)}).reals(), wide);
    expectSame(apply(op, "f32", "f32", {f32(x)}, true).reals(), single);
    HostTensor half = reals(DType::F16, {int64_t(x.size())}, x);
    for (size_t i = 0; i < x.size(); ++i) {
      HostTensor one = reals(DType::F16, {1}, {0});
      one.setDouble(0, fn.single(float(half.getDouble(i))));
      narrow.push_back(one.getDouble(0));
    }
    expectSame(apply(op, "f16", "f16", {half}, true).reals(), narrow);
  }
}

TEST(Math, OtherFloatFunctions) {
  HostTensor x = f32({4, 0.25, 0, -1});
  expectSame(apply("math.rsqrt %a", "f32", "f32", {x}).reals(),
             {0.5, 2, kInf, kNaN});
  expectSame(apply("math.rsqrt %a", "f32", "f32", {f32({3})}, true).reals(),
             {1.0f / std::sqrt(3.0f)});
  expectSame(apply("math.powf %a, %b", "f32", "f32",
                   {f32({2, -8, 0}), f32({0.5, 3, 0})})
                 .reals(),
             {std::pow(2, 0.5), -512, 1});
  expectSame(
      apply("math.atan2 %a, %b", "f32", "f32", {f32({0.0, 1}), f32({-1, 0})})
          .reals(),
      {std::atan2(0.0, -1.0), std::atan2(1.0, 0.0)});
  expectSame(apply("math.copysign %a, %b", "f32", "f32",
                   {f32({3, -3}), f32({-0.0, 1})})
                 .reals(),
             {-3, 3});
  // Fused: the product is not rounded.
  Reals a = {1 + 0x1p-23}, c = {-1};
  expectSame(apply("math.fma %a, %a, %b", "f32", "f32", {f32(a), f32(c)}, true)
                 .reals(),
             {double(float(std::fma(a[0], a[0], -1)))});
  Reals clamped =
      apply("math.clampf %a to [%b, %c]", "f32", "f32",
            {f32({-5, 5, 0.5, kNaN}), f32({0, 0, 0, 0}), f32({1, 1, 1, 1})})
          .reals();
  expectSame(clamped, {0, 1, 0.5, kNaN});
  expectSame(apply("math.fpowi %a, %b : f32, i32", "", "f32",
                   {f32({2, -2, 2, 0}), i32({10, 3, -2, 0})})
                 .reals(),
             {1024, -8, 0.25, 1});
}

TEST(Math, Classes) {
  HostTensor x = f32({1, kInf, -kInf, kNaN, 0, 0x1p-149});
  EXPECT_EQ(apply("math.isnan %a", "f32", "i1", {x}).ints(),
            Ints({0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(apply("math.isinf %a", "f32", "i1", {x}).ints(),
            Ints({0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(apply("math.isfinite %a", "f32", "i1", {x}).ints(),
            Ints({1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(apply("math.isnormal %a", "f32", "i1", {x}).ints(),
            Ints({1, 0, 0, 0, 0, 0}));
}

TEST(Math, Integers) {
  HostTensor x = ints(DType::I8, {4}, {0, 1, -1, -128});
  EXPECT_EQ(apply("math.absi %a", "i8", "i8", {x}).ints(),
            Ints({0, 1, 1, -128}));
  EXPECT_EQ(apply("math.ctlz %a", "i8", "i8", {x}).ints(), Ints({8, 7, 0, 0}));
  EXPECT_EQ(apply("math.cttz %a", "i8", "i8", {x}).ints(), Ints({8, 0, 0, 7}));
  EXPECT_EQ(apply("math.ctpop %a", "i8", "i8", {x}).ints(), Ints({0, 1, 8, 1}));
  EXPECT_EQ(apply("math.ipowi %a, %b", "i32", "i32",
                  {i32({2, -3, 2, 1, -1, 0, 10, 0}),
                   i32({10, 3, -1, -5, -3, -1, 10, 0})})
                .ints(),
            Ints({1024, -27, 0, 1, -1, 0, 1410065408, 1}));
}

TEST(Math, Sincos) {
  Outcome outcome = run(R"(
    func.func @main(%x: f32) -> (f32, f32) {
      %s, %c = math.sincos %x : f32
      return %s, %c : f32, f32
    })",
                        {reals(DType::F32, {}, {0.5})});
  expectSame(outcome.reals(0), {std::sin(0.5)});
  expectSame(outcome.reals(1), {std::cos(0.5)});
}
