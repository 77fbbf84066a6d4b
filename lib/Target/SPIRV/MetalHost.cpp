//===- MetalHost.cpp - Objective-C that launches Metal kernels ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime has no Metal, so that a program of one's own launches the
// kernels. How is in docs/Bundle.md; this writes it down as code, a function a
// kernel. In which order they run is in the bundle's host.txt.
//
//===----------------------------------------------------------------------===//

#include "SpirvImpl.h"

#include "Tang/Target/KernelEmitter.h"
#include "Tang/Target/SPIRV.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tang;

/// How the block of arguments has a scalar: 4 bytes, or 8 where it is wide.
static StringRef scalarType(Type type) {
  if (type.isF32())
    return "float";
  return type.isIndex() || type.isInteger(64) ? "int64_t" : "int32_t";
}

static void emitLaunch(gpu::GPUFuncOp kernel, llvm::raw_ostream &os) {
  // Names that the function itself uses.
  llvm::StringSet<> taken = {"encoder", "pipeline", "blocks", "args", "row",
                             "id",      "self",     "BOOL",   "nil",  "YES"};
  SmallVector<std::string> names;
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    std::string name = argumentName(kernel, i);
    while (isCFamilyWord(name) || !taken.insert(name).second)
      name += "_";
    names.push_back(name);
  }
  StringRef symbol = kernel.getName();
  int64_t block = getBlockSize(kernel);
  os << "\n// " << block << " threads a group.";
  if (auto comment = kernel->getAttrOfType<StringAttr>("tang.comment"))
    os << " " << comment.getValue().split('\n').first;
  os << "\nvoid encode_" << symbol
     << "(id<MTLComputeCommandEncoder> encoder,\n    "
        "id<MTLComputePipelineState> pipeline";
  for (auto [name, type] : llvm::zip(names, kernel.getArgumentTypes()))
    os << ", "
       << (isa<MemRefType>(type) ? StringRef("id<MTLBuffer>")
                                 : scalarType(type))
       << " " << name;
  os << ",\n    uint32_t blocks) {\n  if (blocks == 0)\n    return;\n"
        "  struct {\n";
  std::string values;
  unsigned buffers = 0;
  for (auto [name, type] : llvm::zip(names, kernel.getArgumentTypes())) {
    if (isa<MemRefType>(type))
      continue;
    os << "    " << scalarType(type) << " " << name << ";\n";
    values += name + ", ";
  }
  os << "    uint32_t blocks;\n  } args = {" << values << "blocks};\n"
     << "  [encoder setComputePipelineState:pipeline];\n";
  for (auto [name, type] : llvm::zip(names, kernel.getArgumentTypes()))
    if (isa<MemRefType>(type))
      os << "  [encoder setBuffer:" << name << " offset:0 atIndex:" << buffers++
         << "];\n";
  os << "  [encoder setBytes:&args length:sizeof(args) atIndex:" << buffers
     << "];\n"
        "  NSUInteger row = blocks < 65535 ? blocks : 65535;\n"
        "  [encoder dispatchThreadgroups:MTLSizeMake(row, (blocks + row - 1) / "
        "row, 1)\n          threadsPerThreadgroup:MTLSizeMake("
     << block << ", 1, 1)];\n}\n";
}

FailureOr<std::string> mlir::tang::emitMetalHost(ModuleOp module) {
  auto kernels = collectKernels(module);
  if (failed(kernels))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// Launches the kernels of kernels.metal; link with -framework Metal "
        "-framework Foundation.\n"
        "// Made by Tang. Which kernels run on what, and in which order, is in "
        "host.txt.\n#import <Metal/Metal.h>\n\n"
        "// Fast math would change results.\n"
        "id<MTLLibrary> tang_library(id<MTLDevice> device, NSString *source, "
        "NSError **error) {\n"
        "  MTLCompileOptions *options = [[MTLCompileOptions alloc] init];\n"
        "  options.languageVersion = MTLLanguageVersion2_3;\n"
        "  options.fastMathEnabled = NO;\n"
        "  return [device newLibraryWithSource:source options:options "
        "error:error];\n}\n";
  for (gpu::GPUFuncOp kernel : *kernels)
    emitLaunch(kernel, os);
  return text;
}
