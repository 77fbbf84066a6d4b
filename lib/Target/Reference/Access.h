//===- Access.h - Programs over a domain ----------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_ACCESS_H
#define TANG_LIB_TARGET_REFERENCE_ACCESS_H

#include "Program.h"
#include "Tensor.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::tang::reference {

/// coefficients · point + constant.
struct LinearForm {
  Shape coefficients;
  int64_t constant = 0;

  int64_t at(ArrayRef<int64_t> point) const {
    int64_t value = constant;
    for (auto [c, p] : llvm::zip(coefficients, point))
      value += c * p;
    return value;
  }
};

/// Whether an expression is linear in the dimensions for any symbols.
bool isLinear(AffineExpr expr);

/// The linear form of such an expression; nothing if it overflows or divides
/// by zero.
std::optional<LinearForm> linearize(AffineExpr expr, unsigned numDims,
                                    ArrayRef<int64_t> symbols);

/// A program with its operands, over a domain. Lanes lie along one dimension.
class BoundProgram {
public:
  BoundProgram(const Program &program, ArrayRef<int64_t> sizes)
      : program(&program), sizes(sizes) {}

  const Program *program;
  Shape sizes;
  /// One for each stream: where it reads, in elements.
  SmallVector<std::pair<const char *, LinearForm>> streams;
  SmallVector<TensorRef> tensors;
  SmallVector<std::pair<Reg, Cell>> scalars;
  /// What owns the memory.
  SmallVector<Tensor> owners;

  Frame makeFrame() const;
  /// Places lanes [0, n) of a frame at `point` and the points after it along
  /// `laneDim` (none if -1), or before it if `step` is -1.
  void place(Frame &frame, ArrayRef<int64_t> point, int laneDim, int n,
             int step = 1) const;
};

/// The boxes of lanes that a domain is walked in: all points of the dimensions
/// `outer`, and for each the dimension `laneDim` in chunks.
class LaneWalk {
public:
  LaneWalk(ArrayRef<int64_t> sizes, ArrayRef<unsigned> outer, int laneDim,
           int lanes);
  int64_t numItems() const { return items; }
  /// The first point of an item (other dimensions are 0) and its lanes.
  int start(int64_t item, MutableArrayRef<int64_t> point) const;

private:
  ArrayRef<int64_t> sizes;
  ArrayRef<unsigned> outer;
  int laneDim, lanes;
  int64_t laneSize, chunks, items;
};

/// The dimension along which lanes lie: the last one if it is long enough,
/// else the longest; -1 if there is none.
int chooseLaneDim(ArrayRef<int64_t> sizes);

/// Stores or loads `n` cells with a stride, from `offset` on.
void storeLanes(char *data, Store store, int64_t offset, int64_t stride,
                const Cell *from, int n);
void loadLanes(const char *data, Store store, int64_t offset, int64_t stride,
               Cell *to, int n);

/// Calls `work(begin, end)` on parts of [0, count), in threads if there is
/// enough to do; `cost` is the total number of instructions on lanes.
bool inParallel(int64_t count, double cost,
                function_ref<bool(int64_t begin, int64_t end)> work);

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_ACCESS_H
