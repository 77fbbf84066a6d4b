//===- TensorMapEntry.cpp - A tensor map in a manifest --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMapEntry.h"
#include "FunctionExporter.h"

using namespace mlir;
using namespace mlir::tang;
using llvm::json::Array;
using llvm::json::Object;

/// Each of `attrs` as a number, or with `mayDepend` as `{scalar, times}`.
static bool appendSizes(ArrayRef<Attribute> attrs, bool mayDepend,
                        Array &sizes) {
  for (Attribute attr : attrs) {
    if (auto number = dyn_cast<IntegerAttr>(attr)) {
      sizes.push_back(number.getInt());
      continue;
    }
    auto fields = dyn_cast<DictionaryAttr>(attr);
    auto scalar = fields ? fields.getAs<IntegerAttr>("scalar") : nullptr;
    if (!scalar || !mayDepend)
      return false;
    Object size{{"scalar", scalar.getInt()}};
    if (auto times = fields.getAs<IntegerAttr>("times"))
      size["times"] = times.getInt();
    sizes.push_back(std::move(size));
  }
  return true;
}

FailureOr<Object> mlir::tang::describeTensorMap(gpu::GPUFuncOp kernel,
                                                unsigned i) {
  auto fail = [&](const Twine &why) -> FailureOr<Object> {
    return kernel.emitOpError("argument ") << i << ": " << why;
  };
  auto map = kernel.getArgAttrOfType<DictionaryAttr>(i, "tang.tensor_map");
  if (!map)
    return fail("a pointer must have the attribute tang.tensor_map");
  auto buffer = map.getAs<IntegerAttr>("buffer");
  if (!buffer || buffer.getInt() < 0 || buffer.getInt() >= int64_t(i) ||
      !isa<MemRefType>(kernel.getArgument(buffer.getInt()).getType()))
    return fail("'buffer' is the number of a buffer argument");
  Type element = cast<MemRefType>(kernel.getArgument(buffer.getInt()).getType())
                     .getElementType();
  if (auto dtype = map.getAs<TypeAttr>("dtype"))
    element = dtype.getValue();
  Object entry{{"buffer", buffer.getInt()}, {"dtype", dtypeName(element)}};
  for (StringRef name : {"dims", "strides", "box"}) {
    // A list of plain numbers may be written as a dense array, too.
    SmallVector<Attribute> list;
    if (auto dense = map.getAs<DenseI64ArrayAttr>(name))
      for (int64_t value : dense.asArrayRef())
        list.push_back(Builder(kernel).getI64IntegerAttr(value));
    else if (auto array = map.getAs<ArrayAttr>(name))
      llvm::append_range(list, array);
    else
      return fail("'" + name + "' is a list of sizes");
    Array sizes;
    if (!appendSizes(list, /*mayDepend=*/name != "box", sizes))
      return fail("'" + name + "' has an entry that is no size");
    entry[name] = std::move(sizes);
  }
  for (StringRef name : {"swizzle", "l2"})
    if (auto bytes = map.getAs<IntegerAttr>(name))
      entry[name] = bytes.getInt();
  return entry;
}
