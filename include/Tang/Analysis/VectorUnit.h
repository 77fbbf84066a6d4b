//===- VectorUnit.h - What a target's vector registers hold -----*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules choose tiles by it, and the lowering of folds blocks of registers,
// so that both agree. While a fold runs, a block's results are in registers:
// `rows` by `vectors`. Beside them are a vector of each column, a row's number
// in all lanes, and a product.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ANALYSIS_VECTORUNIT_H
#define TANG_ANALYSIS_VECTORUNIT_H

#include "Tang/Dialect/TangDialect.h"

namespace mlir::tang {

/// Whether a target's language has a multiply-add that surely rounds once.
/// SPIR-V's Fma (GLSL.std.450) may be a product and a sum, and is on lavapipe;
/// doing it in f64 would ask for shaderFloat64.
inline bool hasFusedMultiplyAdd(TargetAttr target) {
  StringRef language = target.getLanguage();
  return language == "llvm" || language == "c" || language == "opencl" ||
         language == "ptx";
}

struct VectorUnit {
  /// Numbers of 32 bits in a register; 1: there are no vectors.
  int64_t lanes = 1;
  int64_t registers = 0;
  /// Bytes of the nearest cache.
  int64_t cacheBytes = 0;

  VectorUnit() = default;
  explicit VectorUnit(TargetAttr target)
      : lanes(target.getBlock() > 1 ? 1 : target.getLanes()),
        registers(target.getRegisterBytes() / (4 * target.getLanes())),
        cacheBytes(target.getCacheBytes()) {}

  /// Vectors in a row of a block, where the tile has as many.
  static constexpr int64_t vectors = 2;
  /// Columns and rows of the largest block.
  int64_t columns() const { return vectors * lanes; }
  int64_t rows() const {
    return std::max<int64_t>((registers - 2) / vectors - 1, 1);
  }
  /// Points that a fold runs through in a step: the columns' operands at these
  /// fill half of the nearest cache, and stay there for all rows.
  int64_t depth() const { return cacheBytes / 2 / (4 * columns()); }
  /// The most columns and rows of a tile: so many that what is laid out anew
  /// for it costs little beside what is done with it.
  int64_t tileColumns() const { return depth(); }
  int64_t tileRows() const {
    return std::max(depth() / rows(), int64_t(1)) * rows();
  }
};

} // namespace mlir::tang

#endif // TANG_ANALYSIS_VECTORUNIT_H
