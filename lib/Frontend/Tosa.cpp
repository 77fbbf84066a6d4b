//===- Tosa.cpp - TOSA by upstream's conversions --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tosa.h"

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tang {
#define GEN_PASS_DEF_IMPORTTOSA
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

struct ImportTosaPass : mlir::tang::impl::ImportTosaBase<ImportTosaPass> {
  using Base::Base;

  static void build(OpPassManager &pm) {
    OpPassManager &func = pm.nest<func::FuncOp>();
    // Control flow first: the conversion to linalg refuses what is in it.
    func.addPass(createTosaToSCFPass());
    func.addPass(tosa::createTosaInferShapesPass());
    func.addPass(tosa::createTosaMakeBroadcastablePass());
    tosa::addTosaToLinalgPasses(pm, TosaToLinalgOptions(),
                                TosaToLinalgNamedOptions(), std::nullopt);
    OpPassManager &rest = pm.nest<func::FuncOp>();
    rest.addPass(createTosaToArithPass({/*includeApplyRescale=*/true,
                                        /*use32Bit=*/false}));
    rest.addPass(createTosaToTensorPass());
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool found = module
                     .walk([](Operation *op) {
                       return isa_and_nonnull<tosa::TosaDialect>(
                                  op->getDialect())
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
    if (!found)
      return;
    OpPassManager infer(ModuleOp::getOperationName());
    infer.nest<func::FuncOp>().addPass(tosa::createTosaInferShapesPass());
    if (failed(runPipeline(infer, module)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateTosa(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(module, std::move(patterns), config);
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm);
    if (failed(runPipeline(pm, module)))
      signalPassFailure();
  }
};

} // namespace
