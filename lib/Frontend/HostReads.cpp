//===- HostReads.cpp - Scalars that come from tensors ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar that is read from a tensor outside of bodies makes the host wait
// for the device. Where a body uses it, the body can read it itself; where it
// is an element of a map that is known, it need not be read.
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

bool isScalarArith(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         isPure(op) && op->getNumRegions() == 0 &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
}

/// The scalar computation of a captured value from elements of tensors.
struct ScalarSlice {
  static constexpr size_t maxOps = 32;
  SetVector<Operation *> ops; // operands first
  SetVector<Value> captures;
  bool readsTensor = false;

  bool add(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && ops.contains(op))
      return true;
    auto read = dyn_cast_or_null<tensor::ExtractOp>(op);
    if (!op || (!read && !isScalarArith(op))) {
      captures.insert(value);
      return true;
    }
    if (ops.size() >= maxOps)
      return false;
    for (Value operand : op->getOperands()) {
      if (isa<TensorType>(operand.getType()))
        captures.insert(operand);
      else if (!add(operand))
        return false;
    }
    readsTensor |= read != nullptr;
    ops.insert(op);
    return true;
  }
};

struct ReadInBody : OpInterfaceRewritePattern<StructuredOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StructuredOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isBufferized())
      return failure();
    for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
      if (isa<ShapedType>(capture.getType()))
        continue;
      ScalarSlice slice;
      if (!slice.add(capture) || !slice.readsTensor)
        continue;
      Block *body = op.getBody();
      BlockArgument arg = op.getCaptureArg(i);
      rewriter.modifyOpInPlace(op, [&] {
        IRMapping mapping;
        for (Value value : slice.captures) {
          op.getCapturesMutable().append(value);
          mapping.map(value,
                      body->addArgument(value.getType(), value.getLoc()));
        }
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(body);
        for (Operation *inner : slice.ops) {
          auto read = dyn_cast<tensor::ExtractOp>(inner);
          if (!read) {
            rewriter.clone(*inner, mapping);
            continue;
          }
          SmallVector<Value> indices =
              llvm::map_to_vector(read.getIndices(), [&](Value index) {
                return mapping.lookup(index);
              });
          mapping.map(read.getResult(),
                      rewriter.create<AtOp>(read.getLoc(), read.getType(),
                                            mapping.lookup(read.getTensor()),
                                            indices, Value()));
        }
        rewriter.replaceAllUsesWith(arg, mapping.lookup(capture));
        body->eraseArgument(arg.getArgNumber());
        op.getCapturesMutable().erase(i);
      });
      return success();
    }
    return failure();
  }
};

/// An element of a map of integers is computed where it is read, from elements
/// of the map's operands; so is any constant.
struct FoldExtractOfMap : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    auto map = op.getTensor().getDefiningOp<MapOp>();
    if (!map || !map.getSymbols().empty())
      return failure();
    Location loc = op.getLoc();
    unsigned r = cast<OpResult>(op.getTensor()).getResultNumber();
    Value yielded = map.getYield()->getOperand(r);
    if (Operation *def = yielded.getDefiningOp();
        def && def->hasTrait<OpTrait::ConstantLike>()) {
      rewriter.replaceOp(op, rewriter.clone(*def));
      return success();
    }
    if (!op.getType().isIntOrIndex() || map.getNumDims() != 0 ||
        !llvm::all_of(
            map.getBody()->without_terminator(), [](Operation &inner) {
              return isScalarArith(&inner) &&
                     llvm::all_of(inner.getResultTypes(), [](Type type) {
                       return type.isIntOrIndex();
                     });
            }))
      return failure();
    IRMapping mapping;
    for (auto [in, inMap, arg] : llvm::zip(map.getIns(), map.getInMapArray(),
                                           map.getBody()->getArguments())) {
      if (arg.use_empty())
        continue;
      auto indices = affine::expandAffineMap(rewriter, loc, inMap, {});
      mapping.map(arg, rewriter.create<tensor::ExtractOp>(loc, in, *indices));
    }
    for (auto [i, capture] : llvm::enumerate(map.getCaptures()))
      mapping.map(map.getCaptureArg(i), capture);
    for (Operation &inner : map.getBody()->without_terminator())
      rewriter.clone(inner, mapping);
    rewriter.replaceOp(op, mapping.lookup(yielded));
    return success();
  }
};

/// Reshapes of one element do not change it.
template <typename ReshapeOp>
struct FoldExtractOfReshape : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern<tensor::ExtractOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getTensor().getDefiningOp<ReshapeOp>();
    if (!reshape || !reshape.getResultType().hasStaticShape() ||
        reshape.getResultType().getNumElements() != 1)
      return failure();
    Value zero = rewriter.create<arith::ConstantIndexOp>(op.getLoc(), 0);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(
        op, reshape.getSrc(),
        SmallVector<Value>(reshape.getSrcType().getRank(), zero));
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateHostReads(RewritePatternSet &patterns) {
  patterns.add<ReadInBody, FoldExtractOfMap,
               FoldExtractOfReshape<tensor::ExpandShapeOp>,
               FoldExtractOfReshape<tensor::CollapseShapeOp>>(
      patterns.getContext());
}
