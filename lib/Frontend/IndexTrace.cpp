//===- IndexTrace.cpp - Values that are affine in the domain's indices ----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexTrace.h"

#include "Tang/Dialect/TangDialect.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

AffineExpr mlir::tang::detail::traceIndex(
    Value value, function_ref<std::optional<ElementRead>(Value)> getRead) {
  MLIRContext *context = value.getContext();
  if (!value.getType().isIntOrIndex())
    return {};
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getValue().getSignificantBits() <= 64
               ? getAffineConstantExpr(constant.getValue().getSExtValue(),
                                       context)
               : AffineExpr();
  if (isa<BlockArgument>(value)) {
    if (!getRead)
      return {};
    std::optional<ElementRead> read = getRead(value);
    return read ? traceElement(read->tensor, read->map.getResults())
                : AffineExpr();
  }
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return op->getOperand(0).getType().isInteger(1)
               ? AffineExpr()
               : traceIndex(op->getOperand(0), getRead);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  AffineExpr a = traceIndex(op->getOperand(0), getRead);
  AffineExpr b = a ? traceIndex(op->getOperand(1), getRead) : AffineExpr();
  if (!a || !b)
    return {};
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b))
    return a * b;
  return {};
}

/// The indices into the source of a reshape between static shapes.
static SmallVector<AffineExpr>
throughReshape(ArrayRef<ReassociationIndices> groups, ShapedType finer,
               bool toFiner, ArrayRef<AffineExpr> indices) {
  SmallVector<AffineExpr> result;
  for (auto [g, group] : llvm::enumerate(groups)) {
    if (!toFiner) { // The index into the coarser shape is the linear one.
      AffineExpr linear;
      for (int64_t d : group)
        linear = linear ? linear * finer.getDimSize(d) + indices[d]
                        : indices[d];
      result.push_back(linear);
      continue;
    }
    SmallVector<AffineExpr> parts;
    AffineExpr rest = indices[g];
    for (int64_t d : llvm::reverse(group)) {
      bool outermost = d == group.front();
      parts.push_back(outermost ? rest : rest % finer.getDimSize(d));
      if (!outermost)
        rest = rest.floorDiv(finer.getDimSize(d));
    }
    result.append(parts.rbegin(), parts.rend());
  }
  return result;
}

AffineExpr
mlir::tang::detail::traceElement(Value tensor, ArrayRef<AffineExpr> indices) {
  MLIRContext *context = tensor.getContext();
  DenseIntElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense))) {
    if (!dense.getElementType().isIntOrIndex() || dense.empty() ||
        dense.getNumElements() > 65536)
      return {};
    auto values = dense.getValues<APInt>();
    int64_t first = (*values.begin()).getSExtValue();
    if (dense.isSplat())
      return getAffineConstantExpr(first, context);
    // One dimension in which the values are an arithmetic sequence.
    std::optional<size_t> along;
    for (auto [d, size] : llvm::enumerate(dense.getType().getShape()))
      if (size != 1) {
        if (along)
          return {};
        along = d;
      }
    int64_t step = values[1].getSExtValue() - first;
    for (auto [i, value] : llvm::enumerate(values))
      if (value.getSExtValue() != first + static_cast<int64_t>(i) * step)
        return {};
    return indices[*along] * step + first;
  }
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto finer = expand.getResultType();
    return finer.hasStaticShape()
               ? traceElement(expand.getSrc(),
                              throughReshape(
                                  expand.getReassociationIndices(), finer,
                                  /*toFiner=*/false, indices))
               : AffineExpr();
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto finer = collapse.getSrcType();
    return finer.hasStaticShape()
               ? traceElement(collapse.getSrc(),
                              throughReshape(
                                  collapse.getReassociationIndices(), finer,
                                  /*toFiner=*/true, indices))
               : AffineExpr();
  }
  Block *body = nullptr;
  SmallVector<ElementRead> reads;
  SmallVector<AffineExpr> dims(indices);
  unsigned numSymbols = 0;
  if (auto map = dyn_cast<MapOp>(op)) {
    body = map.getBody();
    numSymbols = map.getSymbols().size();
    for (auto [in, inMap] : llvm::zip(map.getIns(), map.getInMapArray()))
      reads.push_back({in, inMap});
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    AffineMap outMap = generic.getMatchingIndexingMap(
        generic.getDpsInitOperand(result.getResultNumber()));
    if (generic.getNumReductionLoops() != 0 || !outMap.isPermutation())
      return {};
    body = generic.getBody();
    for (auto [r, expr] : llvm::enumerate(outMap.getResults()))
      dims[cast<AffineDimExpr>(expr).getPosition()] = indices[r];
    for (OpOperand *in : generic.getDpsInputOperands())
      reads.push_back({in->get(), generic.getMatchingIndexingMap(in)});
  } else {
    return {};
  }
  if (numSymbols != 0)
    return {};
  auto getRead = [&](Value arg) -> std::optional<ElementRead> {
    unsigned i = cast<BlockArgument>(arg).getArgNumber();
    if (cast<BlockArgument>(arg).getOwner() != body || i >= reads.size() ||
        !isa<RankedTensorType>(reads[i].tensor.getType()))
      return std::nullopt;
    return reads[i];
  };
  AffineExpr expr =
      traceIndex(body->getTerminator()->getOperand(result.getResultNumber()),
                 getRead);
  return expr ? expr.replaceDims(dims) : AffineExpr();
}

bool mlir::tang::detail::growsAlong(AffineExpr expr, ArrayRef<int64_t> dims,
                                    ArrayRef<int64_t> sizes,
                                    unsigned numDims) {
  expr = simplifyAffineExpr(expr, numDims, 0);
  SmallVector<int64_t> flat;
  FlatLinearConstraints locals;
  if (failed(getFlattenedAffineExpr(expr, numDims, 0, &flat, &locals)) ||
      flat.size() != numDims + 1)
    return false;
  if (llvm::any_of(flat, [](int64_t c) { return c < 0; }))
    return false;
  // Innermost first: each step must outweigh all that the inner ones add up to.
  int64_t inner = 0;
  for (int64_t dim : llvm::reverse(dims)) {
    if (inner < 0 || flat[dim] <= inner)
      return false;
    int64_t size = sizes[dim];
    inner = ShapedType::isDynamic(size) || size > (int64_t(1) << 40) ||
                    flat[dim] > (int64_t(1) << 20)
                ? -1
                : inner + flat[dim] * std::max<int64_t>(size - 1, 0);
  }
  return true;
}
