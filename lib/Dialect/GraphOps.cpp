//===- GraphOps.cpp - Operations in bodies, declarations, indirect ones
//-----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"

using namespace mlir;
using namespace mlir::tang;

#define GET_OP_CLASSES
#include "Tang/Dialect/TangOps.cpp.inc"

void TangDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "Tang/Dialect/TangOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// IndexOp, AtOp
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  auto structured = (*this)->getParentOfType<StructuredOp>();
  if (!structured)
    return emitOpError("stands in the body of a structured operation");
  // During construction the domain may not be readable yet.
  if (!structured.getOuts().empty() &&
      static_cast<int64_t>(getDim()) >= structured.getNumDims())
    return emitOpError("dimension ")
           << getDim() << " is out of range: the domain has "
           << structured.getNumDims();
  return success();
}

LogicalResult AtOp::verify() {
  auto type = cast<ShapedType>(getSource().getType());
  if (static_cast<int64_t>(getIndices().size()) != type.getRank())
    return emitOpError("reads ")
           << type << " at " << getIndices().size() << " indices";
  return success();
}

void AtOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(),
                         SideEffects::DefaultResource::get());
}

Speculation::Speculatability AtOp::getSpeculatability() {
  return Speculation::Speculatable;
}

OpFoldResult AtOp::fold(FoldAdaptor adaptor) {
  auto condition = dyn_cast_or_null<IntegerAttr>(adaptor.getCondition());
  if (!condition)
    return {};
  if (condition.getValue().isZero())
    return Builder(getContext()).getZeroAttr(getType());
  getConditionMutable().clear();
  return getResult();
}

//===----------------------------------------------------------------------===//
// MonoidOp
//===----------------------------------------------------------------------===//

ParseResult MonoidOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  if (parser.parseSymbolName(name, "sym_name", result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("identity"))) {
    ArrayAttr identity;
    if (parser.parseAttribute(identity, "identity", result.attributes))
      return failure();
  }
  for (StringRef law : {"associative", "commutative", "idempotent"})
    if (succeeded(parser.parseOptionalKeyword(law)))
      result.addAttribute(law, builder.getUnitAttr());
  SmallVector<OpAsmParser::Argument> arguments;
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    return parser.emitError(parser.getNameLoc()) << "expects a body";
  return success();
}

void MonoidOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  if (ArrayAttr identity = getIdentityAttr())
    printer << " identity " << identity;
  for (StringRef law : {"associative", "commutative", "idempotent"})
    if ((*this)->hasAttr(law))
      printer << " " << law;
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"sym_name", "identity", "associative", "commutative", "idempotent"});
  printer << " (";
  llvm::interleaveComma(
      getBody()->getArguments(), printer,
      [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ") ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

LogicalResult MonoidOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody()->back());
  if (!yield)
    return emitOpError("body must end in tang.yield");
  size_t n = yield->getNumOperands();
  SmallVector<Type> args(getBody()->getArgumentTypes());
  if (n == 0 || args.size() < n)
    return emitOpError("takes the values of a state, then those combined into "
                       "it, and yields a state; got ")
           << args.size() << " arguments and " << n << " yielded values";
  for (auto [i, type] : llvm::enumerate(yield->getOperandTypes()))
    if (type != args[i])
      return emitOpError("yielded value #")
             << i << " must be " << args[i] << ", got " << type;
  if (getAssociative() &&
      (args.size() != 2 * n ||
       ArrayRef(args).take_front(n) != ArrayRef(args).drop_front(n)))
    return emitOpError("an associative monoid combines two states of the same "
                       "types");
  if (ArrayAttr identity = getIdentityAttr()) {
    if (identity.size() != n)
      return emitOpError("identity must have ") << n << " values";
    for (auto [i, attr] : llvm::enumerate(identity)) {
      auto typed = dyn_cast<TypedAttr>(attr);
      if (!typed || typed.getType() != args[i])
        return emitOpError("identity value ")
               << attr << " must be of type " << args[i];
    }
  }
  for (Operation &op : getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("has side effects inside of a tang.monoid");
  return success();
}

//===----------------------------------------------------------------------===//
// Indirect operations
//===----------------------------------------------------------------------===//

static OpFoldResult sizeOf(OpBuilder &builder, Location loc, Value value,
                           int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return builder.create<tensor::DimOp>(loc, value, dim).getResult();
}

static SmallVector<OpFoldResult> shapeOf(OpBuilder &builder, Location loc,
                                         Value value) {
  SmallVector<OpFoldResult> shape;
  for (int64_t d = 0, e = cast<ShapedType>(value.getType()).getRank(); d < e;
       ++d)
    shape.push_back(sizeOf(builder, loc, value, d));
  return shape;
}

/// The dimension `dim` of a tensor of `rank` exists.
static LogicalResult checkDim(Operation *op, int64_t dim, int64_t rank) {
  if (dim < 0 || dim >= rank)
    return op->emitOpError("dimension ")
           << dim << " is out of range for rank " << rank;
  return success();
}

static LogicalResult checkIndexTensor(Operation *op, Value value,
                                      StringRef what) {
  if (!getElementTypeOrSelf(value).isIntOrIndex())
    return op->emitOpError()
           << what << " must hold integers, got " << value.getType();
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t axis = getAxis(), batch = getBatch();
  if (failed(checkDim(*this, axis, source.getRank())) ||
      failed(checkIndexTensor(*this, getIndices(), "indices")))
    return failure();
  if (batch < 0 || batch > axis || batch > indices.getRank())
    return emitOpError("batch must be between 0 and axis");
  SmallVector<int64_t> want(source.getShape().take_front(axis));
  llvm::append_range(want, indices.getShape().drop_front(batch));
  llvm::append_range(want, source.getShape().drop_front(axis + 1));
  if (result.getElementType() != source.getElementType() ||
      result.getRank() != static_cast<int64_t>(want.size()) ||
      failed(verifyCompatibleShape(result.getShape(), want)))
    return emitOpError("result must be ")
           << RankedTensorType::get(want, source.getElementType()) << ", got "
           << result;
  return success();
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  auto source = shapeOf(builder, getLoc(), getSource());
  auto indices = shapeOf(builder, getLoc(), getIndices());
  auto &shape = shapes.emplace_back();
  llvm::append_range(shape, ArrayRef(source).take_front(getAxis()));
  llvm::append_range(shape, ArrayRef(indices).drop_front(getBatch()));
  llvm::append_range(shape, ArrayRef(source).drop_front(getAxis() + 1));
  return success();
}

LogicalResult SortOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  auto permutation = cast<RankedTensorType>(getPermutation().getType());
  if (failed(checkDim(*this, getDim(), keys.getRank())) ||
      failed(checkIndexTensor(*this, getPermutation(), "permutation")))
    return failure();
  if (keys.getRank() != permutation.getRank() ||
      failed(verifyCompatibleShape(keys.getShape(), permutation.getShape())))
    return emitOpError("permutation must have the shape of the keys");
  return success();
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.assign(2, shapeOf(builder, getLoc(), getKeys()));
  return success();
}

LogicalResult TopKOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (failed(checkDim(*this, getDim(), keys.getRank())) ||
      failed(checkIndexTensor(*this, getIndices(), "indices")))
    return failure();
  SmallVector<int64_t> want(keys.getShape());
  if (values.getRank() != keys.getRank())
    return emitOpError("results must have the rank of the keys");
  want[getDim()] = values.getDimSize(getDim());
  if (ShapedType::isDynamic(want[getDim()]))
    return emitOpError("k, the results' size along dimension ")
           << getDim() << ", must be static";
  if (values.getElementType() != keys.getElementType() ||
      failed(verifyCompatibleShape(values.getShape(), want)) ||
      indices.getRank() != keys.getRank() ||
      failed(verifyCompatibleShape(indices.getShape(), want)))
    return emitOpError("results must have the keys' shape but for dimension ")
           << getDim();
  return success();
}

LogicalResult TopKOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  auto shape = shapeOf(builder, getLoc(), getKeys());
  shape[getDim()] = builder.getIndexAttr(
      cast<ShapedType>(getValues().getType()).getDimSize(getDim()));
  shapes.assign(2, shape);
  return success();
}

LogicalResult GroupByOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  auto offsets = cast<RankedTensorType>(getOffsets().getType());
  auto members = cast<RankedTensorType>(getMembers().getType());
  for (auto [value, what] : {std::pair<Value, StringRef>{getKeys(), "keys"},
                             {getOffsets(), "offsets"},
                             {getMembers(), "members"}}) {
    if (cast<ShapedType>(value.getType()).getRank() != 1)
      return emitOpError() << what << " must have rank 1";
    if (failed(checkIndexTensor(*this, value, what)))
      return failure();
  }
  if (offsets.isDynamicDim(0) || offsets.getDimSize(0) < 1)
    return emitOpError("offsets must have the static size G + 1");
  if (failed(verifyCompatibleShape(keys.getShape(), members.getShape())))
    return emitOpError("members must have the shape of the keys");
  return success();
}

LogicalResult
GroupByOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back({builder.getIndexAttr(
      cast<ShapedType>(getOffsets().getType()).getDimSize(0))});
  shapes.push_back(shapeOf(builder, getLoc(), getKeys()));
  return success();
}
