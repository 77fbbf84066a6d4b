//===- TensorOps.cpp - tensor.*: making, shaping, single elements
//----------===//
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

/// The offset of an element; nothing, reported, if it is outside.
static FailureOr<int64_t> offsetOf(Operation *op, ArrayRef<int64_t> position,
                                   ArrayRef<int64_t> shape) {
  int64_t offset = 0;
  for (auto [d, at, size] : llvm::enumerate(position, shape)) {
    if (uint64_t(at) >= uint64_t(size))
      return op->emitOpError("index ")
             << at << " is outside of dimension " << d << " of size " << size;
    offset = offset * size + at;
  }
  return offset;
}

/// The same elements under another shape.
LogicalResult Executor::runReshape(Operation *op, ArrayRef<int64_t> shape,
                                   Environment &env) {
  Tensor source = *take(op, op->getOperand(0), env).tensor;
  FailureOr<Tensor> result = factory.describe(op, source.type, shape);
  if (failed(result))
    return failure();
  if (result->numElements() != source.numElements()) {
    auto diagnostic = op->emitOpError("makes the shape [");
    llvm::interleaveComma(shape, diagnostic);
    diagnostic << "] of [";
    llvm::interleaveComma(source.shape, diagnostic);
    return diagnostic << "], which has another number of elements";
  }
  result->storage = std::move(source.storage);
  return set(op->getResult(0), std::move(*result), env);
}

LogicalResult Executor::fillFromRegion(Operation *op, Region &region,
                                       Tensor &tensor, Environment &env) {
  Program program;
  ProgramBuilder builder(program, exact);
  for (auto [d, arg] : llvm::enumerate(region.getArguments()))
    builder.map(arg, builder.index(d));
  if (failed(builder.compile(region.front())))
    return failure();
  program.results = builder.get(region.front().getTerminator()->getOperands());
  BoundProgram bound(program, tensor.shape);
  if (failed(bindOuter(op, bound, env)))
    return failure();
  return runPointwise(bound, tensor);
}

LogicalResult Executor::runPad(tensor::PadOp op, Environment &env) {
  FailureOr<Tensor> source = tensor(op, op.getSource(), env);
  if (failed(source))
    return failure();
  Shape low = indices(op.getMixedLowPad(), env);
  Shape high = indices(op.getMixedHighPad(), env);
  Shape shape = source->shape, first(shape.size()), sizes(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (llvm::AddOverflow(shape[d], low[d], shape[d]) ||
        llvm::AddOverflow(shape[d], high[d], shape[d]))
      return op.emitOpError("size of dimension ") << d << " overflows";
  FailureOr<Tensor> result = factory.allocate(op, source->type, shape);
  if (failed(result) ||
      failed(fillFromRegion(op, op.getRegion(), *result, env)))
    return failure();
  // Negative padding crops: the part of the source that stays.
  for (size_t d = 0; d < shape.size(); ++d) {
    first[d] = std::max<int64_t>(0, -low[d]);
    int64_t end = std::min(source->shape[d], shape[d] - low[d]);
    sizes[d] = std::max<int64_t>(0, end - first[d]);
  }
  Shape from = stridesOf(source->shape), to = stridesOf(shape);
  SmallVector<int64_t> point(shape.size(), 0);
  unsigned width = storeBytes(source->type.store());
  if (*countPoints(sizes) != 0)
    do {
      int64_t read = 0, write = 0;
      for (size_t d = 0; d < shape.size(); ++d) {
        read += (first[d] + point[d]) * from[d];
        write += (first[d] + point[d] + low[d]) * to[d];
      }
      std::memcpy(result->storage->data + write * width,
                  source->data() + read * width, width);
    } while (advance(point, sizes));
  return set(op.getResult(), std::move(*result), env);
}

std::optional<LogicalResult> Executor::runTensorOp(Operation *op,
                                                   Environment &env) {
  using Result = LogicalResult;
  auto positions = [&](ValueRange values) {
    Shape position;
    for (Value value : values)
      position.push_back(scalar(value, env).i);
    return position;
  };
  /// A new tensor of the result's type, whose dynamic sizes are operands.
  auto make = [&](ValueRange sizes) -> FailureOr<Tensor> {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Shape shape;
    for (int64_t size : type.getShape()) {
      if (ShapedType::isDynamic(size)) {
        size = scalar(sizes.front(), env).i;
        sizes = sizes.drop_front();
      }
      shape.push_back(size);
    }
    return factory.describe(op, *ElemType::get(type.getElementType()), shape);
  };
  auto allocate = [&](ValueRange sizes) -> FailureOr<Tensor> {
    FailureOr<Tensor> tensor = make(sizes);
    return failed(tensor) ? tensor
                          : factory.allocate(op, tensor->type, tensor->shape);
  };
  auto setResult = [&](FailureOr<Tensor> &&tensor) {
    return failed(tensor) ? failure()
                          : set(op->getResult(0), std::move(*tensor), env);
  };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](tensor::EmptyOp empty) -> Result {
        return setResult(make(empty.getDynamicSizes()));
      })
      .Case([&](tensor::DimOp dim) -> Result {
        int64_t d = scalar(dim.getIndex(), env).i;
        const Shape &shape = shapeOf(dim.getSource(), env);
        if (uint64_t(d) >= shape.size())
          return op->emitOpError("dimension ")
                 << d << " is out of range for rank " << shape.size();
        int64_t size = shape[d];
        return set(dim.getResult(), integer(size), env);
      })
      .Case([&](tensor::RankOp rank) -> Result {
        int64_t size = shapeOf(rank.getTensor(), env).size();
        return set(rank.getResult(), integer(size), env);
      })
      .Case([&](tensor::CastOp cast) -> Result {
        if (!isa<RankedTensorType>(cast.getSource().getType()))
          return unsupported(op);
        return set(cast.getDest(), take(op, cast.getSource(), env), env);
      })
      .Case([&](tensor::ExpandShapeOp expand) -> Result {
        return runReshape(op, indices(expand.getMixedOutputShape(), env), env);
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> Result {
        const Shape &from = shapeOf(collapse.getSrc(), env);
        Shape shape;
        for (const auto &group : collapse.getReassociationIndices()) {
          shape.push_back(1);
          for (int64_t d : group)
            if (llvm::MulOverflow(shape.back(), from[d], shape.back()))
              return op->emitOpError("size of dimension ")
                     << shape.size() - 1 << " overflows";
        }
        return runReshape(op, shape, env);
      })
      .Case([&](tensor::ReshapeOp reshape) -> Result {
        FailureOr<Tensor> sizes = tensor(op, reshape.getShape(), env);
        if (failed(sizes) || !isa<RankedTensorType>(op->getResultTypes()[0]))
          return failed(sizes) ? failure() : unsupported(op);
        Shape shape;
        for (int64_t i = 0, e = sizes->numElements(); i < e; ++i)
          shape.push_back(sizes->get(i).i);
        return runReshape(op, shape, env);
      })
      .Case([&](tensor::ExtractOp extract) -> Result {
        FailureOr<Tensor> source = tensor(op, extract.getTensor(), env);
        if (failed(source))
          return failure();
        FailureOr<int64_t> offset =
            offsetOf(op, positions(extract.getIndices()), source->shape);
        return failed(offset)
                   ? failure()
                   : set(extract.getResult(), source->get(*offset), env);
      })
      .Case([&](tensor::InsertOp insert) -> Result {
        Cell value = scalar(insert.getScalar(), env);
        Shape position = positions(insert.getIndices());
        Tensor dest = *take(op, insert.getDest(), env).tensor;
        FailureOr<int64_t> offset = offsetOf(op, position, dest.shape);
        if (failed(offset))
          return failure();
        FailureOr<char *> data = factory.mutableData(op, dest);
        if (failed(data))
          return failure();
        storeCell(*data, dest.type.store(), *offset, value);
        return set(insert.getResult(), std::move(dest), env);
      })
      .Case([&](tensor::FromElementsOp from) -> Result {
        FailureOr<Tensor> result = allocate({});
        if (failed(result))
          return failure();
        for (auto [i, value] : llvm::enumerate(from.getElements()))
          storeCell(result->storage->data, result->type.store(), i,
                    scalar(value, env));
        return setResult(std::move(result));
      })
      .Case([&](tensor::SplatOp splat) -> Result {
        FailureOr<Tensor> result = allocate(splat.getDynamicSizes());
        if (failed(result))
          return failure();
        Cell value = scalar(splat.getInput(), env);
        for (int64_t i = 0, e = result->numElements(); i < e; ++i)
          storeCell(result->storage->data, result->type.store(), i, value);
        return setResult(std::move(result));
      })
      .Case([&](tensor::GenerateOp generate) -> Result {
        FailureOr<Tensor> result = allocate(generate.getDynamicExtents());
        if (failed(result) ||
            failed(fillFromRegion(op, generate.getBody(), *result, env)))
          return failure();
        return setResult(std::move(result));
      })
      .Case([&](tensor::PadOp pad) -> Result { return runPad(pad, env); })
      .Default([](Operation *) { return std::nullopt; });
}
