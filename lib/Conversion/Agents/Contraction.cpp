//===- Contraction.cpp - Folds that a matrix unit can do ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tang;

SmallVector<int64_t> mlir::tang::getExtent(Value tile) {
  SmallVector<int64_t> dims;
  for (auto [d, size] :
       llvm::enumerate(cast<VectorType>(tile.getType()).getShape()))
    if (size > 1)
      dims.push_back(d);
  return dims;
}

/// The narrow tile that a factor widens and broadcasts.
static Value getNarrow(Value factor) {
  while (auto broadcast = factor.getDefiningOp<vector::BroadcastOp>())
    factor = broadcast.getSource();
  auto extend = factor.getDefiningOp<arith::ExtFOp>();
  if (!extend)
    return {};
  factor = extend.getIn();
  while (auto broadcast = factor.getDefiningOp<vector::BroadcastOp>())
    factor = broadcast.getSource();
  auto type = dyn_cast<VectorType>(factor.getType());
  if (!type ||
      !(type.getElementType().isBF16() || type.getElementType().isF16()))
    return {};
  return factor;
}

std::optional<Contraction> mlir::tang::matchContraction(FoldOp fold) {
  auto monoid = dyn_cast<MonoidAttr>(fold.getMonoid());
  if (!monoid || monoid.getKind() != MonoidKind::Add ||
      fold.getValues().size() != 1 ||
      !getElementTypeOrSelf(fold.getAccs().front()).isF32())
    return std::nullopt;
  auto product = fold.getValues().front().getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  SmallVector<int64_t> along;
  for (int64_t d : fold.getDims())
    if (cast<VectorType>(product.getType()).getDimSize(d) > 1)
      along.push_back(d);
  Contraction c{
      fold, getNarrow(product.getLhs()), getNarrow(product.getRhs()), -1, -1,
      -1};
  if (along.size() != 1 || !c.lhs || !c.rhs ||
      getElementTypeOrSelf(c.lhs) != getElementTypeOrSelf(c.rhs))
    return std::nullopt;
  c.depthDim = along.front();
  for (auto [tile, own] : {std::pair<Value, int64_t *>(c.lhs, &c.lhsDim),
                           std::pair<Value, int64_t *>(c.rhs, &c.rhsDim)}) {
    SmallVector<int64_t> dims = getExtent(tile);
    if (!llvm::is_contained(dims, c.depthDim) || dims.size() > 2)
      return std::nullopt;
    for (int64_t d : dims)
      if (d != c.depthDim)
        *own = d;
  }
  if (c.lhsDim == c.rhsDim)
    return std::nullopt;
  return c;
}

SmallVector<Operation *> Contraction::getProduct() const {
  SmallVector<Operation *> ops;
  SmallVector<Value> work{FoldOp(fold).getValues().front()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || value == lhs || value == rhs)
      continue;
    ops.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
  return ops;
}
