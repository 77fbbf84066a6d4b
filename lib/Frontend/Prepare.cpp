//===- Prepare.cpp - Structured control flow and plain arithmetic ---------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_IMPORTPREPARE
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// A switch is a chain of comparisons.
struct SwitchToIf : OpRewritePattern<scf::IndexSwitchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IndexSwitchOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    std::function<SmallVector<Value>(unsigned)> build =
        [&](unsigned c) -> SmallVector<Value> {
      auto move = [&](Block &block) {
        Operation *yield = block.getTerminator();
        SmallVector<Value> values = llvm::to_vector(yield->getOperands());
        rewriter.eraseOp(yield);
        rewriter.inlineBlockBefore(&block, rewriter.getInsertionBlock(),
                                   rewriter.getInsertionPoint());
        return values;
      };
      if (c == op.getNumCases())
        return move(op.getDefaultBlock());
      Value value =
          rewriter.create<arith::ConstantIndexOp>(loc, op.getCases()[c]);
      Value same = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                  op.getArg(), value);
      auto branch = rewriter.create<scf::IfOp>(loc, op.getResultTypes(), same,
                                               /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(rewriter);
      for (bool then : {true, false}) {
        Block *block = then ? branch.thenBlock() : branch.elseBlock();
        if (!block->empty()) // the implicit terminator
          rewriter.eraseOp(&block->back());
        rewriter.setInsertionPointToEnd(block);
        SmallVector<Value> values =
            then ? move(op.getCaseBlock(c)) : build(c + 1);
        rewriter.setInsertionPointToEnd(block);
        rewriter.create<scf::YieldOp>(loc, values);
      }
      return llvm::to_vector_of<Value>(branch.getResults());
    };
    rewriter.replaceOp(op, build(0));
    return success();
  }
};

/// The iterations of an scf.forall write disjoint slices of its shared outputs,
/// so that one after the other gives the same.
struct ForallToFor : OpRewritePattern<scf::ForallOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForallOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getNumResults() == 0)
      return failure();
    auto values = [&](ArrayRef<OpFoldResult> numbers) {
      return llvm::map_to_vector(numbers, [&](OpFoldResult number) {
        return getValueOrCreateConstantIndexOp(rewriter, loc, number);
      });
    };
    SmallVector<Value> lower = values(op.getMixedLowerBound());
    SmallVector<Value> upper = values(op.getMixedUpperBound());
    SmallVector<Value> step = values(op.getMixedStep());
    Block *body = op.getBody();
    scf::LoopNest nest = scf::buildLoopNest(
        rewriter, loc, lower, upper, step, op.getOutputs(),
        [&](OpBuilder &b, Location, ValueRange ivs, ValueRange outs) {
          IRMapping mapping;
          SmallVector<Value> args = llvm::to_vector(ivs);
          llvm::append_range(args, outs);
          mapping.map(body->getArguments(), args);
          for (Operation &inner : body->without_terminator())
            b.clone(inner, mapping);
          SmallVector<Value> state(outs);
          for (Operation &inner : op.getTerminator().getYieldingOps()) {
            auto insert = cast<tensor::ParallelInsertSliceOp>(inner);
            unsigned i = cast<BlockArgument>(insert.getDest()).getArgNumber() -
                         ivs.size();
            auto remap = [&](ArrayRef<OpFoldResult> numbers) {
              return llvm::map_to_vector(
                  numbers, [&](OpFoldResult number) -> OpFoldResult {
                    if (auto value = dyn_cast<Value>(number))
                      return mapping.lookupOrDefault(value);
                    return number;
                  });
            };
            state[i] = b.create<tensor::InsertSliceOp>(
                loc, mapping.lookupOrDefault(insert.getSource()), state[i],
                remap(insert.getMixedOffsets()), remap(insert.getMixedSizes()),
                remap(insert.getMixedStrides()));
          }
          return scf::ValueVector(state.begin(), state.end());
        });
    rewriter.replaceOp(op, nest.results);
    return success();
  }
};

/// A value that nothing may depend on is as good as zero.
struct PoisonToZero : OpRewritePattern<ub::PoisonOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ub::PoisonOp op,
                                PatternRewriter &rewriter) const override {
    if (auto tensor = dyn_cast<RankedTensorType>(op.getType());
        tensor && tensor.hasStaticShape()) {
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, tensor.getShape(),
                                                   tensor.getElementType());
      return success();
    }
    if (!op.getType().isIntOrIndexOrFloat())
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getZeroAttr(op.getType()));
    return success();
  }
};

struct ImportPreparePass
    : mlir::tang::impl::ImportPrepareBase<ImportPreparePass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createLowerAffinePass());
    pm.addPass(createLiftControlFlowToSCFPass());
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool hasAffine = false, hasBranches = false;
    module.walk([&](Operation *op) {
      hasAffine |= isa_and_nonnull<affine::AffineDialect>(op->getDialect());
      if (auto func = dyn_cast<func::FuncOp>(op))
        hasBranches |= !func.isExternal() && !func.getBody().hasOneBlock();
    });
    OpPassManager pm(ModuleOp::getOperationName());
    if (hasBranches)
      pm.addPass(createLiftControlFlowToSCFPass());
    if (hasAffine)
      pm.addPass(createLowerAffinePass());
    if (!pm.empty() && failed(runPipeline(pm, module)))
      return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    patterns.add<SwitchToIf, ForallToFor, PoisonToZero>(&getContext());
    scf::populateUpliftWhileToForPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(module, std::move(patterns), config);
  }
};

} // namespace
