//===- TileOps.cpp - Operations of the tile stage
//---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// StreamOp
//===----------------------------------------------------------------------===//

// tang.stream %i = %lo to %hi step 16 [reverse] [carry(%a = %init : type)] {…}
ParseResult StreamOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type indexType = builder.getIndexType();
  OpAsmParser::Argument iv;
  OpAsmParser::UnresolvedOperand lower, upper;
  int64_t step;
  if (parser.parseArgument(iv) || parser.parseEqual() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseInteger(step))
    return failure();
  iv.type = indexType;
  result.addAttribute("step", builder.getI64IntegerAttr(step));
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    result.addAttribute("reverse", builder.getUnitAttr());
  if (parser.resolveOperand(lower, indexType, result.operands) ||
      parser.resolveOperand(upper, indexType, result.operands))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments = {iv};
  if (succeeded(parser.parseOptionalKeyword("carry"))) {
    auto one = [&]() -> ParseResult {
      OpAsmParser::Argument carry;
      OpAsmParser::UnresolvedOperand init;
      if (parser.parseArgument(carry) || parser.parseEqual() ||
          parser.parseOperand(init) || parser.parseColonType(carry.type) ||
          parser.resolveOperand(init, carry.type, result.operands))
        return failure();
      arguments.push_back(carry);
      result.addTypes(carry.type);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, one))
      return failure();
  }
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, arguments))
    return failure();
  StreamOp::ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void StreamOp::print(OpAsmPrinter &printer) {
  printer << " " << getInductionVar() << " = " << getLower() << " to "
          << getUpper() << " step " << getStep();
  if (getReverse())
    printer << " reverse";
  if (!getInits().empty()) {
    printer << " carry(";
    llvm::interleaveComma(
        llvm::zip(getCarries(), getInits()), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : "
                  << std::get<1>(pair).getType();
        });
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"step", "reverse"});
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

LogicalResult StreamOp::verify() {
  Block *body = getBody();
  if (body->getNumArguments() != getInits().size() + 1 ||
      !body->getArgument(0).getType().isIndex())
    return emitOpError("body takes an index and the carried values");
  if (!isa<YieldOp>(body->back()) ||
      body->back().getOperandTypes() != getInits().getTypes())
    return emitOpError("body must yield the carried types");
  for (auto [carry, init] : llvm::zip(getCarries(), getInits()))
    if (carry.getType() != init.getType())
      return emitOpError("carried value of type ")
             << carry.getType() << " starts as " << init.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Views, loads, stores
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("cannot change the element type");
  if (!source.getLayout().isIdentity() || !result.getLayout().isIdentity())
    return emitOpError("works on dense row-major buffers");
  if (static_cast<size_t>(result.getNumDynamicDims()) != getSizes().size())
    return emitOpError("needs one size for each dynamic dimension of ")
           << result;
  return success();
}

LogicalResult CoordOp::verify() {
  auto type = cast<VectorType>(getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError("dimension ") << dim << " is out of range";
  return success();
}

/// A tile and a buffer that it is read from or written to hold the same type.
static LogicalResult verifyElements(Operation *op, Type tile, Value memref) {
  if (getElementTypeOrSelf(tile) != getElementTypeOrSelf(memref))
    return op->emitOpError("cannot access ")
           << memref.getType() << " with a tile of " << tile;
  return success();
}

/// All tiles of an operation stand at the same positions.
static LogicalResult verifySameShape(Operation *op, Type tile,
                                     ValueRange others) {
  for (Value other : others)
    if (cast<VectorType>(other.getType()).getShape() !=
        cast<VectorType>(tile).getShape())
      return op->emitOpError("tiles must have the same shape, got ")
             << other.getType() << " beside " << tile;
  return success();
}

/// A tile of type `tile` accesses `memref` at map(coords).
static LogicalResult verifyAccess(Operation *op, AffineMap map, Value memref,
                                  Type tile, size_t numCoords) {
  int64_t rank = cast<VectorType>(tile).getRank();
  auto type = cast<MemRefType>(memref.getType());
  if (map.getNumResults() != type.getRank())
    return op->emitOpError("map has ")
           << map.getNumResults() << " results for " << type;
  if (static_cast<int64_t>(map.getNumDims()) != rank ||
      map.getNumDims() + map.getNumSymbols() != numCoords)
    return op->emitOpError("map must have one dimension for each of the tile "
                           "and one operand for each dimension and symbol");
  return verifyElements(op, tile, memref);
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getMap(), getSource(), getType(),
                      getCoords().size());
}

LogicalResult StoreOp::verify() {
  int64_t rank = cast<VectorType>(getValue().getType()).getRank();
  if (static_cast<int64_t>(getCounts().size()) != rank)
    return emitOpError("needs one count for each dimension of the tile");
  return verifyAccess(*this, getMap(), getDestination(), getValue().getType(),
                      getCoords().size());
}

static LogicalResult verifyMonoid(Operation *op, Attribute attr,
                                  ValueRange states, ValueRange values) {
  FailureOr<Monoid> monoid = Monoid::get(attr, op);
  if (failed(monoid))
    return op->emitOpError("no tang.monoid is named ") << attr;
  auto elements = [](ValueRange list) {
    return llvm::map_to_vector(list,
                               [](Value v) { return getElementTypeOrSelf(v); });
  };
  return monoid->verify(elements(states), elements(values),
                        [&] { return op->emitOpError(); });
}

LogicalResult GatherLoadOp::verify() {
  if (cast<MemRefType>(getSource().getType()).getRank() !=
      static_cast<int64_t>(getIndices().size()))
    return emitOpError("needs one index for each dimension of ")
           << getSource().getType();
  if (failed(verifySameShape(*this, getType(), getIndices())) ||
      (getCondition() &&
       failed(verifySameShape(*this, getType(), getCondition()))))
    return failure();
  return verifyElements(*this, getType(), getSource());
}

LogicalResult ScatterStoreOp::verify() {
  if (getValues().empty() || getValues().size() != getDestinations().size())
    return emitOpError("needs one destination for each value");
  for (Value destination : getDestinations())
    if (cast<MemRefType>(destination.getType()).getRank() !=
        static_cast<int64_t>(getIndices().size()))
      return emitOpError("needs one index for each dimension of ")
             << destination.getType();
  Type tile = getValues().front().getType();
  if (cast<VectorType>(tile).getRank() !=
      static_cast<int64_t>(getCounts().size()))
    return emitOpError("needs one count for each dimension of the tile");
  if (failed(verifySameShape(*this, tile, getValues())) ||
      failed(verifySameShape(*this, tile, getIndices())) ||
      (getCondition() && failed(verifySameShape(*this, tile, getCondition()))))
    return failure();
  if (Attribute monoid = getMonoidAttr())
    return verifyMonoid(*this, monoid, getDestinations(), getValues());
  for (auto [value, destination] : llvm::zip(getValues(), getDestinations()))
    if (failed(verifyElements(*this, value.getType(), destination)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// FoldOp
//===----------------------------------------------------------------------===//

LogicalResult FoldOp::verify() {
  if (getValues().empty() || getAccs().empty())
    return emitOpError("folds at least one value");
  auto value = cast<VectorType>(getValues().front().getType());
  if (static_cast<int64_t>(getCounts().size()) != value.getRank())
    return emitOpError("needs one count for each dimension of the tile");
  // The folded dimensions are gone, or have size 1.
  SmallVector<int64_t> kept, unit;
  for (auto [d, size] : llvm::enumerate(value.getShape())) {
    bool folded = llvm::is_contained(getDims(), static_cast<int64_t>(d));
    unit.push_back(folded ? 1 : size);
    if (!folded)
      kept.push_back(size);
  }
  if (getDims().size() + kept.size() != value.getShape().size())
    return emitOpError("folded dimensions must be distinct and in range");
  for (Value other : getValues())
    if (cast<VectorType>(other.getType()).getShape() != value.getShape())
      return emitOpError("values must have the same shape");
  for (Value acc : getAccs())
    if (auto shape = cast<VectorType>(acc.getType()).getShape();
        shape != ArrayRef(kept) && shape != ArrayRef(unit))
      return emitOpError("state of type ")
             << acc.getType() << " must have the shape of the dimensions that "
             << "are kept";
  return verifyMonoid(*this, getMonoid(), getAccs(), getValues());
}

LogicalResult KeepOp::verify() {
  if (static_cast<int64_t>(getCounts().size()) !=
      cast<VectorType>(getValue().getType()).getRank())
    return emitOpError("needs one count for each dimension of the tile");
  return success();
}
