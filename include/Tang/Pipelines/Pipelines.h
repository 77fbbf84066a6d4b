//===- Pipelines.h - The order of passes ------------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that orders passes. A module stands at one stage; a pipeline
// runs what is missing to reach a later one.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_PIPELINES_PIPELINES_H
#define TANG_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <optional>

namespace mlir::tang {

/// The stages of a module, in order.
enum class Stage {
  Frontend,  ///< What a frontend wrote: linalg, TOSA, tensor, scf, tang.
  Graph,     ///< tang operations on tensors, scf and scalar arithmetic.
  Derived,   ///< Structured operations only, fused.
  Scheduled, ///< Each with a #tang.schedule.
  Tile,      ///< gpu.func of tile operations; the host on buffers.
  Kernel,    ///< Kernel IR (docs/KernelIR.md) with all element types.
  Legal,     ///< Kernel IR as emitters read it: no small types, total ops.
};

/// `graph`, `derived`, `scheduled`, `tile`, `kernel`, `legal`.
StringRef stringifyStage(Stage stage);
std::optional<Stage> parseStage(StringRef name);

/// The stage that a module stands at.
Stage detectStage(ModuleOp module);

struct CompilePipelineOptions
    : public PassPipelineOptions<CompilePipelineOptions> {
  PassOptions::Option<std::string> target{
      *this, "target", llvm::cl::desc("The target to compile for"),
      llvm::cl::init("cpu")};
  PassOptions::Option<std::string> numerics{
      *this, "numerics",
      llvm::cl::desc("stable: a better rounding than written is right; exact: "
                     "the literal order and roundings; fast: also what has no "
                     "bound"),
      llvm::cl::init("stable")};
  PassOptions::Option<bool> allowPartial{
      *this, "allow-partial",
      llvm::cl::desc("Leave in place what cannot be imported"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> simt{
      *this, "simt",
      llvm::cl::desc("No matrix units, also where the target has them"),
      llvm::cl::init(false)};
};

/// Adds the passes that lead from the stage before `stage` to `stage`.
void buildStage(OpPassManager &pm, Stage stage,
                const CompilePipelineOptions &options);

/// `--tang-derive`, `--tang-tile`, `--tang-compile`.
void registerTangPipelines();

/// `--tang-floor`.
void registerTangFloor();

} // namespace mlir::tang

#endif // TANG_PIPELINES_PIPELINES_H
