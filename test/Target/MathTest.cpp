//===- MathTest.cpp - Mathematical functions on every target --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within 4 units in the last place of the value in long double, on each
// target for itself: libraries differ.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>
#include <limits>

using namespace tangtest;

namespace {

using Real = long double;

struct Function {
  std::string op;
  double low, high;
  std::function<Real(Real)> expected;
};

const std::vector<Function> functions = {
    {"exp", -80, 80, [](Real x) { return std::exp(x); }},
    {"exp2", -100, 100, [](Real x) { return std::exp2(x); }},
    {"expm1", -5, 5, [](Real x) { return std::expm1(x); }},
    {"log", 1e-5, 1e5, [](Real x) { return std::log(x); }},
    {"log2", 1e-5, 1e5, [](Real x) { return std::log2(x); }},
    {"log10", 1e-5, 1e5, [](Real x) { return std::log10(x); }},
    {"log1p", -0.9, 10, [](Real x) { return std::log1p(x); }},
    {"sin", -10, 10, [](Real x) { return std::sin(x); }},
    {"cos", -10, 10, [](Real x) { return std::cos(x); }},
    {"tan", -1.5, 1.5, [](Real x) { return std::tan(x); }},
    {"asin", -1, 1, [](Real x) { return std::asin(x); }},
    {"acos", -1, 1, [](Real x) { return std::acos(x); }},
    {"atan", -10, 10, [](Real x) { return std::atan(x); }},
    {"sinh", -10, 10, [](Real x) { return std::sinh(x); }},
    {"cosh", -10, 10, [](Real x) { return std::cosh(x); }},
    {"tanh", -5, 5, [](Real x) { return std::tanh(x); }},
    {"asinh", -10, 10, [](Real x) { return std::asinh(x); }},
    {"acosh", 1, 100, [](Real x) { return std::acosh(x); }},
    {"atanh", -0.99, 0.99, [](Real x) { return std::atanh(x); }},
    {"cbrt", -100, 100, [](Real x) { return std::cbrt(x); }},
    {"erf", -3, 3, [](Real x) { return std::erf(x); }},
    {"erfc", -3, 3, [](Real x) { return std::erfc(x); }},
};

template <typename T> double ulps(T actual, Real expected) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual) ? 0 : 1e30;
  if (std::isinf(expected) || std::isinf(actual))
    return T(expected) == actual ? 0 : 1e30;
  T rounded = T(std::fabs(expected));
  Real unit = std::nextafter(rounded, std::numeric_limits<T>::infinity()) -
              Real(rounded);
  return double(std::fabs(Real(actual) - expected) / unit);
}

template <typename T> void checkUnary(const std::string &type) {
  std::vector<Case> cases;
  for (const Function &f : functions)
    cases.push_back({type, type, "%r = math." + f.op + " %a : " + type});
  // Both results of one operation.
  cases.push_back({type, type, "%r, %c = math.sincos %a : " + type});
  cases.push_back({type, type, "%s, %r = math.sincos %a : " + type});
  std::vector<Function> all = functions;
  all.push_back({"sincos", -10, 10, [](Real x) { return std::sin(x); }});
  all.push_back({"sincos", -10, 10, [](Real x) { return std::cos(x); }});

  auto inputsOf = [&](size_t k) {
    std::vector<T> x;
    for (int i = 0; i <= 500; ++i)
      x.push_back(T(all[k].low + (all[k].high - all[k].low) * i / 500));
    return x;
  };
  Program program(moduleOf(cases));
  ASSERT_TRUE(program.ok()) << program.errors();
  for (Target target : program.targets()) {
    SCOPED_TRACE(name(target));
    size_t next = 0;
    auto results = runCasesOn(target, program, cases, [&](const Case &) {
      return std::vector<Bytes>{toBytes(inputsOf(next++))};
    });
    ASSERT_EQ(results.size(), cases.size());
    for (size_t k = 0; k < cases.size(); ++k) {
      std::vector<T> x = inputsOf(k), y = fromBytes<T>(results[k]);
      ASSERT_EQ(y.size(), x.size());
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(ulps(y[i], all[k].expected(x[i])), 4.0)
            << all[k].op << " of " << x[i] << " is " << y[i];
    }
  }
}

TEST(Math, UnaryF32) { checkUnary<float>("f32"); }
TEST(Math, UnaryF64) { checkUnary<double>("f64"); }

template <typename T> void checkBinary(const std::string &type) {
  std::vector<T> a, b;
  std::vector<int32_t> n;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) {
      a.push_back(T(0.05 + i * 0.25));
      b.push_back(T(-5 + j * 0.26));
      n.push_back(j - 20);
    }
  for (T base : {T(-2), T(-1), T(0), T(1), T(-0.0), T(0.5)})
    for (int32_t e :
         {0, 1, 2, 3, -1, -2, -3, 100, 101, std::numeric_limits<int32_t>::max(),
          std::numeric_limits<int32_t>::min()}) {
      a.push_back(base);
      b.push_back(T(e));
      n.push_back(e);
    }
  std::vector<Case> cases = {
      {type, type, "%r = math.powf %a, %b : " + type, 2},
      {type, type, "%r = math.atan2 %a, %b : " + type, 2},
      {type, type,
       "%e = arith.fptosi %b : " + type +
           " to i32\n%r = math.fpowi %a, %e : " + type + ", i32",
       2}};
  std::function<Real(size_t)> expected[] = {
      [&](size_t i) { return std::pow(Real(a[i]), Real(b[i])); },
      [&](size_t i) { return std::atan2(Real(a[i]), Real(b[i])); },
      [&](size_t i) {
        double e = std::trunc(double(b[i]));
        if (e > 2147483647.0)
          e = 2147483647.0;
        return std::pow(Real(a[i]), Real(e));
      }};
  Program program(moduleOf(cases));
  ASSERT_TRUE(program.ok()) << program.errors();
  for (Target target : program.targets()) {
    SCOPED_TRACE(name(target));
    auto results = runCasesOn(target, program, cases, [&](const Case &) {
      return std::vector<Bytes>{toBytes(a), toBytes(b)};
    });
    ASSERT_EQ(results.size(), cases.size());
    for (size_t k = 0; k < cases.size(); ++k) {
      auto y = fromBytes<T>(results[k]);
      ASSERT_EQ(y.size(), a.size());
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_LE(ulps(y[i], expected[k](i)), 4.0)
            << cases[k].body << " of " << a[i] << ", " << b[i] << " is "
            << y[i];
    }
  }
}

TEST(Math, BinaryF32) { checkBinary<float>("f32"); }
TEST(Math, BinaryF64) { checkBinary<double>("f64"); }

/// On a small float, a function is that of f32, rounded.
TEST(Math, SmallFloats) {
  std::vector<uint16_t> codes;
  for (uint32_t i = 0x3C00; i < 0x4200; ++i)
    codes.push_back(uint16_t(i));
  for (std::string type : {"bf16", "f16"}) {
    std::vector<Case> cases = {{type, type, "%r = math.tanh %a : " + type},
                               {type, type,
                                "%x = arith.extf %a : " + type +
                                    " to f32\n%y = math.tanh %x : f32\n"
                                    "%r = arith.truncf %y : f32 to " +
                                    type}};
    auto inputs = [&](const Case &) {
      return std::vector<Bytes>{toBytes(codes)};
    };
    Program program(moduleOf(cases));
    ASSERT_TRUE(program.ok()) << program.errors();
    for (Target target : program.targets()) {
      auto results = runCasesOn(target, program, cases, inputs);
      ASSERT_EQ(results.size(), 2u);
      EXPECT_EQ(results[0], results[1]) << name(target) << " " << type;
    }
  }
}

TEST(Math, ClassesOfSmallFloats) {
  std::vector<uint16_t> codes(65536);
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = uint16_t(i);
  std::vector<Case> cases = {{"f16", "i1", "%r = math.isnan %a : f16"},
                             {"f16", "i1", "%r = math.isinf %a : f16"},
                             {"f16", "i1", "%r = math.isfinite %a : f16"},
                             {"f16", "i1", "%r = math.isnormal %a : f16"},
                             {"bf16", "i1", "%r = math.isnormal %a : bf16"}};
  auto results = runCases(
      cases, [&](const Case &) { return std::vector<Bytes>{toBytes(codes)}; });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    unsigned magnitude = codes[i] & 0x7FFF, exponent = magnitude >> 10;
    ASSERT_EQ(results[0][i], magnitude > 0x7C00);
    ASSERT_EQ(results[1][i], magnitude == 0x7C00);
    ASSERT_EQ(results[2][i], magnitude < 0x7C00);
    ASSERT_EQ(results[3][i], exponent > 0 && exponent < 31);
    unsigned wide = magnitude >> 7;
    ASSERT_EQ(results[4][i], wide > 0 && wide < 255);
  }
}

} // namespace
