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
  auto find = [&](StringRef root) -> std::string {
    SmallString<128> file(root);
    path::append(file, name);
    return llvm::sys::fs::exists(file) ? file.str().str() : "";
  };
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = llvm::sys::Process::GetEnv(variable);
        root && !root->empty())
      return find(*root);
  SmallVector<std::string> roots;
  if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
    roots.push_back(path::parent_path(path::parent_path(*ptxas)).str());
  // NVIDIA's installer, Arch, Debian.
  roots.append({"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"});
  for (const std::string &root : roots)
    if (std::string file = find(root); !file.empty())
      return file;
  return "";
}
