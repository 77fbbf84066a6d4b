//===- CpuLowering.cpp - Kernel IR to the LLVM dialect --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel NAME becomes
//   - NAME_block, an internal function of bare pointers, scalars and the block
//     index. Buffers are noalias, as kernel IR promises;
//   - NAME, the entry of the kernel ABI: it unpacks the arguments and calls
//     NAME_block for each block of its range.
// Memory operations are lowered by KernelBody.cpp, all else is upstream's
// conversion.
//
//===----------------------------------------------------------------------===//

#include "../LLVM/KernelBody.h"
#include "Tang/Target/Cpu.h"
#include "Tang/Target/KernelEmitter.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// The body of a kernel
//===----------------------------------------------------------------------===//

/// Upstream lowers expm1 as exp(x) - 1, which loses all digits near zero.
static void callExpM1(ModuleOp module) {
  module.walk([&](math::ExpM1Op op) {
    StringRef name = op.getType().isF32() ? "expm1f" : "expm1";
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function) {
      OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
      function = func::FuncOp::create(
          b, op.getLoc(), name,
          b.getFunctionType({op.getType()}, {op.getType()}));
      function.setPrivate();
      function->setAttr("llvm.readnone", b.getUnitAttr());
    }
    OpBuilder b(op);
    auto call = func::CallOp::create(b, op.getLoc(), function, op.getOperand());
    op.replaceAllUsesWith(call.getResult(0));
    op.erase();
  });
}

/// NAME_block in `target` from a kernel.
static func::FuncOp lowerKernelBody(gpu::GPUFuncOp source, OpBuilder &target) {
  auto kernel = cast<gpu::GPUFuncOp>(source->clone());
  serializeThreads(kernel);
  Block &body = kernel.getBody().front();
  lowerMemory(body);
  BlockArgument block =
      body.addArgument(target.getIndexType(), kernel.getLoc());
  SmallVector<Operation *> dead;
  kernel.walk([&](Operation *op) {
    if (isa<gpu::BlockIdOp>(op)) {
      op->getResult(0).replaceAllUsesWith(block);
      dead.push_back(op);
    } else if (isa<gpu::ReturnOp>(op)) {
      OpBuilder b(op);
      func::ReturnOp::create(b, op->getLoc());
      dead.push_back(op);
    }
  });
  for (Operation *op : dead)
    op->erase();

  auto function = func::FuncOp::create(
      target, kernel.getLoc(), (kernel.getName() + "_block").str(),
      target.getFunctionType(body.getArgumentTypes(), {}));
  function.setPrivate();
  for (BlockArgument argument : body.getArguments()) {
    if (!isa<LLVM::LLVMPointerType>(argument.getType()))
      continue;
    unsigned i = argument.getArgNumber();
    bool isReadOnly = source.getArgAttr(i, "tang.readonly") != nullptr;
    function.setArgAttr(i, "llvm.noalias", target.getUnitAttr());
    if (isReadOnly)
      function.setArgAttr(i, "llvm.readonly", target.getUnitAttr());
  }
  function.getBody().takeBody(kernel.getBody());
  kernel->erase();
  makeInternal(function, /*alwaysInline=*/false);
  lowerMaxNum(function);
  return function;
}

//===----------------------------------------------------------------------===//
// The entry of a kernel
//===----------------------------------------------------------------------===//

/// A scalar argument from its eight bytes.
static Value decodeScalar(ImplicitLocOpBuilder &b, Value bits, Type type) {
  if (type.isIndex() || type.isInteger(64))
    return bits;
  if (type.isF64())
    return LLVM::BitcastOp::create(b, type, bits);
  if (type.isF32())
    return LLVM::BitcastOp::create(
        b, type, LLVM::TruncOp::create(b, b.getI32Type(), bits));
  return LLVM::TruncOp::create(b, type, bits);
}

static void buildEntry(gpu::GPUFuncOp kernel, func::FuncOp body,
                       OpBuilder &target) {
  MLIRContext *context = target.getContext();
  ImplicitLocOpBuilder b(kernel.getLoc(), target);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(b, kernel.getName(), type);
  entry.setPassthroughAttr(b.getStrArrayAttr({"nounwind"}));
  Block *start = entry.addEntryBlock(b);
  Block *header = b.createBlock(&entry.getBody(), entry.getBody().end(), {i64},
                                {b.getLoc()});
  Block *run = b.createBlock(&entry.getBody(), entry.getBody().end());
  Block *exit = b.createBlock(&entry.getBody(), entry.getBody().end());

  b.setInsertionPointToStart(start);
  SmallVector<Value> arguments;
  int32_t buffers = 0, scalars = 0;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    bool isBuffer = isa<MemRefType>(argument.getType());
    Value table = start->getArgument(isBuffer ? 0 : 1);
    Type slot = isBuffer ? Type(pointer) : i64;
    Value address = LLVM::GEPOp::create(
        b, pointer, slot, table,
        ArrayRef<LLVM::GEPArg>{isBuffer ? buffers++ : scalars++});
    Value loaded = LLVM::LoadOp::create(b, slot, address);
    arguments.push_back(isBuffer ? loaded
                                 : decodeScalar(b, loaded, argument.getType()));
  }
  LLVM::BrOp::create(b, ValueRange{start->getArgument(2)}, header);

  b.setInsertionPointToStart(header);
  Value block = header->getArgument(0);
  Value more = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, block,
                                    start->getArgument(3));
  LLVM::CondBrOp::create(b, more, run, exit);

  b.setInsertionPointToStart(run);
  arguments.push_back(block);
  LLVM::CallOp::create(b, TypeRange{}, body.getSymName(), arguments);
  Value one = LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(1));
  Value next =
      LLVM::AddOp::create(b, block, one, LLVM::IntegerOverflowFlags::nsw);
  LLVM::BrOp::create(b, ValueRange{next}, header);

  b.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(b, ValueRange{});
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static LogicalResult convertToLLVM(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  pm.addPass(createSCFToControlFlowPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

FailureOr<OwningOpRef<ModuleOp>> mlir::tang::lowerToCpuModule(ModuleOp module) {
  MLIRContext *context = module.getContext();
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                       memref::MemRefDialect, scf::SCFDialect,
                       vector::VectorDialect>();
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  llvm::StringSet<> names;
  OpBuilder b(context);
  b.setInsertionPointToEnd(result->getBody());
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    for (auto helper : gpuModule.getOps<func::FuncOp>()) {
      // Modules share the helpers that type emulation builds.
      if (!names.insert(helper.getSymName()).second)
        continue;
      auto clone = cast<func::FuncOp>(b.clone(*helper));
      makeInternal(clone, /*alwaysInline=*/true);
      lowerMaxNum(clone);
    }
    for (auto kernel : gpuModule.getOps<gpu::GPUFuncOp>()) {
      if (!names.insert(kernel.getName()).second)
        return kernel.emitOpError("has the name of another kernel");
      func::FuncOp body = lowerKernelBody(kernel, b);
      buildEntry(kernel, body, b);
    }
  }
  callExpM1(*result);
  if (failed(convertToLLVM(*result)))
    return failure();
  // Something without a conversion would make the translation to LLVM IR fail
  // with less to say.
  WalkResult walk = result->walk([](Operation *op) {
    if (isa<ModuleOp>(op) || isa<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError() << "the cpu target cannot lower " << op->getName();
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return result;
}
