//===- tang-c/Dialects.h - C API of the tang dialect -------------*- C -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect's handle and its attributes. Operations are made with upstream's
// mlirOperationCreate or parsed; bodies are ordinary regions.
//
// Attributes belong to their context. A function that returns a string lends
// it: it is valid as long as the context is, and is not freed by the caller.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_C_DIALECTS_H
#define TANG_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tang, tang);

//===----------------------------------------------------------------------===//
// #tang.monoid
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool tangAttributeIsAMonoid(MlirAttribute attribute);

/// The built-in monoid called `kind` as in text ("add", "logsumexp", "topk").
/// `k` is the size of a top-k and 1 for all others. Null if no monoid has that
/// name or k < 1.
MLIR_CAPI_EXPORTED MlirAttribute tangMonoidAttrGet(MlirContext context,
                                                   MlirStringRef kind,
                                                   int64_t k);

MLIR_CAPI_EXPORTED MlirStringRef tangMonoidAttrGetKind(MlirAttribute monoid);
MLIR_CAPI_EXPORTED int64_t tangMonoidAttrGetK(MlirAttribute monoid);

//===----------------------------------------------------------------------===//
// #tang.target
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool tangAttributeIsATarget(MlirAttribute attribute);

/// The facts that Tang knows about the target called `name` ("cpu", "c",
/// "opencl"). Null if it knows none.
MLIR_CAPI_EXPORTED MlirAttribute tangTargetAttrLookup(MlirContext context,
                                                      MlirStringRef name);

/// A target of one's own; docs/NewBackend.md says what the numbers mean.
MLIR_CAPI_EXPORTED MlirAttribute
tangTargetAttrGet(MlirContext context, MlirStringRef name,
                  MlirStringRef language, int64_t lanes, int64_t registerBytes,
                  int64_t cacheBytes, int64_t block, int64_t units);

MLIR_CAPI_EXPORTED MlirStringRef tangTargetAttrGetName(MlirAttribute target);
MLIR_CAPI_EXPORTED MlirStringRef
tangTargetAttrGetLanguage(MlirAttribute target);
MLIR_CAPI_EXPORTED int64_t tangTargetAttrGetLanes(MlirAttribute target);
MLIR_CAPI_EXPORTED int64_t tangTargetAttrGetRegisterBytes(MlirAttribute target);
MLIR_CAPI_EXPORTED int64_t tangTargetAttrGetCacheBytes(MlirAttribute target);
MLIR_CAPI_EXPORTED int64_t tangTargetAttrGetBlock(MlirAttribute target);
MLIR_CAPI_EXPORTED int64_t tangTargetAttrGetUnits(MlirAttribute target);

//===----------------------------------------------------------------------===//
// #tang.schedule
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool tangAttributeIsASchedule(MlirAttribute attribute);

/// A schedule with one tile size for each of the domain's `numDims`
/// dimensions. An illegal one is an error at `location` and gives null.
MLIR_CAPI_EXPORTED MlirAttribute
tangScheduleAttrGetChecked(MlirLocation location, intptr_t numDims,
                           const int64_t *tile, int64_t block);

MLIR_CAPI_EXPORTED intptr_t tangScheduleAttrGetNumDims(MlirAttribute schedule);
/// The tile of dimension `dim`, which must be below the number of dimensions.
MLIR_CAPI_EXPORTED int64_t tangScheduleAttrGetTile(MlirAttribute schedule,
                                                   intptr_t dim);
MLIR_CAPI_EXPORTED int64_t tangScheduleAttrGetBlock(MlirAttribute schedule);

#ifdef __cplusplus
}
#endif

#endif // TANG_C_DIALECTS_H
