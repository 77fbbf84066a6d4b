//===- PrintTensor.cpp - Tensors as text for people ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/PrintTensor.h"

#include "Tang/Runtime/FloatFormats.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tang_rt {

/// The shortest text that reads back as the same value of type `type`.
static std::string floatText(DType type, double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[64];
  if (type == DType::F64 || type == DType::F32) {
    auto end = type == DType::F64
                   ? std::to_chars(text, text + sizeof text, value)
                   : std::to_chars(text, text + sizeof text, float(value));
    return std::string(text, end.ptr);
  }
  for (int digits = 1;; ++digits) {
    int length = std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (digits >= 9 || roundToType(type, std::strtod(text, nullptr)) == value)
      return std::string(text, size_t(length));
  }
}

std::string elementText(const HostTensor &tensor, int64_t i) {
  if (isFloat(tensor.dtype))
    return floatText(tensor.dtype, tensor.getDouble(i));
  return std::to_string(tensor.getInt(i));
}

namespace {
class Printer {
public:
  Printer(const HostTensor &tensor, bool summarise)
      : tensor(tensor), summarise(summarise) {
    int64_t stride = 1;
    strides.resize(tensor.shape.size());
    for (size_t d = tensor.shape.size(); d-- > 0;) {
      strides[d] = stride;
      stride *= tensor.shape[d];
    }
    visit(0, 0, [&](int64_t at) {
      width = std::max(width, elementText(tensor, at).size());
    });
  }

  std::string print() {
    text.clear();
    dimension(0, 0);
    return std::move(text);
  }

private:
  static constexpr int64_t kEdge = 3;
  static constexpr size_t kLine = 78;

  bool shortened(size_t d) const {
    return summarise && tensor.shape[d] > 2 * kEdge;
  }
  template <typename F> void visit(size_t d, int64_t at, F f) {
    if (d == tensor.shape.size())
      return f(at);
    for (int64_t i = 0; i < tensor.shape[d]; ++i) {
      if (shortened(d) && i == kEdge)
        i = tensor.shape[d] - kEdge;
      visit(d + 1, at + i * strides[d], f);
    }
  }
  void dimension(size_t d, int64_t at) {
    if (d == tensor.shape.size()) {
      std::string element = elementText(tensor, at);
      text += std::string(width - element.size(), ' ') + element;
      return;
    }
    bool last = d + 1 == tensor.shape.size();
    text += '[';
    size_t column = d + 1;
    for (int64_t i = 0; i < tensor.shape[d]; ++i) {
      if (i)
        separate(d, last, column);
      if (shortened(d) && i == kEdge) {
        text += "...";
        column += 3;
        i = tensor.shape[d] - kEdge - 1;
        continue;
      }
      dimension(d + 1, at + i * strides[d]);
      column += width;
    }
    text += ']';
  }
  void separate(size_t d, bool last, size_t &column) {
    if (last && column + width + 2 <= kLine) {
      text += ' ';
      ++column;
      return;
    }
    text += std::string(last ? 1 : tensor.shape.size() - d - 1, '\n') +
            std::string(d + 1, ' ');
    column = d + 1;
  }

  const HostTensor &tensor;
  bool summarise;
  std::vector<int64_t> strides;
  size_t width = 0;
  std::string text;
};
} // namespace

std::string formatTensor(const HostTensor &tensor, int64_t threshold) {
  int64_t count = tensor.numElements();
  if (count == 0)
    return "[] (" + tensor.typeStr() + ", no elements)";
  return Printer(tensor, count > threshold).print();
}

} // namespace tang_rt
