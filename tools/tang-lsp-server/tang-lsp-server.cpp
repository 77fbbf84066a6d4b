//===- tang-lsp-server.cpp - Editor support -------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/InitAll.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tang::registerAllTangDialects(registry);
  return mlir::succeeded(mlir::MlirLspServerMain(argc, argv, registry)) ? 0 : 2;
}
