//===- Indirect.cpp - tang.gather, sort, top_k and group_by
//----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By their documentation, apart from how they decompose.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"
#include "Monoids.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

std::optional<LogicalResult> Executor::runIndirect(Operation *op,
                                                   Environment &env) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](GatherOp gather) { return runGather(gather, env); })
      .Case([&](SortOp sort) { return runSort(sort, env); })
      .Case([&](TopKOp topK) { return runTopK(topK, env); })
      .Case([&](GroupByOp groupBy) { return runGroupBy(groupBy, env); })
      .Default([](Operation *) { return std::nullopt; });
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

LogicalResult Executor::runGather(GatherOp op, Environment &env) {
  FailureOr<Tensor> source = tensor(op, op.getSource(), env);
  FailureOr<Tensor> indices = tensor(op, op.getIndices(), env);
  if (failed(source) || failed(indices))
    return failure();
  int64_t axis = op.getAxis(), batch = op.getBatch();
  ArrayRef<int64_t> from = source->shape, at = indices->shape;
  for (int64_t d = 0; d < batch; ++d)
    if (from[d] != at[d])
      return op.emitOpError("indices have size ")
             << at[d] << " in dimension " << d << ", the source has "
             << from[d];
  Shape shape(from.take_front(axis));
  llvm::append_range(shape, at.drop_front(batch));
  llvm::append_range(shape, from.drop_front(axis + 1));
  FailureOr<Tensor> result = factory.allocate(op, source->type, shape);
  if (failed(result))
    return failure();
  // The result's dimensions: batch, middle, looked up, then inner ones.
  int64_t numBatch = product(from.take_front(batch));
  int64_t numMiddle = product(from.slice(batch, axis - batch));
  int64_t numIndices = product(at.drop_front(batch));
  int64_t numInner = product(from.drop_front(axis + 1));
  int64_t size = from[axis];
  unsigned width = storeBytes(source->type.store());
  char *to = result->storage->data;
  if (result->numElements() == 0)
    return set(op.getResult(), *result, env);
  for (int64_t b = 0; b < numBatch; ++b)
    for (int64_t m = 0; m < numMiddle; ++m)
      for (int64_t i = 0; i < numIndices; ++i, to += numInner * width) {
        int64_t position = indices->get(b * numIndices + i).i;
        if (uint64_t(position) >= uint64_t(size)) {
          std::memset(to, 0, numInner * width);
          continue;
        }
        int64_t row = (b * numMiddle + m) * size + position;
        std::memcpy(to, source->data() + row * numInner * width,
                    numInner * width);
      }
  return set(op.getResult(), *result, env);
}

namespace {
/// Lines of a tensor along one dimension.
struct Lines {
  int64_t length, stride, count;

  Lines(ArrayRef<int64_t> shape, int64_t dim)
      : length(shape[dim]), stride(product(shape.drop_front(dim + 1))),
        count(product(shape.take_front(dim)) * stride) {}
  /// Where line `i` starts.
  int64_t start(int64_t i) const {
    return i / stride * stride * length + i % stride;
  }
};
} // namespace

LogicalResult Executor::runSort(SortOp op, Environment &env) {
  FailureOr<Tensor> keys = tensor(op, op.getKeys(), env);
  FailureOr<ElemType> indexType = elemType(op, op.getPermutation().getType());
  if (failed(keys) || failed(indexType))
    return failure();
  FailureOr<Tensor> sorted = factory.allocate(op, keys->type, keys->shape);
  FailureOr<Tensor> from = factory.allocate(op, *indexType, keys->shape);
  if (failed(sorted) || failed(from))
    return failure();
  Ranking ranking{keys->type.isFloat, op.getDescending(), /*nanWins=*/false};
  Lines lines(keys->shape, op.getDim());
  std::vector<std::pair<Cell, int64_t>> line(lines.length);
  for (int64_t i = 0; i < lines.count && lines.length; ++i) {
    int64_t start = lines.start(i);
    for (int64_t j = 0; j < lines.length; ++j)
      line[j] = {keys->get(start + j * lines.stride), j};
    std::stable_sort(line.begin(), line.end(), [&](auto &x, auto &y) {
      return ranking.compare(x.first, y.first) < 0;
    });
    for (int64_t j = 0; j < lines.length; ++j) {
      int64_t at = start + j * lines.stride;
      storeCell(sorted->storage->data, keys->type.store(), at, line[j].first);
      storeCell(from->storage->data, indexType->store(), at,
                integer(wrap(line[j].second, indexType->bits)));
    }
  }
  return success(succeeded(set(op.getSorted(), *sorted, env)) &&
                 succeeded(set(op.getPermutation(), *from, env)));
}

LogicalResult Executor::runTopK(TopKOp op, Environment &env) {
  FailureOr<Tensor> keys = tensor(op, op.getKeys(), env);
  FailureOr<ElemType> indexType = elemType(op, op.getIndices().getType());
  if (failed(keys) || failed(indexType))
    return failure();
  int64_t dim = op.getDim();
  int64_t k = cast<RankedTensorType>(op.getValues().getType()).getDimSize(dim);
  Shape shape = keys->shape;
  shape[dim] = k;
  FailureOr<Tensor> values = factory.allocate(op, keys->type, shape);
  FailureOr<Tensor> indices = factory.allocate(op, *indexType, shape);
  if (failed(values) || failed(indices))
    return failure();
  Ranking ranking{keys->type.isFloat, /*greatest=*/true, /*nanWins=*/true};
  Cell least =
      keys->type.isFloat
          ? real(leastValue(keys->type.format))
          : integer(wrap(int64_t(1) << (keys->type.bits - 1), keys->type.bits));
  Lines from(keys->shape, dim), to(shape, dim);
  std::vector<int64_t> order(from.length);
  for (int64_t i = 0; i < to.count && k; ++i) {
    int64_t start = from.start(i);
    auto key = [&](int64_t j) { return keys->get(start + j * from.stride); };
    std::iota(order.begin(), order.end(), 0);
    int64_t found = std::min(k, from.length);
    std::partial_sort(order.begin(), order.begin() + found, order.end(),
                      [&](int64_t x, int64_t y) {
                        return ranking.before(key(x), integer(x), key(y),
                                              integer(y));
                      });
    for (int64_t j = 0; j < k; ++j) {
      int64_t at = to.start(i) + j * to.stride;
      bool isThere = j < found;
      storeCell(values->storage->data, keys->type.store(), at,
                isThere ? key(order[j]) : least);
      storeCell(indices->storage->data, indexType->store(), at,
                integer(isThere ? wrap(order[j], indexType->bits) : -1));
    }
  }
  return success(succeeded(set(op.getValues(), *values, env)) &&
                 succeeded(set(op.getIndices(), *indices, env)));
}

LogicalResult Executor::runGroupBy(GroupByOp op, Environment &env) {
  FailureOr<Tensor> keys = tensor(op, op.getKeys(), env);
  FailureOr<ElemType> offsetType = elemType(op, op.getOffsets().getType());
  FailureOr<ElemType> memberType = elemType(op, op.getMembers().getType());
  if (failed(keys) || failed(offsetType) || failed(memberType))
    return failure();
  int64_t n = keys->shape[0];
  int64_t groups =
      cast<RankedTensorType>(op.getOffsets().getType()).getDimSize(0) - 1;
  FailureOr<Tensor> offsets = factory.allocate(op, *offsetType, {groups + 1});
  FailureOr<Tensor> members = factory.allocate(op, *memberType, {n});
  if (failed(offsets) || failed(members))
    return failure();
  // Where each group's next member goes: after those of lesser groups.
  ElemType plain;
  FailureOr<Tensor> starts = factory.allocate(op, plain, {groups + 1});
  if (failed(starts))
    return failure();
  auto *start = reinterpret_cast<int64_t *>(starts->storage->data);
  std::fill_n(start, groups + 1, 0);
  auto keyOf = [&](int64_t i) -> std::optional<int64_t> {
    int64_t key = keys->get(i).i;
    if (uint64_t(key) >= uint64_t(groups))
      return std::nullopt;
    return key;
  };
  for (int64_t i = 0; i < n; ++i)
    if (auto key = keyOf(i))
      ++start[*key + 1];
  std::partial_sum(start, start + groups + 1, start);
  auto store = [](FailureOr<Tensor> &tensor, int64_t at, int64_t value) {
    storeCell(tensor->storage->data, tensor->type.store(), at,
              integer(wrap(value, tensor->type.bits)));
  };
  for (int64_t g = 0; g <= groups; ++g)
    store(offsets, g, start[g]);
  int64_t next = start[groups];
  for (int64_t i = 0; i < n; ++i)
    if (auto key = keyOf(i))
      store(members, start[*key]++, i);
  while (next < n)
    store(members, next++, -1);
  return success(succeeded(set(op.getOffsets(), *offsets, env)) &&
                 succeeded(set(op.getMembers(), *members, env)));
}
