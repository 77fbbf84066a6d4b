//===- Harness.h - Small modules through the reference interpreter --------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TEST_TARGET_REFERENCE_HARNESS_H
#define TANG_TEST_TARGET_REFERENCE_HARNESS_H

#include "Tang/Target/Reference.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tang_test {

using tang_rt::DType;
using tang_rt::HostTensor;
using Reals = std::vector<double>;
using Ints = std::vector<int64_t>;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

HostTensor reals(DType type, std::vector<int64_t> shape, const Reals &values);
HostTensor ints(DType type, std::vector<int64_t> shape, const Ints &values);
inline HostTensor f32(const Reals &values) {
  return reals(DType::F32, {int64_t(values.size())}, values);
}
inline HostTensor i32(const Ints &values) {
  return ints(DType::I32, {int64_t(values.size())}, values);
}

/// What a run gave: results, or the diagnostics.
struct Outcome {
  bool good = false;
  std::vector<HostTensor> results;
  std::string message;

  Reals reals(size_t i = 0) const;
  Ints ints(size_t i = 0) const;
};

/// Parses a module and runs its function.
Outcome run(const std::string &module, const std::vector<HostTensor> &inputs,
            bool exact = false);

/// Parses a module; null with the diagnostics in `message` if it is wrong.
mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &module,
                                        std::string &message);
mlir::MLIRContext &context();

/// Runs `%r = <op>` in a tang.map on operands %a, %b, %c (as many as there are
/// inputs), all of type `type`; the result is of type `result`.
Outcome apply(const std::string &op, const std::string &type,
              const std::string &result, const std::vector<HostTensor> &inputs,
              bool exact = false);

/// Folds a vector of `type` with a built-in monoid of one number.
Outcome fold(const std::string &monoid, const std::string &type,
             const std::string &init, const HostTensor &input,
             bool exact = false);

/// Equal numbers, NaN equal to NaN, zeros equal in sign.
void expectSame(const Reals &got, const Reals &want);

DType parseType(const std::string &type);

} // namespace tang_test

#endif // TANG_TEST_TARGET_REFERENCE_HARNESS_H
