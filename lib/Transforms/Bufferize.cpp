//===- Bufferize.cpp - Tensors become buffers
//------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGBUFFERIZE
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::bufferization;

namespace {

/// One model for all structured operations: destinations are written in place,
/// and read only where the operation's meaning starts from them.
template <typename Op>
struct StructuredModel
    : DstBufferizableOpInterfaceExternalModel<StructuredModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *operation, OpOperand &operand,
                              const AnalysisState &) const {
    auto op = cast<Op>(operation);
    if (!cast<DestinationStyleOpInterface>(operation).isDpsInit(&operand))
      return true;
    if constexpr (std::is_same_v<Op, MapOp>)
      return false;
    if constexpr (std::is_same_v<Op, ReduceOp>)
      return !op.getInit();
    if constexpr (std::is_same_v<Op, ScanOp>)
      return static_cast<int64_t>(operand.getOperandNumber() -
                                  op.getOuts().getBeginOperandIndex()) >=
             op.getNumStates();
    return true;
  }

  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<Op>(operation);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    OperationState newState(op.getLoc(), op->getName(), operands,
                            /*types=*/TypeRange{}, op->getAttrs());
    newState.propertiesAttr = op->getPropertiesAsAttribute();
    newState.addRegion();
    auto bufferized = cast<Op>(rewriter.create(newState));
    rewriter.inlineRegionBefore(op.getRegion(), bufferized.getRegion(),
                                bufferized.getRegion().begin());
    for (auto [i, capture] : llvm::enumerate(bufferized.getCaptures()))
      bufferized.getCaptureArg(i).setType(capture.getType());
    SmallVector<Value> results(
        bufferized.getOuts().take_front(op->getNumResults()));
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

/// A kernel's body is a graph of values; only its operands become buffers.
struct KernelModel
    : DstBufferizableOpInterfaceExternalModel<KernelModel, KernelOp> {
  /// The tensors in its body stay.
  bool hasTensorSemantics(Operation *operation) const {
    return !cast<KernelOp>(operation).isBufferized();
  }

  bool bufferizesToMemoryRead(Operation *operation, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(operation).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<KernelOp>(operation);
    rewriter.setInsertionPoint(op);
    auto toBuffers = [&](ValueRange values, SmallVectorImpl<Value> &buffers) {
      for (Value value : values) {
        if (isa<TensorType>(value.getType())) {
          FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
          if (failed(buffer))
            return failure();
          value = *buffer;
        }
        buffers.push_back(value);
      }
      return success();
    };
    SmallVector<Value> ins, outs;
    if (failed(toBuffers(op.getIns(), ins)) ||
        failed(toBuffers(op.getOuts(), outs)))
      return failure();
    auto bufferized = rewriter.create<KernelOp>(op.getLoc(), ins, outs);
    for (NamedAttribute attr : op->getAttrs())
      if (!bufferized->hasAttr(attr.getName()))
        bufferized->setAttr(attr.getName(), attr.getValue());
    rewriter.eraseBlock(bufferized.getBody());
    rewriter.inlineRegionBefore(op.getRegion(), bufferized.getRegion(),
                                bufferized.getRegion().begin());
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};

struct BufferizePass : tang::impl::TangBufferizeBase<BufferizePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerBufferizableOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Arguments belong to the caller.
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isPrivate() || function.isExternal())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (isa<TensorType>(function.getArgument(i).getType()))
          function.setArgAttr(i, BufferizationDialect::kWritableAttrName,
                              BoolAttr::get(&getContext(), false));
    }
    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.allowReturnAllocsFromLoops = true;
    options.setFunctionBoundaryTypeConversion(
        LayoutMapOption::IdentityLayoutMap);
    options.unknownTypeConverterFn = [](TensorType type, Attribute space,
                                        const BufferizationOptions &) {
      return getMemRefTypeWithStaticIdentityLayout(type, space);
    };
    options.opFilter.denyOperation([](Operation *op) {
      return op->getParentOfType<KernelOp>() != nullptr;
    });
    BufferizationState state;
    if (failed(runOneShotModuleBufferize(module, options, state)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, BufferizationDialect::kWritableAttrName);
  }
};
} // namespace

void mlir::tang::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TangDialect *) {
    MapOp::attachInterface<StructuredModel<MapOp>>(*context);
    ReduceOp::attachInterface<StructuredModel<ReduceOp>>(*context);
    ScanOp::attachInterface<StructuredModel<ScanOp>>(*context);
    ScatterOp::attachInterface<StructuredModel<ScatterOp>>(*context);
    KernelOp::attachInterface<KernelModel>(*context);
  });
}
