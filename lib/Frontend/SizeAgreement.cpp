//===- SizeAgreement.cpp - Dimensions of arguments that must be equal -----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeAgreement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::tang::detail;

SizeAgreement::Origin SizeAgreement::traceIndex(Value index) {
  IntegerAttr constant;
  if (matchPattern(index, m_Constant(&constant)))
    return constant.getInt();
  if (auto dim = index.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> i = dim.getConstantIndex())
      return trace(dim.getSource(), *i);
  return {};
}

/// The position of dynamic dimension `dim` among the dynamic ones.
static int64_t dynamicPosition(ShapedType type, int64_t dim) {
  return llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
}

SizeAgreement::Origin SizeAgreement::trace(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto arg = dyn_cast<BlockArgument>(tensor)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (isa_and_nonnull<func::FuncOp>(parent) && arg.getOwner()->isEntryBlock())
      return ArgumentDim(arg, dim);
    return {};
  }
  Operation *op = tensor.getDefiningOp();
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    return trace(dps.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  if (OpTrait::hasElementwiseMappableTraits(op))
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return trace(operand, dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return traceIndex(empty.getDynamicSizes()[dynamicPosition(type, dim)]);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return trace(cast.getSource(), dim);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return traceIndex(expand.getOutputShape()[dynamicPosition(type, dim)]);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (slice.getDroppedDims().any())
      return {};
    OpFoldResult size = slice.getMixedSizes()[dim];
    if (auto value = dyn_cast<Value>(size))
      return traceIndex(value);
    return {};
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    if (group.size() == 1)
      return trace(collapse.getSrc(), group.front());
  }
  return {};
}

bool SizeAgreement::add(Origin a, Origin b) {
  if (std::holds_alternative<int64_t>(a))
    std::swap(a, b);
  auto *argument = std::get_if<ArgumentDim>(&a);
  if (!argument)
    return false;
  if (auto *size = std::get_if<int64_t>(&b)) {
    fixed.insert({*argument, *size});
    return true;
  }
  auto *other = std::get_if<ArgumentDim>(&b);
  if (!other || *argument == *other ||
      argument->first.getOwner() != other->first.getOwner())
    return other != nullptr;
  auto key = [](const ArgumentDim &d) {
    return std::pair(d.first.getArgNumber(), d.second);
  };
  if (key(*other) < key(*argument))
    std::swap(*argument, *other);
  equal.insert({*argument, *other});
  return true;
}

void SizeAgreement::addEqual(Value a, int64_t dimA, Value b, int64_t dimB) {
  add(trace(a, dimA), trace(b, dimB));
}

bool SizeAgreement::addStatic(Value tensor, int64_t dim, int64_t size) {
  return add(trace(tensor, dim), Origin(size));
}

void SizeAgreement::addEqualShapes(ValueRange tensors) {
  for (Value other : tensors.drop_front(tensors.empty() ? 0 : 1))
    for (int64_t d = 0, e = cast<ShapedType>(other.getType()).getRank(); d < e;
         ++d)
      addEqual(tensors.front(), d, other, d);
}

void SizeAgreement::addLinalg(linalg::LinalgOp op) {
  SmallVector<std::pair<Value, int64_t>> first(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [r, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      auto &seen = first[dim.getPosition()];
      if (seen.first)
        addEqual(seen.first, seen.second, operand.get(), r);
      else
        seen = {operand.get(), static_cast<int64_t>(r)};
    }
  }
}

void SizeAgreement::emitChecks() {
  // Of a class of equal dimensions each is compared with the first.
  auto before = [](const ArgumentDim &a, const ArgumentDim &b) {
    return std::pair(a.first.getArgNumber(), a.second) <
           std::pair(b.first.getArgNumber(), b.second);
  };
  llvm::MapVector<ArgumentDim, ArgumentDim> firstOf;
  auto find = [&](ArgumentDim d) {
    for (auto *it = firstOf.find(d); it != firstOf.end(); it = firstOf.find(d))
      d = it->second;
    return d;
  };
  for (auto [a, b] : equal) {
    ArgumentDim rootA = find(a), rootB = find(b);
    if (rootA == rootB)
      continue;
    if (before(rootB, rootA))
      std::swap(rootA, rootB);
    firstOf.insert({rootB, rootA});
  }
  SmallVector<ArgumentDim> members;
  for (auto &entry : firstOf)
    members.push_back(entry.first);
  llvm::stable_sort(members, before);
  DenseMap<Block *, OpBuilder::InsertPoint> points;
  auto check = [&](const ArgumentDim &a, auto makeOther,
                   const std::string &message) {
    Block *entry = a.first.getOwner();
    OpBuilder builder(entry, entry->begin());
    if (auto it = points.find(entry); it != points.end())
      builder.restoreInsertionPoint(it->second);
    Location loc = a.first.getLoc();
    Value size = builder.create<tensor::DimOp>(loc, a.first, a.second);
    Value same = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               size, makeOther(builder, loc));
    builder.create<cf::AssertOp>(loc, same, message);
    points[entry] = builder.saveInsertionPoint();
  };
  auto name = [](const ArgumentDim &d) {
    return ("argument #" + Twine(d.first.getArgNumber()) + " dimension " +
            Twine(d.second))
        .str();
  };
  for (const ArgumentDim &member : members) {
    ArgumentDim first = find(member);
    check(
        member,
        [&](OpBuilder &builder, Location loc) -> Value {
          return builder.create<tensor::DimOp>(loc, first.first, first.second);
        },
        name(member) + " must equal " + name(first));
  }
  for (auto [a, size] : fixed)
    check(
        a,
        [size = size](OpBuilder &builder, Location loc) -> Value {
          return builder.create<arith::ConstantIndexOp>(loc, size);
        },
        name(a) + " must be " + std::to_string(size));
}
