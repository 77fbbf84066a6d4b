//===- tang-run.cpp - Runs, checks and times a program -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Plot.h"
#include "Report.h"

#include "Tang/Runtime/Bundle.h"
#include "Tang/Runtime/Device.h"
#include "Tang/Runtime/Npy.h"
#include "Tang/Runtime/PrintTensor.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <new>
#include <unistd.h>

using namespace tang_rt;
using namespace tang_run;
namespace cl = llvm::cl;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Asking for too much memory is an error to report here, not a bug.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
#endif
#endif

static cl::OptionCategory category("tang-run options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE|BUNDLE"),
                                      cl::cat(category));
static cl::opt<std::string> target(
    "target", cl::value_desc("T"), cl::cat(category),
    cl::desc(
        "Where to run: cpu (the default, compiled in memory), c,\n"
        "opencl, vulkan, webgpu, cuda, a chip of vulkan or cuda (adreno740,\n"
        "mali-g715, h200, rtx3090), or reference (the f64 interpreter).\n"
        "A bundle has its own target"));
static cl::opt<std::string>
    function("function", cl::value_desc("NAME"), cl::cat(category),
             cl::desc("The function to call; default: main, or the only one"));
static cl::list<std::string>
    inputs("input", cl::value_desc("VALUE"), cl::cat(category),
           cl::desc("An argument; once for each, in order. One of\n"
                    "  @FILE.npy\n"
                    "  4x8xf32=1.5             every element\n"
                    "  '2x2xf32=1 2 3 4'       each element\n"
                    "  random:SEED\n"
                    "  8x16xf32=random:SEED    where sizes are dynamic\n"
                    "Random floats are uniform in [-1, 1), integers in\n"
                    "-8..7, index in 0..7"));
static cl::list<std::string>
    outputs("output", cl::value_desc("@FILE.npy"), cl::cat(category),
            cl::desc("Where to write a result, in order; without it results\n"
                     "are printed"));
static cl::list<std::string> expected(
    "expected-output", cl::value_desc("@FILE.npy"), cl::cat(category),
    cl::desc("What a result must be; once for each, in order. Compared in\n"
             "f64: |got - want| <= atol + rtol * |want|, NaN equal to NaN,\n"
             "infinities equal in sign"));
static cl::opt<std::string> relativeTolerance(
    "rtol", cl::value_desc("X[,X...]"), cl::cat(category),
    cl::desc("Relative tolerance, one or one a result. With neither\n"
             "--rtol nor --atol: 1e-9 (and atol 1e-12) for f64, 1e-5\n"
             "(1e-6) for f32, 1e-2 (1e-3) for f16 and bf16, 0.125 (0.01)\n"
             "for f8, integers exact. With one of them the other is 0"));
static cl::opt<std::string>
    absoluteTolerance("atol", cl::value_desc("X[,X...]"), cl::cat(category),
                      cl::desc("Absolute tolerance, one or one a result"));
static cl::opt<bool> benchmark(
    "benchmark", cl::cat(category),
    cl::desc("Time repeated runs on the device, without moving inputs and\n"
             "outputs (cuda: by the device's clock); prints median, min,\n"
             "spread, rates, peak memory, and the floor: what no schedule\n"
             "can beat, and how much of the way to it is the schedule's\n"
             "and the code's"));
static cl::opt<unsigned> repetitions("repetitions", cl::value_desc("N"),
                                     cl::init(10), cl::cat(category),
                                     cl::desc("Timed runs; default: 10"));
static cl::opt<bool> flushCache(
    "flush-l2", cl::cat(category),
    cl::desc("Overwrite the device's caches before each timed run (cuda)"));
static cl::opt<std::string>
    jsonFile("json", cl::value_desc("FILE"), cl::cat(category),
             cl::desc("Write times and the largest error as a result file"));
static cl::opt<std::string> plotFile(
    "plot", cl::value_desc("FILE.svg"), cl::cat(category),
    cl::desc("With --benchmark: draw the roofline with the floor and the\n"
             "measured point, and what each resource takes"));
static cl::opt<int> deviceIndex("device", cl::value_desc("I"), cl::init(0),
                                cl::cat(category),
                                cl::desc("Which device; see --list-devices"));
static cl::opt<std::string>
    numerics("numerics", cl::value_desc("exact|stable|fast"), cl::cat(category),
             cl::desc("Which numerics to compile for; default: stable"));
static cl::opt<bool> allowPartial(
    "allow-partial", cl::cat(category),
    cl::desc("Leave what cannot be imported and compile the rest"));
static cl::opt<bool>
    listAll("list-devices", cl::cat(category),
            cl::desc("List the devices of every target, or of --target"));

static ExitCode listDevices() {
  std::vector<std::string> targets = {"cpu", "opencl", "vulkan", "webgpu",
                                      "cuda"};
  if (!target.empty())
    targets = {target};
  for (const std::string &name : targets) {
    char *text = nullptr, *error = nullptr;
    if (tang_rt_list_devices(name.c_str(), &text, &error)) {
      // One missing loader does not hide the other targets' devices.
      if (target.empty())
        llvm::outs() << name << ": none (" << error << ")\n";
      else
        fail(error);
      tang_rt_free_string(error);
      if (!target.empty())
        return kBad;
      continue;
    }
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : lines)
      llvm::outs() << name << " " << line << "\n";
    if (lines.empty())
      llvm::outs() << name << ": none\n";
    tang_rt_free_string(text);
  }
  return kGood;
}

/// Removes the @ of file options; these take nothing else.
static bool stripAt(llvm::StringRef option, cl::list<std::string> &list,
                    std::vector<std::string> &paths) {
  for (llvm::StringRef text : list) {
    if (!text.consume_front("@") || text.empty())
      return fail(option + ": '" + text + "' is not @FILE.npy");
    paths.push_back(text.str());
  }
  return true;
}

static bool checkTarget() {
  if (target == "reference" || !deviceKind(target).empty())
    return true;
  return fail(
      "target '" + target +
      "' cannot be run here; tang-run runs reference, cpu, c, opencl, vulkan, "
      "webgpu, adreno740, mali-g715, cuda, h200 and rtx3090, and tang-compile "
      "makes "
      "bundles for the others");
}

/// Loads a bundle and makes its inputs.
static std::unique_ptr<Runner> prepareBundle(Runner::Tensors &arguments) {
  char *own = nullptr, *error = nullptr;
  if (tang_rt_bundle_target(inputFile.c_str(), &own, &error)) {
    fail(error);
    tang_rt_free_string(error);
    return nullptr;
  }
  std::string bundleTarget = own;
  tang_rt_free_string(own);
  if (target.empty())
    target = bundleTarget;
  if (!checkTarget())
    return nullptr;
  if (deviceKind(target) != deviceKind(bundleTarget)) {
    fail(inputFile + ": the bundle is for target " + bundleTarget + ", not " +
         target);
    return nullptr;
  }
  auto runner = std::make_unique<BundleRunner>();
  if (!runner->openDevice(target, deviceIndex) ||
      !runner->load(inputFile, function))
    return nullptr;
  if (!numerics.empty() && numerics != runner->numerics()) {
    fail(inputFile + ": the bundle was compiled for " + runner->numerics() +
         " numerics, not " + numerics);
    return nullptr;
  }
  if (!makeInputs(runner->function(), inputs, arguments))
    return nullptr;
  return runner;
}

/// The interpreter reads what the importer makes.
static llvm::LogicalResult
importForReference(Module &module, mlir::tang::CompileOptions options) {
  Progress progress("importing");
  options.target = "cpu"; // Plays no part before schedules.
  return mlir::tang::compileToStage(module.get(), mlir::tang::Stage::Graph,
                                    options);
}

/// Parses a module, makes its inputs and compiles it. Inputs come first where
/// the module tells their types: a wrong one need not wait for the compiler.
static std::unique_ptr<Runner> prepareModule(Module &module,
                                             Runner::Tensors &arguments) {
  if (target.empty())
    target = "cpu";
  if (!checkTarget())
    return nullptr;
  bool reference = target == "reference";
  auto runner = std::make_unique<BundleRunner>();
  if (reference && deviceIndex != 0) {
    fail("target reference has device 0 only");
    return nullptr;
  }
  if (!reference && !runner->openDevice(target, deviceIndex))
    return nullptr;
  std::optional<FunctionInfo> info;
  if (!module.read(inputFile) || !module.describe(function, reference, info))
    return nullptr;
  if (info && !makeInputs(*info, inputs, arguments))
    return nullptr;
  mlir::tang::CompileOptions options;
  options.target = target;
  options.function = info ? info->name : function;
  options.numerics = numerics.empty() ? "stable" : numerics.getValue();
  options.allowPartial = allowPartial;
  unsigned before = module.numErrors();
  if (reference && failed(importForReference(module, options))) {
    if (module.numErrors() == before)
      fail("the import failed");
    return nullptr;
  }
  if (reference)
    return std::make_unique<ReferenceRunner>(module, std::move(*info),
                                             numerics == "exact");

  llvm::FailureOr<mlir::tang::CompiledBundle> bundle = [&] {
    Progress progress("compiling");
    return mlir::tang::compileToBundle(module.get(), options,
                                       /*jit=*/target == "cpu");
  }();
  if (llvm::failed(bundle)) {
    if (module.numErrors() == before)
      fail("compilation failed");
    return nullptr;
  }
  if (!runner->load(std::move(*bundle), options.function))
    return nullptr;
  if (!info && !makeInputs(runner->function(), inputs, arguments))
    return nullptr;
  return runner;
}

/// Writes and prints results in their declared type.
static bool showOutputs(const FunctionInfo &info,
                        llvm::ArrayRef<HostTensor> results,
                        llvm::ArrayRef<std::string> files) {
  for (size_t i = 0; i < results.size(); ++i) {
    const HostTensor *result = &results[i];
    HostTensor rounded;
    std::string error;
    DType type = info.outputs[i].dtype;
    // The interpreter returns f64.
    if (result->dtype != type) {
      if (!result->convertTo(type, rounded, error))
        return fail("result " + llvm::Twine(i) + ": " + error);
      result = &rounded;
    }
    if (i < files.size() && !writeNpy(files[i], *result, error))
      return fail(error);
    if (files.empty() && !benchmark)
      llvm::outs() << "result " << i << ": " << result->typeStr() << "\n"
                   << formatTensor(*result) << "\n";
  }
  return true;
}

static ExitCode run() {
  if (listAll)
    return listDevices();
  if (inputFile.empty()) {
    fail("no input; give an .mlir file, - or a bundle (see --help)");
    return kBad;
  }
  std::vector<std::string> outputFiles, expectedFiles;
  if (!stripAt("--output", outputs, outputFiles) ||
      !stripAt("--expected-output", expected, expectedFiles))
    return kBad;
  if (!numerics.empty() && numerics != "stable" && numerics != "exact" &&
      numerics != "fast") {
    fail("--numerics is exact, stable or fast, not '" + numerics + "'");
    return kBad;
  }
  if (repetitions == 0 || repetitions > 1000000) {
    fail("--repetitions must be from 1 to 1000000");
    return kBad;
  }

  if (!plotFile.empty() && !benchmark) {
    fail("--plot draws what --benchmark measures; give both");
    return kBad;
  }

  Module module;
  Runner::Tensors arguments, results;
  bool directory = llvm::sys::fs::is_directory(inputFile);
  bool bundle = directory || isBundle(inputFile) ||
                llvm::StringRef(inputFile).ends_with(".tangb");
  std::unique_ptr<Runner> runner =
      bundle ? prepareBundle(arguments) : prepareModule(module, arguments);
  if (!runner)
    return kBad;
  const FunctionInfo &info = runner->function();
  if (outputFiles.size() > info.outputs.size()) {
    fail("function " + info.name + " has " + llvm::Twine(info.outputs.size()) +
         " results, but --output is given " + llvm::Twine(outputFiles.size()) +
         " times");
    return kBad;
  }
  Expectations expectations;
  if (!expectations.read(info, expectedFiles, relativeTolerance,
                         absoluteTolerance))
    return kBad;

  std::optional<Timing> timing;
  if (benchmark) {
    timing.emplace();
    if (!runner->benchmark(arguments, repetitions, flushCache, results,
                           *timing))
      return kBad;
  } else {
    Progress progress("running");
    if (!runner->call(arguments, results))
      return kBad;
  }
  if (!showOutputs(info, results, outputFiles))
    return kBad;
  ExitCode code = kGood;
  std::optional<double> error;
  if (!expectedFiles.empty()) {
    error = 0;
    code = expectations.compare(info, results, *error);
    if (code == kBad)
      return kBad;
  }
  std::optional<FunctionFloor> floor;
  if (timing) {
    Progress progress("measuring this machine's peaks");
    floor = readFloor(runner->manifest(), info.name,
                      target == "cpu" || target == "c", timing->bytes);
  }
  if (timing)
    printTiming(*runner, target, *timing, floor);
  if (!plotFile.empty() &&
      !writePlot(plotFile, info.name, target, *timing, floor))
    return kBad;
  if (!jsonFile.empty()) {
    std::string name = llvm::sys::path::stem(inputFile).str();
    if (info.name != "main")
      name += "." + info.name;
    if (!writeJson(jsonFile, name, *runner, timing, floor, error))
      return kBad;
  }
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::set_new_handler([] {
    constexpr char message[] = "tang-run: error: out of memory\n";
    (void)!::write(2, message, sizeof message - 1);
    ::_exit(kBad);
  });
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "Tang 0.1.0 on LLVM " LLVM_VERSION_STRING "\n";
  });
  std::string complaint;
  llvm::raw_string_ostream os(complaint);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Runs a function of an MLIR file or a compiled bundle, prints or\n"
          "checks its results, and times it. Exit code 0: all holds; 1: "
          "outputs\ndiffer; 2: bad use, bad input or a refusal.\n",
          &os)) {
    llvm::StringRef text = llvm::StringRef(complaint).trim();
    text.consume_front(llvm::sys::path::filename(argv[0]));
    text.consume_front(": ");
    // llvm::cl begins each line with the name it was called by.
    std::string prefix = "\n" + llvm::sys::path::filename(argv[0]).str() + ": ";
    std::string message = text.str();
    for (size_t at; (at = message.find(prefix)) != message.npos;)
      message.replace(at, prefix.size(), " ");
    fail(message);
    return kBad;
  }
  return run();
}
