//===- NumericsTest.cpp - Rounding and bits of every format ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"
#include "Harness.h"

#include "llvm/ADT/APFloat.h"

using namespace tang_test;
using namespace mlir::tang::reference;
using llvm::APFloat;

namespace {
const std::pair<DType, const llvm::fltSemantics *> kFormats[] = {
    {DType::F32, &APFloat::IEEEsingle()},
    {DType::F16, &APFloat::IEEEhalf()},
    {DType::BF16, &APFloat::BFloat()},
    {DType::F8E4M3FN, &APFloat::Float8E4M3FN()},
    {DType::F8E5M2, &APFloat::Float8E5M2()}};

double viaAPFloat(double value, const llvm::fltSemantics &semantics,
                  uint64_t *bits = nullptr) {
  APFloat number(value);
  bool loses;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  if (bits)
    *bits = number.bitcastToAPInt().getZExtValue();
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}
} // namespace

TEST(Numerics, RoundsAsAPFloat) {
  uint64_t state = 1;
  for (auto [format, semantics] : kFormats)
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      // Exponents around the format's range, mantissas with few bits so that
      // ties occur.
      int exponent = int(state >> 40) % 320 - 160;
      double mantissa = 1 + double(state >> 52 & 0xfff) / 4096;
      double value = std::ldexp(state & 1 ? mantissa : -mantissa, exponent);
      uint64_t bits;
      double want = viaAPFloat(value, *semantics, &bits);
      expectSame({roundTo(format, value)}, {want});
      if (!std::isnan(want)) {
        ASSERT_EQ(encode(format, value), bits) << value;
        expectSame({decode(format, bits)}, {want});
      }
    }
}

TEST(Numerics, EveryNarrowPatternSurvives) {
  for (auto [format, semantics] : kFormats) {
    if (format == DType::F32)
      continue;
    unsigned width = tang_rt::dtypeBits(format);
    for (uint64_t bits = 0; bits < uint64_t(1) << width; ++bits) {
      double value = decode(format, bits);
      APFloat want(*semantics, llvm::APInt(width, bits));
      ASSERT_EQ(std::isnan(value), want.isNaN()) << bits;
      ASSERT_EQ(encode(format, value), bits);
      ASSERT_EQ(value != value,
                roundTo(format, value) != roundTo(format, value));
      if (!std::isnan(value)) {
        ASSERT_EQ(value, roundTo(format, value));
      }
    }
  }
}

TEST(Numerics, Extremes) {
  EXPECT_EQ(roundTo(DType::F16, 65519.9), 65504);
  EXPECT_EQ(roundTo(DType::F16, 65520), kInf);
  EXPECT_EQ(roundTo(DType::F8E4M3FN, 464), 448);
  EXPECT_TRUE(std::isnan(roundTo(DType::F8E4M3FN, 465)));
  EXPECT_TRUE(std::isnan(roundTo(DType::F8E4M3FN, -kInf)));
  EXPECT_EQ(roundTo(DType::F8E5M2, -1e300), -kInf);
  EXPECT_EQ(roundTo(DType::BF16, 1e-320), 0);
  EXPECT_TRUE(std::signbit(roundTo(DType::F16, -1e-300)));
  EXPECT_EQ(roundTo(DType::F16, 0x1p-25), 0); // A tie, to even.
  EXPECT_EQ(roundTo(DType::F16, 0x1.8p-25), 0x1p-24);
  // 2^24 + 1 as f32 is a tie; the long way through f64 keeps it one.
  EXPECT_EQ(fromSigned(DType::F32, (1 << 24) + 1), 1 << 24);
  EXPECT_EQ(fromSigned(DType::BF16, 257), 256);
  EXPECT_EQ(fromSigned(DType::BF16, 259), 260);
  // Just above a tie of bf16 by less than a double can tell.
  EXPECT_EQ(fromSigned(DType::BF16, (int64_t(257) << 54) + 1),
            std::ldexp(258, 54));
  EXPECT_EQ(fromSigned(DType::BF16, -(int64_t(257) << 54)),
            -std::ldexp(256, 54));
  EXPECT_EQ(fromUnsigned(DType::F64, ~uint64_t(0)), 0x1p64);
  EXPECT_EQ(toSigned(1e30, 32), 2147483647);
  EXPECT_EQ(toSigned(-1e30, 64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(toSigned(kNaN, 8), 0);
  EXPECT_EQ(toSigned(-7.9, 4), -7);
  EXPECT_EQ(toUnsigned(255.9, 8), -1);
  EXPECT_EQ(toUnsigned(-3, 8), 0);
  EXPECT_EQ(toUnsigned(0x1p63, 64), std::numeric_limits<int64_t>::min());
}
