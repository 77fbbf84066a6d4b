//===- CpuCodegen.cpp - LLVM dialect to object code -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's optimiser and code generator take nearly all of the time, so a module
// of many kernels is split into parts that compile at once, each in an
// LLVMContext of its own.
//
//===----------------------------------------------------------------------===//

#include "CpuCodegen.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/Threading.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

void mlir::tang::initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CpuOptions &options) {
  initializeNativeTarget();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (!options.native)
    *builder = llvm::orc::JITTargetMachineBuilder(builder->getTargetTriple());
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeGenOptLevel(
      llvm::CodeGenOpt::getLevel(std::min(options.optLevel, 3u))
          .value_or(llvm::CodeGenOptLevel::Default));
  // Only math.fma fuses.
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder->createTargetMachine();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = level >= 2;
  tuning.LoopInterleaving = level >= 2;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
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

namespace {

/// One LLVM module with its context and machine.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;

  LogicalResult translate(ModuleOp source, const CpuOptions &options) {
    auto created = createTargetMachine(options);
    if (!created)
      return source.emitError() << "LLVM has no code generator for this "
                                   "machine: "
                                << llvm::toString(created.takeError());
    machine = std::move(*created);
    module = translateModuleToLLVMIR(source, context, "tang_kernels");
    if (!module)
      return source.emitError("translation to LLVM IR failed");
    module->setTargetTriple(machine->getTargetTriple());
    module->setDataLayout(machine->createDataLayout());
    // Each of the object's functions may be called from another thread and
    // unloaded; nothing here depends on it.
    return success();
  }

  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> emitObject(Location loc) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream os(bytes);
    llvm::legacy::PassManager codegen;
    if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                     llvm::CodeGenFileType::ObjectFile))
      return emitError(loc, "LLVM cannot emit object code for this machine");
    codegen.run(*module);
    std::unique_ptr<llvm::MemoryBuffer> buffer =
        std::make_unique<llvm::SmallVectorMemoryBuffer>(
            std::move(bytes), /*RequiresNullTerminator=*/false);
    return buffer;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isKernelEntry(LLVM::LLVMFuncOp function) {
  return !function.isExternal() &&
         function.getLinkage() == LLVM::Linkage::External;
}

static size_t countOps(Operation *op) {
  size_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// Distributes kernels over at most `count` modules of about the same size,
/// each with the internal functions that its kernels call.
static SmallVector<OwningOpRef<ModuleOp>> splitModule(ModuleOp module,
                                                      unsigned count) {
  SymbolTable symbols(module);
  struct Part {
    OwningOpRef<ModuleOp> module;
    llvm::StringSet<> names;
    size_t size = 0;
  };
  std::vector<Part> parts(count);
  for (Part &part : parts)
    part.module = ModuleOp::create(module.getLoc());
  auto add = [&](Part &part, LLVM::LLVMFuncOp function, auto &&self) -> void {
    if (!part.names.insert(function.getName()).second)
      return;
    function.walk([&](LLVM::CallOp call) {
      if (auto callee = call.getCallee())
        if (auto target = symbols.lookup<LLVM::LLVMFuncOp>(*callee))
          self(part, target, self);
    });
    part.size += countOps(function);
    OpBuilder b(module.getContext());
    b.setInsertionPointToEnd(part.module->getBody());
    b.clone(*function);
  };
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!isKernelEntry(function))
      continue;
    auto smallest = llvm::min_element(
        parts, [](const Part &a, const Part &b) { return a.size < b.size; });
    add(*smallest, function, add);
  }
  SmallVector<OwningOpRef<ModuleOp>> result;
  for (Part &part : parts)
    if (part.size)
      result.push_back(std::move(part.module));
  return result;
}

static void registerTranslations(MLIRContext *context) {
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
}

FailureOr<SmallVector<std::unique_ptr<llvm::MemoryBuffer>>>
mlir::tang::compileCpuObjects(ModuleOp module, const CpuOptions &options,
                              unsigned maxObjects) {
  registerTranslations(module.getContext());
  auto lowered = lowerToCpuModule(module);
  if (failed(lowered))
    return failure();
  unsigned threads = options.threads
                         ? options.threads
                         : llvm::hardware_concurrency().compute_thread_count();
  unsigned count = std::max(1u, std::min(threads, maxObjects));
  SmallVector<OwningOpRef<ModuleOp>> parts;
  if (count == 1)
    parts.push_back(std::move(*lowered));
  else
    parts = splitModule(**lowered, count);

  SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects(parts.size());
  LogicalResult result = failableParallelForEachN(
      module.getContext(), 0, parts.size(), [&](size_t i) -> LogicalResult {
        Compilation compilation;
        if (failed(compilation.translate(*parts[i], options)))
          return failure();
        optimize(*compilation.module, *compilation.machine, options.optLevel);
        auto object = compilation.emitObject(module.getLoc());
        if (failed(object))
          return failure();
        objects[i] = std::move(*object);
        return success();
      });
  if (failed(result))
    return failure();
  return objects;
}

FailureOr<std::string> mlir::tang::emitCpuObject(ModuleOp module,
                                                 const CpuOptions &options) {
  auto objects = compileCpuObjects(module, options, 1);
  if (failed(objects))
    return failure();
  return objects->front()->getBuffer().str();
}

FailureOr<std::string> mlir::tang::emitCpuLLVMIR(ModuleOp module,
                                                 bool optimized,
                                                 const CpuOptions &options) {
  registerTranslations(module.getContext());
  auto lowered = lowerToCpuModule(module);
  if (failed(lowered))
    return failure();
  Compilation compilation;
  if (failed(compilation.translate(**lowered, options)))
    return failure();
  if (optimized)
    optimize(*compilation.module, *compilation.machine, options.optLevel);
  std::string text;
  llvm::raw_string_ostream os(text);
  compilation.module->print(os, nullptr);
  return text;
}
