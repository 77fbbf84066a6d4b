//===- CpuLink.cpp - Kernels as a shared object ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../C/SystemTool.h"
#include "CpuCodegen.h"
#include "Tang/Target/C.h"

#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::tang;

/// The start of the command line that links a shared object: a compiler
/// driver, or a bare linker, which leaves libm to the process that loads it.
static SmallVector<std::string> findLinker() {
  std::string driver = findSystemCompiler();
  if (!driver.empty())
    return {driver, "-shared"};
  for (StringRef name : {"ld.lld", "ld.lld-22", "ld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return {*path, "-shared", "--allow-shlib-undefined"};
  return {};
}

FailureOr<std::string>
mlir::tang::emitCpuSharedObject(ModuleOp module, const CpuOptions &options) {
  Location loc = module.getLoc();
  SmallVector<std::string> arguments = findLinker();
  if (arguments.empty())
    return emitError(loc, "the cpu target needs a linker for kernels.so; "
                          "install cc, gcc, clang or ld.lld");
  bool isDriver = arguments.size() == 2;
  auto objects = compileCpuObjects(module, options, /*maxObjects=*/~0u);
  if (failed(objects))
    return failure();
  auto directory = TemporaryDirectory::create(loc);
  if (failed(directory))
    return failure();
  std::string output = directory->file("kernels.so");
  arguments.append({"-o", output});
  for (auto [i, object] : llvm::enumerate(*objects)) {
    auto path = directory->write(loc, "kernels" + std::to_string(i) + ".o",
                                 object->getBuffer());
    if (failed(path))
      return failure();
    arguments.push_back(*path);
  }
  if (isDriver)
    arguments.push_back("-lm");
  if (failed(runTool(loc, *directory, arguments)))
    return failure();
  return readFile(loc, output);
}
