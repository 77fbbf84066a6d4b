//===- InitAll.cpp - Everything that Tang registers -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/InitAll.h"

#include "Tang/Dialect/TangDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;

void tang::registerTangDialects(DialectRegistry &registry) {
  registry.insert<TangDialect>();
}

void tang::registerAllTangDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerTangDialects(registry);
}

void tang::registerTangPasses() {}
