//===- KernelOp.cpp - A small graph that is one kernel --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"

using namespace mlir;
using namespace mlir::tang;

/// The type of the body's argument for an operand: tensors stay tensors.
static Type argumentTypeOf(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  return type;
}

void KernelOp::build(OpBuilder &builder, OperationState &state, ValueRange ins,
                     ValueRange outs) {
  state.addOperands(ins);
  state.addOperands(outs);
  state.addAttribute(
      getOperandSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(ins.size()),
                                    static_cast<int32_t>(outs.size())}));
  for (Value out : outs)
    if (isa<RankedTensorType>(out.getType()))
      state.addTypes(out.getType());
  Region *region = state.addRegion();
  Block *body = new Block;
  region->push_back(body);
  for (Value in : ins)
    body->addArgument(argumentTypeOf(in.getType()), in.getLoc());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> ins, outs;
  SmallVector<Type> inTypes, outTypes;
  SMLoc insLoc = parser.getCurrentLocation();
  auto one = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    Type type;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(ins.emplace_back()) || parser.parseColonType(type))
      return failure();
    inTypes.push_back(type);
    argument.type = argumentTypeOf(type);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, one))
    return failure();
  SMLoc outsLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("outs") || parser.parseLParen() ||
      parser.parseOperandList(outs) || parser.parseColonTypeList(outTypes) ||
      parser.parseRParen())
    return failure();
  if (parser.resolveOperands(ins, inTypes, insLoc, result.operands) ||
      parser.resolveOperands(outs, outTypes, outsLoc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (Type type : outTypes)
    if (isa<RankedTensorType>(type))
      result.addTypes(type);
  result.addAttribute(getOperandSegmentSizeAttr(),
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {static_cast<int32_t>(ins.size()),
                           static_cast<int32_t>(outs.size())}));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    return parser.emitError(parser.getNameLoc()) << "expects a body";
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(
      llvm::zip(getBody()->getArguments(), getIns()), printer, [&](auto pair) {
        auto [argument, operand] = pair;
        printer.printOperand(argument);
        printer << " = " << operand << " : " << operand.getType();
      });
  printer << ") outs(" << getOuts() << " : ";
  llvm::interleaveComma(getOuts().getTypes(), printer);
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizeAttr()});
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  Block *body = getBody();
  if (body->getNumArguments() != getIns().size())
    return emitOpError("has ") << getIns().size() << " inputs and "
                               << body->getNumArguments() << " arguments";
  for (auto [argument, in] : llvm::zip(body->getArguments(), getIns()))
    if (argument.getType() != argumentTypeOf(in.getType()))
      return emitOpError("takes ")
             << in.getType() << " as " << argument.getType();
  if (getOuts().empty())
    return emitOpError("writes nothing");
  for (Value out : getOuts())
    if (isa<MemRefType>(out.getType()) !=
        isa<MemRefType>(getOuts().front().getType()))
      return emitOpError("destinations are all tensors or all memrefs");
  auto yield = body->empty() ? YieldOp() : dyn_cast<YieldOp>(body->back());
  if (!yield)
    return emitOpError("ends with a tang.yield");
  if (yield.getValues().size() != getOuts().size())
    return emitOpError("yields ") << yield.getValues().size() << " values for "
                                  << getOuts().size() << " destinations";
  for (auto [value, out] : llvm::zip(yield.getValues(), getOuts())) {
    auto from = dyn_cast<RankedTensorType>(value.getType());
    auto to = cast<ShapedType>(out.getType());
    if (!from || from.getElementType() != to.getElementType() ||
        failed(verifyCompatibleShape(from.getShape(), to.getShape())))
      return emitOpError("yields ")
             << value.getType() << " for " << out.getType();
  }
  if (getChunk() && static_cast<int64_t>(*getChunk()) <= 0)
    return emitOpError("cuts chunks of at least one point");
  for (Operation &op : body->without_terminator()) {
    if (isa<MapOp, ReduceOp, tensor::EmptyOp, tensor::DimOp>(op))
      continue;
    if (isa_and_nonnull<arith::ArithDialect>(op.getDialect()) &&
        llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>))
      continue;
    return op.emitOpError("does not belong into a tang.kernel: maps, "
                          "reductions and sizes do");
  }
  return success();
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (OpOperand &operand : getOutsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
}

Speculation::Speculatability KernelOp::getSpeculatability() {
  return isBufferized() ? Speculation::NotSpeculatable
                        : Speculation::Speculatable;
}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts().take_front(getNumResults()))
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out));
  return success();
}
