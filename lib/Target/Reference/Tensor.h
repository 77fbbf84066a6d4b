//===- Tensor.h - Values of the interpreter -------------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_REFERENCE_TENSOR_H
#define TANG_LIB_TARGET_REFERENCE_TENSOR_H

#include "Numerics.h"
#include "Program.h"
#include "Tang/Runtime/HostTensor.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <memory>

namespace mlir::tang::reference {

/// Bytes in use, and how many there may be: 8 GiB, or TANG_MEMORY_LIMIT (a
/// number of bytes, or with a suffix K, M or G).
struct Memory {
  int64_t live = 0;
  int64_t limit = int64_t(8) << 30;

  static Memory fromEnvironment();
};

/// Counted bytes, which go when the last tensor that shares them does.
class Storage {
public:
  Storage(Memory &memory, char *data, int64_t bytes)
      : data(data), bytes(bytes), memory(memory) {
    memory.live += bytes;
  }
  Storage(const Storage &) = delete;
  ~Storage() {
    memory.live -= bytes;
    std::free(data);
  }
  char *const data;
  const int64_t bytes;

private:
  Memory &memory;
};

using Shape = llvm::SmallVector<int64_t, 4>;

/// A dense tensor, last dimension fastest. Copies share the storage; the
/// elements of `tensor.empty` have none until they are read.
struct Tensor {
  ElemType type;
  Shape shape;
  std::shared_ptr<Storage> storage;

  int64_t numElements() const;
  const char *data() const { return storage->data; }
  Cell get(int64_t index) const {
    return loadCell(data(), type.store(), index);
  }
  TensorRef ref() const {
    return {data(), type.store(), {shape.begin(), shape.end()}};
  }
};

/// A scalar or a tensor.
struct HostValue {
  Cell cell = integer(0);
  std::optional<Tensor> tensor;

  HostValue() = default;
  HostValue(Cell cell) : cell(cell) {}
  HostValue(Tensor tensor) : tensor(std::move(tensor)) {}
};

/// Makes tensors; failures are reported at `op`.
class TensorFactory {
public:
  TensorFactory(Memory &memory, bool exact) : memory(memory), exact(exact) {}

  /// A tensor without elements as yet. Fails on negative and too large sizes.
  FailureOr<Tensor> describe(Operation *op, ElemType type,
                             ArrayRef<int64_t> shape);
  /// Elements of unknown value.
  FailureOr<Tensor> allocate(Operation *op, ElemType type,
                             ArrayRef<int64_t> shape);
  /// Gives a tensor without elements recognisable ones: NaN, the low bits of
  /// 0xA5A5A5A5A5A5A5AA (-6 as i4), true.
  LogicalResult materialize(Operation *op, Tensor &tensor);
  /// Elements that may be written without others noticing.
  FailureOr<char *> mutableData(Operation *op, Tensor &tensor);

  FailureOr<Tensor> fromAttribute(Operation *op, ElementsAttr attr);
  FailureOr<Tensor> fromHost(Operation *op, ElemType type,
                             const tang_rt::HostTensor &host);
  /// Floats as f64, or exactly in their declared type.
  FailureOr<tang_rt::HostTensor> toHost(Operation *op, const Tensor &tensor);
  /// The same for a scalar, as a tensor of rank 0.
  FailureOr<tang_rt::HostTensor> toHost(Operation *op, ElemType type,
                                        Cell cell);

private:
  FailureOr<tang_rt::HostTensor> makeHost(Operation *op, ElemType type,
                                          ArrayRef<int64_t> shape);

  Memory &memory;
  const bool exact;
};

/// Strides, in elements, of a dense tensor.
Shape stridesOf(ArrayRef<int64_t> shape);

/// Steps `point` to the next one in lexicographic order; false after the last.
bool advance(MutableArrayRef<int64_t> point, ArrayRef<int64_t> sizes);

/// The number of points of a box; nothing if it does not fit in 63 bits.
std::optional<int64_t> countPoints(ArrayRef<int64_t> sizes);

} // namespace mlir::tang::reference

#endif // TANG_LIB_TARGET_REFERENCE_TENSOR_H
