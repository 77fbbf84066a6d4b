//===- Record.h - What derivation writes down -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TRANSFORMS_DERIVE_RECORD_H
#define TANG_LIB_TRANSFORMS_DERIVE_RECORD_H

#include "mlir/IR/Operation.h"

namespace mlir::tang {

/// Points of a chunk of a long fold or scan. Fixed, since it decides the order
/// in which points combine, and so the bits.
constexpr int64_t kChunk = 256;

/// Appends a text to `tang.rules` (law, then `; `, then the numeric effect) or
/// `tang.missed`, once.
void addRecord(Operation *op, StringRef name, const Twine &text);

} // namespace mlir::tang

#endif // TANG_LIB_TRANSFORMS_DERIVE_RECORD_H
