//===- Traffic.h - What a kernel must move and compute ----------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compulsory traffic: each distinct input is read once, each result is written
// once. What a schedule reads again because it does not fit on chip comes on
// top; the number of passes over an input says where that may happen.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_TRAFFIC_H
#define TANG_ANALYSIS_TRAFFIC_H

#include "Tang/Dialect/TangDialect.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::tang {

/// Numbers for dynamic sizes by their names, `dim(arg0, 1)`.
using Sizes = std::map<std::string, int64_t>;

/// Bytes, operations or points: a polynomial in dynamic sizes, or not known.
class Count {
public:
  Count(int64_t value = 0);
  static Count unknown();
  /// A dynamic size, as `dim(arg0, 1)`.
  static Count named(StringRef name);

  Count operator+(const Count &other) const;
  Count operator*(const Count &other) const;
  Count &operator+=(const Count &other) { return *this = *this + other; }
  Count &operator*=(const Count &other) { return *this = *this * other; }
  bool operator==(const Count &other) const = default;

  /// With numbers for some of the dynamic sizes.
  Count at(const Sizes &sizes) const;
  /// The number, if it has no dynamic part.
  std::optional<int64_t> get() const;
  /// `4096`, `64 * dim(arg0, 0) + 16`, or `dynamic` where not even that is
  /// known.
  std::string str() const;

private:
  /// Coefficients, never 0, by the sorted names of a product.
  std::map<std::vector<std::string>, int64_t> terms;
  bool known = true;
};

/// The operand that an argument of a kernel's body stands for, or the value
/// itself.
Value outsideOf(Value value);

/// The size of a dimension of a tensor or buffer, traced to a function's
/// arguments.
Count sizeOf(Value shaped, int64_t dim);
/// All elements of a tensor or buffer, in bytes as buffers hold them: i1 and
/// i4 take one each, index eight. 0 for a scalar.
Count bytesOf(Value shaped);
/// The same of one element.
Count bytesOfElement(Type type);
/// A dimension of an operation's domain.
Count sizeOfDim(StructuredOp op, int64_t dim);
/// Points of an operation's domain.
Count pointsOf(StructuredOp op);

/// One tensor that is read or written.
struct Access {
  Value value;
  Count bytes;
  /// Runs of a stream that go through it; 1 outside of kernels.
  int64_t passes = 1;
  /// Computed indices: the bytes are an upper bound.
  bool atMost = false;
};

struct Traffic {
  /// Operands, each once; then results, or the destinations of a bufferised
  /// operation.
  SmallVector<Access> reads, writes;
  /// Values of a kernel's body that no buffer holds.
  SmallVector<Value> unstored;
  Count bytesRead, bytesWritten, bytesUnstored, flops;

  Count bytes() const { return bytesRead + bytesWritten; }

  static Traffic get(KernelOp kernel);
  static Traffic get(StructuredOp op);
  /// Of any operation with tensors: all operands and all results.
  static Traffic getOther(Operation *op);
};

/// For people: `512 bytes`, `12.5 KiB`, `64 * dim(arg0, 0) bytes`.
std::string formatBytes(const Count &bytes);
/// For people: `300 flops`, `74.1 kflop`, `16 * dim(arg0, 0) flops`.
std::string formatFlops(const Count &flops);

} // namespace mlir::tang

#endif // TANG_ANALYSIS_TRAFFIC_H
