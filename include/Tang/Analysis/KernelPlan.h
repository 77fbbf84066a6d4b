//===- KernelPlan.h - How a tang.kernel can be run --------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dimensions of the operations in a kernel are unified along the values
// that they pass on, or read in the same way: the score's columns and the rows
// of what it weighs become one *kernel dimension*. So do the columns, if
// equally many, of independent folds over the same points. Each of these is
//
//  - parallel: a result's dimension that every fold has; programs share it out,
//  - inner: a dimension of some fold's state only, whole in every program,
//  - serial: folded by an operation, or only written; run through in steps.
//
// A reduction with no serial dimension in its result is a *fold*: it is carried
// through a pass. One with a serial dimension is *local* to a step of a pass,
// as are maps with one. A *pass* is one run through serial dimensions in which
// several folds advance together. A fold that needs another one's final result
// stands in a later pass, unless it reads it as a gauge (`#tang.fold`).
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_KERNELPLAN_H
#define TANG_ANALYSIS_KERNELPLAN_H

#include "Tang/Dialect/TangDialect.h"

#include <string>

namespace mlir::tang {

/// A dimension of a kernel.
struct KernelDim {
  enum Kind { Parallel, Inner, Serial };
  Kind kind;
  /// The static size, or kDynamic.
  int64_t size;
  /// An operation of the body that has this dimension, as its `opDim`.
  StructuredOp op;
  int64_t opDim;
};

/// One run through serial dimensions.
struct KernelPass {
  /// Kernel dimensions, outermost first.
  SmallVector<int64_t> stream;
  /// In order of dependence.
  SmallVector<ReduceOp> folds;
  /// Positions among the yielded values of those stored in each step.
  SmallVector<int64_t> stores;
  /// Points of a block of the innermost dimension (`#tang.fold`); 0: any.
  int64_t block = 0;
};

class KernelPlan {
public:
  /// Limits: elements along inner dimensions in one program, of one fold's
  /// state and of all of them, for each point of the parallel dimensions.
  static constexpr int64_t kMaxInner = 512, kMaxCarried = 2048;

  /// The plan of a kernel, or the reason why there is none.
  static FailureOr<KernelPlan> get(KernelOp kernel, std::string &why);

  ArrayRef<KernelDim> getDims() const { return dims; }
  ArrayRef<KernelPass> getPasses() const { return passes; }
  /// The kernel dimension of each dimension of an operation; -1 where its size
  /// is 1.
  ArrayRef<int64_t> dimsOf(Operation *op) const {
    return opDims.find(op)->second;
  }
  /// Whether a value (a result in the body) has serial dimensions.
  bool isLocal(Value value) const { return locals.contains(value); }
  /// Among the passes, those that need a local reduction.
  ArrayRef<int64_t> passesUsing(Operation *reduce) const {
    auto it = users.find(reduce);
    return it == users.end() ? ArrayRef<int64_t>() : ArrayRef(it->second);
  }
  /// Whether steps over a dimension must be of one point, for the order of
  /// some fold.
  bool stepsByOne(int64_t dim) const { return singleSteps[dim]; }
  /// Why the kernel cannot be folded in chunks of so many points, or nothing:
  /// one pass over one dimension, folds of one number each that combine by
  /// arithmetic, nothing stored in a step.
  std::string checkChunk(int64_t chunk) const;
  /// Kernel dimensions of one kind, in order.
  SmallVector<int64_t> dimsOfKind(KernelDim::Kind kind) const;

private:
  SmallVector<KernelDim> dims;
  SmallVector<KernelPass> passes;
  SmallVector<bool> singleSteps;
  llvm::DenseMap<Operation *, SmallVector<int64_t>> opDims;
  llvm::DenseSet<Value> locals;
  llvm::DenseMap<Operation *, SmallVector<int64_t>> users;
  friend class KernelPlanner;
};

/// Whether a reduction starts from the constant identity of its monoid.
bool startsFromIdentity(ReduceOp fold);

/// Structured operations of a kernel's body in order.
SmallVector<StructuredOp> getKernelOps(KernelOp kernel);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_KERNELPLAN_H
