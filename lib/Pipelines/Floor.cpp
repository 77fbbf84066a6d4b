//===- Floor.cpp - The floor of a module at any early stage ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--tang-floor=target=T`: imports and derives what is not yet, then annotates.
// A pass rather than a pipeline, since what to run depends on the module.
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Pipelines/Pipelines.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

struct FloorPass : PassWrapper<FloorPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FloorPass)

  FloorPass() = default;
  FloorPass(const FloorPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "tang-floor"; }
  StringRef getDescription() const final {
    return "Says for every kernel what no schedule can beat, from any graph "
           "(linalg, TOSA or tang)";
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    OpPassManager passes(ModuleOp::getOperationName());
    build(passes, Stage::Frontend);
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    ModuleOp module = getOperation();
    Stage stage = detectStage(module);
    if (stage > Stage::Scheduled) {
      module.emitError("--tang-floor needs a graph; this module is at the ")
          << stringifyStage(stage) << " stage";
      return signalPassFailure();
    }
    // Kernels come from derivation, which runs once.
    if (stage == Stage::Graph && (asWritten || hasKernels(module)))
      stage = Stage::Derived;
    OpPassManager passes(ModuleOp::getOperationName());
    build(passes, stage);
    if (failed(runPipeline(passes, module)))
      signalPassFailure();
  }

private:
  static bool hasKernels(ModuleOp module) {
    return module.walk([](KernelOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  void build(OpPassManager &passes, Stage from) const {
    CompilePipelineOptions options;
    options.target = target;
    options.numerics = numerics;
    if (from < Stage::Graph)
      buildStage(passes, Stage::Graph, options);
    if (from < Stage::Derived && !asWritten)
      buildStage(passes, Stage::Derived, options);
    TangAnnotateFloorOptions floor;
    floor.target = target;
    floor.sizes.assign(sizes.begin(), sizes.end());
    passes.addPass(createTangAnnotateFloor(floor));
  }

  Option<std::string> target{*this, "target",
                             llvm::cl::desc("The target whose peaks count"),
                             llvm::cl::init("cuda")};
  Option<std::string> numerics{
      *this, "numerics",
      llvm::cl::desc("exact, stable or fast: how much is fused"),
      llvm::cl::init("stable")};
  ListOption<std::string> sizes{
      *this, "sizes",
      llvm::cl::desc("Sizes of dynamic dimensions, arg0.1=4096 for dimension 1 "
                     "of argument 0")};
  Option<bool> asWritten{
      *this, "as-written",
      llvm::cl::desc("Every operation by itself: nothing is derived"),
      llvm::cl::init(false)};
};
} // namespace

void mlir::tang::registerTangFloor() { PassRegistration<FloorPass>(); }
