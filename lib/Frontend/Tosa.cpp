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
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

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

  /// Shapes, decompositions and broadcasts that the conversions rely on.
  static void buildPreparation(OpPassManager &pm) {
    OpPassManager &func = pm.nest<func::FuncOp>();
    func.addPass(tosa::createTosaOptionalDecompositionsPass());
    func.addPass(createCanonicalizerPass());
    func.addPass(tosa::createTosaInferShapesPass());
    func.addPass(tosa::createTosaMakeBroadcastablePass());
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    buildPreparation(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool found =
        module
            .walk([](Operation *op) {
              return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
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
    RewritePatternSet own(&getContext());
    populateTosa(own);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(module, std::move(own), config);
    OpPassManager pm(ModuleOp::getOperationName());
    buildPreparation(pm);
    if (failed(runPipeline(pm, module)))
      return signalPassFailure();
    convert(module);
  }

  /// All of upstream's patterns at once. Nothing is illegal, so that what they
  /// do not know stays and is reported like anything else that is left over.
  void convert(ModuleOp module) {
    TypeConverter converter;
    tosa::populateTosaTypeConversion(converter);
    RewritePatternSet patterns(&getContext());
    tosa::populateTosaToLinalgNamedConversionPatterns(converter, &patterns, {});
    tosa::populateTosaToLinalgConversionPatterns(converter, &patterns);
    tosa::populateTosaToTensorConversionPatterns(converter, &patterns);
    tosa::populateTosaToArithConversionPatterns(&patterns);
    tosa::populateTosaRescaleToArithConversionPatterns(&patterns,
                                                       /*include32Bit=*/false);
    tosa::populateTosaToSCFConversionPatterns(&patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect,
                           arith::ArithDialect, math::MathDialect,
                           scf::SCFDialect, index::IndexDialect, TangDialect,
                           func::FuncDialect, BuiltinDialect>();
    // Shapes are read by the patterns and dead afterwards.
    target.addLegalOp<tosa::ConstShapeOp>();
    (void)applyPartialConversion(module, target, std::move(patterns));
  }
};

} // namespace
