//===- tang-translate.cpp - Kernels as source text ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ExitCode.h"
#include "Tang/Analysis/Targets.h"
#include "Tang/InitAll.h"
#include "Tang/Pipelines/Compile.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string>
    chip("target",
         cl::desc("A target or chip of the language (default: the "
                  "generic one)"),
         cl::value_desc("CHIP"), cl::init(""));
static cl::opt<std::string> numerics("numerics",
                                     cl::desc("stable (default) or exact"),
                                     cl::init("stable"));

/// `--tang-to-LANGUAGE`: a module at any stage to one self-contained source.
/// `source` chooses where a target has several languages.
static void registerLanguage(StringRef flag, StringRef summary,
                             StringRef target, StringRef source = "") {
  TranslateFromMLIRRegistration registration(
      flag, summary,
      [target = target.str(), source = source.str()](
          Operation *op, llvm::raw_ostream &os) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError("expects a module");
        tang::CompileOptions options;
        options.target = chip.empty() ? target : chip.getValue();
        FailureOr<tang::TargetAttr> own =
            tang::lookupTarget(op->getContext(), target);
        FailureOr<tang::TargetAttr> given =
            tang::lookupTarget(op->getContext(), options.target);
        if (succeeded(given) && given->getLanguage() != own->getLanguage())
          return emitError(op->getLoc(), "--target=")
                 << options.target << " is not a target of this language";
        options.numerics = numerics;
        options.source = source;
        FailureOr<std::string> text = tang::emitSource(module, options);
        if (failed(text))
          return failure();
        os << *text;
        return success();
      },
      [](DialectRegistry &registry) {
        tang::registerAllTangDialects(registry);
      });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tang_tools::Reasons reasons;
  registerAllTranslations();
  registerLanguage("tang-to-c", "Kernels as C11 source", "c");
  registerLanguage("tang-to-opencl", "Kernels as OpenCL C 1.2 source",
                   "opencl");
  registerLanguage("tang-to-cuda", "Kernels as CUDA C++17 source", "cuda",
                   "cuda");
  registerLanguage("tang-to-ptx", "Kernels as PTX for NVIDIA GPUs", "cuda");
  registerLanguage("tang-to-spirv", "Kernels as a SPIR-V binary for Vulkan",
                   "vulkan", "spirv");
  registerLanguage("tang-to-glsl", "Kernels as Vulkan GLSL 4.5 source",
                   "vulkan");
  registerLanguage("tang-to-wgsl", "Kernels as WGSL source (WebGPU)", "webgpu");
  registerLanguage("tang-to-metal", "Kernels as Metal 2.3 source", "metal");
  registerLanguage("tang-to-llvm", "Kernels for this machine as LLVM IR",
                   "cpu");
  bool help = false;
  for (int i = 1; i < argc; ++i)
    help |= StringRef(argv[i]).contains("-help") ||
            StringRef(argv[i]).contains("-version");
  std::optional<tang_tools::ExitWithRefusal> guard;
  if (!help)
    guard.emplace();
  LogicalResult result =
      mlirTranslateMain(argc, argv, "Tang: kernels as source text\n");
  guard.reset();
  return succeeded(result) ? 0 : reasons.refused("tang-translate");
}
