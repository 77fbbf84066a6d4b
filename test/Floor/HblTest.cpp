//===- HblTest.cpp - Exponents that are known -----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/Hbl.h"
#include "Nests.h"
#include "gtest/gtest.h"

using namespace mlir::tang;
using mlir::presburger::Fraction;
using namespace nests;

namespace {

std::string exponentOf(const Nest &nest) {
  std::optional<Hbl> hbl = Hbl::get(nest);
  return hbl ? formatFraction(hbl->exponent) : "none";
}

TEST(Hbl, Projective) {
  EXPECT_EQ(exponentOf(project(2, {{0}, {0, 1}, {1}})), "1"); // matvec
  EXPECT_EQ(exponentOf(matmul(8, 8, 8)), "3/2");
  // A contraction of two tensors over two shared dimensions.
  EXPECT_EQ(exponentOf(project(6, {{0, 1, 4, 5}, {4, 5, 2, 3}, {0, 1, 2, 3}})),
            "3/2");
  EXPECT_EQ(exponentOf(project(4, {{0, 3}, {0, 1, 2}, {1, 3}, {2, 3}})),
            "5/3");                                             // MTTKRP
  EXPECT_EQ(exponentOf(project(2, {{0}, {1}, {0}})), "2");      // n-body
  EXPECT_EQ(exponentOf(project(3, {{0}, {0}, {1}, {2}})), "3"); // three-body
  EXPECT_EQ(exponentOf(project(1, {{0}, {0}})), "1");
}

TEST(Hbl, SixLoops) {
  // Loops 1..6 of the published example are 0..5 here.
  Nest nest = project(
      6, {{0, 2, 5}, {0, 1, 3}, {1, 2, 4}, {2, 3, 5}, {1, 5}, {0, 3, 4}});
  std::optional<Hbl> hbl = Hbl::get(nest);
  ASSERT_TRUE(hbl);
  EXPECT_EQ(formatFraction(hbl->exponent), "15/7");
  std::vector<Fraction> tile;
  for (int64_t numerator : {2, 3, 1, 2, 3, 4})
    tile.push_back(Fraction(numerator, 7));
  EXPECT_EQ(hbl->tile, tile);
}

TEST(Hbl, BoundedLoop) {
  std::pair<Fraction, const char *> cases[] = {{Fraction(0, 1), "1"},
                                               {Fraction(1, 10), "11/10"},
                                               {Fraction(1, 4), "5/4"},
                                               {Fraction(1, 2), "3/2"},
                                               {Fraction(2, 1), "3/2"}};
  for (auto &[beta, exponent] : cases) {
    std::optional<Hbl> hbl =
        Hbl::get(matmul(8, 8, 8), {beta, std::nullopt, std::nullopt});
    ASSERT_TRUE(hbl);
    EXPECT_EQ(formatFraction(hbl->exponent), exponent);
  }
}

TEST(Hbl, Windows) {
  // out[i] += in[i + k]·w[k]
  Nest conv1d = nestOf(2, {{{1, 0}}, {{1, 1}}, {{0, 1}}});
  EXPECT_EQ(exponentOf(conv1d), "2");
  std::optional<Hbl> cnn = Hbl::get(convolution());
  ASSERT_TRUE(cnn);
  EXPECT_EQ(formatFraction(cnn->exponent), "2");
  EXPECT_EQ(cnn->subgroups, 15);
}

TEST(Hbl, NothingBoundsALoop) {
  EXPECT_EQ(exponentOf(project(2, {{0}, {0}})), "none");
  // All of a nest may be one iteration.
  EXPECT_EQ(exponentOf(project(0, {})), "0");
}

TEST(Hbl, LatticesThatAreTooLarge) {
  // Four lines of a plane of ℚ³ and their sums generate infinitely many
  // subspaces; leaving arrays out may raise the exponent, never lower it.
  Nest nest = nestOf(3, {{{1, 0, 0}, {0, 1, 0}},
                         {{0, 1, 0}, {0, 0, 1}},
                         {{1, 0, 0}, {0, 0, 1}},
                         {{1, -1, 0}, {0, 1, -1}},
                         {{1, -2, 0}, {0, 1, 3}},
                         {{1, 5, 0}, {0, 1, 7}}});
  std::optional<Hbl> hbl = Hbl::get(nest);
  ASSERT_TRUE(hbl);
  EXPECT_EQ(formatFraction(hbl->exponent), "3/2");
}

} // namespace
