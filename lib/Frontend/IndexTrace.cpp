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
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {
/// Arithmetic that saturates far beyond any index.
constexpr int64_t infinity = int64_t(1) << 60;
int64_t saturate(__int128 value) {
  return static_cast<int64_t>(std::clamp<__int128>(value, -infinity, infinity));
}
} // namespace

IndexRange mlir::tang::detail::getRange(AffineExpr expr,
                                        ArrayRef<int64_t> domain) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= domain.size() ||
        ShapedType::isDynamic(domain[dim.getPosition()]))
      return {0, infinity};
    return {0, std::max<int64_t>(domain[dim.getPosition()] - 1, 0)};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {-infinity, infinity};
  IndexRange a = getRange(binary.getLHS(), domain);
  IndexRange b = getRange(binary.getRHS(), domain);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {saturate(__int128(a.min) + b.min),
            saturate(__int128(a.max) + b.max)};
  case AffineExprKind::Mul: {
    int64_t corners[] = {
        saturate(__int128(a.min) * b.min), saturate(__int128(a.min) * b.max),
        saturate(__int128(a.max) * b.min), saturate(__int128(a.max) * b.max)};
    return {*std::min_element(corners, corners + 4),
            *std::max_element(corners, corners + 4)};
  }
  case AffineExprKind::Mod:
    if (b.min == b.max && b.min > 0)
      return a.min >= 0 && a.max < b.min ? a : IndexRange{0, b.min - 1};
    break;
  case AffineExprKind::FloorDiv:
    if (b.min == b.max && b.min > 0)
      return {llvm::divideFloorSigned(a.min, b.min),
              llvm::divideFloorSigned(a.max, b.min)};
    break;
  default:
    break;
  }
  return {-infinity, infinity};
}

AffineExpr IndexTracer::trace(Value value) const {
  MLIRContext *context = value.getContext();
  if (!value.getType().isIntOrIndex())
    return {};
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getValue().getSignificantBits() <= 64
               ? getAffineConstantExpr(constant.getValue().getSExtValue(),
                                       context)
               : AffineExpr();
  if (getLeaf)
    if (AffineExpr leaf = getLeaf(value))
      return leaf;
  if (isa<BlockArgument>(value)) {
    std::optional<ElementRead> read = getRead ? getRead(value) : std::nullopt;
    return read ? traceElement(read->tensor, read->map.getResults())
                : AffineExpr();
  }
  return traceOp(value.getDefiningOp());
}

AffineExpr IndexTracer::traceOp(Operation *op) const {
  MLIRContext *context = op->getContext();
  if (auto index = dyn_cast<IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return op->getOperand(0).getType().isInteger(1) ? AffineExpr()
                                                    : trace(op->getOperand(0));
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      !isa<arith::ArithDialect>(op->getDialect()) || isa<arith::CmpIOp>(op))
    return {};
  AffineExpr a = trace(op->getOperand(0));
  AffineExpr b = a ? trace(op->getOperand(1)) : AffineExpr();
  if (!a || !b)
    return {};
  IndexRange rangeA = getRange(a, domain), rangeB = getRange(b, domain);
  auto constant = dyn_cast<AffineConstantExpr>(b);
  // Narrow quotients of sums that have wrapped would be wrong.
  bool wide = op->getResult(0).getType().isIndex() ||
              op->getResult(0).getType().isInteger(64);
  bool divides = constant && constant.getValue() > 0 && wide;
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) {
        return constant || isa<AffineConstantExpr>(a) ? a * b : AffineExpr();
      })
      .Case([&](arith::FloorDivSIOp) {
        return divides ? a.floorDiv(b) : AffineExpr();
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) {
        return divides && rangeA.min >= 0 ? a.floorDiv(b) : AffineExpr();
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) {
        return divides && rangeA.min >= 0 ? a % b : AffineExpr();
      })
      .Case([&](arith::MinSIOp) {
        return rangeA.max <= rangeB.min   ? a
               : rangeB.max <= rangeA.min ? b
                                          : AffineExpr();
      })
      .Case([&](arith::MaxSIOp) {
        return rangeA.min >= rangeB.max   ? a
               : rangeB.min >= rangeA.max ? b
                                          : AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}

static AffineExpr resolve(AffineExpr expr, ArrayRef<int64_t> domain) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() < domain.size() && domain[dim.getPosition()] == 1
               ? getAffineConstantExpr(0, expr.getContext())
               : expr;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr a = resolve(binary.getLHS(), domain);
  AffineExpr b = resolve(binary.getRHS(), domain);
  AffineExpr result = getAffineBinaryOpExpr(expr.getKind(), a, b);
  auto constant = dyn_cast<AffineConstantExpr>(b);
  bool divides = expr.getKind() == AffineExprKind::Mod ||
                 expr.getKind() == AffineExprKind::FloorDiv;
  if (!divides || !constant || constant.getValue() <= 0)
    return result;
  // (c·x + y) with 0 ≤ y < c is x times c, and rest y.
  int64_t c = constant.getValue();
  SmallVector<AffineExpr> terms{a};
  AffineExpr multiple = getAffineConstantExpr(0, expr.getContext());
  AffineExpr rest = multiple;
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    auto sum = dyn_cast<AffineBinaryOpExpr>(term);
    if (sum && sum.getKind() == AffineExprKind::Add) {
      terms.push_back(sum.getRHS());
      terms.push_back(sum.getLHS());
    } else if (term.isMultipleOf(c)) {
      multiple = multiple + term;
    } else {
      rest = rest + term;
    }
  }
  IndexRange range = getRange(rest, domain);
  if (range.min < 0 || range.max >= c)
    return result;
  return expr.getKind() == AffineExprKind::Mod ? rest : multiple.floorDiv(c);
}

AffineExpr mlir::tang::detail::simplifyIndex(AffineExpr expr,
                                             ArrayRef<int64_t> domain) {
  unsigned numSymbols = 0;
  expr.walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      numSymbols = std::max(numSymbols, symbol.getPosition() + 1);
  });
  return simplifyAffineExpr(resolve(expr, domain), domain.size(), numSymbols);
}

SmallVector<AffineExpr>
mlir::tang::detail::throughReshape(ArrayRef<ReassociationIndices> groups,
                                   ShapedType finer, bool toFiner,
                                   ArrayRef<AffineExpr> indices) {
  SmallVector<AffineExpr> result;
  // From and to rank 0 there are no groups, and all sizes are 1.
  if (groups.empty() && toFiner) {
    result.assign(finer.getRank(),
                  getAffineConstantExpr(0, finer.getContext()));
    return result;
  }
  for (auto [g, group] : llvm::enumerate(groups)) {
    if (!toFiner) { // The index into the coarser shape is the linear one.
      AffineExpr linear;
      for (int64_t d : group)
        linear =
            linear ? linear * finer.getDimSize(d) + indices[d] : indices[d];
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

AffineExpr mlir::tang::detail::traceElement(Value tensor,
                                            ArrayRef<AffineExpr> indices) {
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
                              throughReshape(expand.getReassociationIndices(),
                                             finer,
                                             /*toFiner=*/false, indices))
               : AffineExpr();
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto finer = collapse.getSrcType();
    return finer.hasStaticShape()
               ? traceElement(collapse.getSrc(),
                              throughReshape(collapse.getReassociationIndices(),
                                             finer,
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
  } else if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
    AffineMap outMap = generic.getIndexingMapMatchingResult(result);
    if (generic.getNumReductionLoops() != 0 || !outMap.isPermutation())
      return {};
    body = generic.getBlock();
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
  IndexTracer tracer;
  tracer.getRead = getRead;
  AffineExpr expr =
      tracer.trace(body->getTerminator()->getOperand(result.getResultNumber()));
  return expr ? expr.replaceDims(dims) : AffineExpr();
}

bool mlir::tang::detail::growsAlong(AffineExpr expr, ArrayRef<int64_t> dims,
                                    ArrayRef<int64_t> sizes, unsigned numDims) {
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
