//===- TangAttrs.cpp - Attributes
//--------------------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;

#include "Tang/Dialect/TangEnums.cpp.inc"

/// `[4, 64]`, and `[]` for a domain of rank 0.
static ParseResult parseTile(AsmParser &parser, SmallVector<int64_t> &tile) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(tile.emplace_back());
  });
}
static void printTile(AsmPrinter &printer, ArrayRef<int64_t> tile) {
  printer << "[";
  llvm::interleaveComma(tile, printer);
  printer << "]";
}

#define GET_ATTRDEF_CLASSES
#include "Tang/Dialect/TangAttrs.cpp.inc"

void TangDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tang/Dialect/TangAttrs.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> tile, int64_t block,
                                   AsyncAttr async) {
  for (int64_t size : tile)
    if (size < 1)
      return emitError() << "schedule: tile sizes must be at least 1, got "
                         << size;
  if (block < 1)
    return emitError() << "schedule: a block has at least 1 thread, got "
                       << block;
  if (async && block != 128 * (async.getConsumers() + 1))
    return emitError() << "schedule: " << async.getConsumers()
                       << " consumers and a producer are "
                       << 128 * (async.getConsumers() + 1)
                       << " threads, the block has " << block;
  return success();
}

LogicalResult AsyncAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t consumers, int64_t stages, int64_t skew,
                                int64_t raster) {
  if (consumers < 1 || consumers > 3)
    return emitError() << "async: 1 to 3 consumers, got " << consumers;
  if (stages < 2 || stages > 16)
    return emitError() << "async: 2 to 16 stages, got " << stages;
  if (skew < 0 || skew > 1)
    return emitError() << "async: skew is 0 or 1, got " << skew;
  // Positions of programs are computed in 32 bits.
  if (raster < 1 || raster > 1024)
    return emitError() << "async: raster is 1 to 1024, got " << raster;
  return success();
}
