//===- SerializeThreads.cpp - Threads of a block in a loop ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

int64_t mlir::tang::getBlockSize(gpu::GPUFuncOp kernel) {
  auto attr = kernel->getAttrOfType<IntegerAttr>("tang.block");
  return attr ? attr.getInt() : 1;
}

void mlir::tang::serializeThreads(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> threadIds, blockDims;
  kernel.walk([&](Operation *op) {
    if (isa<gpu::ThreadIdOp>(op))
      threadIds.push_back(op);
    else if (isa<gpu::BlockDimOp>(op))
      blockDims.push_back(op);
  });
  Block &body = kernel.getBody().front();
  Operation *terminator = body.getTerminator();
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToStart(&body);
  Location loc = kernel.getLoc();
  int64_t size = getBlockSize(kernel);
  auto zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto one = arith::ConstantIndexOp::create(b, loc, 1);
  auto count = arith::ConstantIndexOp::create(b, loc, size);
  Value thread = zero;
  if (size != 1) {
    auto loop = scf::ForOp::create(b, loc, zero, count, one);
    loop.getBody()->getOperations().splice(
        loop.getBody()->begin(), body.getOperations(),
        std::next(loop->getIterator()), terminator->getIterator());
    loop->setAttr("tang.iv", b.getStringAttr("thread"));
    thread = loop.getInductionVar();
  }
  for (Operation *op : threadIds)
    op->getResult(0).replaceAllUsesWith(thread);
  for (Operation *op : blockDims)
    op->getResult(0).replaceAllUsesWith(count);
  for (Operation *op : llvm::concat<Operation *>(threadIds, blockDims))
    op->erase();
  for (Operation *op :
       {zero.getOperation(), one.getOperation(), count.getOperation()})
    if (op->use_empty())
      op->erase();
}
