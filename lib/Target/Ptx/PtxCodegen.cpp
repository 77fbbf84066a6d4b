//===- PtxCodegen.cpp - LLVM dialect to PTX -------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libdevice.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

namespace {
struct Chip {
  StringRef target, name, features;
  bool assemble;
};
} // namespace

// The PTX version is the first that has the chip and what kernels use of it
// (PTX ISA, "Release Notes"): 6.3 is of CUDA 10.0, 7.1 of CUDA 11.1,
// 8.6 of CUDA 12.7.
// "a" features are for one architecture only, so that machine code loses no
// generality.
static const Chip chips[] = {
    {"cuda", "sm_70", "+ptx63", false},
    {"rtx3090", "sm_86", "+ptx71", true},
    {"h200", "sm_90a", "+ptx86", true},
};

PtxOptions mlir::tang::getPtxOptions(StringRef target) {
  PtxOptions options;
  for (const Chip &chip : chips)
    if (chip.target == target) {
      options.chip = chip.name.str();
      options.features = chip.features.str();
      options.assemble = chip.assemble;
    }
  return options;
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(Location loc, const PtxOptions &options) {
  // All, as a build of LLVM without NVPTX has no initialiser of that name.
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string why;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!target)
    return emitError(loc) << "this build of LLVM has no NVPTX target: " << why;
  llvm::TargetOptions settings;
  // Only math.fma fuses. NVPTX then also spells .rn, which keeps ptxas from it.
  settings.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.chip, options.features, settings, std::nullopt));
  machine->setOptLevel(
      llvm::CodeGenOpt::getLevel(std::min(options.optLevel, 3u))
          .value_or(llvm::CodeGenOptLevel::Default));
  return machine;
}

/// Inline assembly may synchronise threads, so that no branch may be put around
/// or taken from around it. MLIR's operation has no way to say so.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      auto *code =
          call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())
               : nullptr;
      if (!code || !code->hasSideEffects())
        continue;
      call->setConvergent();
      function.setConvergent();
    }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel chosen = levels[std::min(level, 3u)];
  llvm::ModulePassManager passes =
      level == 0 ? builder.buildO0DefaultPipeline(chosen)
                 : builder.buildPerModuleDefaultPipeline(chosen);
  passes.run(module, modules);
}

FailureOr<std::string> mlir::tang::emitPtx(ModuleOp module,
                                           const PtxOptions &options) {
  Location loc = module.getLoc();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  registerNVVMDialectTranslation(*module.getContext());
  auto lowered = lowerToPtxModule(module);
  if (failed(lowered))
    return failure();
  auto machine = createTargetMachine(loc, options);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(**lowered, context, "tang_kernels");
  if (!code)
    return emitError(loc, "translation to LLVM IR failed");
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  markConvergent(*code);
  if (failed(linkLibdevice(loc, *code, options)))
    return failure();
  optimize(*code, **machine, options.optLevel);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, os, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc, "LLVM cannot emit PTX");
  codegen.run(*code);
  return std::string(bytes.begin(), bytes.end());
}
