//===- Executor.h - Runs functions of the graph stage ---------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_EXECUTOR_H
#define TANG_LIB_TARGET_REFERENCE_EXECUTOR_H

#include "Access.h"
#include "ProgramBuilder.h"
#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <mutex>

namespace mlir::tang::reference {

/// The values of one call of a function.
using Environment = llvm::DenseMap<Value, HostValue>;

/// Runs functions, one operation after the other. Every failure has been
/// reported at the operation where it happened.
class Executor {
public:
  explicit Executor(bool exact)
      : memory(Memory::fromEnvironment()), factory(memory, exact),
        exact(exact) {}

  FailureOr<SmallVector<HostValue>> call(func::FuncOp function,
                                         SmallVector<HostValue> arguments,
                                         Operation *caller);
  TensorFactory &getFactory() { return factory; }

private:
  /// What is compiled once for an operation.
  struct Compiled;

  // Control.cpp
  LogicalResult runBlock(Block &block, Environment &env);
  LogicalResult run(Operation *op, Environment &env);
  LogicalResult runFor(scf::ForOp op, Environment &env);
  LogicalResult runWhile(scf::WhileOp op, Environment &env);
  LogicalResult runRegion(Region &region, ValueRange results, Environment &env);
  LogicalResult runScalar(Operation *op, Environment &env);
  LogicalResult runElementwise(Operation *op, Environment &env);
  LogicalResult prepare(Block &block);

  // TensorOps.cpp, TensorSlices.cpp
  /// Nothing if `op` is none of those.
  std::optional<LogicalResult> runTensorOp(Operation *op, Environment &env);
  std::optional<LogicalResult> runSliceOp(Operation *op, Environment &env);
  LogicalResult runReshape(Operation *op, ArrayRef<int64_t> shape,
                           Environment &env);
  LogicalResult runPad(tensor::PadOp op, Environment &env);
  LogicalResult runConcat(tensor::ConcatOp op, Environment &env);
  LogicalResult fillFromRegion(Operation *op, Region &region, Tensor &tensor,
                               Environment &env);

  // Structured.cpp, Folds.cpp
  std::optional<LogicalResult> runStructured(Operation *op, Environment &env);
  LogicalResult runMap(MapOp op, Environment &env);
  /// Fills tensors of the domain's shape.
  LogicalResult runPointwise(const BoundProgram &bound,
                             MutableArrayRef<Tensor> results);
  LogicalResult runReduce(ReduceOp op, Environment &env);
  LogicalResult runReduceLanes(ReduceOp op, BoundProgram &lift,
                               MutableArrayRef<Tensor> states, int laneDim);
  LogicalResult runReduceSerial(ReduceOp op, BoundProgram &lift,
                                BoundProgram &combine,
                                MutableArrayRef<Tensor> states);
  LogicalResult runScan(ScanOp op, Environment &env);
  LogicalResult runScatter(ScatterOp op, Environment &env);
  FailureOr<BoundProgram> bindBody(StructuredOp op, const Program &program,
                                   ArrayRef<int64_t> sizes, Environment &env);
  LogicalResult bindStreams(StructuredOp op, BoundProgram &bound,
                            Environment &env);
  LogicalResult bindOuter(Operation *op, BoundProgram &bound, Environment &env);
  /// The sizes of the domain; also checks that the destinations agree.
  FailureOr<Shape> domainOf(StructuredOp op, Environment &env);
  /// The body as a program, with the combination of a fold if `fused`.
  FailureOr<const Program *> getLift(StructuredOp op, bool fused);
  /// The combination of a fold as a program of its own.
  FailureOr<BoundProgram> bindCombine(StructuredOp op, Attribute monoid,
                                      unsigned numStates, unsigned numValues,
                                      Environment &env);
  /// Reports the failure of a frame, if it is the first; returns false.
  using Report = function_ref<bool(Frame &)>;
  /// Calls `work` on parts of [0, count), possibly in several threads, each
  /// with a frame of its own.
  LogicalResult forEachItem(int64_t count, double cost,
                            const BoundProgram &bound,
                            function_ref<bool(Frame &frame, int64_t begin,
                                              int64_t end, Report report)>
                                work);

  // Indirect.cpp
  std::optional<LogicalResult> runIndirect(Operation *op, Environment &env);
  LogicalResult runGather(GatherOp op, Environment &env);
  LogicalResult runSort(SortOp op, Environment &env);
  LogicalResult runTopK(TopKOp op, Environment &env);
  LogicalResult runGroupBy(GroupByOp op, Environment &env);

  // Values.
  Cell scalar(Value value, Environment &env);
  int64_t index(OpFoldResult size, Environment &env);
  Shape indices(ArrayRef<OpFoldResult> sizes, Environment &env);
  /// A tensor operand, its elements there.
  FailureOr<Tensor> tensor(Operation *op, Value value, Environment &env);
  FailureOr<Tensor> constantTensor(Operation *op, ElementsAttr attr);
  /// Its shape only.
  const Shape &shapeOf(Value value, Environment &env);
  /// The value of an operand; the environment's own if `op` is its last use.
  HostValue take(Operation *op, Value value, Environment &env);
  /// Binds a result, after checking the static sizes of its type.
  LogicalResult set(Value result, HostValue value, Environment &env);
  Compiled &compiledOf(Operation *op);

  struct LastUse {
    Value value;
    /// No other use of the value stands in the operation.
    bool isOnly;
  };
  Memory memory;
  TensorFactory factory;
  const bool exact;
  int depth = 0;
  std::mutex reportMutex;
  llvm::DenseMap<Operation *, SmallVector<LastUse, 2>> lastUses;
  llvm::DenseSet<Block *> analysed;
  llvm::DenseMap<Operation *, std::unique_ptr<Compiled>> compiled;
  llvm::DenseMap<Operation *, Tensor> constants;

public:
  ~Executor();
};

/// Programs of an operation, made when they are first needed.
struct Executor::Compiled {
  std::optional<Program> lift, fused, combine, scalar;
  /// Registers for `scalar`, kept from run to run.
  std::unique_ptr<Frame> frame;
};

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_EXECUTOR_H
