//===- IntegerTest.cpp - Integer arithmetic on every target ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against APInt, with the total meaning of docs/KernelIR.md for division by
// zero, overflow and shifts out of range.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <random>

using namespace tangtest;
using llvm::APFloat;
using llvm::APInt;

namespace {

struct IntType {
  std::string name;
  unsigned width;
  size_t bytes() const { return sizeOf(name); }
};

const IntType intTypes[] = {{"i1", 1},   {"i4", 4},   {"i8", 8},    {"i16", 16},
                            {"i32", 32}, {"i64", 64}, {"index", 64}};

/// How a value lies in memory.
int64_t stored(const APInt &x) {
  return x.getBitWidth() == 1 ? x.getZExtValue() : x.getSExtValue();
}

void put(Bytes &bytes, int64_t value, size_t size) {
  auto *p = reinterpret_cast<uint8_t *>(&value);
  bytes.insert(bytes.end(), p, p + size);
}

APInt at(const Bytes &bytes, size_t i, const IntType &type) {
  int64_t value = 0;
  std::memcpy(&value, &bytes[i * type.bytes()], type.bytes());
  return APInt(type.width, uint64_t(value), false, true);
}

std::vector<APInt> edges(unsigned width) {
  std::vector<APInt> values;
  for (int64_t x : {0, 1, 2, 3, 7, -1, -2, -3, -7, 5, 13})
    values.push_back(APInt(width, uint64_t(x), false, true));
  for (unsigned w : {width - 1, width, width + 1})
    values.push_back(APInt(width, w, false, true));
  values.push_back(APInt::getSignedMinValue(width));
  values.push_back(APInt::getSignedMaxValue(width));
  values.push_back(APInt::getSignedMinValue(width) + 1);
  values.push_back(APInt::getOneBitSet(width, width / 2));
  return values;
}

/// Pairs of edge cases and random numbers.
std::pair<std::vector<APInt>, std::vector<APInt>> operands(unsigned width) {
  std::vector<APInt> a, b;
  for (const APInt &x : edges(width))
    for (const APInt &y : edges(width)) {
      a.push_back(x);
      b.push_back(y);
    }
  std::mt19937_64 random(width);
  for (int i = 0; i < 300; ++i) {
    a.push_back(APInt(width, random(), false, true));
    b.push_back(APInt(width, random() >> (random() % 64), false, true));
  }
  return {a, b};
}

using Binary = std::function<APInt(APInt, APInt)>;

APInt total(const APInt &x, const APInt &y, const Binary &f) {
  return y.isZero() ? APInt::getZero(x.getBitWidth()) : f(x, y);
}

APInt integerPower(APInt base, APInt exponent) {
  unsigned width = base.getBitWidth();
  // One as a number: not representable in i1, where it is -1.
  APInt one(width, 1);
  if (exponent.isNegative()) {
    if (base.isOne() && width > 1)
      return one;
    if (base.isAllOnes())
      return exponent[0] ? base : one;
    return APInt::getZero(width);
  }
  APInt result = one;
  for (; !exponent.isZero(); exponent = exponent.lshr(1), base = base * base)
    if (exponent[0])
      result *= base;
  return result;
}

APInt floorDivide(const APInt &x, const APInt &y, bool ceils) {
  APInt q = x.sdiv(y), r = x - q * y;
  if (r.isZero())
    return q;
  bool isNegative = r.isNegative() != y.isNegative();
  if (ceils)
    return isNegative ? q : q + 1;
  return isNegative ? q - 1 : q;
}

struct Op {
  std::string text; ///< with %a, %b; "@" stands for the type
  Binary expected;
};

std::vector<Op> binaryOps() {
  auto shift = [](bool isLeft, bool isSigned) {
    return [=](APInt x, APInt y) {
      unsigned w = x.getBitWidth();
      if (y.uge(w))
        return isSigned && x.isNegative() ? APInt::getAllOnes(w)
                                          : APInt::getZero(w);
      unsigned n = y.getZExtValue();
      return isLeft ? x.shl(n) : isSigned ? x.ashr(n) : x.lshr(n);
    };
  };
  auto high = [](APInt x, APInt y, bool isSigned) {
    unsigned w = x.getBitWidth();
    APInt p = isSigned ? x.sext(2 * w) * y.sext(2 * w)
                       : x.zext(2 * w) * y.zext(2 * w);
    return p.lshr(w).trunc(w);
  };
  return {
      {"%r = arith.addi %a, %b : @", [](APInt x, APInt y) { return x + y; }},
      {"%r = arith.subi %a, %b : @", [](APInt x, APInt y) { return x - y; }},
      {"%r = arith.muli %a, %b : @", [](APInt x, APInt y) { return x * y; }},
      {"%r = arith.divsi %a, %b : @",
       [](APInt x, APInt y) {
         return total(x, y, [](APInt p, APInt q) { return p.sdiv(q); });
       }},
      {"%r = arith.divui %a, %b : @",
       [](APInt x, APInt y) {
         return total(x, y, [](APInt p, APInt q) { return p.udiv(q); });
       }},
      {"%r = arith.remsi %a, %b : @",
       [](APInt x, APInt y) { return y.isZero() ? x : x.srem(y); }},
      {"%r = arith.remui %a, %b : @",
       [](APInt x, APInt y) { return y.isZero() ? x : x.urem(y); }},
      {"%r = arith.ceildivsi %a, %b : @",
       [](APInt x, APInt y) {
         return total(x, y,
                      [](APInt p, APInt q) { return floorDivide(p, q, true); });
       }},
      {"%r = arith.floordivsi %a, %b : @",
       [](APInt x, APInt y) {
         return total(
             x, y, [](APInt p, APInt q) { return floorDivide(p, q, false); });
       }},
      {"%r = arith.ceildivui %a, %b : @",
       [](APInt x, APInt y) {
         return total(x, y, [](APInt p, APInt q) {
           return p.udiv(q) + (p.urem(q).isZero() ? 0 : 1);
         });
       }},
      {"%r = arith.andi %a, %b : @", [](APInt x, APInt y) { return x & y; }},
      {"%r = arith.ori %a, %b : @", [](APInt x, APInt y) { return x | y; }},
      {"%r = arith.xori %a, %b : @", [](APInt x, APInt y) { return x ^ y; }},
      {"%c = arith.constant -1 : @\n%r = arith.xori %a, %c : @",
       [](APInt x, APInt) { return ~x; }},
      {"%r = arith.shli %a, %b : @", shift(true, false)},
      {"%r = arith.shrui %a, %b : @", shift(false, false)},
      {"%r = arith.shrsi %a, %b : @", shift(false, true)},
      {"%r = arith.maxsi %a, %b : @",
       [](APInt x, APInt y) { return x.sgt(y) ? x : y; }},
      {"%r = arith.maxui %a, %b : @",
       [](APInt x, APInt y) { return x.ugt(y) ? x : y; }},
      {"%r = arith.minsi %a, %b : @",
       [](APInt x, APInt y) { return x.slt(y) ? x : y; }},
      {"%r = arith.minui %a, %b : @",
       [](APInt x, APInt y) { return x.ult(y) ? x : y; }},
      {"%r, %o = arith.addui_extended %a, %b : @, i1",
       [](APInt x, APInt y) { return x + y; }},
      {"%s, %o = arith.addui_extended %a, %b : @, i1\n"
       "%r = arith.select %o, %a, %b : @",
       [](APInt x, APInt y) { return (x + y).ult(x) ? x : y; }},
      {"%r, %h = arith.mulsi_extended %a, %b : @",
       [](APInt x, APInt y) { return x * y; }},
      {"%l, %r = arith.mulsi_extended %a, %b : @",
       [=](APInt x, APInt y) { return high(x, y, true); }},
      {"%l, %r = arith.mului_extended %a, %b : @",
       [=](APInt x, APInt y) { return high(x, y, false); }},
      {"%r = math.ctlz %a : @",
       [](APInt x, APInt) { return APInt(x.getBitWidth(), x.countl_zero()); }},
      {"%r = math.cttz %a : @",
       [](APInt x, APInt) { return APInt(x.getBitWidth(), x.countr_zero()); }},
      {"%r = math.ctpop %a : @",
       [](APInt x, APInt) { return APInt(x.getBitWidth(), x.popcount()); }},
      {"%r = math.absi %a : @", [](APInt x, APInt) { return x.abs(); }},
      {"%r = math.ipowi %a, %b : @", integerPower},
      // Constants next to variables, chained and mixed in sign.
      {"%c = arith.constant 3 : @\n%d = arith.constant 1 : @\n"
       "%p = arith.divui %a, %c : @\n%q = arith.shrsi %b, %d : @\n"
       "%r = arith.addi %p, %q : @",
       [](APInt x, APInt y) {
         unsigned w = x.getBitWidth();
         APInt c(w, 3, false, true), d(w, 1, false, true);
         return x.udiv(c) + (d.uge(w) ? (y.isNegative() ? APInt::getAllOnes(w)
                                                        : APInt::getZero(w))
                                      : y.ashr(d.getZExtValue()));
       }},
      {"%c = arith.constant 2 : @\n%p = arith.subi %a, %b : @\n"
       "%r = arith.remui %p, %c : @",
       [](APInt x, APInt y) {
         unsigned w = x.getBitWidth();
         APInt c(w, 2, false, true), p = x - y;
         return c.isZero() ? p : p.urem(c);
       }},
  };
}

std::string withType(std::string text, const std::string &type) {
  for (size_t i; (i = text.find('@')) != std::string::npos;)
    text.replace(i, 1, type);
  return text;
}

class Integers : public testing::TestWithParam<IntType> {
protected:
  void SetUp() override {
    std::tie(a, b) = operands(GetParam().width);
    for (size_t i = 0; i < a.size(); ++i) {
      put(aBytes, stored(a[i]), GetParam().bytes());
      put(bBytes, stored(b[i]), GetParam().bytes());
    }
  }
  std::vector<Bytes> inputs(const Case &one) {
    std::vector<Bytes> all = {aBytes, bBytes};
    all.resize(one.inputs);
    return all;
  }
  std::vector<APInt> a, b;
  Bytes aBytes, bBytes;
};

TEST_P(Integers, Operations) {
  const IntType &type = GetParam();
  std::vector<Op> ops;
  for (Op &op : binaryOps()) {
    // math and the extended operations take no index.
    bool takesIndex = op.text.find("math.") == std::string::npos &&
                      op.text.find("extended") == std::string::npos;
    // i1 has no 2 and 3.
    bool hasConstant = op.text.find("constant 2") != std::string::npos ||
                       op.text.find("constant 3") != std::string::npos;
    if ((type.name != "index" || takesIndex) &&
        (type.width > 1 || !hasConstant))
      ops.push_back(op);
  }
  std::vector<Case> cases;
  for (const Op &op : ops)
    cases.push_back({type.name, type.name, withType(op.text, type.name), 2});
  auto results = runCases(cases, [&](const Case &one) { return inputs(one); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < a.size(); ++i) {
      // Index sums and products that overflow have no meaning.
      if (type.name == "index" &&
          (a[i].abs().ugt(1u << 30) || b[i].abs().ugt(1u << 30)))
        continue;
      ASSERT_EQ(at(results[k], i, type), ops[k].expected(a[i], b[i]))
          << cases[k].body << " of " << a[i].getSExtValue() << ", "
          << b[i].getSExtValue();
    }
}

TEST_P(Integers, Comparisons) {
  const IntType &type = GetParam();
  using Compare = std::function<bool(APInt, APInt)>;
  std::vector<std::pair<std::string, Compare>> predicates = {
      {"eq", [](APInt x, APInt y) { return x == y; }},
      {"ne", [](APInt x, APInt y) { return x != y; }},
      {"slt", [](APInt x, APInt y) { return x.slt(y); }},
      {"sle", [](APInt x, APInt y) { return x.sle(y); }},
      {"sgt", [](APInt x, APInt y) { return x.sgt(y); }},
      {"sge", [](APInt x, APInt y) { return x.sge(y); }},
      {"ult", [](APInt x, APInt y) { return x.ult(y); }},
      {"ule", [](APInt x, APInt y) { return x.ule(y); }},
      {"ugt", [](APInt x, APInt y) { return x.ugt(y); }},
      {"uge", [](APInt x, APInt y) { return x.uge(y); }}};
  std::vector<Case> cases;
  for (const auto &[predicate, expected] : predicates) {
    cases.push_back({type.name, "i1",
                     "%r = arith.cmpi " + predicate + ", %a, %b : " + type.name,
                     2});
    // With a constant, whose spelling depends on the signedness.
    cases.push_back({type.name, "i1",
                     "%c = arith.constant -1 : " + type.name +
                         "\n%r = arith.cmpi " + predicate +
                         ", %a, %c : " + type.name,
                     2});
  }
  auto results = runCases(cases, [&](const Case &one) { return inputs(one); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < a.size(); ++i) {
      APInt other = k % 2 ? APInt::getAllOnes(type.width) : b[i];
      ASSERT_EQ(results[k][i], predicates[k / 2].second(a[i], other))
          << cases[k].body << " of " << a[i].getSExtValue() << ", "
          << other.getSExtValue();
    }
}

TEST_P(Integers, Conversions) {
  const IntType &type = GetParam();
  struct To {
    IntType type;
    bool isSigned;
  };
  std::vector<Case> cases;
  std::vector<To> targets;
  for (const IntType &to : intTypes) {
    bool isIndex = type.name == "index" || to.name == "index";
    for (bool isSigned : {true, false}) {
      std::string op;
      if (type.name == to.name)
        continue;
      if (isIndex)
        op = isSigned ? "index_cast" : "index_castui";
      else if (to.width > type.width)
        op = isSigned ? "extsi" : "extui";
      else
        op = "trunci";
      cases.push_back(
          {type.name, to.name,
           "%r = arith." + op + " %a : " + type.name + " to " + to.name});
      targets.push_back({to, isSigned});
    }
  }
  auto results = runCases(cases, [&](const Case &one) { return inputs(one); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < a.size(); ++i) {
      APInt expected = targets[k].isSigned
                           ? a[i].sextOrTrunc(targets[k].type.width)
                           : a[i].zextOrTrunc(targets[k].type.width);
      ASSERT_EQ(at(results[k], i, targets[k].type), expected)
          << cases[k].body << " of " << a[i].getSExtValue();
    }
}

TEST_P(Integers, ConversionsToFloat) {
  const IntType &type = GetParam();
  if (type.name == "index")
    GTEST_SKIP();
  std::vector<Case> cases;
  for (std::string to : {"f32", "f64"})
    for (std::string op : {"sitofp", "uitofp"})
      cases.push_back(
          {type.name, to,
           "%r = arith." + op + " %a : " + type.name + " to " + to});
  auto results = runCases(cases, [&](const Case &one) { return inputs(one); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < a.size(); ++i) {
      bool isDouble = k >= 2, isSigned = k % 2 == 0;
      APFloat expected(isDouble ? APFloat::IEEEdouble()
                                : APFloat::IEEEsingle());
      expected.convertFromAPInt(a[i], isSigned, APFloat::rmNearestTiesToEven);
      uint64_t bits = 0;
      size_t size = isDouble ? 8 : 4;
      std::memcpy(&bits, &results[k][i * size], size);
      ASSERT_EQ(bits, expected.bitcastToAPInt().getZExtValue())
          << cases[k].body << " of " << a[i].getSExtValue();
    }
}

INSTANTIATE_TEST_SUITE_P(All, Integers, testing::ValuesIn(intTypes),
                         [](const auto &info) { return info.param.name; });

} // namespace
