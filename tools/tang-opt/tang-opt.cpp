//===- tang-opt.cpp - The optimizer driver --------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ExitCode.h"
#include "Tang/InitAll.h"
#include "mlir/IR/Dialect.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tang_tools::Reasons reasons;
  mlir::registerAllPasses();
  mlir::tang::registerTangPasses();
  mlir::DialectRegistry registry;
  mlir::tang::registerAllTangDialects(registry);
  std::pair<std::string, std::string> files;
  // --help leaves with 0, which stays.
  bool help = false;
  for (int i = 1; i < argc; ++i)
    help |= llvm::StringRef(argv[i]).contains("-help") ||
            llvm::StringRef(argv[i]).contains("-version");
  if (help) {
    files = mlir::registerAndParseCLIOptions(
        argc, argv, "Tang: derives kernels from tensor graphs\n", registry);
  } else {
    tang_tools::ExitWithRefusal guard;
    files = mlir::registerAndParseCLIOptions(
        argc, argv, "Tang: derives kernels from tensor graphs\n", registry);
  }
  bool good = mlir::succeeded(
      mlir::MlirOptMain(argc, argv, files.first, files.second, registry));
  return good ? 0 : reasons.refused("tang-opt");
}
