//===- Work.h - What must be moved and computed -----------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least work that the algorithm written down needs, by the unit that does
// it: each distinct value of a body is computed once, over the dimensions that
// it depends on, however many folds want it. These are floors of the algorithm,
// not of the function: another algorithm may need less.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_FLOOR_WORK_H
#define TANG_ANALYSIS_FLOOR_WORK_H

#include "Tang/Analysis/Traffic.h"

namespace mlir::tang {

struct Work {
  /// From and to memory, each distinct byte once. Of tensors read at computed
  /// indices the expected number of distinct ones, if these are uniform.
  Count bytesRead, bytesWritten;
  /// Flops of sums of products of two inputs, by the narrower factor's type:
  /// what a matrix unit takes. A product and its addition count as two.
  std::map<std::string, Count> contraction;
  /// Other operations on floats, by type.
  std::map<std::string, Count> arithmetic;
  /// Exponentials, logarithms, roots, sines and their like.
  Count special;
  /// Operations on integers that are not indices.
  Count integer;
  /// The share of points that a mask of index comparisons leaves; those that
  /// it does not leave count nowhere.
  double live = 1;

  Count bytes() const { return bytesRead + bytesWritten; }

  static Work get(KernelOp kernel, const Sizes &sizes = {});
  static Work get(StructuredOp op, const Sizes &sizes = {});
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_FLOOR_WORK_H
