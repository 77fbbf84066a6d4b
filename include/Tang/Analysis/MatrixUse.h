//===- MatrixUse.h - What of a kernel a matrix unit can do ------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of products of two 16-bit values, each of which has the summed
// dimension and one of its own, is a *contraction*. A kernel is fit for the
// matrix unit if all its contractions share one parallel dimension (its rows),
// what they read is laid out in memory so that boxes of it can be copied, and
// everything else in it is done row by row.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_MATRIXUSE_H
#define TANG_ANALYSIS_MATRIXUSE_H

#include "Tang/Analysis/KernelPlan.h"

namespace mlir::tang {

struct MatrixUse {
  struct Contraction {
    ReduceOp reduce;
    /// Kernel dimensions: what is summed, and each operand's own (rowOwn -1:
    /// none).
    int64_t depth, rowOwn, columnOwn;
    /// Whether the operand with rows is read from memory, or computed.
    bool rowsLoaded;
    /// Whether the operand with columns has these dense in memory (else what is
    /// summed), and the one with rows its rows.
    bool columnsDense, rowsDense;
    /// Whether its sum is finished within a step of the stream.
    bool local;
  };
  /// The rows; -1 where there is one row, which is no dimension: the rows of
  /// the matrix unit are then that row and others that nobody reads.
  int64_t rows, stream;
  /// The parallel dimension that columns of a result are shared out over; -1
  /// where they are an inner one.
  int64_t columns = -1;
  SmallVector<Contraction> contractions;

  /// Fails with the reason.
  static FailureOr<MatrixUse> get(KernelOp kernel, const KernelPlan &plan,
                                  std::string &why);
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_MATRIXUSE_H
