//===- Pipeline.cpp - The order of the import -----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Frontend/Import.h"

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tang;

void mlir::tang::buildImportPipeline(OpPassManager &pm,
                                     const ImportOptions &options) {
  // One module of one kind of function, without calls.
  pm.addPass(createImportCheck({options.allowPartial}));
  pm.addPass(
      createInlinerPass(/*opPipelines=*/{},
                        /*defaultPipelineBuilder=*/[](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());

  // To the graph stage.
  pm.addPass(createImportTosa());
  pm.addPass(createImportPrepare());
  pm.addPass(createImportConvert({options.allowPartial}));

  // Clean, then what is easier to see in a clean module.
  auto clean = [&] {
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  };
  clean();
  pm.addPass(createImportSimplify());
  pm.addPass(memref::createResolveShapedTypeResultDimsPass());
  pm.addPass(createLowerAffinePass());
  clean();
  pm.addPass(createRaiseScan());
  clean();
  pm.addPass(createSymbolDCEPass());
}

void mlir::tang::registerFrontendPasses() {
  registerTangFrontendPasses();
  PassPipelineRegistration<ImportOptions>(
      "tang-import",
      "Imports linalg, tensor, arith, TOSA and scf into the tang dialect",
      buildImportPipeline);
}
