//===- Nests.h - Nests that tests are about ---------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TEST_FLOOR_NESTS_H
#define TANG_TEST_FLOOR_NESTS_H

#include "Tang/Analysis/Floor/Nest.h"

namespace nests {
using mlir::tang::Nest;
using mlir::tang::NestArray;
using Forms = std::vector<std::vector<int64_t>>;

/// `n` loops of 1024 iterations and arrays of one byte an element.
inline Nest nestOf(size_t n, const std::vector<Forms> &arrays) {
  Nest nest;
  for (size_t i = 0; i < n; ++i) {
    nest.names.push_back("d" + std::to_string(i));
    nest.sizes.push_back(1024);
  }
  for (const Forms &forms : arrays) {
    nest.arrays.push_back({"a" + std::to_string(nest.arrays.size()), forms, 1});
  }
  return nest;
}

/// Arrays that are indexed by loops.
inline Nest project(size_t n, const std::vector<std::vector<int>> &arrays) {
  std::vector<Forms> all;
  for (const std::vector<int> &loops : arrays) {
    Forms forms;
    for (int loop : loops) {
      forms.emplace_back(n);
      forms.back()[loop] = 1;
    }
    all.push_back(forms);
  }
  return nestOf(n, all);
}

/// c[i, j] += a[i, k]·b[k, j]
inline Nest matmul(int64_t i, int64_t j, int64_t k) {
  Nest nest = project(3, {{0, 2}, {2, 1}, {0, 1}});
  nest.sizes = {i, j, k};
  return nest;
}

/// out[b, c, w, h] += image[b, k, w + r, h + s]·filter[k, r, s, c]; loops b, c,
/// k, w, h, r, s.
inline Nest convolution() {
  return nestOf(7, {{{1, 0, 0, 0, 0, 0, 0},
                     {0, 1, 0, 0, 0, 0, 0},
                     {0, 0, 0, 1, 0, 0, 0},
                     {0, 0, 0, 0, 1, 0, 0}},
                    {{1, 0, 0, 0, 0, 0, 0},
                     {0, 0, 1, 0, 0, 0, 0},
                     {0, 0, 0, 1, 0, 1, 0},
                     {0, 0, 0, 0, 1, 0, 1}},
                    {{0, 0, 1, 0, 0, 0, 0},
                     {0, 0, 0, 0, 0, 1, 0},
                     {0, 0, 0, 0, 0, 0, 1},
                     {0, 1, 0, 0, 0, 0, 0}}});
}
} // namespace nests

#endif // TANG_TEST_FLOOR_NESTS_H
