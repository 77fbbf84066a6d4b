//===- SizeAgreement.h - Dimensions of arguments that must be equal -*- C++
//-*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frontend knows that two dynamic dimensions are one symbol; the module only
// shows it by using both in one operation, whose behaviour is undefined if they
// differ. Here every such pair of dimensions of function arguments is found
// once and checked when the function is called.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_SIZEAGREEMENT_H
#define TANG_LIB_FRONTEND_SIZEAGREEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <variant>

namespace mlir::tang::detail {

class SizeAgreement {
public:
  /// The dimensions that the operands of `op` must agree in.
  void addLinalg(linalg::LinalgOp op);
  /// All of `tensors` must have one shape.
  void addEqualShapes(ValueRange tensors);
  /// Dimension `dim` of `tensor` must be `size`; false if that is not known to
  /// be a dimension of an argument, so that the check is the caller's.
  bool addStatic(Value tensor, int64_t dim, int64_t size);
  void addEqual(Value a, int64_t dimA, Value b, int64_t dimB);

  /// Makes the checks, each at the entry of its function.
  void emitChecks();

private:
  /// A dimension of an argument of a function's entry block.
  using ArgumentDim = std::pair<BlockArgument, int64_t>;
  /// The argument's dimension that a size is, or a constant.
  using Origin = std::variant<std::monostate, ArgumentDim, int64_t>;
  static Origin trace(Value tensor, int64_t dim);
  static Origin traceIndex(Value index);
  bool add(Origin a, Origin b);

  SetVector<std::pair<ArgumentDim, ArgumentDim>> equal;
  SetVector<std::pair<ArgumentDim, int64_t>> fixed;
};

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_SIZEAGREEMENT_H
