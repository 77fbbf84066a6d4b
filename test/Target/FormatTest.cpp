//===- FormatTest.cpp - Emulated float formats against APFloat ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <limits>
#include <random>

using namespace tangtest;
using llvm::APFloat;
using llvm::APInt;

namespace {

struct Format {
  const char *type;
  const llvm::fltSemantics &semantics;
  unsigned bytes;
};

const Format formats[] = {{"f16", APFloat::IEEEhalf(), 2},
                          {"bf16", APFloat::BFloat(), 2},
                          {"f8E5M2", APFloat::Float8E5M2(), 1},
                          {"f8E4M3FN", APFloat::Float8E4M3FN(), 1}};

class Formats : public testing::TestWithParam<Format> {
protected:
  const Format &format() { return GetParam(); }

  std::vector<uint16_t> allCodes() {
    std::vector<uint16_t> codes(format().bytes == 2 ? 65536 : 256);
    for (size_t i = 0; i < codes.size(); ++i)
      codes[i] = uint16_t(i);
    return codes;
  }
  Bytes pack(const std::vector<uint16_t> &codes) {
    if (format().bytes == 2)
      return toBytes(codes);
    return Bytes(codes.begin(), codes.end());
  }
  std::vector<uint16_t> unpack(const Bytes &bytes) {
    if (format().bytes == 2)
      return fromBytes<uint16_t>(bytes);
    return std::vector<uint16_t>(bytes.begin(), bytes.end());
  }
  APFloat value(uint16_t code) {
    return APFloat(format().semantics, APInt(8 * format().bytes, code));
  }
  uint16_t rounded(APFloat x) {
    bool loses;
    x.convert(format().semantics, APFloat::rmNearestTiesToEven, &loses);
    return uint16_t(x.bitcastToAPInt().getZExtValue());
  }

  /// Values around every code: the value, the midpoint to the next one, and
  /// their neighbours, with both signs.
  template <typename T> std::vector<T> interesting() {
    std::vector<T> values;
    uint16_t top = uint16_t(1) << (8 * format().bytes - 1);
    uint16_t step = format().bytes == 2 ? 7 : 1;
    auto add = [&](T x) {
      for (T y : {x, std::nextafter(x, std::numeric_limits<T>::infinity()),
                  std::nextafter(x, T(0))}) {
        values.push_back(y);
        values.push_back(-y);
      }
    };
    auto widen = [&](uint16_t code) {
      APFloat x = value(code);
      bool loses;
      x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
      return x.convertToDouble();
    };
    for (unsigned code = 0; code + 1 < top; code += step) {
      double x = widen(code), y = widen(code + 1);
      if (!std::isfinite(x))
        continue;
      add(T(x));
      if (std::isfinite(y))
        add(T(x / 2 + y / 2));
    }
    for (T x : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                std::numeric_limits<T>::denorm_min(),
                std::numeric_limits<T>::infinity(), T(464), T(465), T(61440),
                T(61439), T(65519), T(65520), T(65536), T(0)})
      add(x);
    std::mt19937_64 random(7);
    for (int i = 0; i < 20000; ++i) {
      using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
      values.push_back(std::bit_cast<T>(Bits(random())));
      // Near the range of the format.
      values.push_back(
          T(std::ldexp(double(random()) / 1e19, int(random() % 60) - 40)));
    }
    if (sizeof(T) == 8) // Ties of the format that f32 would lose.
      for (int i = 0; i < 2000; ++i) {
        double x = widen(uint16_t(random() % top));
        if (std::isfinite(x))
          values.push_back(T(x * (1 + std::ldexp(1.0, -4 - int(random() % 8)) +
                                  std::ldexp(1.0, -40))));
      }
    return values;
  }

  void checkRounding(const char *type, const std::vector<APFloat> &inputs,
                     Bytes bytes) {
    auto result = runElementwise(
        type, format().type,
        std::string("%r = arith.truncf %a : ") + type + " to " + format().type,
        {std::move(bytes)}, inputs.size(), format().bytes);
    ASSERT_EQ(result.size(), 2u);
    std::vector<uint16_t> codes = unpack(result[1]);
    for (size_t i = 0; i < inputs.size(); ++i)
      ASSERT_EQ(codes[i], rounded(inputs[i]))
          << llvm::toString(inputs[i].bitcastToAPInt(), 16, false);
  }
};

TEST_P(Formats, ExtendsEveryValueToF32) {
  WithEmulated emulated;
  std::vector<uint16_t> codes = allCodes();
  auto result = runElementwise(format().type, "f32",
                               std::string("%r = arith.extf %a : ") +
                                   format().type + " to f32",
                               {pack(codes)}, codes.size(), 4);
  ASSERT_EQ(result.size(), 2u);
  auto bits = fromBytes<uint32_t>(result[1]);
  for (size_t i = 0; i < codes.size(); ++i) {
    APFloat x = value(codes[i]);
    bool loses;
    x.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    if (x.isNaN()) // A signalling one may stay so.
      ASSERT_TRUE(isNaN("f32", reinterpret_cast<uint8_t *>(&bits[i])));
    else
      ASSERT_EQ(bits[i], x.bitcastToAPInt().getZExtValue()) << codes[i];
  }
}

TEST_P(Formats, ExtendsEveryValueToF64) {
  std::vector<uint16_t> codes = allCodes();
  auto result = runElementwise(format().type, "f64",
                               std::string("%r = arith.extf %a : ") +
                                   format().type + " to f64",
                               {pack(codes)}, codes.size(), 8);
  ASSERT_EQ(result.size(), 2u);
  auto bits = fromBytes<uint64_t>(result[1]);
  for (size_t i = 0; i < codes.size(); ++i) {
    APFloat x = value(codes[i]);
    bool loses;
    x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    if (x.isNaN()) // A signalling one may stay so.
      ASSERT_TRUE(isNaN("f64", reinterpret_cast<uint8_t *>(&bits[i])));
    else
      ASSERT_EQ(bits[i], x.bitcastToAPInt().getZExtValue()) << codes[i];
  }
}

TEST_P(Formats, CopiesEveryBitPattern) {
  WithEmulated emulated;
  std::vector<uint16_t> codes = allCodes();
  auto result = runElementwise(
      format().type, format().type,
      "%t = arith.constant true\n%r = arith.select %t, %a, %a : " +
          std::string(format().type),
      {pack(codes)}, codes.size(), format().bytes);
  ASSERT_EQ(result.size(), 2u);
  for (size_t i = 0; i < codes.size(); ++i) {
    if (value(codes[i]).isNaN())
      ASSERT_TRUE(value(unpack(result[1])[i]).isNaN());
    else
      ASSERT_EQ(unpack(result[1])[i], codes[i]);
  }
}

TEST_P(Formats, RoundsF32) {
  WithEmulated emulated;
  std::vector<float> inputs = interesting<float>();
  std::vector<APFloat> values;
  for (float x : inputs)
    values.emplace_back(APFloat::IEEEsingle(),
                        APInt(32, std::bit_cast<uint32_t>(x)));
  checkRounding("f32", values, toBytes(inputs));
}

TEST_P(Formats, RoundsF64Once) {
  std::vector<double> inputs = interesting<double>();
  std::vector<APFloat> values;
  for (double x : inputs)
    values.emplace_back(APFloat::IEEEdouble(),
                        APInt(64, std::bit_cast<uint64_t>(x)));
  checkRounding("f64", values, toBytes(inputs));
}

TEST_P(Formats, RoundsIntegersOnce) {
  std::mt19937_64 random(3);
  std::vector<int64_t> inputs = {0,
                                 1,
                                 -1,
                                 257,
                                 259,
                                 2049,
                                 4097,
                                 65504,
                                 65519,
                                 65520,
                                 464,
                                 465,
                                 16777217,
                                 int64_t(1) << 53,
                                 (int64_t(1) << 53) + 1,
                                 std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};
  for (int i = 0; i < 2000; ++i) {
    // A tie of the format, and its neighbours.
    int64_t tie = int64_t((random() % 4096) << (random() % 56));
    for (int64_t delta : {-1, 0, 1})
      inputs.push_back(tie + delta);
    inputs.push_back(-tie);
    inputs.push_back(int64_t(random()));
  }
  std::vector<Case> cases;
  for (std::string width : {"8", "16", "32", "64"})
    for (std::string op : {"sitofp", "uitofp"})
      cases.push_back(
          {"i" + width, format().type,
           "%r = arith." + op + " %a : i" + width + " to " + format().type});
  auto results = runCases(cases, [&](const Case &one) {
    Bytes bytes;
    for (int64_t x : inputs) {
      auto *p = reinterpret_cast<uint8_t *>(&x);
      bytes.insert(bytes.end(), p, p + sizeOf(one.in));
    }
    return std::vector<Bytes>{bytes};
  });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k) {
    std::vector<uint16_t> codes = unpack(results[k]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      APInt x(8 * sizeOf(cases[k].in), uint64_t(inputs[i]), false, true);
      // Exact in a quad, so rounded once.
      APFloat quad(APFloat::IEEEquad());
      quad.convertFromAPInt(x, k % 2 == 0, APFloat::rmNearestTiesToEven);
      ASSERT_EQ(codes[i], rounded(quad)) << cases[k].body << inputs[i];
    }
  }
}

TEST_P(Formats, RoundsAfterEachOperation) {
  std::mt19937_64 random(11);
  size_t count = 20000;
  std::vector<uint16_t> a(count), b(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = uint16_t(random() & (format().bytes == 2 ? 0xFFFF : 0xFF));
    b[i] = uint16_t(random() & (format().bytes == 2 ? 0xFFFF : 0xFF));
  }
  const std::string type = format().type;
  const std::string ops[] = {"addf", "subf", "mulf", "divf"};
  std::vector<Case> cases;
  for (const std::string &op : ops)
    cases.push_back({type, type, "%r = arith." + op + " %a, %b : " + type, 2});
  cases.push_back({type, type, "%r = math.sqrt %a : " + type, 1});
  auto results = runCases(cases, [&](const Case &one) {
    std::vector<Bytes> all = {pack(a), pack(b)};
    all.resize(one.inputs);
    return all;
  });
  ASSERT_EQ(results.size(), cases.size());
  auto widen = [&](uint16_t code) {
    APFloat x = value(code);
    bool loses;
    x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return x;
  };
  for (size_t k = 0; k < cases.size(); ++k) {
    std::vector<uint16_t> codes = unpack(results[k]);
    for (size_t i = 0; i < count; ++i) {
      // In double and rounded once: exact for sums and products, and for
      // quotients and roots 53 bits are enough.
      APFloat x = widen(a[i]), y = widen(b[i]);
      auto mode = APFloat::rmNearestTiesToEven;
      switch (k) {
      case 0:
        x.add(y, mode);
        break;
      case 1:
        x.subtract(y, mode);
        break;
      case 2:
        x.multiply(y, mode);
        break;
      case 3:
        x.divide(y, mode);
        break;
      default:
        x = APFloat(std::sqrt(x.convertToDouble()));
      }
      uint16_t expected = rounded(x);
      if (value(expected).isNaN())
        ASSERT_TRUE(value(codes[i]).isNaN()) << cases[k].body;
      else
        ASSERT_EQ(codes[i], expected)
            << cases[k].body << " of " << a[i] << ", " << b[i];
    }
  }
}

TEST_P(Formats, BitcastsBothWays) {
  std::vector<uint16_t> codes = allCodes();
  std::string bits = format().bytes == 2 ? "i16" : "i8";
  std::string type = format().type;
  auto result = runElementwise(type, bits,
                               "%x = arith.bitcast %a : " + type + " to " +
                                   bits + "\n%c = arith.constant 1 : " + bits +
                                   "\n%r = arith.xori %x, %c : " + bits,
                               {pack(codes)}, codes.size(), format().bytes);
  ASSERT_EQ(result.size(), 2u);
  auto back = unpack(result[1]);
  for (size_t i = 0; i < codes.size(); ++i)
    ASSERT_EQ(back[i], codes[i] ^ 1);
  result = runElementwise(bits, type,
                          "%r = arith.bitcast %a : " + bits + " to " + type,
                          {pack(codes)}, codes.size(), format().bytes);
  ASSERT_EQ(result.size(), 2u);
  ASSERT_EQ(unpack(result[1]), codes);
}

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(formats),
                         [](const auto &info) {
                           return std::string(info.param.type);
                         });

} // namespace
