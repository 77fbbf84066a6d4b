//===- KernelLegalize.cpp - Kernel IR every target can spell --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Conversion/KernelLegalize.h"

#include "KernelLegalizeImpl.h"
#include "Tang/Conversion/NativeKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// What is left must be kernel IR
//===----------------------------------------------------------------------===//

static bool isLegalScalar(Type type) {
  return type.isF32() || type.isF64() || type.isIndex() || type.isInteger(1) ||
         type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         type.isInteger(64);
}

/// Several numbers at once, in a register.
static bool isLegalVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         (vector.getElementType().isF32() || vector.getElementType().isF64());
}

static LogicalResult verifyType(Operation *op, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    if (isLegalScalar(type) || isLegalVector(type))
      return success();
    return op->emitOpError() << "uses type " << type
                             << "; after tang-emulate-types a kernel has f64, "
                                "f32, i64, i32, i16, i8, i1 and index only";
  }
  Type element = memref.getElementType();
  if (!isLegalScalar(element) || element.isIndex() || element.isInteger(1))
    return op->emitOpError()
           << "keeps " << element << " in memory; run tang-emulate-types first";
  if (!memref.getLayout().isIdentity())
    return op->emitOpError() << "uses a memref with a layout, " << type
                             << "; kernel IR computes linear addresses";
  if (memref.getRank() > 8)
    return op->emitOpError("uses an array of more than 8 dimensions");
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(verifyType(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::ThreadIdOp>(op)) {
    auto dimension = op->getAttrOfType<gpu::DimensionAttr>("dimension");
    if (dimension && dimension.getValue() != gpu::Dimension::x)
      return op->emitOpError("asks for another dimension than x; the grid of "
                             "a kernel has one");
    return success();
  }
  if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
    if (!alloca.getType().hasStaticShape())
      return op->emitOpError("has a dynamic shape; local arrays are static");
    return success();
  }
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp,
          vector::BroadcastOp, func::CallOp, func::ReturnOp, gpu::ReturnOp>(op))
    return success();
  return op->emitOpError("is not part of kernel IR (docs/KernelIR.md)");
}

static LogicalResult verifyKernel(gpu::GPUFuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("has control flow between blocks; kernel IR has "
                              "scf only");
  bool sawScalar = false;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Type type = argument.getType();
    if (failed(verifyType(kernel, type)))
      return failure();
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && memref.getRank() != 1)
      return kernel.emitOpError()
             << "has argument " << argument.getArgNumber() << " of type "
             << type << "; buffers have one dimension";
    if (memref && sawScalar)
      return kernel.emitOpError("has a buffer after a scalar argument");
    sawScalar |= !memref;
  }
  return success();
}

LogicalResult mlir::tang::verifyKernelIR(gpu::GPUModuleOp module) {
  for (Operation &top : *module.getBody()) {
    if (isNativeCode(top))
      continue;
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(top)) {
      if (failed(verifyKernel(kernel)))
        return failure();
    } else if (auto helper = dyn_cast<func::FuncOp>(top)) {
      if (helper.isExternal() || !helper.getBody().hasOneBlock())
        return helper.emitOpError("is a helper without one block as its body");
    } else {
      return top.emitOpError("is not part of kernel IR (docs/KernelIR.md)");
    }
    WalkResult walk = top.walk([&](Operation *op) {
      if (op == &top)
        return WalkResult::advance();
      return failed(verifyOp(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Licences to deviate (fast math, no-wrap, exactness) end here, so that all
/// targets agree. Index arithmetic keeps its no-wrap flags.
static void dropLicences(Operation *op) {
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    op->setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(),
                                              arith::FastMathFlags::none));
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  if (flags && !op->getResult(0).getType().isIndex())
    op->setAttr(flags.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(
                    op->getContext(), arith::IntegerOverflowFlags::none));
  for (StringRef name : {"isExact", "nonNeg"})
    if (op->getAttr(name) && isa<arith::ArithDialect>(op->getDialect()))
      op->removeAttr(name);
}

static FailureOr<SmallVector<Value>> expand(Operation *op,
                                            gpu::GPUModuleOp module) {
  if (isa<ub::PoisonOp>(op)) {
    // Any value will do; zero is the same one everywhere.
    OpBuilder b(op);
    Type type = op->getResult(0).getType();
    TypedAttr zero = b.getZeroAttr(type);
    if (!zero)
      return failure();
    return SmallVector<Value>{arith::ConstantOp::create(b, op->getLoc(), zero)};
  }
  bool isBool =
      (op->getNumOperands() > 0 && op->getOperand(0).getType().isInteger(1)) ||
      (isa<arith::FPToSIOp, arith::FPToUIOp>(op) &&
       op->getResult(0).getType().isInteger(1));
  if (isBool)
    return expandBoolOp(op);
  auto values = expandIntOp(op);
  if (failed(values) || !values->empty())
    return values;
  return expandMathOp(op, module);
}

namespace {

struct KernelLegalizePass
    : PassWrapper<KernelLegalizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelLegalizePass)

  StringRef getArgument() const override { return "tang-legalize-kernel"; }
  StringRef getDescription() const override {
    return "Give kernel IR its total meaning and expand what targets have no "
           "spelling for. Numeric effect: none; math.rsqrt becomes 1/sqrt and "
           "math.fpowi goes through math.powf";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    scf::SCFDialect>();
  }

  LogicalResult legalize(gpu::GPUModuleOp module) {
    SmallVector<Operation *> worklist;
    for (Operation &top : *module.getBody()) {
      if (isNativeCode(top))
        continue;
      top.walk([&](Operation *op) {
        if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                            ub::UBDialect>(op->getDialect()))
          worklist.push_back(op);
      });
    }
    for (Operation *op : worklist) {
      dropLicences(op);
      auto values = expand(op, module);
      if (failed(values))
        return failure();
      if (values->empty())
        continue;
      op->replaceAllUsesWith(*values);
      op->erase();
    }
    if (failed(verifyKernelIR(module)))
      return failure();
    // Guards of neighbouring divisions and the like are often the same.
    IRRewriter rewriter(module.getContext());
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter, dominance, module);
    return success();
  }

  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(legalize(module)))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> mlir::tang::createKernelLegalizePass() {
  return std::make_unique<KernelLegalizePass>();
}

void mlir::tang::registerKernelLegalizePass() {
  PassRegistration<KernelLegalizePass>();
}
