//===- Compile.cpp - C source through the system's compiler ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemTool.h"
#include "Tang/Target/C.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::tang;

std::string mlir::tang::findSystemCompiler() {
  const char *environment = std::getenv("CC");
  for (StringRef name :
       {StringRef(environment ? environment : ""), StringRef("cc"),
        StringRef("gcc"), StringRef("clang"), StringRef("clang-22")}) {
    if (name.empty())
      continue;
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  }
  return {};
}

FailureOr<std::string> mlir::tang::compileCToSharedObject(Location loc,
                                                          StringRef source,
                                                          StringRef compiler) {
  std::string path = findSystemCompiler();
  if (!compiler.empty()) {
    auto found = llvm::sys::findProgramByName(compiler);
    if (!found)
      return emitError(loc) << "no compiler " << compiler << " on this system";
    path = *found;
  }
  if (path.empty())
    return emitError(loc, "the c target needs a C compiler; set CC, or install "
                          "cc, gcc, clang or clang-22");
  auto directory = TemporaryDirectory::create(loc);
  if (failed(directory))
    return failure();
  auto input = directory->write(loc, "kernels.c", source);
  if (failed(input))
    return failure();
  std::string output = directory->file("kernels.so");
  // Flags that change no value: errno and traps are not looked at.
  SmallVector<std::string> arguments = {path,
                                        "-std=c11",
                                        "-O3",
                                        "-march=native",
                                        "-ffp-contract=off",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-fPIC",
                                        "-shared",
                                        "-w",
                                        "-o",
                                        output,
                                        *input,
                                        "-lm"};
  if (failed(runTool(loc, *directory, arguments)))
    return failure();
  return readFile(loc, output);
}
