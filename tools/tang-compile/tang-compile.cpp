//===- tang-compile.cpp - A module to a bundle ----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ExitCode.h"
#include "Tang/Analysis/Targets.h"
#include "Tang/InitAll.h"
#include "Tang/Pipelines/Compile.h"
#include "Tang/Report/Report.h"
#include "Tang/Runtime/Bundle.h"
#include "Tang/Runtime/Files.h"
#include "Tang/Target/WGSL.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
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
static cl::opt<std::string>
    target("target",
           cl::desc("What to compile for: "
                    "cpu, c, opencl, vulkan, webgpu, metal, cuda, or a chip: "
                    "h200, rtx3090, "
                    "m1, adreno740, mali-g715"),
           cl::init("cpu"), cl::cat(category));
static cl::opt<std::string>
    numerics("numerics", cl::desc("exact, stable (default) or fast"),
             cl::init("stable"), cl::cat(category));
static cl::opt<std::string>
    emit("emit",
         cl::desc("Print a stage instead of making a bundle: graph, derived, "
                  "scheduled, tile, kernel or source"),
         cl::value_desc("STAGE"), cl::cat(category));
static cl::opt<std::string> dumpDir("dump-dir",
                                    cl::desc("Write every stage to DIR"),
                                    cl::value_desc("DIR"), cl::cat(category));
static cl::opt<std::string>
    report("report",
           cl::desc("Write what derivation did to an HTML page: the graph "
                    "before and after, kernels, rules and traffic; alone, "
                    "nothing else is made"),
           cl::value_desc("FILE"), cl::cat(category));
static cl::opt<bool>
    page("page",
         cl::desc("With --target=webgpu: -o is one HTML file that runs the "
                  "kernels in a browser"),
         cl::cat(category));
static cl::opt<bool>
    listTargets("list-targets",
                cl::desc("Print what is known of each target, and whence"),
                cl::cat(category));
// For tests, which compile the source for this machine.
static cl::opt<bool> cudaSource("cuda-source",
                                cl::desc("For cuda and its chips: CUDA C++ in "
                                         "place of PTX"),
                                cl::Hidden, cl::cat(category));
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

/// Prints a stage or makes a bundle; the exit status.
static int compile(ModuleOp module, const tang::CompileOptions &options) {
  if (emit == "source") {
    FailureOr<std::string> source = tang::emitSource(module, options);
    return succeeded(source) ? printText(*source) : tang_tools::kRefused;
  }
  if (!emit.empty()) {
    std::optional<tang::Stage> stage = tang::parseStage(emit);
    if (!stage || *stage == tang::Stage::Frontend)
      return refuse("unknown stage '" + emit +
                    "'; --emit takes graph, derived, scheduled, tile, kernel "
                    "or source");
    if (failed(tang::compileToStage(module, *stage, options)))
      return tang_tools::kRefused;
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return printText(text);
  }
  FailureOr<tang::CompiledBundle> bundle =
      tang::compileToBundle(module, options, /*jit=*/false);
  if (failed(bundle))
    return tang_tools::kRefused;
  if (page) {
    StringRef title =
        input == "-" ? StringRef("module") : llvm::sys::path::filename(input);
    return printText(
        tang::makeWebGpuPage(title, options.numerics, bundle->files));
  }
  std::string error;
  if (!tang_rt::writeBundle(output, bundle->files, error))
    return refuse(error);
  return 0;
}

namespace {
/// Keeps what the report is made of while a module goes through the stages.
class ReportWriter {
public:
  /// To be called before anything is compiled.
  void watch(ModuleOp module, tang::CompileOptions &options) {
    // Given after derivation, a module says nothing about what was before.
    if (tang::detectStage(module) == tang::Stage::Scheduled)
      makePage(module);
    options.afterStage = [this](tang::Stage stage, ModuleOp reached) {
      if (stage == tang::Stage::Graph)
        graph = cast<ModuleOp>(reached->clone());
      else if (stage == tang::Stage::Derived && page.empty())
        makePage(reached);
    };
  }
  bool isReady() const { return !page.empty(); }
  bool write(std::string &error) const {
    return tang_rt::replaceFile(report, {page}, error);
  }

private:
  void makePage(ModuleOp derived) {
    StringRef name = derived.getSymName().value_or("");
    std::string file =
        input == "-" ? "" : llvm::sys::path::filename(input).str();
    tang::ReportOptions options;
    options.title = !file.empty() ? file : (!name.empty() ? name : "module");
    options.target = target;
    options.numerics = numerics;
    page = tang::makeReport(graph.get(), derived, options);
  }

  OwningOpRef<ModuleOp> graph;
  std::string page;
};
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tang_tools::Reasons reasons;
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
  if (listTargets) {
    tang::printTargets(llvm::outs());
    return 0;
  }
  if (numerics != "stable" && numerics != "exact" && numerics != "fast")
    return refuse("--numerics is exact, stable or fast, not '" + numerics +
                  "'");
  if (report.getNumOccurrences() && report.empty())
    return refuse("--report needs the name of a file");
  if (page && (target != "webgpu" || !emit.empty()))
    return refuse("--page needs --target=webgpu, and no --emit");
  if (page && (output.empty() || llvm::sys::fs::is_directory(output)))
    return refuse("--page needs -o FILE.html, the file to write");
  if (output.empty() && emit.empty() && report.empty())
    return refuse("say where the bundle goes with -o OUT, what to print with "
                  "--emit=STAGE, or where a report goes with --report=FILE");

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
    return reasons.refused("tang-compile");

  tang::CompileOptions options;
  options.target = target;
  options.numerics = numerics;
  options.allowPartial = allowPartial;
  options.dumpDir = dumpDir;
  options.source = cudaSource ? "cuda" : "";

  if (report.empty())
    return compile(*module, options);

  tang::Stage stage = tang::detectStage(*module);
  if (stage > tang::Stage::Scheduled)
    return refuse("--report needs a module before the tile stage; this one is "
                  "at the " +
                  tang::stringifyStage(stage) + " stage");
  if (failed(tang::lookupTarget(&context, target)))
    return refuse("unknown target '" + target + "'");
  ReportWriter reporter;
  reporter.watch(*module, options);
  bool alone = output.empty() && emit.empty();
  int status = alone ? 0 : compile(*module, options);
  // Alone, or with --emit=graph, derivation is still to come.
  if (status == 0 && !reporter.isReady() &&
      failed(tang::compileToStage(*module, tang::Stage::Derived, options)))
    return tang_tools::kRefused;
  // A report also helps where a later stage refuses.
  if (reporter.isReady() && !reporter.write(error))
    return refuse(error);
  return status;
}
