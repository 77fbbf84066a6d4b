//===- Convert.cpp - linalg and tensor to tang ----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tang {
#define GEN_PASS_DEF_IMPORTCONVERT
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

/// What a module may hold after the import.
bool isImported(Operation *op) {
  if (isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp, cf::AssertOp,
          scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp,
          tensor::EmptyOp, tensor::DimOp, tensor::ExtractOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          affine::AffineApplyOp>(op))
    return true;
  if (isa_and_nonnull<TangDialect>(op->getDialect()))
    return true;
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return false;
  return isa<arith::ConstantOp>(op) ||
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
}

std::string defaultReason(Operation *op) {
  if (op->getNumRegions() != 0 &&
      isa_and_nonnull<scf::SCFDialect>(op->getDialect()))
    return "loops of this kind are not imported; scf.for, scf.while and "
           "scf.forall with tensor results are";
  return ("there is no rule for the dialect '" +
          op->getName().getDialectNamespace() + "'")
      .str();
}

struct ImportConvertPass
    : mlir::tang::impl::ImportConvertBase<ImportConvertPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ImportState state(module);
    RewritePatternSet patterns(&getContext());
    populateNamedLinalg(patterns, state);
    populateGeneric(patterns, state);
    populatePack(patterns, state);
    populateElementwise(patterns, state);
    populateSlices(patterns, state);
    populatePad(patterns, state);
    populateTensorBuilders(patterns, state);
    populateTensorGather(patterns, state);
    populateTensorShapes(patterns, state);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setMaxIterations(GreedyRewriteConfig::kNoLimit);
    (void)applyPatternsGreedily(module, std::move(patterns), config);
    state.sizes.emitChecks();

    bool failed = false;
    llvm::StringSet<> seen;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      op->removeDiscardableAttr("tang.checked");
      bool tooManyDims = llvm::any_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.getRank() > 8;
      });
      if (isImported(op) && !tooManyDims)
        return isa<StructuredOp, MonoidOp>(op) ? WalkResult::skip()
                                               : WalkResult::advance();
      if (seen.insert(op->getName().getStringRef()).second) {
        StringRef reason = tooManyDims
                               ? "it becomes a tensor of more than 8 dimensions"
                               : state.getReason(op);
        InFlightDiagnostic diag =
            allowPartial ? emitRemark(op->getLoc()) : emitError(op->getLoc());
        diag << "tang-import: '" << op->getName() << "' op cannot be imported: "
             << (reason.empty() ? StringRef(defaultReason(op)) : reason);
        failed |= !allowPartial;
      }
      // What is inside is part of it.
      return WalkResult::skip();
    });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
