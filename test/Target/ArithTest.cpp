//===- ArithTest.cpp - Float arithmetic on every target -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that IEEE 754 defines exactly: all targets agree with the host's
// arithmetic bit for bit (any NaN is as good as another).
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace tangtest;

namespace {

template <typename T> struct FloatName;
template <> struct FloatName<float> {
  static constexpr const char *value = "f32";
};
template <> struct FloatName<double> {
  static constexpr const char *value = "f64";
};

template <typename T> class FloatArith : public testing::Test {
protected:
  using Limits = std::numeric_limits<T>;
  const std::string type = FloatName<T>::value;

  FloatArith() {
    std::vector<T> special = {T(0),
                              T(1),
                              T(0.5),
                              T(1.5),
                              T(2.5),
                              T(3),
                              T(1e10),
                              T(1) / T(3),
                              Limits::min(),
                              Limits::denorm_min(),
                              Limits::max(),
                              Limits::infinity(),
                              Limits::quiet_NaN(),
                              T(8388607.5),
                              T(4503599627370495.5)};
    for (size_t i = special.size(); i-- > 0;)
      special.push_back(-special[i]);
    for (T x : special)
      for (T y : special)
        for (T z : {T(0), T(-1.5), Limits::infinity()}) {
          a.push_back(x);
          b.push_back(y);
          c.push_back(z);
        }
    std::mt19937_64 random(5);
    auto draw = [&](int range) {
      return T(std::ldexp(double(int64_t(random())) / 9e18,
                          int(random() % (2 * range)) - range));
    };
    for (int i = 0; i < 3000; ++i) {
      a.push_back(draw(20));
      b.push_back(draw(20));
      c.push_back(draw(20));
    }
  }

  std::vector<Bytes> inputs(const Case &one) {
    std::vector<Bytes> all = {toBytes(a), toBytes(b), toBytes(c)};
    all.resize(one.inputs);
    return all;
  }

  std::vector<T> a, b, c;
};

using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatArith, Floats);

template <typename T> T maximum(T x, T y) {
  if (std::isnan(x) || std::isnan(y))
    return std::numeric_limits<T>::quiet_NaN();
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
template <typename T> T maxnum(T x, T y) {
  if (std::isnan(x))
    return y;
  return std::isnan(y) ? x : maximum(x, y);
}

TYPED_TEST(FloatArith, Operations) {
  using T = TypeParam;
  const std::string t = this->type;
  struct Op {
    std::string text;
    unsigned inputs;
    std::function<T(T, T, T)> expected;
  };
  std::vector<Op> ops = {
      {"arith.addf %a, %b", 2, [](T x, T y, T) { return x + y; }},
      {"arith.subf %a, %b", 2, [](T x, T y, T) { return x - y; }},
      {"arith.mulf %a, %b", 2, [](T x, T y, T) { return x * y; }},
      {"arith.divf %a, %b", 2, [](T x, T y, T) { return x / y; }},
      {"arith.remf %a, %b", 2, [](T x, T y, T) { return std::fmod(x, y); }},
      {"arith.maximumf %a, %b", 2, [](T x, T y, T) { return maximum(x, y); }},
      {"arith.minimumf %a, %b", 2,
       [](T x, T y, T) { return -maximum(-x, -y); }},
      {"arith.maxnumf %a, %b", 2, [](T x, T y, T) { return maxnum(x, y); }},
      {"arith.minnumf %a, %b", 2, [](T x, T y, T) { return -maxnum(-x, -y); }},
      {"arith.negf %a", 1, [](T x, T, T) { return -x; }},
      {"math.absf %a", 1, [](T x, T, T) { return std::fabs(x); }},
      {"math.copysign %a, %b", 2,
       [](T x, T y, T) { return std::copysign(x, y); }},
      {"math.sqrt %a", 1, [](T x, T, T) { return std::sqrt(x); }},
      {"math.rsqrt %a", 1, [](T x, T, T) { return T(1) / std::sqrt(x); }},
      {"math.floor %a", 1, [](T x, T, T) { return std::floor(x); }},
      {"math.ceil %a", 1, [](T x, T, T) { return std::ceil(x); }},
      {"math.trunc %a", 1, [](T x, T, T) { return std::trunc(x); }},
      {"math.round %a", 1, [](T x, T, T) { return std::round(x); }},
      {"math.roundeven %a", 1, [](T x, T, T) { return std::rint(x); }},
      {"math.fma %a, %b, %c", 3,
       [](T x, T y, T z) { return std::fma(x, y, z); }},
      {"math.clampf %a to [%b, %c]", 3,
       [](T x, T y, T z) { return -maximum(-maximum(x, y), -z); }},
  };
  std::vector<Case> cases;
  for (const Op &op : ops)
    cases.push_back({t, t, "%r = " + op.text + " : " + t, op.inputs});
  // A product and a sum stay two operations.
  cases.push_back(
      {t, t,
       "%p = arith.mulf %a, %b : " + t + "\n%r = arith.addf %p, %c : " + t, 3});
  ops.push_back({"", 3, [](T x, T y, T z) {
                   volatile T product = x * y;
                   return T(product + z);
                 }});
  auto results =
      runCases(cases, [&](const Case &one) { return this->inputs(one); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k) {
    auto values = fromBytes<T>(results[k]);
    ASSERT_EQ(values.size(), this->a.size());
    for (size_t i = 0; i < values.size(); ++i) {
      T expected = ops[k].expected(this->a[i], this->b[i], this->c[i]);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(values[i]))
            << cases[k].body << " of " << this->a[i] << ", " << this->b[i];
      else
        ASSERT_EQ(std::memcmp(&values[i], &expected, sizeof(T)), 0)
            << cases[k].body << " of " << this->a[i] << ", " << this->b[i]
            << ", " << this->c[i] << ": " << values[i] << " for " << expected;
    }
  }
}

TYPED_TEST(FloatArith, Comparisons) {
  using T = TypeParam;
  const std::string t = this->type;
  std::vector<std::pair<std::string, std::function<bool(T, T)>>> predicates = {
      {"false", [](T, T) { return false; }},
      {"oeq", [](T x, T y) { return x == y; }},
      {"ogt", [](T x, T y) { return x > y; }},
      {"oge", [](T x, T y) { return x >= y; }},
      {"olt", [](T x, T y) { return x < y; }},
      {"ole", [](T x, T y) { return x <= y; }},
      {"one", [](T x, T y) { return x < y || x > y; }},
      {"ord", [](T x, T y) { return x == x && y == y; }},
      {"ueq", [](T x, T y) { return !(x < y || x > y); }},
      {"ugt", [](T x, T y) { return !(x <= y); }},
      {"uge", [](T x, T y) { return !(x < y); }},
      {"ult", [](T x, T y) { return !(x >= y); }},
      {"ule", [](T x, T y) { return !(x > y); }},
      {"une", [](T x, T y) { return x != y; }},
      {"uno", [](T x, T y) { return x != x || y != y; }},
      {"true", [](T, T) { return true; }}};
  std::vector<Case> cases;
  for (const auto &[predicate, expected] : predicates)
    cases.push_back(
        {t, "i1", "%r = arith.cmpf " + predicate + ", %a, %b : " + t, 2});
  std::vector<std::pair<std::string, std::function<bool(T)>>> classes = {
      {"isnan", [](T x) { return std::isnan(x); }},
      {"isinf", [](T x) { return std::isinf(x); }},
      {"isfinite", [](T x) { return std::isfinite(x); }},
      {"isnormal", [](T x) { return std::isnormal(x); }}};
  for (const auto &[op, expected] : classes)
    cases.push_back({t, "i1", "%r = math." + op + " %a : " + t, 1});
  auto results =
      runCases(cases, [&](const Case &one) { return this->inputs(one); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < this->a.size(); ++i) {
      bool expected = k < predicates.size()
                          ? predicates[k].second(this->a[i], this->b[i])
                          : classes[k - predicates.size()].second(this->a[i]);
      ASSERT_EQ(results[k][i], expected)
          << cases[k].body << " of " << this->a[i] << ", " << this->b[i];
    }
}

TYPED_TEST(FloatArith, ConversionsToIntegersSaturate) {
  using T = TypeParam;
  const std::string t = this->type;
  std::vector<T> inputs = this->a;
  for (int width : {1, 4, 8, 16, 32, 64})
    for (int sign : {1, -1})
      for (double power : {std::ldexp(1.0, width), std::ldexp(1.0, width - 1)})
        for (double delta : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
          inputs.push_back(T(sign * (power + delta)));
          inputs.push_back(std::nextafter(T(sign * power), T(0)));
        }
  std::vector<Case> cases;
  struct Kind {
    unsigned width;
    bool isSigned;
  };
  std::vector<Kind> kinds;
  for (unsigned width : {1u, 4u, 8u, 16u, 32u, 64u})
    for (bool isSigned : {true, false}) {
      std::string to = "i" + std::to_string(width);
      cases.push_back({t, to,
                       std::string("%r = arith.") +
                           (isSigned ? "fptosi" : "fptoui") + " %a : " + t +
                           " to " + to});
      kinds.push_back({width, isSigned});
    }
  auto results = runCases(
      cases, [&](const Case &) { return std::vector<Bytes>{toBytes(inputs)}; });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto [width, isSigned] = kinds[k];
      long double low = isSigned ? -std::ldexp(1.0L, width - 1) : 0;
      long double high = std::ldexp(1.0L, isSigned ? width - 1 : width) - 1;
      long double x = std::trunc((long double)(inputs[i]));
      if (std::isnan(x))
        x = 0;
      x = std::min(std::max(x, low), high);
      int64_t expected = x < 0 ? int64_t(x) : int64_t(uint64_t(x));
      if (width == 1)
        expected &= 1;
      if (width == 4)
        expected = int64_t(uint64_t(expected) << 60) >> 60;
      size_t size = sizeOf(cases[k].out);
      int64_t actual = 0;
      std::memcpy(&actual, &results[k][i * size], size);
      uint64_t mask = size == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * size) - 1;
      ASSERT_EQ(uint64_t(actual) & mask, uint64_t(expected) & mask)
          << cases[k].body << " of " << inputs[i];
    }
}

TEST(FloatArith, ConversionBetweenF32AndF64) {
  std::vector<double> values = {0.0,    -0.0,   1.0 / 3,        1e300,
                                -1e300, 1e-300, 1e-40,          3e-46,
                                7e-46,  2e-45,  0x1.fffffefp127};
  std::vector<Case> cases = {
      {"f64", "f32", "%r = arith.truncf %a : f64 to f32"},
      {"f64", "f64",
       "%x = arith.truncf %a : f64 to f32\n%r = arith.extf %x : f32 to f64"}};
  auto results = runCases(
      cases, [&](const Case &) { return std::vector<Bytes>{toBytes(values)}; });
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(fromBytes<float>(results[0])[i], float(values[i]));
    EXPECT_EQ(fromBytes<double>(results[1])[i], double(float(values[i])));
  }
}

TEST(FloatArith, Bitcasts) {
  std::vector<uint32_t> bits32 = {0, 0x80000000, 0x7F800000, 0x3F800001};
  std::vector<uint64_t> bits64 = {0, uint64_t(1) << 63, 0x7FF0000000000000,
                                  0x3FF0000000000001};
  std::vector<Case> cases = {
      {"f32", "i32",
       "%x = arith.bitcast %a : f32 to i32\n%c = arith.constant 1 : i32\n%r = "
       "arith.addi %x, %c : i32"},
      {"i32", "f32", "%r = arith.bitcast %a : i32 to f32"},
      {"f64", "i64",
       "%x = arith.bitcast %a : f64 to i64\n%c = arith.constant 1 : i64\n%r = "
       "arith.addi %x, %c : i64"},
      {"i64", "f64", "%r = arith.bitcast %a : i64 to f64"}};
  auto results = runCases(cases, [&](const Case &one) {
    return std::vector<Bytes>{sizeOf(one.in) == 4 ? toBytes(bits32)
                                                  : toBytes(bits64)};
  });
  for (size_t i = 0; i < bits32.size(); ++i) {
    EXPECT_EQ(fromBytes<uint32_t>(results[0])[i], bits32[i] + 1);
    EXPECT_EQ(fromBytes<uint32_t>(results[1])[i], bits32[i]);
    EXPECT_EQ(fromBytes<uint64_t>(results[2])[i], bits64[i] + 1);
    EXPECT_EQ(fromBytes<uint64_t>(results[3])[i], bits64[i]);
  }
}

} // namespace
