//===- Compile.cpp - C API of the compiler --------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tang-c/Compile.h"

#include "Tang/InitAll.h"
#include "Tang/Pipelines/Compile.h"
#include "Tang/Runtime/Bundle.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void tangRegisterAllDialects(MlirDialectRegistry registry) {
  tang::registerAllTangDialects(*unwrap(registry));
}

void tangRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, tang::registerTangPasses);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static_assert(int(tang::Stage::Frontend) == TangStageFrontend &&
                  int(tang::Stage::Graph) == TangStageGraph &&
                  int(tang::Stage::Derived) == TangStageDerived &&
                  int(tang::Stage::Scheduled) == TangStageScheduled &&
                  int(tang::Stage::Tile) == TangStageTile &&
                  int(tang::Stage::Kernel) == TangStageKernel &&
                  int(tang::Stage::Legal) == TangStageLegal,
              "TangStage must list the stages as tang::Stage does");

static tang::CompileOptions toOptions(const TangCompileOptions *options) {
  tang::CompileOptions result;
  if (!options)
    return result;
  auto set = [](std::string &to, MlirStringRef from) {
    if (from.length)
      to = unwrap(from).str();
  };
  set(result.target, options->target);
  set(result.function, options->function);
  set(result.numerics, options->numerics);
  set(result.dumpDir, options->dumpDir);
  result.allowPartial = options->allowPartial;
  return result;
}

TangStage tangModuleGetStage(MlirModule module) {
  return static_cast<TangStage>(tang::detectStage(unwrap(module)));
}

TangCompileOptions tangCompileOptionsGetDefault(void) {
  return TangCompileOptions{
      {nullptr, 0}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}, false};
}

MlirLogicalResult tangCompileToStage(MlirModule module, TangStage stage,
                                     const TangCompileOptions *options) {
  return wrap(tang::compileToStage(
      unwrap(module), static_cast<tang::Stage>(stage), toOptions(options)));
}

MlirLogicalResult tangEmitSource(MlirModule module,
                                 const TangCompileOptions *options,
                                 MlirStringCallback callback, void *userData) {
  FailureOr<std::string> source =
      tang::emitSource(unwrap(module), toOptions(options));
  if (failed(source))
    return mlirLogicalResultFailure();
  callback(wrap(StringRef(*source)), userData);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

static tang::CompiledBundle &unwrap(TangBundle bundle) {
  return *static_cast<tang::CompiledBundle *>(bundle.ptr);
}

/// A message that tang_rt_free_string frees.
static int fail(const std::string &message, char **error) {
  if (error)
    *error = strdup(message.c_str());
  return 1;
}

TangBundle tangCompile(MlirModule module, const TangCompileOptions *options,
                       bool jit) {
  FailureOr<tang::CompiledBundle> bundle =
      tang::compileToBundle(unwrap(module), toOptions(options), jit);
  if (failed(bundle))
    return TangBundle{nullptr};
  return TangBundle{new tang::CompiledBundle(std::move(*bundle))};
}

intptr_t tangBundleGetNumFiles(TangBundle bundle) {
  return unwrap(bundle).files.size();
}

MlirStringRef tangBundleGetFileName(TangBundle bundle, intptr_t file) {
  return wrap(StringRef(unwrap(bundle).files[file].first));
}

MlirStringRef tangBundleGetFileContents(TangBundle bundle, intptr_t file) {
  return wrap(StringRef(unwrap(bundle).files[file].second));
}

int tangBundleWrite(TangBundle bundle, const char *path, char **error) {
  if (unwrap(bundle).resolve)
    return fail("the kernels of this bundle are in this process; compile it "
                "without jit to write it",
                error);
  std::string message;
  if (tang_rt::writeBundle(path, unwrap(bundle).files, message))
    return 0;
  return fail(message, error);
}

int tangBundleLoad(TangBundle bundle, tang_rt_device *device,
                   tang_rt_program **program, char **error) {
  tang::CompiledBundle &compiled = unwrap(bundle);
  std::vector<tang_rt_file> files;
  files.reserve(compiled.files.size());
  for (auto &[name, contents] : compiled.files)
    files.push_back({name.c_str(), contents.data(), contents.size()});
  tang_rt_resolver resolve = nullptr;
  if (compiled.resolve)
    resolve = [](void *user, const char *name) {
      return static_cast<tang::CompiledBundle *>(user)->resolve(name);
    };
  return tang_rt_load_files(device, files.data(), files.size(), resolve,
                            &compiled, program, error);
}

void tangBundleDestroy(TangBundle bundle) {
  delete static_cast<tang::CompiledBundle *>(bundle.ptr);
}
