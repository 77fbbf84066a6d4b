//===- Inputs.cpp - The values of --input --------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Tang/Runtime/FloatFormats.h"
#include "Tang/Runtime/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>

using namespace tang_rt;
using llvm::StringRef;

namespace tang_run {

/// SplitMix64: the same numbers everywhere for the same seed.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Floats uniform in [-1, 1), integers in -8..7, index in 0..7, i1 in 0..1.
static void fillRandom(HostTensor &tensor, uint64_t seed) {
  int64_t count = tensor.numElements();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = nextRandom(seed);
    if (isFloat(tensor.dtype))
      tensor.setDouble(i, std::ldexp(double(bits >> 11), -52) - 1);
    else if (tensor.dtype == DType::Index)
      tensor.setInt(i, int64_t(bits >> 61));
    else
      tensor.setInt(i, int64_t(bits >> 60) - 8);
  }
}

/// One element from its text into memory order position `i`.
static bool setElement(HostTensor &tensor, int64_t i, StringRef text,
                       std::string &error) {
  std::string type = dtypeName(tensor.dtype);
  if (isFloat(tensor.dtype)) {
    std::string copy = text.str();
    char *end = nullptr;
    double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end) {
      error = "'" + copy + "' is not a number";
      return false;
    }
    // Integers are rounded once, from all of their digits.
    int64_t whole;
    if (!text.getAsInteger(10, whole))
      tensor.setInt(i, whole);
    else
      tensor.setDouble(i, value);
    return true;
  }
  if (text == "true" || text == "false") {
    tensor.setInt(i, text == "true");
    return true;
  }
  int64_t value = 0;
  uint64_t large = 0;
  bool isLarge = false;
  if (text.getAsInteger(0, value)) {
    isLarge = !text.getAsInteger(0, large);
    if (!isLarge) {
      error = "'" + text.str() + "' is not an integer of 64 bits";
      return false;
    }
    value = int64_t(large);
  }
  unsigned bits = dtypeBits(tensor.dtype);
  if (bits < 64 && (isLarge || value >= int64_t(1) << bits ||
                    value < (bits == 1 ? -1 : -(int64_t(1) << (bits - 1))))) {
    error = "'" + text.str() + "' does not fit in " + type;
    return false;
  }
  tensor.setInt(i, value);
  return true;
}

/// Fills `tensor` from a splat, a list of elements or `random:SEED`.
static bool fill(HostTensor &tensor, StringRef values, std::string &error) {
  if (values.consume_front("random:")) {
    uint64_t seed;
    if (values.getAsInteger(0, seed)) {
      error = "'" + values.str() + "' is not a seed; write random:7";
      return false;
    }
    fillRandom(tensor, seed);
    return true;
  }
  llvm::SmallVector<StringRef> elements;
  llvm::SplitString(values, elements, " ,\t\n");
  int64_t count = tensor.numElements();
  if (elements.size() == 1 && count >= 1) {
    if (!setElement(tensor, 0, elements[0], error))
      return false;
    // Double what is filled until all is.
    size_t filled = dtypeBytes(tensor.dtype), total = tensor.data.size();
    for (; filled < total; filled *= 2)
      std::memcpy(tensor.data.data() + filled, tensor.data.data(),
                  std::min(filled, total - filled));
    return true;
  }
  if (int64_t(elements.size()) != count &&
      !(count == 0 && elements.size() == 1)) {
    error = tensor.typeStr() + " needs 1 or " + std::to_string(count) +
            " elements, got " + std::to_string(elements.size());
    return false;
  }
  for (int64_t i = 0; i < count; ++i)
    if (!setElement(tensor, i, elements[size_t(i)], error))
      return false;
  return true;
}

static bool makeInput(const TensorSpec &spec, StringRef text,
                      HostTensor &tensor, std::string &error) {
  if (text.consume_front("@"))
    return readNpy(text.str(), spec.dtype, tensor, error);
  DType dtype = spec.dtype;
  std::vector<int64_t> shape = spec.shape;
  StringRef values = text;
  if (!text.starts_with("random:")) {
    auto [type, rest] = text.split('=');
    if (!text.contains('=')) {
      error = "'" + text.str() +
              "' is not an input; write @FILE.npy, 4x8xf32=1.5, "
              "2x2xf32=1 2 3 4 or random:SEED";
      return false;
    }
    if (!parseTypeString(type.trim().str(), dtype, shape, error))
      return false;
    values = rest;
  }
  for (int64_t size : shape)
    if (size == kDynamic) {
      error = "the sizes of " + typeString(dtype, shape) +
              " must be given, as in 8x16xf32=random:7";
      return false;
    }
  if (std::string why = checkAgainstSpec(spec, dtype, shape); !why.empty()) {
    error = why;
    return false;
  }
  return HostTensor::create(dtype, shape, tensor, error) &&
         fill(tensor, values, error);
}

bool makeInputs(const FunctionInfo &function, llvm::ArrayRef<std::string> texts,
                std::vector<HostTensor> &inputs) {
  inputs.clear();
  if (std::string why = checkInputCount(function, texts.size()); !why.empty())
    return fail(why);
  for (size_t i = 0; i < texts.size(); ++i) {
    HostTensor tensor;
    std::string error;
    bool good = makeInput(function.inputs[i], texts[i], tensor, error);
    if (good) {
      error = checkAgainstSpec(function.inputs[i], tensor.dtype, tensor.shape);
      good = error.empty();
    }
    if (!good)
      return fail(inputName(function, i) + ": " + error);
    inputs.push_back(std::move(tensor));
  }
  return true;
}

} // namespace tang_run
