//===- Reference.h - The f64 interpreter of the graph stage --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_REFERENCE_H
#define TANG_TARGET_REFERENCE_H

#include "Tang/Runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <vector>

namespace mlir::tang {

/// Runs `function` ("" = main or the only public one) of a module at any stage
/// up to the graph in f64 (exact = rounds in the declared types and order).
/// Integers come back in their declared type, floats as f64. Emits diagnostics
/// and fails. The caller has checked `inputs` against the signature.
llvm::FailureOr<std::vector<tang_rt::HostTensor>>
runReference(mlir::ModuleOp module, llvm::StringRef function,
             llvm::ArrayRef<tang_rt::HostTensor> inputs, bool exact);

} // namespace mlir::tang

#endif // TANG_TARGET_REFERENCE_H
