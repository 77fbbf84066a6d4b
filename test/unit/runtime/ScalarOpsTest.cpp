//===- ScalarOpsTest.cpp - Scalar arithmetic of host programs ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <cmath>
#include <limits>

using namespace tang_rt;
using namespace tang_rt::test;

namespace {
/// Evaluates one op on literals; the result as a tensor of type `result`.
HostTensor evaluate(const std::string &op, const std::string &type,
                    const std::string &args, const std::string &result,
                    const std::string &more = "") {
  Outcome outcome = runManifest(makeManifest(
      "", R"({"dtype": ")" + result + R"(", "shape": [], "scalar": true})",
      R"({"op": ")" + op + R"(", "dst": "%0", "type": ")" + type +
          R"(", "args": [)" + args + "]" + more +
          R"(}, {"op": "return", "values": ["%0"]})"));
  EXPECT_EQ(outcome.error, "") << op;
  return outcome.outputs.empty() ? HostTensor() : outcome.outputs[0];
}

int64_t integer(const std::string &op, const std::string &type,
                const std::string &args) {
  return evaluate(op, type, args, type).getInt(0);
}
double real(const std::string &op, const std::string &type,
            const std::string &args) {
  return evaluate(op, type, args, type).getDouble(0);
}
int64_t cast(const std::string &op, const std::string &type,
             const std::string &args, const std::string &to) {
  return evaluate(op, type, args, to, R"(, "to": ")" + to + "\"").getInt(0);
}
double castReal(const std::string &op, const std::string &type,
                const std::string &args, const std::string &to) {
  return evaluate(op, type, args, to, R"(, "to": ")" + to + "\"").getDouble(0);
}
bool compare(const std::string &op, const std::string &type,
             const std::string &predicate, const std::string &args) {
  return evaluate(op, type, args, "i1",
                  R"(, "predicate": ")" + predicate + "\"")
             .getInt(0) != 0;
}

TEST(ScalarOps, IntegersWrap) {
  EXPECT_EQ(integer("addi", "i8", "127, 1"), -128);
  EXPECT_EQ(integer("muli", "i32", "65536, 65536"), 0);
  EXPECT_EQ(integer("subi", "i64", "-9223372036854775808, 1"),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(integer("addi", "i4", "7, 1"), -8);
  EXPECT_EQ(integer("addi", "i1", "1, 1"), 0);
}

TEST(ScalarOps, Division) {
  EXPECT_EQ(integer("divsi", "i32", "7, 0"), 0);
  EXPECT_EQ(integer("remsi", "i32", "7, 0"), 7);
  EXPECT_EQ(integer("divui", "i8", "-1, 16"), 15);
  EXPECT_EQ(integer("remui", "i8", "-1, 0"), -1);
  EXPECT_EQ(integer("divsi", "i64", "-9223372036854775808, -1"),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integer("divsi", "i8", "-128, -1"), -128);
  EXPECT_EQ(integer("remsi", "i8", "-1, 100"), -1);
  EXPECT_EQ(integer("floordivsi", "i32", "-7, 2"), -4);
  EXPECT_EQ(integer("ceildivsi", "i32", "7, 2"), 4);
  EXPECT_EQ(integer("ceildivsi", "i32", "-7, 2"), -3);
  EXPECT_EQ(integer("ceildivui", "index", "16, 5"), 4);
  EXPECT_EQ(integer("ceildivui", "i8", "-1, 16"), 16);
}

TEST(ScalarOps, ShiftsAndBits) {
  EXPECT_EQ(integer("shli", "i8", "1, 7"), -128);
  EXPECT_EQ(integer("shli", "i8", "1, 8"), 0);
  EXPECT_EQ(integer("shrui", "i8", "-128, 7"), 1);
  EXPECT_EQ(integer("shrsi", "i8", "-128, 9"), -1);
  EXPECT_EQ(integer("shrsi", "i64", "5, 64"), 0);
  EXPECT_EQ(integer("shli", "i64", "5, -1"), 0);
  EXPECT_EQ(integer("ctlz", "i8", "1"), 7);
  EXPECT_EQ(integer("cttz", "i8", "0"), 8);
  EXPECT_EQ(integer("ctpop", "i8", "-1"), 8);
  EXPECT_EQ(integer("absi", "i8", "-128"), -128);
  EXPECT_EQ(integer("ipowi", "i32", "3, 5"), 243);
}

TEST(ScalarOps, Comparisons) {
  EXPECT_TRUE(compare("cmpi", "i8", "slt", "-1, 0"));
  EXPECT_FALSE(compare("cmpi", "i8", "ult", "-1, 0"));
  EXPECT_TRUE(compare("cmpi", "i1", "slt", "1, 0"));
  EXPECT_TRUE(compare("cmpi", "i1", "ugt", "1, 0"));
  EXPECT_TRUE(compare("cmpf", "f32", "uno", "\"nan\", 0"));
  EXPECT_TRUE(compare("cmpf", "f32", "une", "\"nan\", \"nan\""));
  EXPECT_FALSE(compare("cmpf", "f32", "one", "\"nan\", 1.0"));
  EXPECT_TRUE(compare("cmpf", "f64", "oeq", "0.0, -0.0"));
  EXPECT_TRUE(compare("cmpf", "f64", "olt", "\"-inf\", \"inf\""));
  EXPECT_EQ(integer("maxui", "i8", "-1, 5"), -1);
  EXPECT_EQ(integer("maxsi", "i8", "-1, 5"), 5);
  EXPECT_EQ(evaluate("select", "f32", "0, 1.5, 2.5", "f32").getDouble(0), 2.5);
  EXPECT_EQ(evaluate("select", "f32", "1, 1, 2", "f32").getDouble(0), 1.0);
}

TEST(ScalarOps, FloatsRoundToTheirType) {
  EXPECT_EQ(real("addf", "f32", "16777216.0, 1.0"), 16777216.0);
  EXPECT_EQ(real("addf", "f64", "16777216.0, 1.0"), 16777217.0);
  EXPECT_EQ(real("addf", "bf16", "256.0, 1.0"), 256.0);
  EXPECT_EQ(real("mulf", "f16", "300.0, 300.0"),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(real("divf", "f32", "1, 3"), double(1.0f / 3.0f));
  EXPECT_EQ(real("exp", "f32", "1"), double(std::exp(1.0f)));
  EXPECT_EQ(real("fma", "f32", "3, 4, 5"), 17.0);
  EXPECT_EQ(real("roundeven", "f32", "2.5"), 2.0);
  EXPECT_EQ(real("round", "f32", "2.5"), 3.0);
  EXPECT_EQ(real("remf", "f64", "-5.5, 2"), -1.5);
  EXPECT_TRUE(std::isnan(real("maximumf", "f32", "\"nan\", 1")));
  EXPECT_EQ(real("maxnumf", "f32", "\"nan\", 1"), 1.0);
  EXPECT_TRUE(std::signbit(real("addf", "f32", "\"-0\", \"-0\"")));
  EXPECT_FALSE(std::signbit(real("maximumf", "f32", "-0.0, 0.0")));
  EXPECT_TRUE(std::signbit(real("minimumf", "f32", "0.0, -0.0")));
  EXPECT_EQ(real("fpowi", "f64", "2.0, -2"), 0.25);
}

TEST(ScalarOps, Casts) {
  EXPECT_EQ(cast("extsi", "i1", "1", "i8"), -1);
  EXPECT_EQ(cast("extui", "i1", "1", "i8"), 1);
  EXPECT_EQ(cast("extui", "i8", "-1", "i32"), 255);
  EXPECT_EQ(cast("trunci", "i32", "511", "i8"), -1);
  EXPECT_EQ(cast("index_cast", "index", "4294967297", "i32"), 1);
  EXPECT_EQ(cast("index_castui", "i32", "-1", "index"), 4294967295);
  EXPECT_EQ(cast("fptosi", "f32", "1e20", "i32"), 2147483647);
  EXPECT_EQ(cast("fptosi", "f32", "\"nan\"", "i32"), 0);
  EXPECT_EQ(cast("fptoui", "f32", "-1.0", "i8"), 0);
  EXPECT_EQ(castReal("sitofp", "i1", "1", "f32"), -1.0);
  EXPECT_EQ(castReal("uitofp", "i8", "-1", "f32"), 255.0);
  EXPECT_EQ(castReal("sitofp", "i32", "257", "bf16"), 256.0);
  EXPECT_EQ(castReal("truncf", "f64", "0.1", "f32"), double(0.1f));
  EXPECT_EQ(castReal("extf", "bf16", "0.1", "f32"), 0.10009765625);
  EXPECT_EQ(cast("bitcast", "f32", "1.0", "i32"), 0x3f800000);
  EXPECT_EQ(castReal("bitcast", "i16", "16256", "bf16"), 1.0);
}
} // namespace
