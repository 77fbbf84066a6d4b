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
// Memory operations turn into LLVM's here, since a one-dimensional buffer of
// unknown size needs no memref descriptor; all else is upstream's conversion.
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/Cpu.h"
#include "Tang/Target/KernelEmitter.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// The body of a kernel
//===----------------------------------------------------------------------===//

/// The address of an element; local arrays are row-major.
static Value elementAddress(ImplicitLocOpBuilder &b, Value pointer,
                            MemRefType type, ValueRange indices) {
  Type i64 = b.getI64Type();
  Value linear;
  for (auto [position, index] : llvm::enumerate(indices)) {
    Value i = arith::IndexCastOp::create(b, i64, index);
    if (linear) {
      Value size = arith::ConstantOp::create(
          b, b.getI64IntegerAttr(type.getDimSize(position)));
      i = arith::AddIOp::create(b, arith::MulIOp::create(b, linear, size), i);
    }
    linear = i;
  }
  if (!linear)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), type.getElementType(),
                             pointer, ValueRange{linear},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// Rewrites loads, stores and local arrays. `body` is the entry block, where
/// all arrays go: one in a loop would eat the stack.
static void lowerMemory(Block &body) {
  MLIRContext *context = body.getParentOp()->getContext();
  auto pointerType = LLVM::LLVMPointerType::get(context);
  SmallVector<Operation *> accesses, arrays;
  body.getParentOp()->walk([&](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp>(op))
      accesses.push_back(op);
    else if (isa<memref::AllocaOp>(op))
      arrays.push_back(op);
  });
  // Addresses first, while the memref types are still there to read.
  struct Access {
    Operation *op;
    MemRefType type;
    Value base;
  };
  SmallVector<Access> todo;
  for (Operation *op : accesses) {
    Value base =
        isa<memref::LoadOp>(op) ? op->getOperand(0) : op->getOperand(1);
    todo.push_back({op, cast<MemRefType>(base.getType()), base});
  }
  DenseMap<Value, Value> pointers;
  for (Operation *op : arrays) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    ImplicitLocOpBuilder b(op->getLoc(), context);
    b.setInsertionPointToStart(&body);
    Value count = LLVM::ConstantOp::create(
        b, b.getI64Type(),
        b.getI64IntegerAttr(std::max<int64_t>(type.getNumElements(), 1)));
    // Wide enough for any vector the optimiser may load.
    pointers[op->getResult(0)] =
        LLVM::AllocaOp::create(b, pointerType, type.getElementType(), count,
                               /*alignment=*/64);
  }
  for (BlockArgument argument : body.getArguments())
    if (isa<MemRefType>(argument.getType()))
      argument.setType(pointerType);
  for (const Access &access : todo) {
    Operation *op = access.op;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value pointer = pointers.lookup(access.base);
    if (!pointer)
      pointer = access.base;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value address =
          elementAddress(b, pointer, access.type, load.getIndices());
      load.replaceAllUsesWith(
          LLVM::LoadOp::create(b, load.getType(), address).getResult());
    } else {
      auto store = cast<memref::StoreOp>(op);
      Value address =
          elementAddress(b, pointer, access.type, store.getIndices());
      LLVM::StoreOp::create(b, store.getValue(), address);
    }
    op->erase();
  }
  for (Operation *op : arrays)
    op->erase();
}

/// What an LLVM function of ours is not exported and does not throw.
static void makeInternal(func::FuncOp function, bool alwaysInline) {
  MLIRContext *context = function.getContext();
  Builder b(context);
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(context, LLVM::linkage::Linkage::Internal));
  SmallVector<StringRef> flags = {"nounwind"};
  if (alwaysInline)
    flags.push_back("alwaysinline");
  function->setAttr("passthrough", b.getStrArrayAttr(flags));
}

/// llvm.maxnum may return either zero; kernel IR wants -0 < +0, which is what
/// llvm.maximumnum says. (Spelled out as selections on NaN, each step of a fold
/// reads the state four times, and LLVM takes minutes to analyse a chain of
/// sixteen.)
static void lowerMaxNum(Operation *function) {
  function->walk([](Operation *op) {
    if (!isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto call = LLVM::CallIntrinsicOp::create(
        b, op->getResult(0).getType(),
        b.getStringAttr(isa<arith::MaxNumFOp>(op) ? "llvm.maximumnum"
                                                  : "llvm.minimumnum"),
        op->getOperands());
    op->getResult(0).replaceAllUsesWith(call.getResult(0));
    op->erase();
  });
}

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
                       memref::MemRefDialect, scf::SCFDialect>();
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
