//===- Compile.cpp - A module to a bundle
//----------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Pipelines/Compile.h"

#include "LaunchGeometry.h"

#include "Tang/Analysis/Targets.h"
#include "Tang/Pipelines/Pipelines.h"
#include "Tang/Target/C.h"
#include "Tang/Target/CUDA.h"
#include "Tang/Target/Cpu.h"
#include "Tang/Target/HostProgram.h"
#include "Tang/Target/OpenCL.h"
#include "Tang/Target/Ptx.h"
#include "Tang/Target/SPIRV.h"
#include "Tang/Target/WGSL.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tang;

/// Writes a stage's module as `DIR/N-stage.mlir`.
static LogicalResult dump(ModuleOp module, StringRef dir, Stage stage) {
  if (dir.empty())
    return success();
  std::error_code ec = llvm::sys::fs::create_directories(dir);
  SmallString<128> path(dir);
  llvm::sys::path::append(path, Twine(static_cast<int>(stage)) + "-" +
                                    stringifyStage(stage) + ".mlir");
  if (!ec) {
    llvm::raw_fd_ostream os(path, ec);
    if (!ec)
      module.print(os);
  }
  if (ec)
    return module.emitError("cannot write ") << path << ": " << ec.message();
  return success();
}

/// Runs the stages after `from` up to `to`.
static LogicalResult compileFromStage(ModuleOp module, Stage from, Stage to,
                                      const CompileOptions &options) {
  CompilePipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.numerics = options.numerics;
  pipeline.allowPartial = options.allowPartial;
  pipeline.simt = options.source == "cuda";
  for (int i = static_cast<int>(from) + 1; i <= static_cast<int>(to); ++i) {
    auto stage = static_cast<Stage>(i);
    PassManager pm(module->getContext());
    // Without these options registered (a library's user) there is nothing to
    // apply.
    (void)applyPassManagerCLOptions(pm);
    if (options.timing)
      pm.enableTiming();
    buildStage(pm, stage, pipeline);
    if (failed(pm.run(module)) || failed(dump(module, options.dumpDir, stage)))
      return failure();
    if (options.afterStage)
      options.afterStage(stage, module);
  }
  return success();
}

LogicalResult mlir::tang::compileToStage(ModuleOp module, Stage to,
                                         const CompileOptions &options) {
  Stage from = detectStage(module);
  // What a person may have written is checked again: a graph's types by the
  // importer, which leaves tang operations as they are, and a schedule by the
  // scheduler, which keeps it.
  if (from == Stage::Graph)
    from = Stage::Frontend;
  else if (from == Stage::Scheduled)
    from = Stage::Derived;
  return compileFromStage(module, from, to, options);
}

FailureOr<std::string> mlir::tang::emitSource(ModuleOp module,
                                              const CompileOptions &options) {
  FailureOr<TargetAttr> target =
      lookupTarget(module.getContext(), options.target);
  if (failed(target))
    return module.emitError("unknown target '") << options.target << "'";
  StringRef language = target->getLanguage();
  if (options.source == "cuda" && language != "ptx")
    return module.emitError("target '")
           << options.target << "' is none of CUDA's";
  Stage from = detectStage(module);
  if (from < Stage::Kernel) {
    if (failed(compileToStage(module, Stage::Kernel, options)))
      return failure();
    from = Stage::Kernel;
  }
  noteLaunchGeometry(module);
  if (failed(compileFromStage(module, from, Stage::Legal, options)))
    return failure();
  if (language == "llvm")
    return emitCpuLLVMIR(module);
  std::string source;
  llvm::raw_string_ostream os(source);
  if (options.source == "cuda") {
    if (failed(emitCuda(module, os)))
      return failure();
    return source;
  }
  if (language == "ptx")
    return emitPtx(module, getPtxOptions(options.target));
  if (language == "spirv" || language == "metal") {
    SpirvOptions spirv = getSpirvOptions(language, options.target);
    if (options.source == "spirv")
      return emitSpirv(module, spirv);
    return language == "metal" ? emitMetal(module, spirv)
                               : emitGlsl(module, spirv);
  }
  if (failed(language == "c"      ? emitC(module, os)
             : language == "wgsl" ? emitWgsl(module, os)
                                  : emitOpenCL(module, os)))
    return failure();
  return source;
}

/// Adds the kernels as PTX and, where that is wanted and ptxas is at hand, as
/// machine code, whose use of registers goes into the manifest.
static LogicalResult addPtx(ModuleOp module, const CompileOptions &options,
                            std::string &manifest, CompiledBundle &bundle) {
  PtxOptions ptxOptions = getPtxOptions(options.target);
  FailureOr<std::string> ptx = emitPtx(module, ptxOptions);
  if (failed(ptx))
    return failure();
  if (ptxOptions.assemble && !findCudaFile("bin/ptxas").empty()) {
    FailureOr<AssembledPtx> assembled =
        assemblePtx(module.getLoc(), *ptx, ptxOptions);
    if (failed(assembled))
      return failure();
    for (const PtxKernelUse &use : assembled->kernels)
      addKernelFacts(
          manifest, use.name,
          {{"registers", use.registers}, {"spill_bytes", use.spillBytes}});
    bundle.files.emplace_back("kernels.cubin", std::move(assembled->cubin));
  }
  bundle.files.emplace_back("kernels.ptx", std::move(*ptx));
  return success();
}

FailureOr<CompiledBundle>
mlir::tang::compileToBundle(ModuleOp module, const CompileOptions &options,
                            bool jit) {
  FailureOr<TargetAttr> target =
      lookupTarget(module.getContext(), options.target);
  if (failed(target)) {
    auto error = module.emitError("unknown target '")
                 << options.target << "'; known are reference, ";
    llvm::interleaveComma(getTargetNames(), error);
    return failure();
  }
  if (failed(compileToStage(module, Stage::Kernel, options)))
    return failure();

  StringRef language = target->getLanguage();
  HostProgramOptions hostOptions;
  hostOptions.target = options.target;
  hostOptions.numerics = options.numerics;
  if (language == "opencl")
    hostOptions.kernelFile = "kernels.cl";
  else if (options.source == "cuda")
    hostOptions.kernelFile = "kernels.cu";
  else if (language == "metal")
    hostOptions.kernelFile = "kernels.metal";
  else if (language == "wgsl")
    hostOptions.kernelFile = "kernels.wgsl";
  else if (language != "ptx" && language != "spirv")
    // Of those there are several files, and the runtime knows which to take.
    hostOptions.kernelFile = "kernels.so";
  FailureOr<HostProgram> program = exportHostProgram(module, hostOptions);
  if (failed(program))
    return failure();
  CompiledBundle bundle;
  bundle.files.emplace_back("manifest.json", std::move(program->manifest));
  bundle.files.emplace_back("host.txt", std::move(program->text));
  if (!program->constants.empty())
    bundle.files.emplace_back("constants.bin", std::move(program->constants));

  // Not detected: a module that launches nothing has no kernels to tell by.
  if (failed(compileFromStage(module, Stage::Kernel, Stage::Legal, options)))
    return failure();
  std::string source;
  llvm::raw_string_ostream os(source);
  if (language == "llvm" && jit) {
    FailureOr<std::shared_ptr<CpuKernels>> kernels = CpuKernels::create(module);
    if (failed(kernels))
      return failure();
    bundle.resolve = [kernels = *kernels](StringRef name) {
      return kernels->lookup(name);
    };
    bundle.keepAlive = *kernels;
  } else if (language == "llvm") {
    FailureOr<std::string> object = emitCpuSharedObject(module);
    FailureOr<std::string> ir = emitCpuLLVMIR(module);
    if (failed(object) || failed(ir))
      return failure();
    bundle.files.emplace_back("kernels.ll", std::move(*ir));
    bundle.files.emplace_back("kernels.so", std::move(*object));
  } else if (language == "c") {
    if (failed(emitC(module, os)))
      return failure();
    FailureOr<std::string> object =
        compileCToSharedObject(module.getLoc(), source);
    if (failed(object))
      return failure();
    bundle.files.emplace_back("kernels.c", std::move(source));
    bundle.files.emplace_back("kernels.so", std::move(*object));
  } else if (options.source == "cuda") {
    if (failed(emitCuda(module, os)))
      return failure();
    bundle.files.emplace_back("kernels.cu", std::move(source));
  } else if (language == "ptx") {
    std::string manifest = std::move(bundle.files.front().second);
    if (failed(addPtx(module, options, manifest, bundle)))
      return failure();
    bundle.files.front().second = std::move(manifest);
  } else if (language == "spirv") {
    SpirvOptions spirv = getSpirvOptions(language, options.target);
    auto kernels = emitSpirvKernels(module, spirv);
    if (failed(kernels))
      return failure();
    FailureOr<std::string> glsl = emitGlsl(module, spirv);
    if (failed(glsl))
      return failure();
    for (auto &[name, binary] : *kernels)
      bundle.files.emplace_back(name + ".spv", std::move(binary));
    bundle.files.emplace_back("kernels.comp", std::move(*glsl));
  } else if (language == "metal") {
    FailureOr<std::string> metal =
        emitMetal(module, getSpirvOptions(language, options.target));
    if (failed(metal))
      return failure();
    FailureOr<std::string> host = emitMetalHost(module);
    if (failed(host))
      return failure();
    bundle.files.emplace_back("kernels.metal", std::move(*metal));
    bundle.files.emplace_back("host.m", std::move(*host));
  } else if (language == "wgsl") {
    if (failed(emitWgsl(module, os)))
      return failure();
    bundle.files.emplace_back("kernels.wgsl", std::move(source));
  } else {
    if (failed(emitOpenCL(module, os)))
      return failure();
    bundle.files.emplace_back("kernels.cl", std::move(source));
  }
  return bundle;
}
