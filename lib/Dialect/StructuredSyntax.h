//===- StructuredSyntax.h - Text of structured operations -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// tang.map             [i, j]                       COMMON
// tang.reduce MONOID   [i] over [k = 8, l = %n]     [init(CONSTANTS)] COMMON
// tang.scan MONOID     [i, t] along t [reverse] [exclusive] COMMON
// tang.scatter [MONOID] over [i = 4] [unique]       COMMON
// COMMON: [symbols(o = %v, …)] [ins(%x[i, k + o], … : types)]
//         [with(%s, … : types)] outs(%o, … : types) [attributes {…}]
//         (block arguments) { body }
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_DIALECT_STRUCTUREDSYNTAX_H
#define TANG_LIB_DIALECT_STRUCTUREDSYNTAX_H

#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang::detail {

enum class StructuredForm { Map, Reduce, Scan, Scatter };

ParseResult parseStructured(OpAsmParser &parser, OperationState &result,
                            StructuredForm form);
void printStructured(OpAsmPrinter &printer, StructuredOp op,
                     StructuredForm form);

} // namespace mlir::tang::detail

#endif // TANG_LIB_DIALECT_STRUCTUREDSYNTAX_H
