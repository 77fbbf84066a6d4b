//===- KernelBody.cpp - Kernel IR on the way to the LLVM dialect ---------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory operations turn into LLVM's here, since a one-dimensional buffer of
// unknown size needs no memref descriptor.
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tang;

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

/// Vectors lie as their elements do.
static unsigned elementBytes(VectorType type) {
  return type.getElementTypeBitWidth() / 8;
}

void mlir::tang::lowerMemory(Block &body, const MemoryLowering &options) {
  MLIRContext *context = body.getParentOp()->getContext();
  auto arrayType = LLVM::LLVMPointerType::get(context);
  auto bufferType = LLVM::LLVMPointerType::get(context, options.bufferSpace);
  SmallVector<Operation *> accesses, arrays;
  body.getParentOp()->walk([&](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
            op))
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
    Value base = isa<memref::LoadOp, vector::LoadOp>(op) ? op->getOperand(0)
                                                         : op->getOperand(1);
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
    pointers[op->getResult(0)] = LLVM::AllocaOp::create(
        b, arrayType, type.getElementType(), count,
        cast<memref::AllocaOp>(op).getAlignment().value_or(
            options.arrayAlignment));
  }
  for (BlockArgument argument : body.getArguments())
    if (isa<MemRefType>(argument.getType()))
      argument.setType(bufferType);
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
    } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
      Value address =
          elementAddress(b, pointer, access.type, load.getIndices());
      load.replaceAllUsesWith(
          LLVM::LoadOp::create(b, load.getType(), address,
                               elementBytes(load.getVectorType()))
              .getResult());
    } else if (auto put = dyn_cast<vector::StoreOp>(op)) {
      Value address = elementAddress(b, pointer, access.type, put.getIndices());
      LLVM::StoreOp::create(b, put.getValueToStore(), address,
                            elementBytes(put.getVectorType()));
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

void mlir::tang::makeInternal(func::FuncOp function, bool alwaysInline) {
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
void mlir::tang::lowerMaxNum(Operation *function) {
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
