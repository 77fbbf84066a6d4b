//===- CudaFiles.cpp - Where the CUDA toolkit is --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/Ptx.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::tang;
namespace path = llvm::sys::path;

std::string mlir::tang::findCudaFile(StringRef name) {
  SmallVector<std::string> roots;
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = llvm::sys::Process::GetEnv(variable);
        root && !root->empty())
      roots.push_back(*root);
  if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
    roots.push_back(path::parent_path(path::parent_path(*ptxas)).str());
  // NVIDIA's installer, Arch, Debian.
  for (StringRef root : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"})
    roots.push_back(root.str());
  for (const std::string &root : roots) {
    SmallString<128> file(root);
    path::append(file, name);
    if (llvm::sys::fs::exists(file))
      return file.str().str();
  }
  return "";
}
