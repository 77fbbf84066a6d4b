//===- CompareTest.cpp - Comparing and printing tensors ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Compare.h"
#include "Tang/Runtime/PrintTensor.h"
#include "TestUtils.h"

#include <cmath>
#include <limits>

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

HostTensor f32(std::vector<double> values) {
  int64_t count = int64_t(values.size());
  return makeTensor<double>(DType::F32, {count}, values);
}

Comparison compare(const HostTensor &got, const HostTensor &want,
                   Tolerance tolerance = {}) {
  Comparison result;
  std::string error;
  EXPECT_TRUE(compareTensors(got, want, got.dtype, tolerance, result, error))
      << error;
  return result;
}

TEST(Compare, SpecialValues) {
  EXPECT_TRUE(
      compare(f32({kNan, kInf, -kInf, -0.0}), f32({kNan, kInf, -kInf, 0.0}))
          .matches());
  Tolerance loose{1, 1e30};
  EXPECT_FALSE(compare(f32({kInf}), f32({-kInf}), loose).matches());
  EXPECT_FALSE(compare(f32({1}), f32({kInf}), loose).matches());
  EXPECT_FALSE(compare(f32({kInf}), f32({1}), loose).matches());
  EXPECT_FALSE(compare(f32({kNan}), f32({1}), loose).matches());
  EXPECT_FALSE(compare(f32({1}), f32({kNan}), loose).matches());
}

TEST(Compare, Tolerances) {
  EXPECT_TRUE(compare(f32({1.25}), f32({1}), {0, 0.25}).matches());
  EXPECT_FALSE(compare(f32({1.25}), f32({1}), {0, 0.2}).matches());
  EXPECT_TRUE(compare(f32({110}), f32({100}), {0.1, 0}).matches());
  EXPECT_FALSE(compare(f32({0.5}), f32({0}), {1, 0}).matches());
}

TEST(Compare, WorstElement) {
  HostTensor got = makeTensor<double>(DType::F32, {2, 2}, {1, 2, 3.5, 4});
  HostTensor want = makeTensor<double>(DType::F64, {2, 2}, {1, 2.25, 3, 4});
  Comparison result = compare(got, want);
  EXPECT_EQ(result.mismatches, 2);
  EXPECT_EQ(result.worst, 2);
  EXPECT_EQ(result.worstIndex, "[1, 0]");
  EXPECT_EQ(result.maxAbsError, 0.5);
  EXPECT_EQ(result.worstUlps, 0.5 * std::ldexp(1.0, 22));
  EXPECT_EQ(result.report(),
            "2 of 4 elements differ; worst at [1, 0]: got 3.5, want 3, "
            "error 0.5 (2.09715e+06 ULPs)");
}

TEST(Compare, UlpsOfANarrowResultAgainstAWideReference) {
  HostTensor got = makeTensor<double>(DType::BF16, {1}, {1});
  HostTensor want = makeTensor<double>(DType::F64, {1}, {1 + 1.0 / 256});
  EXPECT_EQ(compare(got, want).worstUlps, 0.5);
}

TEST(Compare, IntegersAreExact) {
  int64_t big = (int64_t(1) << 53) + 1;
  HostTensor got = makeTensor<int64_t>(DType::I64, {1}, {big});
  HostTensor want = makeTensor<int64_t>(DType::I64, {1}, {big - 1});
  EXPECT_FALSE(compare(got, want).matches());
  EXPECT_TRUE(compare(got, want, {0, 1}).matches());
  EXPECT_TRUE(compare(got, got).matches());
  int64_t min = std::numeric_limits<int64_t>::min();
  HostTensor low = makeTensor<int64_t>(DType::I64, {1}, {min});
  HostTensor high = makeTensor<int64_t>(DType::I64, {1}, {~min});
  EXPECT_EQ(compare(low, high).worstAbsError, std::ldexp(1.0, 64));
  // A narrower expected integer is compared by value.
  EXPECT_TRUE(compare(makeTensor<int64_t>(DType::I64, {1}, {-3}),
                      makeTensor<int64_t>(DType::I32, {1}, {-3}))
                  .matches());
}

TEST(Compare, ShapesMustAgree) {
  Comparison result;
  std::string error;
  EXPECT_FALSE(
      compareTensors(f32({1}), f32({1, 2}), DType::F32, {}, result, error));
  EXPECT_NE(error.find("1xf32"), std::string::npos);
  EXPECT_NE(error.find("2xf32"), std::string::npos);
}

TEST(Print, LooksLikeNumPy) {
  EXPECT_EQ(
      formatTensor(makeTensor<int64_t>(DType::I32, {2, 2}, {1, -2, 3, 4})),
      "[[ 1 -2]\n [ 3  4]]");
  EXPECT_EQ(formatTensor(f32({0.1, kInf, kNan})), "[0.1 inf nan]");
  EXPECT_EQ(formatTensor(makeTensor<double>(DType::F64, {}, {2.5})), "2.5");
  EXPECT_EQ(formatTensor(makeTensor<double>(DType::BF16, {1}, {0.1})), "[0.1]");
  HostTensor empty = makeTensor<double>(DType::F32, {0, 5}, {});
  EXPECT_EQ(formatTensor(empty), "[] (0x5xf32, no elements)");
  HostTensor large;
  std::string error;
  ASSERT_TRUE(HostTensor::create(DType::I8, {3000}, large, error));
  EXPECT_EQ(formatTensor(large), "[0 0 0 ... 0 0 0]");
  ASSERT_TRUE(HostTensor::create(DType::I8, {100, 100}, large, error));
  EXPECT_EQ(formatTensor(large).find("[[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n"
                                     " [0 0 0 ... 0 0 0]\n ...\n"),
            0u);
}

TEST(HostTensor, Conversions) {
  HostTensor tensor = makeTensor<double>(DType::F32, {3}, {1.5, -300, 1e9});
  HostTensor bytes, again;
  std::string error;
  ASSERT_TRUE(tensor.convertTo(DType::I8, bytes, error));
  EXPECT_EQ(toDoubles(bytes), (std::vector<double>{1, -128, 127}));
  HostTensor copy = tensor;
  copy.setDouble(0, 7);
  EXPECT_EQ(tensor.getDouble(0), 1.5);
  EXPECT_FALSE(HostTensor::create(DType::F32, {-1}, again, error));
  EXPECT_NE(error.find("negative"), std::string::npos);
  EXPECT_FALSE(
      HostTensor::create(DType::F32, {int64_t(1) << 58}, again, error));
  EXPECT_NE(error.find("cannot allocate"), std::string::npos);
}
} // namespace
