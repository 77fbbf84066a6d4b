//===- Pipelines.cpp - The order of passes -------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Pipelines/Pipelines.h"

#include "Tang/Conversion/EmulateTypes.h"
#include "Tang/Conversion/KernelLegalize.h"
#include "Tang/Conversion/TileToKernel.h"
#include "Tang/Conversion/WarpSpecialize.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Import.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tang;

static constexpr std::pair<Stage, StringLiteral> stageNames[] = {
    {Stage::Frontend, "frontend"}, {Stage::Graph, "graph"},
    {Stage::Derived, "derived"},   {Stage::Scheduled, "scheduled"},
    {Stage::Tile, "tile"},         {Stage::Kernel, "kernel"},
    {Stage::Legal, "legal"},
};

StringRef mlir::tang::stringifyStage(Stage stage) {
  return stageNames[static_cast<int>(stage)].second;
}

std::optional<Stage> mlir::tang::parseStage(StringRef name) {
  for (auto &[stage, text] : stageNames)
    if (text == name)
      return stage;
  return std::nullopt;
}

Stage mlir::tang::detectStage(ModuleOp module) {
  // A module with kernels: is anything of the tile stage left in them?
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  if (!kernels.empty()) {
    bool tiles = false;
    for (gpu::GPUModuleOp container : kernels)
      container.walk([&](Operation *op) {
        tiles |= isa_and_nonnull<TangDialect>(op->getDialect());
      });
    return tiles ? Stage::Tile : Stage::Kernel;
  }
  // The graph stage: tang, scf, func and scalars; a foreign operation on
  // tensors means that the importer has not run.
  bool foreign = false, structured = false, unscheduled = false;
  module.walk([&](Operation *op) {
    Dialect *dialect = op->getDialect();
    if (!dialect) {
      foreign = true;
      return;
    }
    if (op->getParentOfType<KernelOp>())
      return;
    if (isa<StructuredOp, KernelOp>(op)) {
      structured = true;
      unscheduled |= !op->hasAttr("schedule");
      return;
    }
    unscheduled |= isa<GatherOp, SortOp, TopKOp, GroupByOp>(op);
    StringRef name = dialect->getNamespace();
    if (name == "linalg" || name == "tosa" ||
        (name == "tensor" &&
         !isa<tensor::EmptyOp, tensor::DimOp, tensor::CastOp,
              tensor::ExpandShapeOp, tensor::CollapseShapeOp,
              tensor::ExtractOp>(op)))
      foreign = true;
    if ((name == "arith" || name == "math") && !isa<arith::ConstantOp>(op) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
      foreign = true;
  });
  if (foreign || !structured)
    return Stage::Frontend;
  return unscheduled ? Stage::Graph : Stage::Scheduled;
}

namespace {
/// Emitters read kernels only, and type emulation changes their signatures:
/// the host's functions, which are exported before, go.
struct DropHostPass : PassWrapper<DropHostPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropHostPass)

  StringRef getArgument() const final { return "tang-drop-host"; }
  StringRef getDescription() const final {
    return "Keeps a module's kernels and drops its host functions";
  }
  void runOnOperation() final {
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (isa<func::FuncOp, memref::GlobalOp>(op))
        op.erase();
  }
};
} // namespace

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mlir::tang::buildStage(OpPassManager &pm, Stage stage,
                            const CompilePipelineOptions &options) {
  switch (stage) {
  case Stage::Frontend:
    return;
  case Stage::Graph: {
    ImportOptions import;
    import.allowPartial = options.allowPartial;
    buildImportPipeline(pm, import);
    return;
  }
  case Stage::Derived:
    pm.addPass(createTangDecompose());
    addCleanup(pm);
    if (options.numerics != "exact")
      pm.addPass(createTangWidenAccumulators());
    pm.addPass(createTangFuseMaps());
    pm.addPass(memref::createResolveShapedTypeResultDimsPass());
    addCleanup(pm);
    if (options.numerics != "exact") {
      TangPullOutOptions pullOut;
      pullOut.numerics = options.numerics;
      pm.addPass(createTangPullOut(pullOut));
      pm.addPass(createTangFuseMaps());
      addCleanup(pm);
    }
    {
      TangFormKernelsOptions kernels;
      kernels.numerics = options.numerics;
      pm.addPass(createTangFormKernels(kernels));
      TangSplitScansOptions scans;
      scans.numerics = options.numerics;
      pm.addPass(createTangSplitScans(scans));
      if (options.numerics == "fast")
        pm.addPass(createTangFuseProducts());
    }
    addCleanup(pm);
    return;
  case Stage::Scheduled: {
    TangScheduleOptions schedule;
    schedule.target = options.target;
    schedule.numerics = options.numerics;
    schedule.simt = options.simt;
    pm.addPass(createTangSchedule(schedule));
    TangAnnotateFloorOptions floor;
    floor.target = options.target;
    floor.remarks = false;
    pm.addPass(createTangAnnotateFloor(floor));
    return;
  }
  case Stage::Tile:
    pm.addPass(createTangBufferize());
    addCleanup(pm);
    pm.addPass(createTangApply());
    addCleanup(pm);
    pm.addPass(createTangKeepShared());
    return;
  case Stage::Kernel:
    pm.addNestedPass<gpu::GPUModuleOp>(createTileToKernelPass(options.target));
    addCleanup(pm);
    pm.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(
        createForwardLocalsPass());
    addCleanup(pm);
    // Bounds checks that loop bounds imply.
    pm.addPass(arith::createArithIntRangeOpts());
    addCleanup(pm);
    pm.addPass(createDropUnusedArgumentsPass());
    addCleanup(pm);
    // Last: range analysis does not read 32-bit arithmetic with signs well.
    pm.addPass(createWarpSpecializePass());
    addCleanup(pm);
    return;
  case Stage::Legal: {
    pm.addPass(std::make_unique<DropHostPass>());
    pm.addPass(createEmulateTypesPass());
    pm.addPass(createKernelLegalizePass());
    addCleanup(pm);
    return;
  }
  }
}

/// Adds every stage after `from` up to `to`.
static void buildStages(OpPassManager &pm, Stage from, Stage to,
                        const CompilePipelineOptions &options) {
  for (int stage = static_cast<int>(from) + 1; stage <= static_cast<int>(to);
       ++stage)
    buildStage(pm, static_cast<Stage>(stage), options);
}

void mlir::tang::registerTangPipelines() {
  PassRegistration<DropHostPass>();
  registerTangFloor();
  PassPipelineRegistration<CompilePipelineOptions>(
      "tang-derive", "Graph to derived: structured operations, fused",
      [](OpPassManager &pm, const CompilePipelineOptions &options) {
        buildStage(pm, Stage::Derived, options);
      });
  PassPipelineRegistration<CompilePipelineOptions>(
      "tang-tile",
      "Derived to tile: kernels as streamed folds over vector tiles",
      [](OpPassManager &pm, const CompilePipelineOptions &options) {
        buildStages(pm, Stage::Derived, Stage::Tile, options);
      });
  PassPipelineRegistration<CompilePipelineOptions>(
      "tang-compile", "A frontend's module to kernel IR, everything",
      [](OpPassManager &pm, const CompilePipelineOptions &options) {
        buildStages(pm, Stage::Frontend, Stage::Legal, options);
      });
}
