//===- Import.cpp - What the importing patterns share ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

RankedTensorType mlir::tang::detail::tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

OpFoldResult mlir::tang::detail::getSize(OpBuilder &builder, Location loc,
                                         Value tensor, int64_t dim) {
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

SmallVector<OpFoldResult>
mlir::tang::detail::getSizes(OpBuilder &builder, Location loc, Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Value mlir::tang::detail::toValue(OpBuilder &builder, Location loc,
                                  OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

Value mlir::tang::detail::makeEmpty(OpBuilder &builder, Location loc,
                                    RankedTensorType type,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      dynamic.push_back(toValue(builder, loc, sizes[d]));
  return builder.create<tensor::EmptyOp>(loc, type, dynamic);
}

static TypedAttr getConstant(Value scalar) {
  TypedAttr attr;
  return matchPattern(scalar, m_Constant(&attr)) ? attr : TypedAttr();
}

TypedAttr mlir::tang::detail::getUniformConstant(Value tensor) {
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)))
    return dense.isSplat()
               ? dyn_cast<TypedAttr>(dense.getSplatValue<Attribute>())
               : TypedAttr();
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return getUniformConstant(expand.getSrc());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return getUniformConstant(collapse.getSrc());
  auto ofYield = [&](Block *body, ValueRange ins) -> TypedAttr {
    Value yielded = body->getTerminator()->getOperand(result.getResultNumber());
    auto arg = dyn_cast<BlockArgument>(yielded);
    if (!arg || arg.getOwner() != body)
      return getConstant(yielded);
    if (arg.getArgNumber() >= ins.size())
      return {};
    Value in = ins[arg.getArgNumber()];
    return isa<TensorType>(in.getType()) ? getUniformConstant(in)
                                         : getConstant(in);
  };
  if (auto map = dyn_cast<MapOp>(op)) {
    SmallVector<Value> ins = llvm::to_vector(map.getIns());
    llvm::append_range(ins, map.getCaptures());
    return ofYield(map.getBody(), ins);
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    if (linalgOp.getNumReductionLoops() == 0)
      return ofYield(linalgOp.getBlock(), linalgOp.getDpsInputs());
  return {};
}

FlatSymbolRefAttr
mlir::tang::detail::declareMonoid(ModuleOp module, OwningOpRef<MonoidOp> body) {
  for (auto known : module.getOps<MonoidOp>())
    if (known.getIdentityAttr() == body->getIdentityAttr() &&
        known.getAssociative() == body->getAssociative() &&
        known.getCommutative() == body->getCommutative() &&
        known.getIdempotent() == body->getIdempotent() &&
        OperationEquivalence::isRegionEquivalentTo(
            &known.getRegion(), &body->getRegion(),
            OperationEquivalence::Flags::IgnoreLocations))
      return FlatSymbolRefAttr::get(known.getSymNameAttr());
  SymbolTable symbols(module);
  MonoidOp op = body.release();
  return FlatSymbolRefAttr::get(symbols.insert(op, module.getBody()->begin()));
}
