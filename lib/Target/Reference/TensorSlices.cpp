//===- TensorSlices.cpp - tensor.*: slices and concatenation
//---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

namespace {
/// A part of a dense tensor: offsets, sizes and strides in its dimensions.
struct Slice {
  Shape offsets, sizes, strides;

  /// Where the part starts and its strides, in elements of the tensor.
  int64_t start(ArrayRef<int64_t> whole) const {
    int64_t first = 0;
    for (auto [offset, stride] : llvm::zip(offsets, stridesOf(whole)))
      first += offset * stride;
    return first;
  }
  Shape steps(ArrayRef<int64_t> whole) const {
    Shape steps = stridesOf(whole);
    for (auto [step, stride] : llvm::zip(steps, strides))
      step *= stride;
    return steps;
  }

  /// Reports a part that does not lie inside of a tensor of shape `whole`.
  LogicalResult check(Operation *op, ArrayRef<int64_t> whole) const {
    for (size_t d = 0; d < whole.size(); ++d) {
      if (sizes[d] < 0)
        return op->emitOpError("size of dimension ")
               << d << " is negative: " << sizes[d];
      if (sizes[d] == 0)
        continue;
      __int128 first = offsets[d];
      __int128 last = first + __int128(sizes[d] - 1) * strides[d];
      if (std::min(first, last) < 0 || std::max(first, last) >= whole[d])
        return op->emitOpError("dimension ")
               << d << ": offset " << offsets[d] << ", size " << sizes[d]
               << " and stride " << strides[d] << " do not lie within the size "
               << whole[d];
    }
    return success();
  }
};

/// The sizes that are left without the dimensions in `dropped`.
Shape keptSizes(ArrayRef<int64_t> sizes, const llvm::SmallBitVector &dropped) {
  Shape kept;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      kept.push_back(size);
  return kept;
}

/// Copies a box of elements of `width` bytes; steps are in elements.
void copyBox(ArrayRef<int64_t> sizes, unsigned width, const char *from,
             ArrayRef<int64_t> fromSteps, char *to, ArrayRef<int64_t> toSteps) {
  if (llvm::is_contained(sizes, 0))
    return;
  // The last dimension in one go where it is contiguous in both.
  size_t rank = sizes.size();
  bool isRun = rank && fromSteps.back() == 1 && toSteps.back() == 1;
  int64_t run = isRun ? sizes.back() : 1;
  ArrayRef<int64_t> outer = isRun ? sizes.drop_back() : sizes;
  SmallVector<int64_t> point(outer.size(), 0);
  do {
    int64_t read = 0, write = 0;
    for (size_t d = 0; d < outer.size(); ++d) {
      read += point[d] * fromSteps[d];
      write += point[d] * toSteps[d];
    }
    std::memcpy(to + write * width, from + read * width, run * width);
  } while (advance(point, outer));
}
} // namespace

LogicalResult Executor::runConcat(tensor::ConcatOp op, Environment &env) {
  int64_t dim = op.getDim();
  Shape shape = shapeOf(op.getInputs()[0], env);
  shape[dim] = 0;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    const Shape &got = shapeOf(input, env);
    for (size_t d = 0; d < shape.size(); ++d)
      if (int64_t(d) != dim && got[d] != shape[d])
        return op.emitOpError("input #")
               << i << " has size " << got[d] << " in dimension " << d
               << ", input #0 has " << shape[d];
    if (llvm::AddOverflow(shape[dim], got[dim], shape[dim]))
      return op.emitOpError("size of dimension ") << dim << " overflows";
  }
  FailureOr<ElemType> type = elemType(op, op.getType());
  if (failed(type))
    return failure();
  FailureOr<Tensor> result = factory.allocate(op, *type, shape);
  if (failed(result))
    return failure();
  unsigned width = storeBytes(type->store());
  Shape steps = stridesOf(shape);
  int64_t position = 0;
  for (Value input : op.getInputs()) {
    FailureOr<Tensor> part = tensor(op, input, env);
    if (failed(part))
      return failure();
    copyBox(part->shape, width, part->data(), stridesOf(part->shape),
            result->storage->data + position * steps[dim] * width, steps);
    position += part->shape[dim];
  }
  return set(op.getResult(), std::move(*result), env);
}

std::optional<LogicalResult> Executor::runSliceOp(Operation *op,
                                                  Environment &env) {
  auto sliceOf = [&](OffsetSizeAndStrideOpInterface slice) {
    return Slice{indices(slice.getMixedOffsets(), env),
                 indices(slice.getMixedSizes(), env),
                 indices(slice.getMixedStrides(), env)};
  };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](tensor::ExtractSliceOp extract) -> LogicalResult {
        Slice slice = sliceOf(extract);
        FailureOr<Tensor> source = tensor(op, extract.getSource(), env);
        if (failed(source) || failed(slice.check(op, source->shape)))
          return failure();
        FailureOr<Tensor> result = factory.allocate(
            op, source->type, keptSizes(slice.sizes, extract.getDroppedDims()));
        if (failed(result))
          return failure();
        unsigned width = storeBytes(source->type.store());
        if (result->numElements())
          copyBox(slice.sizes, width,
                  source->data() + slice.start(source->shape) * width,
                  slice.steps(source->shape), result->storage->data,
                  stridesOf(slice.sizes));
        return set(extract.getResult(), std::move(*result), env);
      })
      .Case([&](tensor::InsertSliceOp insert) -> LogicalResult {
        Slice slice = sliceOf(insert);
        FailureOr<Tensor> source = tensor(op, insert.getSource(), env);
        Tensor dest = *take(op, insert.getDest(), env).tensor;
        if (failed(source) || failed(slice.check(op, dest.shape)))
          return failure();
        if (source->shape != keptSizes(slice.sizes, insert.getDroppedDims())) {
          auto diagnostic = op->emitOpError("source has the shape [");
          llvm::interleaveComma(source->shape, diagnostic);
          diagnostic << "], which differs from the sizes [";
          llvm::interleaveComma(slice.sizes, diagnostic);
          return diagnostic << "]";
        }
        FailureOr<char *> data = factory.mutableData(op, dest);
        if (failed(data))
          return failure();
        unsigned width = storeBytes(source->type.store());
        if (source->numElements())
          copyBox(slice.sizes, width, source->data(), stridesOf(slice.sizes),
                  *data + slice.start(dest.shape) * width,
                  slice.steps(dest.shape));
        return set(insert.getResult(), std::move(dest), env);
      })
      .Case([&](tensor::ConcatOp concat) -> LogicalResult {
        return runConcat(concat, env);
      })
      .Default([](Operation *) { return std::nullopt; });
}
