//===- ForwardLocals.cpp - Local arrays are read only where needed --------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are computed where they are needed, so that a kernel reads the same
// element of its state again and again. Here a read becomes the value that was
// stored or read last, where nothing is written between the two, and arrays
// that nobody reads any more go. The values are the same bits.
//
//===----------------------------------------------------------------------===//

#include "Tang/Conversion/NativeKernel.h"
#include "Tang/Conversion/TileToKernel.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
/// What is known of one array: the elements with these indices.
struct Element {
  SmallVector<Value> indices;
  Value value;
};
using Known = DenseMap<Value, SmallVector<Element>>;
} // namespace

static bool isLocal(Value memref) {
  return isa_and_nonnull<memref::AllocaOp>(memref.getDefiningOp());
}

static void forget(Operation *op, Known &known) {
  op->walk([&](memref::StoreOp store) { known.erase(store.getMemRef()); });
}

static void forward(Block &block, Known known) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (!isLocal(load.getMemRef()))
        continue;
      SmallVector<Element> &elements = known[load.getMemRef()];
      auto same = llvm::find_if(elements, [&](const Element &element) {
        return llvm::equal(element.indices, load.getIndices());
      });
      if (same == elements.end()) {
        elements.push_back(
            {llvm::to_vector_of<Value>(load.getIndices()), load.getResult()});
        continue;
      }
      load.replaceAllUsesWith(same->value);
      load.erase();
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      // Other indices may be the same element.
      known[store.getMemRef()] = {
          {llvm::to_vector_of<Value>(store.getIndices()), store.getValue()}};
    } else if (op.getNumRegions() != 0) {
      forget(&op, known);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          forward(inner, known);
    }
  }
}

static void eraseUnread(gpu::GPUFuncOp kernel) {
  SmallVector<memref::AllocaOp> unread;
  kernel.walk([&](memref::AllocaOp array) {
    if (llvm::all_of(array->getUsers(), llvm::IsaPred<memref::StoreOp>))
      unread.push_back(array);
  });
  for (memref::AllocaOp array : unread) {
    for (Operation *store : llvm::make_early_inc_range(array->getUsers()))
      store->erase();
    array->erase();
  }
}

namespace {
struct ForwardLocalsPass
    : PassWrapper<ForwardLocalsPass, OperationPass<gpu::GPUFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForwardLocalsPass)

  StringRef getArgument() const final { return "tang-forward-locals"; }
  StringRef getDescription() const final {
    return "Reads of local arrays become the values stored or read last";
  }

  void runOnOperation() final {
    gpu::GPUFuncOp kernel = getOperation();
    // Kernel IR only: its local arrays are read by loads alone.
    bool isTile = isNativeKernel(kernel);
    kernel.walk([&](Operation *op) {
      isTile |= isa_and_nonnull<TangDialect>(op->getDialect());
    });
    if (isTile)
      return;
    for (Block &block : kernel.getBody())
      forward(block, Known());
    eraseUnread(kernel);
  }
};
} // namespace

std::unique_ptr<Pass> mlir::tang::createForwardLocalsPass() {
  return std::make_unique<ForwardLocalsPass>();
}
