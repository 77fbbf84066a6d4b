//===- Interpreter.h - Running host programs -----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_INTERPRETER_H
#define TANG_LIB_RUNTIME_INTERPRETER_H

#include "Heap.h"
#include "Program.h"

namespace tang_rt {

/// A tensor on a device: several may show one buffer in different shapes.
struct DeviceTensor {
  std::shared_ptr<Buffer> buffer;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  int64_t elements = 0;

  uint64_t bytes() const { return uint64_t(elements) * dtypeBytes(dtype); }
};

/// What a slot holds: nothing yet, a scalar, or a tensor.
struct SlotValue {
  enum Kind : uint8_t { Empty, Scalar, Tensor } kind = Empty;
  /// An integer literal, which may stand for a float as well.
  bool untyped = false;
  ScalarValue scalar;
  std::shared_ptr<const DeviceTensor> tensor;

  bool isScalarOf(DType type) const {
    return kind == Scalar && (scalar.isReal == isFloat(type) || untyped);
  }

  static SlotValue of(ScalarValue value) {
    return {Scalar, false, value, nullptr};
  }
  static SlotValue of(DeviceTensor value) {
    return {Tensor,
            false,
            {},
            std::make_shared<const DeviceTensor>(std::move(value))};
  }
};

/// What a program needs at run time besides its text.
struct Machine {
  const Program &program;
  Device &device;
  Heap &heap;
  DeviceCode *code;
  /// By number.
  const std::vector<std::shared_ptr<Buffer>> &constants;
  /// 0: no limit.
  uint64_t stepLimit = 0;
};

/// Runs function number `function`; throws Error. The inputs were checked
/// against its signature; the results are.
std::vector<SlotValue> runHostProgram(const Machine &machine, size_t function,
                                      const std::vector<SlotValue> &inputs);

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_INTERPRETER_H
