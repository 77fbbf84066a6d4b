//===- Import.h - From a frontend's module to the graph stage ---*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--tang-import` reads linalg on tensors, tensor, arith and math, TOSA, scf
// and calls, and leaves a module of
//   - func.func, func.return;
//   - tang operations on tensors;
//   - scf.for, scf.while, scf.if around them, and scalar arith and math;
//   - tensor.empty, dim, extract, expand_shape, collapse_shape, cast, and
//     constants; cf.assert.
// Everything is recognised by structure, nothing by name.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_FRONTEND_IMPORT_H
#define TANG_FRONTEND_IMPORT_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::tang {

/// Options of `--tang-import`.
struct ImportOptions : public PassPipelineOptions<ImportOptions> {
  PassOptions::Option<bool> allowPartial{
      *this, "allow-partial",
      llvm::cl::desc("Leave in place what cannot be imported, with a remark"),
      llvm::cl::init(false)};
};

/// Appends the import of a `builtin.module`.
void buildImportPipeline(OpPassManager &pm, const ImportOptions &options);

/// Registers `--tang-import` and its passes.
void registerFrontendPasses();

} // namespace mlir::tang

#endif // TANG_FRONTEND_IMPORT_H
