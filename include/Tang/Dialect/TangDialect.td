//===- TangDialect.td - The tang dialect ------------------------------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_DIALECT_TD
#define TANG_DIALECT_TD

include "mlir/IR/DialectBase.td"

def Tang_Dialect : Dialect {
  let name = "tang";
  let cppNamespace = "::mlir::tang";
  let summary = "Tensor graphs as monoid folds, and the kernels derived from them";
  let description = [{
    One dialect in three stages.

    *Graph*: `tang.map`, `tang.reduce`, `tang.scan` and `tang.scatter` are
    pointwise work and folds over an iteration space with affine accesses; a
    fold names its monoid. `tang.gather`, `tang.top_k`, `tang.sort` and
    `tang.group_by` are indirect operations that decompose into these.

    *Schedule*: `#tang.schedule` on a graph operation says how it is tiled for
    one `#tang.target`; it can never change what is computed.

    *Tile*: `tang.stream`, `tang.load`, `tang.fold`, `tang.store` inside a
    `gpu.func` are one kernel as a serial fold over vector tiles.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = [
    "arith::ArithDialect", "math::MathDialect", "tensor::TensorDialect",
    "vector::VectorDialect"
  ];
  let extraClassDeclaration = [{
    /// Registers the attributes and operations, in their own files.
    void registerAttributes();
    void registerOps();
  }];
}

#endif // TANG_DIALECT_TD
