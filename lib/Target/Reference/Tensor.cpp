//===- Tensor.cpp - Values of the interpreter
//------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "ProgramBuilder.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::tang::reference;
using tang_rt::HostTensor;

Memory Memory::fromEnvironment() {
  Memory memory;
  const char *text = std::getenv("TANG_MEMORY_LIMIT");
  int64_t number;
  StringRef rest = text ? text : "";
  if (rest.consumeInteger(10, number) || number <= 0)
    return memory;
  int shift = StringSwitch<int>(rest.take_front(1).upper())
                  .Case("K", 10)
                  .Case("M", 20)
                  .Case("G", 30)
                  .Default(0);
  memory.limit = number > (std::numeric_limits<int64_t>::max() >> shift)
                     ? std::numeric_limits<int64_t>::max()
                     : number << shift;
  return memory;
}

Shape tang::reference::stridesOf(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

bool tang::reference::advance(MutableArrayRef<int64_t> point,
                              ArrayRef<int64_t> sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++point[d] < sizes[d])
      return true;
    point[d] = 0;
  }
  return false;
}

std::optional<int64_t> tang::reference::countPoints(ArrayRef<int64_t> sizes) {
  // Strides must fit too, even where another size is zero.
  int64_t product = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(product, std::max<int64_t>(size, 1), product))
      return std::nullopt;
  return llvm::is_contained(sizes, 0) ? 0 : product;
}

int64_t Tensor::numElements() const { return *countPoints(shape); }

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

FailureOr<Tensor> TensorFactory::describe(Operation *op, ElemType type,
                                          ArrayRef<int64_t> shape) {
  for (auto [d, size] : llvm::enumerate(shape))
    if (size < 0)
      return op->emitOpError("makes a tensor whose dimension ")
             << d << " has the negative size " << size;
  std::optional<int64_t> count = countPoints(shape);
  int64_t bytes;
  if (!count ||
      llvm::MulOverflow(*count, int64_t(storeBytes(type.store())), bytes)) {
    auto diagnostic = op->emitOpError("makes a tensor of shape [");
    llvm::interleaveComma(shape, diagnostic);
    return diagnostic << "], whose size in bytes exceeds 63 bits";
  }
  return Tensor{type, Shape(shape), nullptr};
}

FailureOr<Tensor> TensorFactory::allocate(Operation *op, ElemType type,
                                          ArrayRef<int64_t> shape) {
  FailureOr<Tensor> tensor = describe(op, type, shape);
  if (failed(tensor))
    return failure();
  int64_t bytes = tensor->numElements() * storeBytes(type.store());
  auto *data =
      bytes > memory.limit - memory.live
          ? nullptr
          : static_cast<char *>(std::malloc(std::max<int64_t>(bytes, 1)));
  if (!data) {
    auto diagnostic = op->emitOpError("needs ")
                      << bytes << " bytes for a tensor of shape [";
    llvm::interleaveComma(shape, diagnostic);
    return diagnostic << "], but the reference interpreter has "
                      << memory.limit - memory.live << " left of "
                      << memory.limit
                      << " (TANG_MEMORY_LIMIT sets how many there are)";
  }
  tensor->storage = std::make_shared<Storage>(memory, data, bytes);
  return tensor;
}

LogicalResult TensorFactory::materialize(Operation *op, Tensor &tensor) {
  if (tensor.storage)
    return success();
  FailureOr<Tensor> filled = allocate(op, tensor.type, tensor.shape);
  if (failed(filled))
    return failure();
  tensor = *filled;
  char *data = tensor.storage->data;
  if (tensor.type.isFloat)
    std::fill_n(reinterpret_cast<double *>(data), tensor.numElements(),
                std::numeric_limits<double>::quiet_NaN());
  else
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
      storeCell(data, tensor.type.store(), i,
                integer(wrap(0xa5a5a5a5a5a5a5aa, tensor.type.bits) |
                        (tensor.type.bits == 1)));
  return success();
}

FailureOr<char *> TensorFactory::mutableData(Operation *op, Tensor &tensor) {
  if (!tensor.storage) {
    if (failed(materialize(op, tensor)))
      return failure();
  } else if (tensor.storage.use_count() > 1) {
    FailureOr<Tensor> copy = allocate(op, tensor.type, tensor.shape);
    if (failed(copy))
      return failure();
    std::memcpy(copy->storage->data, tensor.data(), tensor.storage->bytes);
    tensor = *copy;
  }
  return tensor.storage->data;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements of a resource, as upstream lays them out: whole bytes each, or
/// packed where a type is narrower than a byte.
static LogicalResult readResource(Operation *op, DenseResourceElementsAttr attr,
                                  Tensor &tensor) {
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob)
    return op->emitOpError("constant's resource '")
           << attr.getRawHandle().getKey() << "' has no data";
  ArrayRef<char> bytes = blob->getData();
  int64_t count = tensor.numElements();
  unsigned bits = tensor.type.bits, width = (bits + 7) / 8;
  auto available = int64_t(bytes.size());
  bool isPacked = bits < 8 && available != count;
  int64_t needed = isPacked ? (count * bits + 7) / 8 : count * width;
  if (available != needed)
    return op->emitOpError("constant's resource '")
           << attr.getRawHandle().getKey() << "' has " << available
           << " bytes, its type " << attr.getType() << " needs " << needed;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    if (isPacked)
      raw = uint8_t(bytes[i * bits / 8]) >> (i * bits % 8);
    else
      std::memcpy(&raw, bytes.data() + i * width, width);
    storeCell(tensor.storage->data, tensor.type.store(), i,
              tensor.type.isFloat ? real(decode(tensor.type.format, raw))
                                  : integer(wrap(int64_t(raw), bits)));
  }
  return success();
}

FailureOr<Tensor> TensorFactory::fromAttribute(Operation *op,
                                               ElementsAttr attr) {
  FailureOr<ElemType> type = elemType(op, attr.getShapedType());
  if (failed(type))
    return failure();
  FailureOr<Tensor> tensor =
      allocate(op, *type, attr.getShapedType().getShape());
  if (failed(tensor))
    return failure();
  char *data = tensor->storage->data;
  Store store = type->store();
  int64_t count = tensor->numElements();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    if (failed(readResource(op, resource, *tensor)))
      return failure();
    return tensor;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return op->emitError("reference interpreter: a constant of this kind is "
                         "not supported");
  if (count == 0)
    return tensor;
  if (dense.isSplat()) {
    std::optional<Cell> cell = constantCell(dense.getSplatValue<Attribute>());
    for (int64_t i = 0; i < count; ++i)
      storeCell(data, store, i, *cell);
    return tensor;
  }
  if (type->isFloat && type->format == DType::F64) {
    std::memcpy(data, dense.getRawData().data(), count * 8);
  } else if (type->isFloat) {
    unsigned width = type->bits / 8;
    const char *raw = dense.getRawData().data();
    for (int64_t i = 0; i < count; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, raw + i * width, width);
      reinterpret_cast<double *>(data)[i] = decode(type->format, bits);
    }
  } else {
    for (auto [i, value] : llvm::enumerate(dense.getValues<APInt>()))
      storeCell(data, store, i, integer(value.getSExtValue()));
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// The boundary
//===----------------------------------------------------------------------===//

FailureOr<Tensor> TensorFactory::fromHost(Operation *op, ElemType type,
                                          const HostTensor &host) {
  FailureOr<Tensor> tensor = allocate(op, type, host.shape);
  if (failed(tensor))
    return failure();
  char *data = tensor->storage->data;
  int64_t count = tensor->numElements();
  unsigned width = tang_rt::dtypeBytes(host.dtype);
  const char *raw = reinterpret_cast<const char *>(host.data.data());
  if (int64_t(host.data.size()) < count * width)
    return op->emitError("an input has too few bytes for its shape");
  if (host.dtype == DType::F32 && type.format == DType::F32) {
    for (int64_t i = 0; i < count; ++i) {
      float value = host.as<float>()[i];
      // The way through `decode` keeps the bits of signalling NaN.
      reinterpret_cast<double *>(data)[i] =
          value == value ? value
                         : decode(DType::F32, std::bit_cast<uint32_t>(value));
    }
    return tensor;
  }
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, raw + i * width, width);
    if (type.isFloat) {
      double value = decode(host.dtype, bits);
      // An input in f64 for a narrower type.
      if (exact && host.dtype != type.format)
        value = roundTo(type.format, value);
      reinterpret_cast<double *>(data)[i] = value;
    } else {
      storeCell(data, type.store(), i,
                integer(type.bits == 1 ? -int64_t(bits != 0)
                                       : wrap(int64_t(bits), type.bits)));
    }
  }
  return tensor;
}

FailureOr<HostTensor> TensorFactory::makeHost(Operation *op, ElemType type,
                                              ArrayRef<int64_t> shape) {
  std::optional<DType> dtype = type.dtype();
  if (!dtype)
    return op->emitError("reference interpreter: integers of ")
           << unsigned(type.bits) << " bits cannot be results";
  if (type.isFloat && !exact)
    dtype = DType::F64;
  HostTensor host;
  std::string error;
  if (!HostTensor::create(*dtype, {shape.begin(), shape.end()}, host, error))
    return op->emitError(error);
  return host;
}

FailureOr<HostTensor> TensorFactory::toHost(Operation *op,
                                            const Tensor &tensor) {
  FailureOr<HostTensor> host = makeHost(op, tensor.type, tensor.shape);
  if (failed(host))
    return failure();
  char *to = reinterpret_cast<char *>(host->data.data());
  int64_t count = tensor.numElements();
  if (!tensor.type.isFloat || host->dtype == DType::F64) {
    // The layouts agree.
    std::memcpy(to, tensor.data(), count * storeBytes(tensor.type.store()));
    return host;
  }
  unsigned width = tang_rt::dtypeBytes(host->dtype);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = encode(host->dtype, tensor.get(i).f);
    std::memcpy(to + i * width, &bits, width);
  }
  return host;
}

FailureOr<HostTensor> TensorFactory::toHost(Operation *op, ElemType type,
                                            Cell cell) {
  FailureOr<HostTensor> host = makeHost(op, type, {});
  if (failed(host))
    return failure();
  uint64_t bits = type.isFloat     ? encode(host->dtype, cell.f)
                  : type.bits == 1 ? uint64_t(cell.i & 1)
                                   : uint64_t(cell.i);
  std::memcpy(host->data.data(), &bits, tang_rt::dtypeBytes(host->dtype));
  return host;
}
