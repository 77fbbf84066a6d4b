//===- tang-c/Compile.h - C API of the compiler ------------------*- C -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a module to source text or to a bundle that the runtime
// (Tang/Runtime/Runtime.h, plain C as well) loads and runs.
//
// Errors of compiling are diagnostics of the module's context
// (mlirContextAttachDiagnosticHandler); the functions say only that there was
// one. Errors of files and devices are messages, as in the runtime: where the
// result is not 0 and `error` is not null, *error is a string that the caller
// frees with tang_rt_free_string.
//
// Strings that go in are read during the call and not kept. Strings that come
// out belong to the object they were asked from and live as long as it does.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_C_COMPILE_H
#define TANG_C_COMPILE_H

#include "Tang/Runtime/Runtime.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

/// Adds every dialect that Tang reads, makes or passes through, with the
/// extensions that its pipelines need, to a registry.
MLIR_CAPI_EXPORTED void tangRegisterAllDialects(MlirDialectRegistry registry);

/// Registers Tang's passes and pipelines (`tang-import`, `tang-derive`,
/// `tang-compile`, ...) for mlirParsePassPipeline. Once a process; later calls
/// do nothing.
MLIR_CAPI_EXPORTED void tangRegisterPasses(void);

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// What a module can stand at, in order (docs/Pipeline.md shows each).
typedef enum TangStage {
  TangStageFrontend,
  TangStageGraph,
  TangStageDerived,
  TangStageScheduled,
  TangStageTile,
  TangStageKernel,
  TangStageLegal
} TangStage;

/// The stage that `module` stands at.
MLIR_CAPI_EXPORTED TangStage tangModuleGetStage(MlirModule module);

/// How to compile. Start from tangCompileOptionsGetDefault, so that options
/// added later have their defaults.
typedef struct TangCompileOptions {
  MlirStringRef target;   ///< cpu, c, opencl, vulkan, …; default cpu
  MlirStringRef function; ///< what to run; default main or the only one
  MlirStringRef numerics; ///< stable (default) or exact
  MlirStringRef dumpDir;  ///< where each stage is written; default nowhere
  bool allowPartial;      ///< leave what cannot be imported; default false
} TangCompileOptions;

MLIR_CAPI_EXPORTED TangCompileOptions tangCompileOptionsGetDefault(void);

/// Runs in place the stages that `module` has not gone through, up to `stage`.
/// A null `options` means the defaults, here and below.
MLIR_CAPI_EXPORTED MlirLogicalResult tangCompileToStage(
    MlirModule module, TangStage stage, const TangCompileOptions *options);

/// Compiles `module` in place and hands the kernels' source, in the target's
/// language, to `callback`.
MLIR_CAPI_EXPORTED MlirLogicalResult
tangEmitSource(MlirModule module, const TangCompileOptions *options,
               MlirStringCallback callback, void *userData);

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// A compiled program: the files of a bundle (docs/Bundle.md), and with `jit`
/// kernels in this process. Independent of the module and its context.
typedef struct TangBundle {
  void *ptr;
} TangBundle;

/// Compiles `module` in place; the caller frees the result with
/// tangBundleDestroy. Null after an error. With `jit`, for target cpu only, the
/// kernels are compiled into this process: the bundle can be loaded here but
/// not written. Other targets take no notice of it.
MLIR_CAPI_EXPORTED TangBundle tangCompile(MlirModule module,
                                          const TangCompileOptions *options,
                                          bool jit);

static inline bool tangBundleIsNull(TangBundle bundle) { return !bundle.ptr; }

MLIR_CAPI_EXPORTED intptr_t tangBundleGetNumFiles(TangBundle bundle);
MLIR_CAPI_EXPORTED MlirStringRef tangBundleGetFileName(TangBundle bundle,
                                                       intptr_t file);
/// The file's bytes, which may contain zeros.
MLIR_CAPI_EXPORTED MlirStringRef tangBundleGetFileContents(TangBundle bundle,
                                                           intptr_t file);

/// Writes a directory, or one file if `path` ends in .tangb, under a temporary
/// name that is then renamed. Returns 0 when good.
MLIR_CAPI_EXPORTED int tangBundleWrite(TangBundle bundle, const char *path,
                                       char **error);

/// Loads the bundle on a device of its target. The caller frees *program with
/// tang_rt_free_program, and with `jit` does so before it destroys the bundle.
/// Returns 0 when good.
MLIR_CAPI_EXPORTED int tangBundleLoad(TangBundle bundle, tang_rt_device *device,
                                      tang_rt_program **program, char **error);

/// Frees a bundle; null is allowed.
MLIR_CAPI_EXPORTED void tangBundleDestroy(TangBundle bundle);

#ifdef __cplusplus
}
#endif

#endif // TANG_C_COMPILE_H
