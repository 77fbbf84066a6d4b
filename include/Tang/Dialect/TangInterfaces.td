//===- TangInterfaces.td - What structured operations share --------------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_INTERFACES_TD
#define TANG_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tang_StructuredOp : OpInterface<"StructuredOp"> {
  let cppNamespace = "::mlir::tang";
  let description = [{
    An operation over an iteration space, the *domain*: `tang.map`,
    `tang.reduce`, `tang.scan`, `tang.scatter`.

    The domain's dimensions are those of the results in order ("parallel"),
    then the reduced ones. Operand `ins[k]` is read at `in_maps[k]` (dimensions
    of the domain, then symbols) and its element is a block argument; a
    `captures` operand (a scalar, or a tensor that the body reads with
    `tang.at`) is a block argument as it is. The region is isolated.
  }];
  let methods = [
    InterfaceMethod<"Operands that are read through maps.",
      "::mlir::OperandRange", "getIns">,
    InterfaceMethod<"Mutable `ins`.",
      "::mlir::MutableOperandRange", "getInsMutable">,
    InterfaceMethod<"Operands handed to the body as they are.",
      "::mlir::OperandRange", "getCaptures">,
    InterfaceMethod<"Mutable `captures`.",
      "::mlir::MutableOperandRange", "getCapturesMutable">,
    InterfaceMethod<"Values of the maps' symbols, of type index.",
      "::mlir::OperandRange", "getSymbols">,
    InterfaceMethod<"Mutable `symbols`.",
      "::mlir::MutableOperandRange", "getSymbolsMutable">,
    InterfaceMethod<"Destinations.", "::mlir::OperandRange", "getOuts">,
    InterfaceMethod<"One map for each of `ins`.",
      "::mlir::SmallVector<::mlir::AffineMap>", "getInMapArray", (ins), "", [{
        ::mlir::SmallVector<::mlir::AffineMap> maps;
        for (::mlir::Attribute attr : $_op.getInMaps())
          maps.push_back(::llvm::cast<::mlir::AffineMapAttr>(attr).getValue());
        return maps;
      }]>,
    InterfaceMethod<"Replaces the maps of `ins`.",
      "void", "setInMapArray", (ins "::mlir::ArrayRef<::mlir::AffineMap>":$maps), "", [{
        $_op.setInMapsAttr(::mlir::Builder($_op.getContext()).getAffineMapArrayAttr(maps));
      }]>,
    InterfaceMethod<"Number of dimensions of the domain.", "int64_t", "getNumDims">,
    InterfaceMethod<"Whether the iterations of a dimension are independent.",
      "bool", "isParallelDim", (ins "int64_t":$dim)>,
    InterfaceMethod<"Static domain sizes, kDynamic where not known.",
      "::mlir::SmallVector<int64_t>", "getStaticDomain">,
    InterfaceMethod<"Domain sizes; makes `dim` operations for dynamic ones.",
      "::mlir::SmallVector<::mlir::OpFoldResult>", "getMixedDomain",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc)>,
    InterfaceMethod<"The body's only block.", "::mlir::Block *", "getBody">
  ];
  let extraSharedClassDeclaration = [{
    /// The block argument of a `captures` operand.
    ::mlir::BlockArgument getCaptureArg(int64_t i) {
      return $_op.getBody()->getArgument($_op.getIns().size() + i);
    }
    /// True after bufferisation.
    bool isBufferized() {
      return $_op->getNumResults() == 0;
    }
    /// The body's terminator.
    ::mlir::Operation *getYield() { return $_op.getBody()->getTerminator(); }
  }];
}

#endif // TANG_INTERFACES_TD
