//===- Signature.h - Functions of a program as their callers see them ----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_SIGNATURE_H
#define TANG_RUNTIME_SIGNATURE_H

#include "Tang/Runtime/DType.h"
#include "Tang/Runtime/HostTensor.h"

namespace tang_rt {

/// The declared type of an argument or a result.
struct TensorSpec {
  /// For messages, without a sigil: `arg0`. Empty for results.
  std::string name;
  DType dtype = DType::F32;
  /// `kDynamic` where a size is known only at call time. Empty for scalars.
  std::vector<int64_t> shape;
  /// A scalar value and not a tensor of rank 0.
  bool scalar = false;

  std::string typeStr() const { return typeString(dtype, shape); }
};

struct FunctionInfo {
  std::string name;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  /// Arithmetic operations of one call where the compiler knows them, or 0.
  double flops = 0;
};

/// Empty if a tensor of that type may be passed for `spec`, and otherwise why
/// not: `expected 4xf32, got 5xf32 (dimension 0 is 5, must be 4)`.
std::string checkAgainstSpec(const TensorSpec &spec, DType dtype,
                             const std::vector<int64_t> &shape);

/// Empty if the function can be called with these inputs, and otherwise a
/// message that names the argument: `input 0 (arg0): expected 4xf32, got ...`.
std::string checkInputs(const FunctionInfo &function,
                        const std::vector<HostTensor> &inputs);

/// `input 0 (arg0)`.
std::string inputName(const FunctionInfo &function, size_t index);

/// `f takes 2 inputs, got 1`, or empty if the counts agree.
std::string checkInputCount(const FunctionInfo &function, size_t given);

/// The index of the function called `name`; for an empty name `main` or the
/// only one. -1 with a message that lists the functions if there is none.
int findFunction(const std::vector<FunctionInfo> &functions,
                 const std::string &name, std::string &error);

} // namespace tang_rt

#endif // TANG_RUNTIME_SIGNATURE_H
