//===- FloatFormatsTest.cpp - Narrow floats, exhaustively ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/FloatFormats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace tang_rt;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<DType> kNarrow = {DType::F16, DType::BF16, DType::F8E4M3FN,
                                    DType::F8E5M2};

uint64_t patterns(DType type) { return uint64_t(1) << dtypeBits(type); }
uint64_t signBit(DType type) { return patterns(type) / 2; }

TEST(FloatFormats, EveryPatternSurvivesARoundTrip) {
  for (DType type : kNarrow)
    for (uint64_t bits = 0; bits < patterns(type); ++bits)
      ASSERT_EQ(encodeFloat(type, decodeFloat(type, bits)), bits)
          << dtypeName(type);
}

TEST(FloatFormats, BFloatIsTheUpperHalfOfAFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float want = std::bit_cast<float>(bits << 16);
    double got = decodeFloat(DType::BF16, bits);
    ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)));
  }
}

TEST(FloatFormats, KnownValues) {
  EXPECT_EQ(decodeFloat(DType::F16, 0x3c00), 1.0);
  EXPECT_EQ(decodeFloat(DType::F16, 0x7bff), 65504.0);
  EXPECT_EQ(decodeFloat(DType::F16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(decodeFloat(DType::F16, 0xfc00), -kInf);
  EXPECT_EQ(decodeFloat(DType::F8E4M3FN, 0x7e), 448.0);
  EXPECT_EQ(decodeFloat(DType::F8E4M3FN, 0x01), std::ldexp(1.0, -9));
  EXPECT_TRUE(std::isnan(decodeFloat(DType::F8E4M3FN, 0x7f)));
  EXPECT_EQ(decodeFloat(DType::F8E5M2, 0x7b), 57344.0);
  EXPECT_EQ(decodeFloat(DType::F8E5M2, 0x7c), kInf);
  EXPECT_EQ(encodeFloat(DType::F16, 65519.99), 0x7bffu);
  EXPECT_EQ(encodeFloat(DType::F16, 65520.0), 0x7c00u);
  EXPECT_EQ(encodeFloat(DType::F8E4M3FN, 464.0), 0x7eu);
  EXPECT_EQ(encodeFloat(DType::F8E4M3FN, 464.1), 0x7fu);
  EXPECT_EQ(encodeFloat(DType::F8E4M3FN, -kInf), 0xffu);
  EXPECT_EQ(encodeFloat(DType::F8E5M2, 1e10), 0x7cu);
  EXPECT_EQ(encodeFloat(DType::BF16, -0.0), 0x8000u);
  EXPECT_EQ(encodeFloat(DType::BF16, 1e300), 0x7f80u);
}

/// Between two neighbours the midpoint goes to the even one, and what lies to
/// either side of it to the nearer one.
TEST(FloatFormats, RoundsToNearestEven) {
  for (DType type : kNarrow)
    for (uint64_t bits = 0; bits + 1 < signBit(type); ++bits) {
      double low = decodeFloat(type, bits), high = decodeFloat(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      double middle = low + (high - low) / 2;
      ASSERT_EQ(encodeFloat(type, middle), bits + (bits & 1));
      ASSERT_EQ(encodeFloat(type, std::nextafter(middle, 0.0)), bits);
      ASSERT_EQ(encodeFloat(type, std::nextafter(middle, kInf)), bits + 1);
      ASSERT_EQ(encodeFloat(type, -middle),
                signBit(type) | (bits + (bits & 1)));
    }
}

TEST(FloatFormats, BFloatAgreesWithTheUsualBitTrick) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    uint32_t bits = random();
    float value = std::bit_cast<float>(bits);
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encodeFloat(DType::BF16, value),
              (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

TEST(FloatFormats, HalfAgreesWithTheCompiler) {
#ifdef __FLT16_MANT_DIG__
  std::mt19937 random(2);
  for (int i = 0; i < 1000000; ++i) {
    float value = std::bit_cast<float>(uint32_t(random()));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encodeFloat(DType::F16, value),
              std::bit_cast<uint16_t>(_Float16(value)));
  }
#else
  GTEST_SKIP() << "no _Float16 here";
#endif
}

TEST(FloatFormats, IntegersRoundOnce) {
  // 2^24 + 1 is a tie in f32; 2^24 + 2^0 + 2^-30... as an integer:
  int64_t justAbove = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(integerToFloat(DType::F32, justAbove, false),
            double(float(justAbove)));
  EXPECT_EQ(integerToFloat(DType::F32, justAbove, false),
            std::ldexp(1.0, 60) + std::ldexp(1.0, 37));
  EXPECT_EQ(integerToFloat(DType::BF16, 257, false), 256.0);
  EXPECT_EQ(integerToFloat(DType::BF16, 259, false), 260.0);
  EXPECT_EQ(integerToFloat(DType::F64, -1, true), std::ldexp(1.0, 64));
  EXPECT_EQ(
      integerToFloat(DType::F32, std::numeric_limits<int64_t>::min(), false),
      -std::ldexp(1.0, 63));
}

TEST(FloatFormats, FloatsToIntegersSaturate) {
  EXPECT_EQ(floatToInteger(DType::I8, 300, false), 127);
  EXPECT_EQ(floatToInteger(DType::I8, -300, false), -128);
  EXPECT_EQ(floatToInteger(DType::I8, -1.9, false), -1);
  EXPECT_EQ(floatToInteger(DType::I8, 255.5, true), -1);
  EXPECT_EQ(floatToInteger(DType::I8, -3, true), 0);
  EXPECT_EQ(floatToInteger(DType::I64, kInf, false),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(floatToInteger(DType::I64, -kInf, false),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(floatToInteger(DType::I64, std::ldexp(1.0, 63), true),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(floatToInteger(DType::I64, kInf, true), -1);
  EXPECT_EQ(floatToInteger(DType::I32, std::nan(""), false), 0);
}

TEST(FloatFormats, UnitsInTheLastPlace) {
  EXPECT_EQ(unitInLastPlace(DType::F32, 1.0), std::ldexp(1.0, -23));
  EXPECT_EQ(unitInLastPlace(DType::BF16, -4.0), std::ldexp(1.0, -5));
  EXPECT_EQ(unitInLastPlace(DType::F16, 0.0), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isnan(unitInLastPlace(DType::F16, 1e9)));
}

TEST(DType, Types) {
  DType type;
  std::vector<int64_t> shape;
  std::string error;
  EXPECT_TRUE(parseTypeString("4x?xbf16", type, shape, error));
  EXPECT_EQ(typeString(type, shape), "4x?xbf16");
  EXPECT_TRUE(parseTypeString("index", type, shape, error));
  EXPECT_TRUE(shape.empty());
  for (const char *bad : {"", "4", "4x", "x4xf32", "-4xf32", "4xf33",
                          "99999999999999999999xf32", "4 xf32"})
    EXPECT_FALSE(parseTypeString(bad, type, shape, error)) << bad;
  int64_t count;
  EXPECT_FALSE(countElements({-1}, count));
  EXPECT_FALSE(countElements({int64_t(1) << 40, int64_t(1) << 40}, count));
  EXPECT_FALSE(countElements({0, int64_t(1) << 40, int64_t(1) << 40}, count));
  EXPECT_TRUE(countElements({3, 0}, count));
  EXPECT_EQ(count, 0);
  EXPECT_FALSE(countBytes(DType::F64, {int64_t(1) << 61}, count));
  EXPECT_EQ(wrapInteger(DType::I4, 9), -7);
  EXPECT_EQ(wrapInteger(DType::I1, -1), 1);
}
} // namespace
