//===- Nest.h - Loops and what they touch -----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bounds on data movement are about: a nest of loops whose every
// iteration touches one element of each of some arrays, found by a linear map
// of the loops.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_NEST_H
#define TANG_ANALYSIS_FLOOR_NEST_H

#include "Tang/Analysis/Traffic.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir::tang {

/// One reference to an array.
struct NestArray {
  std::string name;
  /// Linear forms over the loops, one a dimension of the array; constant terms
  /// do not matter. A form of one loop with any factor is that loop.
  std::vector<std::vector<int64_t>> forms;
  /// Bytes of fast memory that an element takes. An array read in n ways has n
  /// references of 1/n of an element each, since they may meet.
  double bytes = 4;
  /// Of a result, what an element takes once every iteration for it has run:
  /// less than `bytes` where it is stored as a narrower type, 0 where it is not
  /// stored. Negative: as much as before.
  double finishedBytes = -1;

  /// The loop of each form, if every form is one loop.
  std::optional<SmallVector<int64_t>> loops() const;
};

struct Nest {
  std::vector<std::string> names;
  /// kDynamic where not known.
  std::vector<int64_t> sizes;
  std::vector<NestArray> arrays;

  /// Of one operation: its inputs and results, each tensor once a way of being
  /// read. Where an index is divided by a constant, the loop becomes two.
  /// `storedBytes` tells how many bytes of memory hold an element of a value
  /// (true: of a result, or of what it becomes), 0 if it is never stored: such
  /// an input is left out, such a result counts while it is being summed. What
  /// is read at computed indices is left out. Leaving out only weakens a lower
  /// bound.
  static Nest get(StructuredOp op,
                  llvm::function_ref<double(Value, bool)> storedBytes = nullptr,
                  const Sizes &sizes = {});
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_NEST_H
