/*===- capi.c - Tang from C ---------------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Tang, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Parses a module, compiles it and runs it with nothing but C; then every other
 * function of tang-c, and what they say when they fail. Links libtang-c only.
 */
#include "tang-c/Compile.h"
#include "tang-c/Dialects.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(CONDITION)                                                       \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #CONDITION);  \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

static const char *graph =
    "func.func @main(%x: tensor<?x4xf32>) -> tensor<?xf32> {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %n = tensor.dim %x, %c0 : tensor<?x4xf32>\n"
    "  %e = tensor.empty(%n) : tensor<?xf32>\n"
    "  %r = tang.reduce #tang.monoid<maxnum> [i] over [k = 4]\n"
    "         init(0xFF800000 : f32) ins(%x[i, k] : tensor<?x4xf32>)\n"
    "         outs(%e : tensor<?xf32>) (%a: f32) {\n"
    "    tang.yield %a : f32\n"
    "  }\n"
    "  return %r : tensor<?xf32>\n"
    "}\n";

static MlirStringRef text(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

static bool equal(MlirStringRef a, const char *b) {
  return mlirStringRefEqual(a, text(b));
}

/* A growing string, for callbacks. */
typedef struct Buffer {
  char *data;
  size_t size;
} Buffer;

static void append(MlirStringRef part, void *user) {
  Buffer *buffer = (Buffer *)user;
  buffer->data = (char *)realloc(buffer->data, buffer->size + part.length + 1);
  memcpy(buffer->data + buffer->size, part.data, part.length);
  buffer->size += part.length;
  buffer->data[buffer->size] = 0;
}

static MlirLogicalResult keepMessage(MlirDiagnostic diagnostic, void *user) {
  mlirDiagnosticPrint(diagnostic, append, user);
  return mlirLogicalResultSuccess();
}

/* [[compile and run]] */
static void compileAndRun(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, text(graph));
  CHECK(!mlirModuleIsNull(module));

  TangBundle bundle = tangCompile(module, NULL, /*jit=*/true);
  CHECK(!tangBundleIsNull(bundle));

  char *error = NULL;
  tang_rt_device *device = NULL;
  tang_rt_program *program = NULL;
  CHECK(tang_rt_open_device("cpu", 0, &device, &error) == 0);
  CHECK(tangBundleLoad(bundle, device, &program, &error) == 0);

  float x[3][4] = {{1, 5, 2, 3}, {-4, -1, -2, -3}, {0, 0, 9, 0}};
  int64_t shape[] = {3, 4};
  tang_rt_tensor input = {TANG_RT_F32, 2, shape, x}, output;
  size_t function = 0;
  CHECK(tang_rt_find_function(program, NULL, &function, &error) == 0);
  CHECK(tang_rt_invoke(program, function, &input, 1, &output, &error) == 0);
  CHECK(output.rank == 1 && output.shape[0] == 3);
  const float *got = (const float *)output.data;
  CHECK(got[0] == 5 && got[1] == -1 && got[2] == 9);
  printf("row maxima: %g %g %g\n", got[0], got[1], got[2]);

  tang_rt_free_tensor(&output);
  tang_rt_free_program(program); /* before the bundle: its kernels are there */
  tang_rt_close_device(device);

  /* Kernels in this process cannot be written. */
  CHECK(tangBundleWrite(bundle, "never.tangb", &error) != 0);
  CHECK(error && strstr(error, "without jit"));
  tang_rt_free_string(error);
  tangBundleDestroy(bundle);
  mlirModuleDestroy(module);
}

static void attributes(MlirContext context) {
  MlirAttribute top = tangMonoidAttrGet(context, text("topk"), 4);
  CHECK(tangAttributeIsAMonoid(top));
  CHECK(equal(tangMonoidAttrGetKind(top), "topk"));
  CHECK(tangMonoidAttrGetK(top) == 4);
  CHECK(mlirAttributeEqual(
      top, mlirAttributeParseGet(context, text("#tang.monoid<topk, 4>"))));
  CHECK(mlirAttributeIsNull(tangMonoidAttrGet(context, text("plus"), 1)));
  CHECK(mlirAttributeIsNull(tangMonoidAttrGet(context, text("topk"), 0)));

  MlirAttribute cpu = tangTargetAttrLookup(context, text("cpu"));
  CHECK(tangAttributeIsATarget(cpu) && !tangAttributeIsAMonoid(cpu));
  CHECK(equal(tangTargetAttrGetName(cpu), "cpu"));
  CHECK(equal(tangTargetAttrGetLanguage(cpu), "llvm"));
  MlirAttribute same = tangTargetAttrGet(
      context, tangTargetAttrGetName(cpu), tangTargetAttrGetLanguage(cpu),
      tangTargetAttrGetLanes(cpu), tangTargetAttrGetRegisterBytes(cpu),
      tangTargetAttrGetCacheBytes(cpu), tangTargetAttrGetBlock(cpu),
      tangTargetAttrGetUnits(cpu));
  CHECK(mlirAttributeEqual(cpu, same));
  CHECK(mlirAttributeIsNull(tangTargetAttrLookup(context, text("abacus"))));

  MlirLocation here = mlirLocationUnknownGet(context);
  int64_t tile[] = {4, 64, 16}, bad[] = {4, 0};
  MlirAttribute schedule = tangScheduleAttrGetChecked(here, 3, tile, 1);
  CHECK(tangAttributeIsASchedule(schedule));
  CHECK(tangScheduleAttrGetNumDims(schedule) == 3);
  CHECK(tangScheduleAttrGetTile(schedule, 1) == 64);
  CHECK(tangScheduleAttrGetBlock(schedule) == 1);

  Buffer messages = {NULL, 0};
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, keepMessage, &messages, NULL);
  CHECK(mlirAttributeIsNull(tangScheduleAttrGetChecked(here, 2, bad, 1)));
  CHECK(messages.data && strstr(messages.data, "at least 1"));
  mlirContextDetachDiagnosticHandler(context, handler);
  free(messages.data);
}

static void sourceAndStages(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, text(graph));
  TangCompileOptions options = tangCompileOptionsGetDefault();
  options.target = text("opencl");
  CHECK(tangModuleGetStage(module) == TangStageGraph);
  CHECK(mlirLogicalResultIsSuccess(
      tangCompileToStage(module, TangStageScheduled, &options)));
  CHECK(tangModuleGetStage(module) == TangStageScheduled);
  Buffer source = {NULL, 0};
  CHECK(mlirLogicalResultIsSuccess(
      tangEmitSource(module, &options, append, &source)));
  CHECK(source.data && strstr(source.data, "__kernel"));
  free(source.data);
  mlirModuleDestroy(module);

  /* What goes wrong is a diagnostic of the context. */
  module = mlirModuleCreateParse(context, text(graph));
  options.target = text("abacus");
  Buffer messages = {NULL, 0};
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, keepMessage, &messages, NULL);
  CHECK(tangBundleIsNull(tangCompile(module, &options, false)));
  CHECK(messages.data && strstr(messages.data, "unknown target 'abacus'"));
  mlirContextDetachDiagnosticHandler(context, handler);
  free(messages.data);
  mlirModuleDestroy(module);
}

static void bundles(MlirContext context, const char *path) {
  MlirModule module = mlirModuleCreateParse(context, text(graph));
  TangCompileOptions options = tangCompileOptionsGetDefault();
  options.target = text("opencl");
  TangBundle bundle = tangCompile(module, &options, false);
  CHECK(!tangBundleIsNull(bundle));
  bool manifest = false, kernels = false;
  for (intptr_t i = 0; i < tangBundleGetNumFiles(bundle); ++i) {
    manifest |= equal(tangBundleGetFileName(bundle, i), "manifest.json");
    if (equal(tangBundleGetFileName(bundle, i), "kernels.cl"))
      kernels = tangBundleGetFileContents(bundle, i).length > 0;
  }
  CHECK(manifest && kernels);
  char *error = NULL, *target = NULL;
  CHECK(tangBundleWrite(bundle, path, &error) == 0);
  CHECK(tang_rt_bundle_target(path, &target, &error) == 0);
  CHECK(target && strcmp(target, "opencl") == 0);
  tang_rt_free_string(target);
  tangBundleDestroy(bundle);
  tangBundleDestroy((TangBundle){NULL});
  mlirModuleDestroy(module);
}

static void pipelines(MlirContext context) {
  tangRegisterPasses();
  tangRegisterPasses(); /* does nothing */
  MlirModule module = mlirModuleCreateParse(context, text(graph));
  MlirPassManager pm = mlirPassManagerCreate(context);
  Buffer errors = {NULL, 0};
  CHECK(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(pm),
      text("builtin.module(tang-derive,tang-tile{target=c})"), append,
      &errors)));
  CHECK(mlirLogicalResultIsSuccess(
      mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))));
  CHECK(tangModuleGetStage(module) == TangStageTile);
  free(errors.data);
  mlirPassManagerDestroy(pm);
  mlirModuleDestroy(module);
}

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tangRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, true);
  compileAndRun(context);
  attributes(context);
  sourceAndStages(context);
  bundles(context, argc > 1 ? argv[1] : "capi.tangb");
  pipelines(context);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);

  /* The dialect alone, without the rest. */
  context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__tang__(), context);
  CHECK(equal(mlirDialectHandleGetNamespace(mlirGetDialectHandle__tang__()),
              "tang"));
  CHECK(tangAttributeIsAMonoid(tangMonoidAttrGet(context, text("add"), 1)));
  mlirContextDestroy(context);
  if (!failures)
    printf("all good\n");
  return failures != 0;
}
