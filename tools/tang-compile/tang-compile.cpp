//===- tang-compile.cpp - A module to a bundle ----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ExitCode.h"
#include "Tang/InitAll.h"
#include "Tang/Pipelines/Compile.h"
#include "Tang/Runtime/Bundle.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory category("tang-compile options");
static cl::opt<std::string> input(cl::Positional, cl::desc("FILE"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<std::string> output("o",
                                   cl::desc("The bundle to write: a "
                                            "directory, or one file if "
                                            "it ends in .tangb"),
                                   cl::value_desc("OUT"), cl::cat(category));
static cl::opt<std::string> target("target",
                                   cl::desc("What to compile for: "
                                            "cpu, c, opencl"),
                                   cl::init("cpu"), cl::cat(category));
static cl::opt<std::string> numerics("numerics",
                                     cl::desc("stable (default) or exact"),
                                     cl::init("stable"), cl::cat(category));
static cl::opt<std::string>
    emit("emit",
         cl::desc("Print a stage instead of making a bundle: graph, derived, "
                  "scheduled, tile, kernel or source"),
         cl::value_desc("STAGE"), cl::cat(category));
static cl::opt<std::string> dumpDir("dump-dir",
                                    cl::desc("Write every stage to DIR"),
                                    cl::value_desc("DIR"), cl::cat(category));
static cl::opt<bool> allowPartial("allow-partial",
                                  cl::desc("Leave in place what cannot be "
                                           "imported and compile the rest"),
                                  cl::cat(category));

static int refuse(const Twine &message) {
  llvm::errs() << "tang-compile: error: " << message << "\n";
  return tang_tools::kRefused;
}

/// Prints to -o (by way of a temporary name) or to stdout.
static int printText(StringRef text) {
  std::string error;
  StringRef path = output.empty() ? StringRef("-") : StringRef(output);
  if (path == "-") {
    llvm::outs() << text;
    return 0;
  }
  std::string temporary = (path + ".tmp").str();
  std::unique_ptr<llvm::ToolOutputFile> file =
      openOutputFile(temporary, &error);
  if (!file)
    return refuse(error);
  file->os() << text;
  file->keep();
  file.reset();
  if (std::error_code ec = llvm::sys::fs::rename(temporary, path))
    return refuse("cannot write " + path + ": " + ec.message());
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name == "mlir-timing" || name == "mlir-pass-pipeline-crash-reproducer")
      option->setHiddenFlag(cl::NotHidden);
  bool parsed = cl::ParseCommandLineOptions(
      argc, argv,
      "tang-compile: compiles a tensor graph (linalg, TOSA or tang) to a "
      "bundle\n\n  tang-compile model.mlir --target=opencl -o model.tangb\n",
      &llvm::errs());
  if (!parsed)
    return tang_tools::kRefused;
  if (numerics != "stable" && numerics != "exact")
    return refuse("--numerics is stable or exact, not '" + numerics + "'");
  if (output.empty() && emit.empty())
    return refuse("say where the bundle goes with -o OUT, or what to print "
                  "with --emit=STAGE");

  DialectRegistry registry;
  tang::registerAllTangDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &error);
  if (!buffer)
    return refuse(error);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(*sources, ParserConfig(&context));
  if (!module)
    return tang_tools::kRefused;

  tang::CompileOptions options;
  options.target = target;
  options.numerics = numerics;
  options.allowPartial = allowPartial;
  options.dumpDir = dumpDir;

  if (emit == "source") {
    FailureOr<std::string> source = tang::emitSource(*module, options);
    return succeeded(source) ? printText(*source) : tang_tools::kRefused;
  }
  if (!emit.empty()) {
    std::optional<tang::Stage> stage = tang::parseStage(emit);
    if (!stage || *stage == tang::Stage::Frontend)
      return refuse("unknown stage '" + emit +
                    "'; --emit takes graph, derived, scheduled, tile, kernel "
                    "or source");
    if (failed(tang::compileToStage(*module, *stage, options)))
      return tang_tools::kRefused;
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return printText(text);
  }
  FailureOr<tang::CompiledBundle> bundle =
      tang::compileToBundle(*module, options, /*jit=*/false);
  if (failed(bundle))
    return tang_tools::kRefused;
  if (!tang_rt::writeBundle(output, bundle->files, error))
    return refuse(error);
  return 0;
}
