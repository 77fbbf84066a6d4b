//===- InitAll.cpp - Everything that Tang registers -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/InitAll.h"

#include "Tang/Conversion/EmulateTypes.h"
#include "Tang/Conversion/KernelLegalize.h"
#include "Tang/Conversion/TileToKernel.h"
#include "Tang/Conversion/WarpSpecialize.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Import.h"
#include "Tang/Pipelines/Pipelines.h"
#include "Tang/Target/Reference.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;

void tang::registerTangDialects(DialectRegistry &registry) {
  registry.insert<TangDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

void tang::registerAllTangDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerTangDialects(registry);
}

void tang::registerTangPasses() {
  registerFrontendPasses();
  registerTangTransformsPasses();
  registerTileToKernelPasses();
  registerWarpSpecializePass();
  registerEmulateTypesPass();
  registerKernelLegalizePass();
  registerReferencePasses();
  registerTangPipelines();
}
