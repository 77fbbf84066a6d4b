//===- FunctionExporter.h - One function of a host program -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_HOSTPROGRAM_FUNCTIONEXPORTER_H
#define TANG_LIB_TARGET_HOSTPROGRAM_FUNCTIONEXPORTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/JSON.h"

namespace mlir::tang {

/// The manifest's name of an element type; empty for one it does not have.
std::string dtypeName(Type type);

/// Turns one bufferised function into instructions over numbered slots.
class FunctionExporter {
public:
  FunctionExporter(func::FuncOp function) : function(function) {}

  /// The function's entry in the manifest.
  FailureOr<llvm::json::Object> run();

  struct Launch {
    std::string kernel;
    /// Whether it runs exactly once a call.
    bool once;
  };
  /// In order.
  ArrayRef<Launch> getLaunches() const { return launches; }

private:
  using Array = llvm::json::Array;
  using Object = llvm::json::Object;

  LogicalResult exportBlock(Block &block, Array &body);
  LogicalResult exportOp(Operation &op, Array &body);
  LogicalResult exportMemory(Operation &op, Array &body, bool &handled);
  LogicalResult exportControl(Operation &op, Array &body, bool &handled);
  LogicalResult exportScalar(Operation &op, Array &body);

  int64_t slot(Value value);
  std::string ref(Value value) { return "%" + std::to_string(slot(value)); }
  Array refs(ValueRange values) {
    Array list;
    for (Value value : values)
      list.push_back(ref(value));
    return list;
  }
  Array slots(ValueRange values) { return refs(values); }
  /// Where a value was defined: for messages at run time.
  void addLocation(Operation &op, Object &instruction);
  void emitDrops(Block &block, Operation &op, Array &body);

  func::FuncOp function;
  DenseMap<Value, int64_t> numbers;
  int64_t next = 0;
  /// For every block the tensor slots that are used last in an operation.
  DenseMap<Operation *, SmallVector<int64_t>> lastUses;
  SmallVector<Launch> launches;
};

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_HOSTPROGRAM_FUNCTIONEXPORTER_H
