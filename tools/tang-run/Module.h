//===- Module.h - Reading a module and its signature ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_MODULE_H
#define TANG_TOOLS_TANG_RUN_MODULE_H

#include "Common.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

namespace mlir {
class SourceMgrDiagnosticHandler;
}

namespace tang_run {

/// A parsed module with all that its diagnostics need.
class Module {
public:
  Module();
  ~Module();

  /// Reads text or bytecode from `path` (`-`: standard input). Prints an error
  /// and returns false.
  bool read(const std::string &path);

  mlir::ModuleOp get() { return *module; }

  /// The signature of the function to run. Prints an error and returns false
  /// if there is no such function or it cannot be called from outside.
  /// `std::nullopt` if only the compiler can tell (a lower stage).
  bool describe(const std::string &function, bool mustKnow,
                std::optional<tang_rt::FunctionInfo> &info);

  /// The number of errors printed so far.
  unsigned numErrors() const { return errors; }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
  unsigned errors = 0;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_MODULE_H
