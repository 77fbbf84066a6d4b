//===- InitAll.h - Everything that Tang registers ---------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_INITALL_H
#define TANG_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::tang {

/// Tang's dialect and its external models of upstream interfaces.
void registerTangDialects(DialectRegistry &registry);

/// Every dialect that Tang reads, makes or passes through: Tang's own and all
/// of upstream's, with the extensions its pipelines need.
void registerAllTangDialects(DialectRegistry &registry);

/// Tang's passes and pipelines.
void registerTangPasses();

} // namespace mlir::tang

#endif // TANG_INITALL_H
