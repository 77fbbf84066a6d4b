//===- SliceBounds.cpp - Slices stay inside of their tensor ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceBounds.h"

#include "Import.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {
constexpr int64_t infinity = int64_t(1) << 60;
constexpr unsigned maxDepth = 12;

IndexRange hostRange(Value value, unsigned depth) {
  IndexRange all{-infinity, infinity};
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)) &&
      constant.getValue().getSignificantBits() <= 60)
    return {constant.getValue().getSExtValue(),
            constant.getValue().getSExtValue()};
  if (depth == 0)
    return all;
  auto operand = [&](Operation *op, unsigned i) {
    return hostRange(op->getOperand(i), depth - 1);
  };
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg != loop.getInductionVar())
      return all;
    int64_t first = hostRange(loop.getLowerBound(), depth - 1).min;
    int64_t last = hostRange(loop.getUpperBound(), depth - 1).max - 1;
    return {first, std::max(first, last)};
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> i = dim.getConstantIndex();
    if (type && i && *i >= 0 && *i < type.getRank() && !type.isDynamicDim(*i))
      return {type.getDimSize(*i), type.getDimSize(*i)};
    return {0, infinity};
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operand(op, 0);
  if (!isa<arith::MinSIOp, arith::MaxSIOp, arith::AddIOp, arith::SubIOp>(op))
    return all;
  IndexRange a = operand(op, 0), b = operand(op, 1);
  if (isa<arith::MinSIOp>(op))
    return {std::min(a.min, b.min), std::min(a.max, b.max)};
  if (isa<arith::MaxSIOp>(op))
    return {std::max(a.min, b.min), std::max(a.max, b.max)};
  // Sums may wrap where the operands are not known.
  IndexRange sum = isa<arith::AddIOp>(op)
                       ? IndexRange{a.min + b.min, a.max + b.max}
                       : IndexRange{a.min - b.max, a.max - b.min};
  int64_t limit =
      value.getType().isIndex()
          ? infinity
          : int64_t(1) << (std::min(value.getType().getIntOrFloatBitWidth(),
                                    60u) -
                           1);
  return sum.min > -limit && sum.max < limit ? sum : all;
}

IndexRange hostRange(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {*constant, *constant};
  return hostRange(cast<Value>(value), maxDepth);
}
} // namespace

IndexRange mlir::tang::detail::getHostRange(Value value) {
  return hostRange(value, maxDepth);
}

void mlir::tang::detail::checkSliceBounds(OpBuilder &b, Location loc,
                                          StringRef what, Value tensor,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes,
                                          ArrayRef<OpFoldResult> strides) {
  auto type = tensorType(tensor);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    IndexRange offset = hostRange(offsets[d]), size = hostRange(sizes[d]),
               stride = hostRange(strides[d]);
    bool bounded = offset.max < infinity && size.max < (int64_t(1) << 31) &&
                   stride.min >= 0 && stride.max < (int64_t(1) << 31);
    if (!type.isDynamicDim(d) && bounded && offset.min >= 0 && size.min >= 0 &&
        (size.max == 0 ||
         offset.max + (size.max - 1) * stride.max < type.getDimSize(d)))
      continue;
    // All of one dimension of the tensor itself.
    OpFoldResult whole = getSize(b, loc, tensor, d);
    if (isConstantIntValue(offsets[d], 0) && isConstantIntValue(strides[d], 1))
      if (auto value = dyn_cast<Value>(sizes[d]))
        if (auto dim = value.getDefiningOp<tensor::DimOp>())
          if (dim.getSource() == tensor && dim.getConstantIndex() == d)
            continue;
    Value first = toValue(b, loc, offsets[d]),
          count = toValue(b, loc, sizes[d]);
    Value one = b.create<arith::ConstantIndexOp>(loc, 1);
    Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
    Value steps = b.create<arith::SubIOp>(loc, count, one);
    Value span =
        b.create<arith::MulIOp>(loc, steps, toValue(b, loc, strides[d]));
    Value last = b.create<arith::AddIOp>(loc, first, span);
    auto compare = [&](arith::CmpIPredicate p, Value x, Value y) -> Value {
      return b.create<arith::CmpIOp>(loc, p, x, y);
    };
    using P = arith::CmpIPredicate;
    Value startsInside = compare(P::sge, first, zero);
    Value endsInside = compare(P::slt, last, toValue(b, loc, whole));
    Value empty = compare(P::eq, count, zero);
    Value notNegative = compare(P::sge, count, zero);
    Value inside = b.create<arith::OrIOp>(
        loc, empty, b.create<arith::AndIOp>(loc, startsInside, endsInside));
    inside = b.create<arith::AndIOp>(loc, inside, notNegative);
    b.create<cf::AssertOp>(
        loc, inside,
        (what + ": the slice along dimension " + Twine(d) + " is out of bounds")
            .str());
  }
}
