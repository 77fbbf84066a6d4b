//===- Fragment.h - What one thread holds of a tile -------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of 128 threads shares a tile of 64 rows as the matrix unit leaves its
// accumulator: register 4j + 2h + e of lane l of warp w holds row 16w + l/4 +
// 8h and column 8j + 2(l mod 4) + e (PTX ISA, wgmma, "Register fragments",
// accumulator D). A tile without columns has the row's value in all four lanes
// of a row, one without rows the column's value in all lanes that have it.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_CONVERSION_AGENTS_FRAGMENT_H
#define TANG_LIB_CONVERSION_AGENTS_FRAGMENT_H

#include "mlir/IR/Builders.h"

namespace mlir::tang {

/// Rows of a tile that one group of threads holds.
constexpr int64_t kGroupRows = 64;
constexpr int64_t kGroupThreads = 128;

struct Fragment {
  enum Kind { Uniform, Row, Column, Tile };

  Kind kind = Uniform;
  /// Of Column and Tile: how many columns, a multiple of 8.
  int64_t columns = 1;
  SmallVector<Value> registers;
  /// Two neighbouring columns of 16 bits each in one i32 register.
  bool packed = false;

  /// Registers, when not packed.
  static int64_t size(Kind kind, int64_t columns) {
    switch (kind) {
    case Uniform:
      return 1;
    case Row:
      return 2;
    case Column:
      return columns / 4;
    case Tile:
      return columns / 2;
    }
    llvm_unreachable("kind");
  }

  /// The register of a fragment of this kind for register `i` of a fragment
  /// that it is broadcast to.
  Value at(Kind to, int64_t i) const {
    if (kind == Uniform)
      return registers[0];
    if (kind == to)
      return registers[i];
    // i = 4j + 2h + e of a tile.
    return kind == Row ? registers[(i >> 1) & 1]
                       : registers[(i >> 2) * 2 + (i & 1)];
  }
};

} // namespace mlir::tang

#endif // TANG_LIB_CONVERSION_AGENTS_FRAGMENT_H
