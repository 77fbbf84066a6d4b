//===- CpuJit.cpp - Kernels compiled into this process --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects are compiled first, in parallel, and handed to LLJIT only to be
// linked. (mlir::ExecutionEngine would compile one module in one thread and
// wrap every function for a calling convention that nobody here uses.)
//
//===----------------------------------------------------------------------===//

#include "CpuCodegen.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace mlir;
using namespace mlir::tang;

struct CpuKernels::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

CpuKernels::CpuKernels(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CpuKernels::~CpuKernels() = default;

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
link(SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects) {
  // A module without kernels has not come by the code generator.
  initializeNativeTarget();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  // libm and the memory functions are part of this process.
  char prefix = (*jit)->getDataLayout().getGlobalPrefix();
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*process));
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects)
    if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
      return std::move(error);
  return jit;
}

FailureOr<std::shared_ptr<CpuKernels>>
CpuKernels::create(ModuleOp module, const CpuOptions &options) {
  auto objects = compileCpuObjects(module, options, /*maxObjects=*/~0u);
  if (failed(objects))
    return failure();
  auto jit = link(std::move(*objects));
  if (!jit)
    return module.emitError() << "cannot load compiled kernels: "
                              << llvm::toString(jit.takeError());
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  return std::shared_ptr<CpuKernels>(new CpuKernels(std::move(impl)));
}

void *CpuKernels::lookup(StringRef name) const {
  auto address = impl->jit->lookup(name);
  if (!address) {
    llvm::consumeError(address.takeError());
    return nullptr;
  }
  return address->toPtr<void *>();
}
