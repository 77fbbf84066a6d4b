//===- Signature.cpp - Checking calls against declared types -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Signature.h"

namespace tang_rt {

std::string checkAgainstSpec(const TensorSpec &spec, DType dtype,
                             const std::vector<int64_t> &shape) {
  std::string why;
  if (dtype != spec.dtype) {
    why = std::string("element type is ") + dtypeName(dtype) + ", must be " +
          dtypeName(spec.dtype);
  } else if (shape.size() != spec.shape.size()) {
    why = "rank is " + std::to_string(shape.size()) + ", must be " +
          std::to_string(spec.shape.size());
  } else {
    for (size_t i = 0; i < shape.size() && why.empty(); ++i)
      if (shape[i] < 0)
        why = "dimension " + std::to_string(i) +
              " is negative: " + std::to_string(shape[i]);
      else if (spec.shape[i] != kDynamic && shape[i] != spec.shape[i])
        why = "dimension " + std::to_string(i) + " is " +
              std::to_string(shape[i]) + ", must be " +
              std::to_string(spec.shape[i]);
    int64_t bytes;
    if (why.empty() && !countBytes(dtype, shape, bytes))
      why = "its size exceeds 63 bits";
  }
  if (why.empty())
    return why;
  return "expected " + spec.typeStr() + ", got " + typeString(dtype, shape) +
         " (" + why + ")";
}

std::string inputName(const FunctionInfo &function, size_t index) {
  std::string name = "input " + std::to_string(index);
  if (index < function.inputs.size() && !function.inputs[index].name.empty())
    name += " (" + function.inputs[index].name + ")";
  return name;
}

std::string checkInputCount(const FunctionInfo &function, size_t given) {
  size_t takes = function.inputs.size();
  if (given == takes)
    return "";
  return "function " + function.name + " takes " + std::to_string(takes) +
         (takes == 1 ? " input, got " : " inputs, got ") +
         std::to_string(given);
}

std::string checkInputs(const FunctionInfo &function,
                        const std::vector<HostTensor> &inputs) {
  if (std::string error = checkInputCount(function, inputs.size());
      !error.empty())
    return error;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (std::string error = checkAgainstSpec(function.inputs[i],
                                             inputs[i].dtype, inputs[i].shape);
        !error.empty())
      return inputName(function, i) + ": " + error;
  return "";
}

int findFunction(const std::vector<FunctionInfo> &functions,
                 const std::string &name, std::string &error) {
  std::string known;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name == (name.empty() ? "main" : name))
      return int(i);
    known += (i ? ", " : "") + functions[i].name;
  }
  if (functions.empty())
    error = "there is no function to run";
  else if (name.empty() && functions.size() == 1)
    return 0;
  else if (name.empty())
    error = "there is no function 'main'; choose one with --function: " + known;
  else
    error = "there is no function '" + name + "'; there are: " + known;
  return -1;
}

} // namespace tang_rt
