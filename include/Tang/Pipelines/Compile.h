//===- Compile.h - From a module to a bundle -----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_PIPELINES_COMPILE_H
#define TANG_PIPELINES_COMPILE_H

#include "Tang/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tang {

struct CompileOptions {
  /// A target of the contracts: cpu, c, opencl, ... or a chip.
  std::string target = "cpu";
  /// The function to run; empty means main or the only public one.
  std::string function;
  /// `exact`, `stable` or `fast`.
  std::string numerics = "stable";
  /// Leave what cannot be imported in place and compile the rest.
  bool allowPartial = false;
  /// Where every stage is written, if not empty.
  std::string dumpDir;
  /// Which of a target's languages `emitSource` gives, where it has several:
  /// `spirv` for the binary that others are made from, `cuda` for CUDA C++ in
  /// place of PTX. With the latter a bundle has `kernels.cu`, which the runtime
  /// does not compile, and kernels do without matrix units.
  std::string source;
  /// Print the time of each pass.
  bool timing = false;
  /// Called with the module when it has reached a stage; it may look and clone.
  std::function<void(Stage, mlir::ModuleOp)> afterStage;
};

/// A compiled program: the files of a bundle, and for the JIT a resolver of
/// kernel symbols that lives as long as `keepAlive`.
struct CompiledBundle {
  std::vector<std::pair<std::string, std::string>> files;
  std::function<void *(llvm::StringRef)> resolve;
  std::shared_ptr<void> keepAlive;
};

/// Compiles in place whatever stage `module` is at. `jit`: for target cpu make
/// a resolver and no kernels.so. Emits diagnostics and fails.
llvm::FailureOr<CompiledBundle>
compileToBundle(mlir::ModuleOp module, const CompileOptions &options, bool jit);

/// Runs the stages that `module` has not gone through yet, up to `to`; writes
/// each to `options.dumpDir` if that is set.
llvm::LogicalResult compileToStage(mlir::ModuleOp module, Stage to,
                                   const CompileOptions &options);

/// The kernels of `module`, at any stage, as one source text in the target's
/// language.
llvm::FailureOr<std::string> emitSource(mlir::ModuleOp module,
                                        const CompileOptions &options);

} // namespace mlir::tang

#endif // TANG_PIPELINES_COMPILE_H
