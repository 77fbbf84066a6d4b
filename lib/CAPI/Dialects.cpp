//===- Dialects.cpp - C API of the tang dialect ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tang-c/Dialects.h"

#include "Tang/Analysis/Targets.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace mlir::tang;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tang, tang, mlir::tang::TangDialect)

/// Attributes may be made before anything of the dialect was parsed.
static MLIRContext *loaded(MlirContext context) {
  unwrap(context)->getOrLoadDialect<TangDialect>();
  return unwrap(context);
}

//===----------------------------------------------------------------------===//
// #tang.monoid
//===----------------------------------------------------------------------===//

bool tangAttributeIsAMonoid(MlirAttribute attribute) {
  return isa_and_nonnull<MonoidAttr>(unwrap(attribute));
}

MlirAttribute tangMonoidAttrGet(MlirContext context, MlirStringRef kind,
                                int64_t k) {
  std::optional<MonoidKind> known = symbolizeMonoidKind(unwrap(kind));
  if (!known || k < 1)
    return MlirAttribute{nullptr};
  return wrap(MonoidAttr::get(loaded(context), *known, k));
}

MlirStringRef tangMonoidAttrGetKind(MlirAttribute monoid) {
  return wrap(stringifyMonoidKind(cast<MonoidAttr>(unwrap(monoid)).getKind()));
}

int64_t tangMonoidAttrGetK(MlirAttribute monoid) {
  return cast<MonoidAttr>(unwrap(monoid)).getK();
}

//===----------------------------------------------------------------------===//
// #tang.target
//===----------------------------------------------------------------------===//

bool tangAttributeIsATarget(MlirAttribute attribute) {
  return isa_and_nonnull<TargetAttr>(unwrap(attribute));
}

MlirAttribute tangTargetAttrLookup(MlirContext context, MlirStringRef name) {
  FailureOr<TargetAttr> target = lookupTarget(loaded(context), unwrap(name));
  return succeeded(target) ? wrap(*target) : MlirAttribute{nullptr};
}

MlirAttribute tangTargetAttrGet(MlirContext context, MlirStringRef name,
                                MlirStringRef language, int64_t lanes,
                                int64_t registerBytes, int64_t cacheBytes,
                                int64_t block, int64_t units) {
  return wrap(TargetAttr::get(loaded(context), unwrap(name), unwrap(language),
                              lanes, registerBytes, cacheBytes, block, units));
}

static TargetAttr asTarget(MlirAttribute attribute) {
  return cast<TargetAttr>(unwrap(attribute));
}

MlirStringRef tangTargetAttrGetName(MlirAttribute target) {
  return wrap(asTarget(target).getName());
}

MlirStringRef tangTargetAttrGetLanguage(MlirAttribute target) {
  return wrap(asTarget(target).getLanguage());
}

int64_t tangTargetAttrGetLanes(MlirAttribute target) {
  return asTarget(target).getLanes();
}

int64_t tangTargetAttrGetRegisterBytes(MlirAttribute target) {
  return asTarget(target).getRegisterBytes();
}

int64_t tangTargetAttrGetCacheBytes(MlirAttribute target) {
  return asTarget(target).getCacheBytes();
}

int64_t tangTargetAttrGetBlock(MlirAttribute target) {
  return asTarget(target).getBlock();
}

int64_t tangTargetAttrGetUnits(MlirAttribute target) {
  return asTarget(target).getUnits();
}

//===----------------------------------------------------------------------===//
// #tang.schedule
//===----------------------------------------------------------------------===//

bool tangAttributeIsASchedule(MlirAttribute attribute) {
  return isa_and_nonnull<ScheduleAttr>(unwrap(attribute));
}

MlirAttribute tangScheduleAttrGetChecked(MlirLocation location,
                                         intptr_t numDims, const int64_t *tile,
                                         int64_t block) {
  Location loc = unwrap(location);
  loc->getContext()->getOrLoadDialect<TangDialect>();
  return wrap(ScheduleAttr::getChecked([&] { return emitError(loc); },
                                       loc->getContext(),
                                       ArrayRef(tile, numDims), block));
}

intptr_t tangScheduleAttrGetNumDims(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getTile().size();
}

int64_t tangScheduleAttrGetTile(MlirAttribute schedule, intptr_t dim) {
  return cast<ScheduleAttr>(unwrap(schedule)).getTile()[dim];
}

int64_t tangScheduleAttrGetBlock(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getBlock();
}
