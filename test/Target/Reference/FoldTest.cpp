//===- FoldTest.cpp - map, reduce, scan and scatter -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tang_test;

namespace {
Reals iota(int64_t n, double by = 1) {
  Reals values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(by * double(i));
  return values;
}

/// A sum along one dimension of a matrix, as a fold of dynamic shape.
const char *kRowSum = R"(
  func.func @main(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c1 : tensor<?x?xf32>
    %r = tang.reduce #tang.monoid<add> [i] over [k = %n]
           ins(%x[i, k] : tensor<?x?xf32>) outs(%e : tensor<?xf32>) (%a: f32) {
      tang.yield %a : f32
    }
    return %r : tensor<?xf32>
  })";
} // namespace

TEST(Map, Accesses) {
  // A transposed, strided and reversed read, a floor division and a symbol.
  Outcome outcome =
      run(R"(
    func.func @main(%x: tensor<3x4xf32>, %v: tensor<9xi32>, %o: index)
        -> (tensor<4x3xf32>, tensor<4x3xi32>) {
      %e = tensor.empty() : tensor<4x3xf32>
      %f = tensor.empty() : tensor<4x3xi32>
      %y, %z = tang.map [i, j] symbols(o = %o)
          ins(%x[2 - j, i], %v[i * 2 + o], %v[(i * 3 + j) floordiv 2] :
              tensor<3x4xf32>, tensor<9xi32>, tensor<9xi32>)
          outs(%e, %f : tensor<4x3xf32>, tensor<4x3xi32>)
          (%a: f32, %b: i32, %c: i32) {
        %i = tang.index 0
        %k = arith.index_cast %i : index to i32
        %s = arith.addi %b, %c : i32
        %t = arith.muli %s, %k : i32
        tang.yield %a, %t : f32, i32
      }
      return %y, %z : tensor<4x3xf32>, tensor<4x3xi32>
    })",
          {reals(DType::F32, {3, 4}, iota(12)),
           i32({0, 1, 2, 3, 4, 5, 6, 7, 8}), ints(DType::Index, {}, {2})});
  Reals want;
  Ints wantInts;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      want.push_back(double((2 - j) * 4 + i));
      wantInts.push_back((i * 2 + 2 + (i * 3 + j) / 2) * i);
    }
  expectSame(outcome.reals(0), want);
  EXPECT_EQ(outcome.ints(1), wantInts);
}

TEST(Map, LargeAndEmptyDomains) {
  for (int64_t n : {0, 1, 127, 128, 129, 1000}) {
    Outcome outcome = run(R"(
      func.func @main(%x: tensor<?xf32>) -> tensor<3x?xf32> {
        %c0 = arith.constant 0 : index
        %n = tensor.dim %x, %c0 : tensor<?xf32>
        %e = tensor.empty(%n) : tensor<3x?xf32>
        %y = tang.map [i, j] ins(%x[j] : tensor<?xf32>)
               outs(%e : tensor<3x?xf32>) (%a: f32) {
          %i = tang.index 0
          %k = arith.index_cast %i : index to i32
          %f = arith.sitofp %k : i32 to f32
          %r = arith.addf %a, %f : f32
          tang.yield %r : f32
        }
        return %y : tensor<3x?xf32>
      })",
                          {reals(DType::F32, {n}, iota(n))});
    ASSERT_TRUE(outcome.good);
    EXPECT_EQ(outcome.results[0].shape, std::vector<int64_t>({3, n}));
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(outcome.results[0].getDouble(i * n + j), double(i + j));
  }
}

TEST(Map, RankZeroAndCaptures) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<f64>, %s: f64, %t: tensor<4xi32>, %at: index)
        -> (tensor<f64>, tensor<i32>) {
      %e = tensor.empty() : tensor<f64>
      %f = tensor.empty() : tensor<i32>
      %y, %z = tang.map [] ins(%x[] : tensor<f64>) with(%s, %t, %at : f64, tensor<4xi32>, index)
             outs(%e, %f : tensor<f64>, tensor<i32>)
             (%a: f64, %b: f64, %u: tensor<4xi32>, %k: index) {
        %r = arith.mulf %a, %b : f64
        %c2 = arith.constant 2 : index
        %in = tang.at %u[%c2] : tensor<4xi32>
        %out = tang.at %u[%k] : tensor<4xi32>
        %no = arith.constant false
        %off = tang.at %u[%c2] if %no : tensor<4xi32>
        %v = arith.addi %in, %out : i32
        %w = arith.addi %v, %off : i32
        tang.yield %r, %w : f64, i32
      }
      return %y, %z : tensor<f64>, tensor<i32>
    })",
                        {reals(DType::F64, {}, {3}), reals(DType::F64, {}, {4}),
                         i32({5, 6, 7, 8}), ints(DType::Index, {}, {-1})});
  expectSame(outcome.reals(0), {12});
  EXPECT_EQ(outcome.ints(1), Ints({7}));
}

TEST(Map, ControlFlowInBodies) {
  // A branch that is selected from, and a loop, which runs lane by lane.
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<200xi32>) -> (tensor<200xi32>, tensor<200xi32>) {
      %e = tensor.empty() : tensor<200xi32>
      %y = tang.map [i] ins(%x[i] : tensor<200xi32>) outs(%e : tensor<200xi32>) (%a: i32) {
        %c0 = arith.constant 0 : i32
        %neg = arith.cmpi slt, %a, %c0 : i32
        %r = scf.if %neg -> i32 {
          %m = arith.subi %c0, %a : i32
          scf.yield %m : i32
        } else {
          scf.yield %a : i32
        }
        tang.yield %r : i32
      }
      %z = tang.map [i] ins(%x[i] : tensor<200xi32>) outs(%e : tensor<200xi32>) (%a: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c3 = arith.constant 3 : i32
        %c50 = arith.constant 50 : i32
        %s, %t = scf.for %k = %c0 to %a step %c3 iter_args(%p = %c0, %q = %c1) -> (i32, i32) : i32 {
          %n = arith.addi %p, %k : i32
          scf.yield %q, %n : i32, i32
        }
        %w = scf.while (%v = %s) : (i32) -> i32 {
          %go = arith.cmpi slt, %v, %c50 : i32
          scf.condition(%go) %v : i32
        } do {
        ^bb0(%v: i32):
          %n = arith.addi %v, %c50 : i32
          scf.yield %n : i32
        }
        tang.yield %w : i32
      }
      return %y, %z : tensor<200xi32>, tensor<200xi32>
    })",
                        {[] {
                          Ints x;
                          for (int i = 0; i < 200; ++i)
                            x.push_back(i - 100);
                          return i32(x);
                        }()});
  Ints absolute, loops;
  for (int x = -100; x < 100; ++x) {
    absolute.push_back(std::abs(x));
    int p = 0, q = 1;
    for (int k = 0; k < x; k += 3) {
      int n = p + k;
      p = q;
      q = n;
    }
    while (p < 50)
      p += 50;
    loops.push_back(p);
  }
  EXPECT_EQ(outcome.ints(0), absolute);
  EXPECT_EQ(outcome.ints(1), loops);
}

TEST(Reduce, EveryWayOfLayingLanes) {
  // Long rows, many rows, both, neither, none.
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1000}, {1000, 1}, {300, 300}, {3, 5}, {0, 7}, {7, 0}, {40, 3}}) {
    Reals x, want(m, 0.5);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t k = 0; k < n; ++k) {
        x.push_back(double((i * 31 + k * 17) % 101));
        want[i] += x.back();
      }
    Outcome outcome = run(kRowSum, {reals(DType::F32, {m, n}, x),
                                    reals(DType::F32, {m}, Reals(m, 0.5))});
    expectSame(outcome.reals(), want);
    EXPECT_EQ(run(kRowSum,
                  {reals(DType::F32, {m, n}, x),
                   reals(DType::F32, {m}, Reals(m, 0.5))},
                  true)
                  .results[0]
                  .dtype,
              DType::F32);
  }
}

TEST(Reduce, OrderIsLexicographic) {
  // The last value wins, whichever way lanes lie.
  for (auto [m, n] :
       std::vector<std::pair<int64_t, int64_t>>{{2, 300}, {300, 2}, {5, 7}}) {
    std::string shape = std::to_string(m) + "x" + std::to_string(n);
    Outcome outcome =
        run("tang.monoid @last (%s: f32, %x: f32) {\n  tang.yield %x : f32\n}\n"
            "func.func @main(%x: tensor<" +
                shape + "xf32>, %e: tensor<" + std::to_string(m) +
                "xf32>) -> tensor<" + std::to_string(m) +
                "xf32> {\n  %r = tang.reduce @last [i] over [k = " +
                std::to_string(n) + "] ins(%x[i, k] : tensor<" + shape +
                "xf32>) outs(%e : tensor<" + std::to_string(m) +
                "xf32>) (%a: f32) {\n tang.yield %a : f32\n }\n  return %r : "
                "tensor<" +
                std::to_string(m) + "xf32>\n}\n",
            {reals(DType::F32, {m, n}, iota(m * n)),
             reals(DType::F32, {m}, Reals(m, -1))});
    Reals want;
    for (int64_t i = 0; i < m; ++i)
      want.push_back(double(i * n + n - 1));
    expectSame(outcome.reals(), want);
  }
}

TEST(Reduce, MatmulAndInit) {
  Outcome outcome = run(R"(
    func.func @main(%a: tensor<4x8xbf16>, %b: tensor<8x6xbf16>) -> tensor<4x6xf32> {
      %e = tensor.empty() : tensor<4x6xf32>
      %r = tang.reduce #tang.monoid<add> [i, j] over [k = 8] init(1.0 : f32)
             ins(%a[i, k], %b[k, j] : tensor<4x8xbf16>, tensor<8x6xbf16>)
             outs(%e : tensor<4x6xf32>) (%x: bf16, %y: bf16) {
        %xf = arith.extf %x : bf16 to f32
        %yf = arith.extf %y : bf16 to f32
        %p = arith.mulf %xf, %yf : f32
        tang.yield %p : f32
      }
      return %r : tensor<4x6xf32>
    })",
                        {reals(DType::BF16, {4, 8}, iota(32)),
                         reals(DType::BF16, {8, 6}, iota(48, 0.5))});
  Reals want;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) {
      double sum = 1;
      for (int k = 0; k < 8; ++k)
        sum += (i * 8 + k) * 0.5 * (k * 6 + j);
      want.push_back(sum);
    }
  expectSame(outcome.reals(), want);
}

TEST(Reduce, ExactAccumulatesInItsType) {
  HostTensor ones = reals(DType::BF16, {1000}, Reals(1000, 1));
  expectSame(fold("add", "bf16", "0.0", ones).reals(), {1000});
  expectSame(fold("add", "bf16", "0.0", ones, true).reals(), {256});
  // In f32 the sum sticks at 2^24.
  Reals x(100, 1);
  x[0] = 16777216;
  expectSame(fold("add", "f32", "0.0", f32(x)).reals(), {16777216 + 99});
  expectSame(fold("add", "f32", "0.0", f32(x), true).reals(), {16777216});
  // Uninitialised memory is visible.
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
      %e = tensor.empty() : tensor<f32>
      %r = tang.reduce #tang.monoid<add> [] over [k = 2] ins(%x[k] : tensor<2xf32>)
             outs(%e : tensor<f32>) (%a: f32) {
        tang.yield %a : f32
      }
      return %r : tensor<f32>
    })",
                        {f32({1, 2})});
  expectSame(outcome.reals(), {kNaN});
}

TEST(Reduce, ManyPointsInThreads) {
  Reals x(1 << 16, 1);
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<65536xf32>) -> tensor<256xf32> {
      %e = tensor.empty() : tensor<256xf32>
      %r = tang.reduce #tang.monoid<add> [i] over [k = 65536] init(0.0 : f32)
             ins(%x[k] : tensor<65536xf32>) outs(%e : tensor<256xf32>) (%a: f32) {
        %i = tang.index 0
        %k = arith.index_cast %i : index to i32
        %f = arith.sitofp %k : i32 to f32
        %p = arith.mulf %a, %f : f32
        tang.yield %p : f32
      }
      return %r : tensor<256xf32>
    })",
                        {f32(x)});
  expectSame(outcome.reals(), iota(256, 65536));
}

namespace {
Outcome scan(const std::string &flags, int64_t n, const Reals &x) {
  std::string t = std::to_string(n);
  return run(
      "func.func @main(%x: tensor<2x" + t +
          "xf32>, %s: tensor<2xf32>) -> (tensor<2x" + t +
          "xf32>, tensor<2xf32>) {\n  %e = tensor.empty() : tensor<2x" + t +
          "xf32>\n  %y, %z = tang.scan #tang.monoid<add> [i, t] along t" +
          flags + " ins(%x[i, t] : tensor<2x" + t +
          "xf32>) outs(%e, %s : tensor<2x" + t +
          "xf32>, tensor<2xf32>) (%a: f32) {\n    tang.yield %a : f32\n "
          " }\n  return %y, %z : tensor<2x" +
          t + "xf32>, tensor<2xf32>\n}\n",
      {reals(DType::F32, {2, n}, x), reals(DType::F32, {2}, {100, 200})});
}
} // namespace

TEST(Scan, Directions) {
  const Reals x = {1, 2, 3, 10, 20, 30};
  Outcome outcome = scan("", 3, x);
  expectSame(outcome.reals(0), {101, 103, 106, 210, 230, 260});
  expectSame(outcome.reals(1), {106, 260});
  outcome = scan(" exclusive", 3, x);
  expectSame(outcome.reals(0), {100, 101, 103, 200, 210, 230});
  expectSame(outcome.reals(1), {106, 260});
  outcome = scan(" reverse", 3, x);
  expectSame(outcome.reals(0), {106, 105, 103, 260, 250, 230});
  expectSame(outcome.reals(1), {106, 260});
  outcome = scan(" reverse exclusive", 3, x);
  expectSame(outcome.reals(0), {105, 103, 100, 250, 230, 200});
  outcome = scan("", 0, {});
  expectSame(outcome.reals(0), {});
  expectSame(outcome.reals(1), {100, 200});
  // More than one chunk of lanes, backwards.
  Reals ones(600, 1), want;
  outcome = scan(" reverse", 300, ones);
  for (int row = 1; row <= 2; ++row)
    for (int t = 0; t < 300; ++t)
      want.push_back(100 * row + 300 - t);
  expectSame(outcome.reals(0), want);
}

TEST(Scan, AffineAlongTheFirstDimension) {
  // h[t] = a[t] * h[t-1] + b[t], scanned as maps along dimension 0.
  Outcome outcome = run(R"(
    func.func @main(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>) {
      %e = tensor.empty() : tensor<4x2xf32>
      %one = arith.constant dense<1.0> : tensor<2xf32>
      %zero = arith.constant dense<0.0> : tensor<2xf32>
      %p, %q, %s, %t = tang.scan #tang.monoid<affine> [t, i] along t
             ins(%a[t, i], %b[t, i] : tensor<4x2xf32>, tensor<4x2xf32>)
             outs(%e, %e, %one, %zero : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
             (%x: f32, %y: f32) {
        tang.yield %x, %y : f32, f32
      }
      return %q, %t : tensor<4x2xf32>, tensor<2xf32>
    })",
                        {reals(DType::F32, {4, 2}, {2, 3, 2, 3, 2, 3, 2, 3}),
                         reals(DType::F32, {4, 2}, {1, 1, 1, 1, 1, 1, 1, 1})});
  expectSame(outcome.reals(0), {1, 1, 3, 4, 7, 13, 15, 40});
  expectSame(outcome.reals(1), {15, 40});
}

namespace {
Outcome scatter(const std::string &monoid, const std::string &flags = "") {
  return run("func.func @main(%k: tensor<6xi32>, %v: tensor<6xf32>, %d: "
             "tensor<4xf32>) -> tensor<4xf32> {\n"
             "  %r = tang.scatter " +
                 monoid + " over [i = 6]" + flags +
                 " ins(%k[i], %v[i] : tensor<6xi32>, tensor<6xf32>)"
                 " outs(%d : tensor<4xf32>) (%a: i32, %b: f32) {\n"
                 "    %p = arith.index_cast %a : i32 to index\n"
                 "    tang.yield %b, %p : f32, index\n  }\n  return %r : "
                 "tensor<4xf32>\n}\n",
             {i32({1, 4, 1, -1, 0, 1}), f32({10, 20, 30, 40, 50, 60}),
              f32({1, 2, 3, 4})});
}
} // namespace

TEST(Scatter, DuplicatesAndOutside) {
  expectSame(scatter("").reals(), {50, 60, 3, 4});
  expectSame(scatter("#tang.monoid<add>").reals(), {51, 102, 3, 4});
  Outcome outcome = scatter("", " unique");
  EXPECT_FALSE(outcome.good);
  EXPECT_NE(outcome.message.find("two points write [1]"), std::string::npos)
      << outcome.message;
}

TEST(Scatter, ConditionAndArgument) {
  // The operand that is updated in place may be used again: it keeps its value.
  Outcome outcome = run(R"(
    func.func @main(%d: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
      %r = tang.scatter over [i = 2, j = 3] outs(%d : tensor<2x3xi32>) () {
        %i = tang.index 0
        %j = tang.index 1
        %v = arith.index_cast %j : index to i32
        %even = arith.trunci %v : i32 to i1
        %c2 = arith.constant 2 : index
        %k = arith.subi %c2, %j : index
        tang.yield %v, %i, %k, %even : i32, index, index, i1
      }
      return %r, %d : tensor<2x3xi32>, tensor<2x3xi32>
    })",
                        {ints(DType::I32, {2, 3}, {9, 9, 9, 8, 8, 8})});
  EXPECT_EQ(outcome.ints(0), Ints({9, 1, 9, 8, 1, 8}));
  EXPECT_EQ(outcome.ints(1), Ints({9, 9, 9, 8, 8, 8}));
}
