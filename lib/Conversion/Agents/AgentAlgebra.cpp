//===- AgentAlgebra.cpp - Tiles in the form that agents want --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile's element costs every thread an instruction; a row's costs 1/32 of
// one. The laws, one a pattern, with their numeric effects:
//
//  - f(broadcast x, broadcast y) = broadcast f(x, y). None.
//  - select(c, x, x · a) = x · select(c, 1, a), c and a of a row. None.
//  - max(k · x) = k · max(x) for k > 0: rounding is monotone. None.
//  - x + Σ products, where Σ starts at 0, is Σ that starts at x: the sum is
//    associated otherwise, within the bound of the fold.
//  - exp(k · x - r) = 2^(x · (k log₂e) - r log₂e), the exponent in one rounding
//    where it had two. The rounding of r log₂e is a common factor of all terms
//    of one state: rescaling takes the difference of two such numbers, so it
//    cancels in what the state is divided by. Where r is no running bound, the
//    difference is taken first. 2^ is the hardware's (2 ulp, subnormal results
//    are 0).
//  - x / r = x · (1 / r), r of a row, where the result is rounded to 16 bits:
//  one
//    more rounding of f32 before. Differs where 1 / r overflows (|r| < 2^-128).
//
//===----------------------------------------------------------------------===//

#include "AgentAlgebra.h"

#include "Contraction.h"
#include "StepBounds.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::tang;

static constexpr float kLog2E = 1.4426950408889634f;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static Value splat(OpBuilder &b, Location loc, float value, Type like) {
  auto type = cast<VectorType>(like);
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, b.getF32FloatAttr(value)));
}

/// The value of a constant tile.
static std::optional<float> splatOf(Value tile) {
  APFloat value(0.0f);
  if (!getElementTypeOrSelf(tile.getType()).isF32())
    return std::nullopt;
  while (auto broadcast = tile.getDefiningOp<vector::BroadcastOp>())
    tile = broadcast.getSource();
  if (matchPattern(tile, m_ConstantFloat(&value)))
    return value.convertToFloat();
  return std::nullopt;
}

/// What a tile was broadcast from: another tile, with fewer positions.
static Value smaller(Value tile) {
  auto broadcast = tile.getDefiningOp<vector::BroadcastOp>();
  return broadcast && isa<VectorType>(broadcast.getSource().getType())
             ? broadcast.getSource()
             : Value();
}

/// k and x of k · x, k > 0 and finite.
static std::pair<float, Value> scaled(Value tile) {
  if (auto product = tile.getDefiningOp<arith::MulFOp>())
    for (int i : {0, 1})
      if (std::optional<float> k = splatOf(product->getOperand(i)))
        if (*k > 0 && std::isfinite(*k))
          return {*k, product->getOperand(1 - i)};
  return {1, {}};
}

/// k and x of k · x, or of a select between that and -∞, in which case x is
/// selected likewise.
static std::pair<float, Value> scaledOrMasked(OpBuilder &b, Location loc,
                                              Value tile) {
  if (auto [k, x] = scaled(tile); x)
    return {k, x};
  auto select = tile.getDefiningOp<arith::SelectOp>();
  if (!select || splatOf(select.getFalseValue()) !=
                     -std::numeric_limits<float>::infinity())
    return {1, {}};
  auto [k, x] = scaled(select.getTrueValue());
  if (!x)
    return {1, {}};
  return {k, b.create<arith::SelectOp>(loc, select.getCondition(), x,
                                       select.getFalseValue())};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Registers keep every tile: nothing is computed twice.
struct DropKeep : OpRewritePattern<KeepOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KeepOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getValue());
    return success();
  }
};

struct HoistBroadcasts : RewritePattern {
  explicit HoistBroadcasts(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1 || op->getNumOperands() == 0 ||
        !isa<VectorType>(op->getResult(0).getType()))
      return failure();
    ArrayRef<int64_t> shape;
    for (Value operand : op->getOperands())
      if (Value source = smaller(operand)) {
        auto type = cast<VectorType>(source.getType());
        if (!shape.empty() && shape != type.getShape())
          return failure();
        shape = type.getShape();
      } else if (DenseElementsAttr attr;
                 !matchPattern(operand, m_Constant(&attr)) || !attr.isSplat()) {
        return failure();
      }
    if (shape.empty())
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (Value source = smaller(operand)) {
        operands.push_back(source);
        continue;
      }
      DenseElementsAttr attr;
      matchPattern(operand, m_Constant(&attr));
      operands.push_back(rewriter.create<arith::ConstantOp>(
          op->getLoc(),
          attr.resizeSplat(VectorType::get(shape, attr.getElementType()))));
    }
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    auto type = cast<VectorType>(op->getResult(0).getType());
    state.addTypes(VectorType::get(shape, type.getElementType()));
    state.addAttributes(op->getAttrs());
    Operation *small = rewriter.create(state);
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type,
                                                     small->getResult(0));
    return success();
  }
};

struct ScaleByRow : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getFalseValue().getDefiningOp<arith::MulFOp>();
    Value condition = smaller(op.getCondition());
    if (!product || !condition)
      return failure();
    for (int i : {0, 1}) {
      Value factor = smaller(product->getOperand(i));
      if (!factor || product->getOperand(1 - i) != op.getTrueValue() ||
          cast<VectorType>(factor.getType()).getShape() !=
              cast<VectorType>(condition.getType()).getShape())
        continue;
      Value row = rewriter.create<arith::SelectOp>(
          op.getLoc(), condition,
          splat(rewriter, op.getLoc(), 1, factor.getType()), factor);
      Value wide =
          rewriter.create<vector::BroadcastOp>(op.getLoc(), op.getType(), row);
      rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getTrueValue(), wide);
      return success();
    }
    return failure();
  }
};

struct MaximumOfScaled : OpRewritePattern<FoldOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FoldOp op,
                                PatternRewriter &rewriter) const override {
    auto monoid = dyn_cast<MonoidAttr>(op.getMonoid());
    if (!monoid || monoid.getKind() != MonoidKind::Maximum ||
        op.getValues().size() != 1 ||
        !getElementTypeOrSelf(op.getAccs().front()).isF32())
      return failure();
    Location loc = op.getLoc();
    auto [k, x] = scaledOrMasked(rewriter, loc, op.getValues().front());
    if (!x)
      return failure();
    Value acc = op.getAccs().front();
    Value start = splat(rewriter, loc, -std::numeric_limits<float>::infinity(),
                        acc.getType());
    Value greatest =
        rewriter
            .create<FoldOp>(loc, op.getResultTypes(), op.getMonoid(),
                            op.getDimsAttr(), ValueRange{x}, ValueRange{start},
                            op.getCounts())
            .getResult(0);
    Value scaledBack = rewriter.create<arith::MulFOp>(
        loc, greatest, splat(rewriter, loc, k, acc.getType()));
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, acc, scaledBack);
    return success();
  }
};

struct SumIntoAccumulator : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    for (int i : {0, 1}) {
      auto fold = op->getOperand(i).getDefiningOp<FoldOp>();
      if (!fold || !fold->hasOneUse() || !matchContraction(fold) ||
          !matchPattern(fold.getAccs().front(), m_AnyZeroFloat()))
        continue;
      rewriter.replaceOpWithNewOp<FoldOp>(
          op, fold.getResultTypes(), fold.getMonoid(), fold.getDimsAttr(),
          fold.getValues(), ValueRange{op->getOperand(1 - i)},
          fold.getCounts());
      return success();
    }
    return failure();
  }
};

struct ExponentOfBase2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
    if (!type || !type.getElementType().isF32() || !difference)
      return failure();
    Location loc = op.getLoc();
    Value x = difference.getLhs(), r = smaller(difference.getRhs());
    auto inBits = [&](Value value) -> Value {
      return rewriter.create<arith::MulFOp>(
          loc, value, splat(rewriter, loc, kLog2E, value.getType()));
    };
    if (!isRunningBound(difference.getRhs())) {
      // Nothing would cancel the rounding of r · log₂e.
      rewriter.replaceOpWithNewOp<math::Exp2Op>(op, inBits(difference));
      return success();
    }
    if (!r) {
      // Two bounds: the difference of what each is elsewhere.
      Value exponent = rewriter.create<arith::SubFOp>(
          loc, inBits(x), inBits(difference.getRhs()));
      rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
      return success();
    }
    float k = 1;
    if (auto [factor, unscaled] = scaledOrMasked(rewriter, loc, x); unscaled) {
      k = factor;
      x = unscaled;
    }
    Value minus = rewriter.create<arith::NegFOp>(loc, inBits(r));
    Value wide = rewriter.create<vector::BroadcastOp>(loc, type, minus);
    Value exponent = rewriter.create<math::FmaOp>(
        loc, x, splat(rewriter, loc, k * kLog2E, type), wide);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
  }
};

struct DivideByRow : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Value row = smaller(op.getRhs());
    if (!row || !getElementTypeOrSelf(op.getType()).isF32() ||
        !llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<arith::TruncFOp>(user) &&
                 getElementTypeOrSelf(user->getResult(0).getType())
                         .getIntOrFloatBitWidth() == 16;
        }))
      return failure();
    Value inverse = rewriter.create<arith::DivFOp>(
        op.getLoc(), splat(rewriter, op.getLoc(), 1, row.getType()), row);
    Value wide = rewriter.create<vector::BroadcastOp>(op.getLoc(), op.getType(),
                                                      inverse);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), wide);
    return success();
  }
};
} // namespace

/// What every step of a stream loads from the same place is loaded before it. A
/// kernel does not read what it writes.
static void hoistLoads(gpu::GPUFuncOp kernel) {
  kernel.walk([](LoadOp load) {
    while (auto stream = dyn_cast<StreamOp>(load->getParentOp())) {
      if (!llvm::all_of(load->getOperands(), [&](Value operand) {
            return !stream->isAncestor(operand.getParentBlock()->getParentOp());
          }))
        return;
      load->moveBefore(stream);
    }
  });
}

void mlir::tang::simplifyForAgents(gpu::GPUFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  patterns.add<DropKeep, HoistBroadcasts, ScaleByRow, MaximumOfScaled,
               SumIntoAccumulator, ExponentOfBase2, DivideByRow>(context);
  (void)applyPatternsGreedily(kernel, std::move(patterns));
  IRRewriter rewriter(context);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  hoistLoads(kernel);
}
