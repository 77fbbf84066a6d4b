//===- Contraction.h - Folds that a matrix unit can do ----------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum along one dimension of products of two tiles, each of which has that
// dimension and one of its own, is a contraction, whatever it is part of.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_CONTRACTION_H
#define TANG_LIB_CONVERSION_AGENTS_CONTRACTION_H

#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang {

struct Contraction {
  FoldOp fold;
  /// The narrow tiles that are multiplied, before they are widened and
  /// broadcast.
  Value lhs, rhs;
  /// The dimension of its own that each has (-1: none, at most for one), and
  /// the one that is summed.
  int64_t lhsDim, rhsDim, depthDim;

  Value getAcc() const { return FoldOp(fold).getAccs().front(); }
  Value getResult() const { return FoldOp(fold).getResult(0); }
  /// The operations between the operands and the fold.
  SmallVector<Operation *> getProduct() const;
};

/// The contraction that a fold is, if it is one of 16-bit floats into f32.
std::optional<Contraction> matchContraction(FoldOp fold);

/// Dimensions of a tile with more than one position.
SmallVector<int64_t> getExtent(Value tile);

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_CONTRACTION_H
