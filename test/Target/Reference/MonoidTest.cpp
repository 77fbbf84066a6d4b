//===- MonoidTest.cpp - Every monoid, and the check of laws ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Tang/Dialect/Monoid.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace tang_test;

namespace {
/// Folds (value, index of the position) pairs.
Outcome foldArg(const std::string &monoid, const Reals &x,
                const std::string &init) {
  std::string n = std::to_string(x.size());
  return run(
      "func.func @main(%x: tensor<" + n +
          "xf32>) -> (tensor<f32>, tensor<i32>) {\n"
          "  %e = tensor.empty() : tensor<f32>\n  %f = tensor.empty() : "
          "tensor<i32>\n"
          "  %r, %i = tang.reduce #tang.monoid<" +
          monoid + "> [] over [k = " + n + "] init(" + init +
          " : f32, 2147483647 : i32) ins(%x[k] : tensor<" + n +
          "xf32>) outs(%e, %f : tensor<f32>, tensor<i32>) (%a: f32) {\n"
          "    %k = tang.index 0\n    %p = arith.index_cast %k : index to i32\n"
          "    tang.yield %a, %p : f32, i32\n  }\n"
          "  return %r, %i : tensor<f32>, tensor<i32>\n}\n",
      {f32(x)});
}
const char *kLeast = "0xFF800000", *kMost = "0x7F800000";

void expectArg(const Outcome &outcome, double value, int64_t index) {
  expectSame(outcome.reals(0), {value});
  EXPECT_EQ(outcome.ints(1), Ints({index}));
}
} // namespace

TEST(Monoid, OneFloat) {
  HostTensor x = f32({3, -1, 2});
  expectSame(fold("add", "f32", "0.0", x).reals(), {4});
  expectSame(fold("mul", "f32", "1.0", x).reals(), {-6});
  expectSame(fold("maximum", "f32", kLeast, x).reals(), {3});
  expectSame(fold("minimum", "f32", kMost, x).reals(), {-1});
  HostTensor nan = f32({3, kNaN, 2});
  expectSame(fold("maximum", "f32", kLeast, nan).reals(), {kNaN});
  expectSame(fold("minimum", "f32", kMost, nan).reals(), {kNaN});
  expectSame(fold("maxnum", "f32", "0x7FC00000", nan).reals(), {3});
  expectSame(fold("minnum", "f32", "0x7FC00000", nan).reals(), {2});
  expectSame(fold("maximum", "f32", kLeast, f32({-0.0, -0.0})).reals(), {-0.0});
  expectSame(fold("maximum", "f32", kLeast, f32({-0.0, 0.0})).reals(), {0.0});
  expectSame(fold("minimum", "f32", kMost, f32({0.0, -0.0})).reals(), {-0.0});
  expectSame(fold("add", "f32", "-0.0", f32({-0.0})).reals(), {-0.0});
  expectSame(fold("mul", "f32", "1.0", f32({})).reals(), {1});
}

TEST(Monoid, OneInteger) {
  HostTensor x = ints(DType::I8, {3}, {100, 60, -1});
  EXPECT_EQ(fold("add", "i8", "0", x).ints(), Ints({-97}));
  EXPECT_EQ(fold("mul", "i8", "1", x).ints(), Ints({-112}));
  EXPECT_EQ(fold("maxs", "i8", "-128", x).ints(), Ints({100}));
  EXPECT_EQ(fold("mins", "i8", "127", x).ints(), Ints({-1}));
  EXPECT_EQ(fold("maxu", "i8", "0", x).ints(), Ints({-1}));
  EXPECT_EQ(fold("minu", "i8", "-1", x).ints(), Ints({60}));
  EXPECT_EQ(fold("and", "i8", "-1", x).ints(), Ints({100 & 60}));
  EXPECT_EQ(fold("or", "i8", "0", x).ints(), Ints({-1}));
  EXPECT_EQ(fold("xor", "i8", "0", x).ints(), Ints({~(100 ^ 60)}));
  EXPECT_EQ(fold("or", "i1", "0", ints(DType::I1, {2}, {0, 1})).ints(),
            Ints({1}));
  EXPECT_EQ(
      fold("add", "i64", "0", ints(DType::I64, {2}, {INT64_MAX, 1})).ints(),
      Ints({INT64_MIN}));
}

TEST(Monoid, Arguments) {
  expectArg(foldArg("argmax", {1, 5, 5, 2}, kLeast), 5, 1);
  expectArg(foldArg("argmin", {1, 5, 1, 2}, kMost), 1, 0);
  expectArg(foldArg("argmax", {1, kNaN, 5, kNaN}, kLeast), kNaN, 1);
  expectArg(foldArg("argmin", {1, 2, kNaN}, kMost), kNaN, 2);
  expectArg(foldArg("argmaxnum", {1, kNaN, 5, 7}, kLeast), 7, 3);
  expectArg(foldArg("argminnum", {kNaN, 2, kNaN}, kMost), 2, 1);
  expectArg(foldArg("argmax", {-kInf, -kInf}, kLeast), -kInf, 0);
  expectArg(foldArg("argmaxnum", {kNaN, kNaN}, "0x7FC00000"), kNaN, 0);
  expectArg(foldArg("argmax", {-0.0, 0.0}, kLeast), -0.0, 0);
}

TEST(Monoid, LogSumExpAndMoments) {
  const char *module = R"(
    func.func @main(%x: tensor<5xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
      %e = tensor.empty() : tensor<f32>
      %m, %l = tang.reduce #tang.monoid<logsumexp> [] over [k = 5] init(0xFF800000 : f32, 0.0 : f32) ins(%x[k] : tensor<5xf32>)
             outs(%e, %e : tensor<f32>, tensor<f32>) (%a: f32) {
        %one = arith.constant 1.0 : f32
        tang.yield %a, %one : f32, f32
      }
      %n, %u, %s = tang.reduce #tang.monoid<moments> [] over [k = 5] init(0.0 : f32, 0.0 : f32, 0.0 : f32) ins(%x[k] : tensor<5xf32>)
             outs(%e, %e, %e : tensor<f32>, tensor<f32>, tensor<f32>) (%a: f32) {
        %one = arith.constant 1.0 : f32
        %zero = arith.constant 0.0 : f32
        tang.yield %one, %a, %zero : f32, f32, f32
      }
      return %m, %l, %n, %u, %s : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
    })";
  Outcome outcome = run(module, {f32({1, 3, 2, 1000, 999})});
  expectSame(outcome.reals(0), {1000});
  EXPECT_NEAR(outcome.reals(1)[0], 1 + std::exp(-1), 1e-15);
  expectSame(outcome.reals(2), {5});
  EXPECT_NEAR(outcome.reals(3)[0], 401, 1e-12);
  EXPECT_NEAR(outcome.reals(4)[0],
              400 * 400 + 398 * 398 + 399 * 399 + 599 * 599 + 598 * 598, 1e-8);
  outcome = run(module, {f32({-kInf, -kInf, -kInf, -kInf, -kInf})});
  expectSame(outcome.reals(0), {-kInf});
  expectSame(outcome.reals(1), {5});
  outcome = run(module, {f32({1, kInf, 2, kInf, 0})});
  expectSame(outcome.reals(0), {kInf});
  expectSame(outcome.reals(1), {2});
}

TEST(Monoid, TopK) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<6xf32>) -> (tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>) {
      %e = tensor.empty() : tensor<f32>
      %f = tensor.empty() : tensor<i32>
      %r:4 = tang.reduce #tang.monoid<topk, 2> [] over [k = 6]
             init(0xFF800000 : f32, 0xFF800000 : f32, 2147483647 : i32, 2147483647 : i32) ins(%x[k] : tensor<6xf32>)
             outs(%e, %e, %f, %f : tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>) (%a: f32) {
        %k = tang.index 0
        %p = arith.index_cast %k : index to i32
        %least = arith.constant 0xFF800000 : f32
        %last = arith.constant 2147483647 : i32
        tang.yield %a, %least, %p, %last : f32, f32, i32, i32
      }
      return %r#0, %r#1, %r#2, %r#3 : tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>
    })",
                        {f32({2, 7, 1, 7, 7, 0})});
  expectSame(outcome.reals(0), {7});
  expectSame(outcome.reals(1), {7});
  EXPECT_EQ(outcome.ints(2), Ints({1}));
  EXPECT_EQ(outcome.ints(3), Ints({3}));
}

TEST(Monoid, Declared) {
  Outcome outcome = run(R"(
    tang.monoid @absmax identity [0.0 : f32] associative commutative (%a: f32, %b: f32) {
      %x = math.absf %b : f32
      %m = arith.maximumf %a, %x : f32
      tang.yield %m : f32
    }
    tang.monoid @swap (%a: i32, %b: i32, %x: i32) {
      %s = arith.addi %b, %x : i32
      tang.yield %s, %a : i32, i32
    }
    func.func @main(%x: tensor<4xf32>, %k: tensor<3xi32>) -> (tensor<f32>, tensor<i32>, tensor<i32>) {
      %e = arith.constant dense<0.0> : tensor<f32>
      %r = tang.reduce @absmax [] over [k = 4] ins(%x[k] : tensor<4xf32>)
             outs(%e : tensor<f32>) (%a: f32) {
        tang.yield %a : f32
      }
      %f = arith.constant dense<1> : tensor<i32>
      %g = arith.constant dense<10> : tensor<i32>
      %s, %t = tang.reduce @swap [] over [k = 3] ins(%k[k] : tensor<3xi32>)
             outs(%f, %g : tensor<i32>, tensor<i32>) (%a: i32) {
        tang.yield %a : i32
      }
      return %r, %s, %t : tensor<f32>, tensor<i32>, tensor<i32>
    })",
                        {f32({1, -5, 3, 2}), i32({100, 200, 300})});
  expectSame(outcome.reals(0), {5});
  // (1,10) -> (110,1) -> (201,110) -> (410,201)
  EXPECT_EQ(outcome.ints(1), Ints({410}));
  EXPECT_EQ(outcome.ints(2), Ints({201}));
}

TEST(Laws, BuiltinMonoidsKeepTheirs) {
  std::string message;
  auto module = parse("module {}", message);
  mlir::Builder b(&context());
  mlir::Type f32Type = b.getF32Type(), i32Type = b.getI32Type();
  using Kind = mlir::tang::MonoidKind;
  auto check = [&](Kind kind, mlir::SmallVector<mlir::Type> types,
                   int64_t k = 1) {
    auto attr = mlir::tang::MonoidAttr::get(&context(), kind, k);
    std::string text;
    mlir::ScopedDiagnosticHandler handler(
        &context(), [&](mlir::Diagnostic &d) { text += d.str(); });
    EXPECT_TRUE(succeeded(mlir::tang::checkMonoidLaws(attr, types, *module, 7)))
        << mlir::tang::stringifyMonoidKind(kind).str() << ": " << text;
  };
  for (Kind kind : {Kind::Add, Kind::Mul, Kind::Maximum, Kind::Minimum,
                    Kind::MaxNum, Kind::MinNum})
    check(kind, {f32Type});
  for (Kind kind : {Kind::Add, Kind::Mul, Kind::MaxS, Kind::MinS, Kind::MaxU,
                    Kind::MinU, Kind::And, Kind::Or, Kind::Xor})
    for (unsigned width : {1, 4, 8, 64})
      check(kind, {b.getIntegerType(width)});
  for (Kind kind :
       {Kind::ArgMax, Kind::ArgMin, Kind::ArgMaxNum, Kind::ArgMinNum})
    for (mlir::Type type : {f32Type, i32Type})
      check(kind, {type, i32Type});
  check(Kind::LogSumExp, {f32Type, f32Type});
  check(Kind::Moments, {f32Type, f32Type, f32Type});
  check(Kind::Affine, {f32Type, f32Type});
  check(Kind::Affine, {i32Type, i32Type});
  check(Kind::TopK, {f32Type, f32Type, f32Type, i32Type, i32Type, i32Type}, 3);
}

namespace {
/// The diagnostics of a module whose only content are monoids.
std::string laws(const std::string &monoid) {
  Outcome outcome = run(monoid + "\nfunc.func @main() {\n  return\n}\n", {});
  return outcome.message;
}
std::string binary(const std::string &head, const std::string &op,
                   const std::string &type = "f32") {
  return "tang.monoid @m " + head + " (%a: " + type + ", %b: " + type +
         ") {\n  %r = " + op + " %a, %b : " + type +
         "\n  tang.yield %r : " + type + "\n}";
}
} // namespace

TEST(Laws, BrokenOnesAreNamed) {
  EXPECT_EQ(laws(binary("identity [0.0 : f32] associative commutative",
                        "arith.addf")),
            "");
  EXPECT_NE(laws(binary("associative", "arith.subf")).find("'associative'"),
            std::string::npos);
  EXPECT_NE(laws(binary("commutative", "arith.subf")).find("'commutative'"),
            std::string::npos);
  EXPECT_NE(laws(binary("idempotent", "arith.addf")).find("'idempotent'"),
            std::string::npos);
  EXPECT_EQ(laws(binary("idempotent", "arith.maximumf")), "");
  for (const char *identity : {"1.0", "-3.0"})
    EXPECT_NE(laws(binary(std::string("identity [") + identity +
                              " : f32] associative",
                          "arith.addf"))
                  .find("'identity'"),
              std::string::npos);
  // Wrong identities that absorb, or that only lose some values.
  EXPECT_NE(laws(binary("identity [0.0 : f32] associative", "arith.mulf"))
                .find("'identity'"),
            std::string::npos);
  EXPECT_NE(laws(binary("identity [0.0 : f32] associative", "arith.maximumf"))
                .find("'identity'"),
            std::string::npos);
  EXPECT_EQ(laws(binary("identity [1 : i8] associative commutative",
                        "arith.muli", "i8")),
            "");
  EXPECT_NE(
      laws(binary("associative", "arith.divsi", "i8"))
          .find("breaks its law 'associative', (a ∨ b) ∨ c = a ∨ (b ∨ c)"),
      std::string::npos);
}

TEST(Laws, LoopsAndBranches) {
  // A sum by counting up, and one whose branches are jumped over.
  EXPECT_EQ(
      laws(R"(tang.monoid @m identity [0 : i64] associative (%a: i64, %b: i64) {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %neg = arith.cmpi slt, %b, %zero : i64
      %r = scf.if %neg -> i64 {
        %s = arith.addi %a, %b : i64
        scf.yield %s : i64
      } else {
        %s = scf.for %i = %zero to %b step %one iter_args(%p = %a) -> i64 : i64 {
          %q = arith.addi %p, %one : i64
          scf.yield %q : i64
        }
        scf.yield %s : i64
      }
      tang.yield %r : i64
    })"),
      "");
}

TEST(Laws, TiesAndRounding) {
  // Without a rule for equal values the order of them matters.
  std::string head = "tang.monoid @arg associative commutative (%v: f32, %i: "
                     "i32, %w: f32, %j: i32) {\n";
  std::string tail = "  %x = arith.select %c, %w, %v : f32\n  %y = "
                     "arith.select %c, %j, %i : i32\n  tang.yield %x, %y : "
                     "f32, i32\n}";
  EXPECT_NE(laws(head + "  %c = arith.cmpf ogt, %w, %v : f32\n" + tail)
                .find("'commutative'"),
            std::string::npos);
  EXPECT_EQ(laws(head +
                 "  %g = arith.cmpf ogt, %w, %v : f32\n"
                 "  %e = arith.cmpf oeq, %w, %v : f32\n"
                 "  %l = arith.cmpi slt, %j, %i : i32\n"
                 "  %t = arith.andi %e, %l : i1\n"
                 "  %c = arith.ori %g, %t : i1\n" +
                 tail),
            "");
  // A sum that rounds to bf16 holds as well as bf16 can.
  EXPECT_EQ(
      laws(R"(tang.monoid @m associative commutative (%a: bf16, %b: bf16) {
      %x = arith.extf %a : bf16 to f32
      %y = arith.extf %b : bf16 to f32
      %s = arith.addf %x, %y : f32
      %r = arith.truncf %s : f32 to bf16
      tang.yield %r : bf16
    })"),
      "");
}
