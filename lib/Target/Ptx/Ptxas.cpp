//===- Ptxas.cpp - Assembling PTX with NVIDIA's assembler -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../C/SystemTool.h"
#include "Tang/Target/Ptx.h"

#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::tang;

/// Reads the log of `ptxas -v`:
///   ptxas info    : Compiling entry function 'NAME' for 'sm_90a'
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info    : Used 24 registers, ...
static void readLog(Location loc, StringRef log,
                    std::vector<PtxKernelUse> &kernels) {
  llvm::Regex entry("Compiling entry function '([^']*)'"),
      spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads"),
      registers("Used ([0-9]+) registers"),
      // Lost performance is but an info, with a code.
      trouble("warning|\\(C[0-9]+\\)");
  SmallVector<StringRef> lines, match;
  log.split(lines, '\n');
  auto number = [](StringRef text) {
    int64_t value = 0;
    text.getAsInteger(10, value);
    return value;
  };
  for (StringRef line : lines) {
    if (trouble.match(line))
      emitWarning(loc) << line;
    if (entry.match(line, &match))
      kernels.push_back({match[1].str()});
    if (kernels.empty())
      continue;
    if (spills.match(line, &match))
      kernels.back().spillBytes = std::max(number(match[1]), number(match[2]));
    if (registers.match(line, &match))
      kernels.back().registers = number(match[1]);
  }
}

FailureOr<AssembledPtx> mlir::tang::assemblePtx(Location loc, StringRef ptx,
                                                const PtxOptions &options) {
  std::string ptxas = findCudaFile("bin/ptxas");
  if (ptxas.empty())
    return emitError(loc, "ptxas was not found; set CUDA_HOME to the CUDA "
                          "toolkit");
  auto directory = TemporaryDirectory::create(loc);
  if (failed(directory))
    return failure();
  auto source = directory->write(loc, "kernels.ptx", ptx);
  if (failed(source))
    return failure();
  std::string output = directory->file("kernels.cubin"), log;
  if (failed(runTool(
          loc, *directory,
          {ptxas, "-arch=" + options.chip, "-v", *source, "-o", output}, &log)))
    return failure();
  AssembledPtx result;
  readLog(loc, log, result.kernels);
  auto cubin = readFile(loc, output);
  if (failed(cubin))
    return failure();
  result.cubin = std::move(*cubin);
  return result;
}
