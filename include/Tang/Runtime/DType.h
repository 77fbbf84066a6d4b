//===- DType.h - Element types and shapes of the runtime -----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM here, and no exceptions needed: usable from any code.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_RUNTIME_DTYPE_H
#define TANG_RUNTIME_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tang_rt {

/// The element types that cross Tang's boundary, in the order of the C ABI.
enum class DType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  I4,
  I1,
  Index,
};
inline constexpr int kNumDTypes = 13;

/// A size that is known only at call time.
inline constexpr int64_t kDynamic = -1;

/// `f32`, `bf16`, `i1`, `index`, ... as in MLIR.
const char *dtypeName(DType type);

/// The type called `name`; false if there is none.
bool parseDType(std::string_view name, DType &type);

/// Bytes of one element in memory: i4 and i1 take one, index eight.
unsigned dtypeBytes(DType type);

/// Bits that carry the value: 4 for i4, 1 for i1, 64 for index.
unsigned dtypeBits(DType type);

inline bool isFloat(DType type) { return type <= DType::F8E5M2; }

/// The number of elements of `shape`, 1 for rank 0; false if a size is
/// negative or the product does not fit in 63 bits.
bool countElements(const std::vector<int64_t> &shape, int64_t &count);

/// The number of bytes of a dense tensor; false as for `countElements`.
bool countBytes(DType type, const std::vector<int64_t> &shape, int64_t &bytes);

/// `4x?xf32`; `f32` for rank 0.
std::string typeString(DType type, const std::vector<int64_t> &shape);

/// The reverse of `typeString`; false with a message in `error`. Negative
/// sizes and sizes past 63 bits are refused.
bool parseTypeString(std::string_view text, DType &type,
                     std::vector<int64_t> &shape, std::string &error);

/// Sign-extends the low bits of `value` that `type` has (i1: 0 or 1).
int64_t wrapInteger(DType type, int64_t value);

} // namespace tang_rt

#endif // TANG_RUNTIME_DTYPE_H
