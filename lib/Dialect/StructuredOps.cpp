//===- StructuredOps.cpp - map, reduce, scan, scatter
//------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredSyntax.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

#include "Tang/Dialect/TangInterfaces.cpp.inc"

namespace {
using BodyBuilder = function_ref<void(OpBuilder &, Location, ValueRange)>;

int64_t rankOf(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

/// The size of a dimension: a constant, or a `dim` operation.
OpFoldResult sizeOf(OpBuilder &builder, Location loc, Value value,
                    int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (isa<MemRefType>(type))
    return builder.create<memref::DimOp>(loc, value, dim).getResult();
  return builder.create<tensor::DimOp>(loc, value, dim).getResult();
}

/// Fills in operands, maps, results and body.
void buildStructured(OpBuilder &builder, OperationState &state,
                     std::optional<SmallVector<Value>> sizes,
                     ValueRange symbols, ValueRange ins, ValueRange captures,
                     ValueRange outs, ArrayRef<AffineMap> maps,
                     BodyBuilder body) {
  SmallVector<int32_t> segments;
  if (sizes) {
    state.addOperands(*sizes);
    segments.push_back(sizes->size());
  }
  for (ValueRange group : {symbols, ins, captures, outs}) {
    state.addOperands(group);
    segments.push_back(group.size());
  }
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  state.addAttribute("in_maps", builder.getAffineMapArrayAttr(maps));
  for (Value out : outs)
    if (isa<RankedTensorType>(out.getType()))
      state.addTypes(out.getType());
  Region *region = state.addRegion();
  if (!body)
    return;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(region);
  for (Value in : ins)
    block->addArgument(getElementTypeOrSelf(in), in.getLoc());
  for (Value capture : captures)
    block->addArgument(capture.getType(), capture.getLoc());
  body(builder, state.location, block->getArguments());
}

SmallVector<Value> splitSizes(ArrayRef<OpFoldResult> over,
                              SmallVectorImpl<int64_t> &statics) {
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(over, dynamics, statics);
  return dynamics;
}
} // namespace

//===----------------------------------------------------------------------===//
// What all share
//===----------------------------------------------------------------------===//

static LogicalResult verifyStructured(StructuredOp op) {
  if (op.getOuts().empty())
    return op.emitOpError("needs at least one of 'outs'");
  int64_t numDims = op.getNumDims();
  int64_t numSymbols = op.getSymbols().size();
  SmallVector<AffineMap> maps = op.getInMapArray();
  if (maps.size() != op.getIns().size())
    return op.emitOpError("has ")
           << op.getIns().size() << " 'ins' but " << maps.size() << " maps";
  for (auto [i, map] : llvm::enumerate(maps)) {
    if (map.getNumDims() != numDims || map.getNumSymbols() != numSymbols)
      return op.emitOpError("map of 'ins' #")
             << i << " must have " << numDims << " dimensions and "
             << numSymbols << " symbols";
    if (map.getNumResults() != rankOf(op.getIns()[i]))
      return op.emitOpError("'ins' #")
             << i << " of type " << op.getIns()[i].getType() << " is read at "
             << map.getNumResults() << " indices";
  }
  // Where both sizes are known, a dimension read as it is must fit.
  SmallVector<int64_t> domain = op.getStaticDomain();
  for (auto [i, map] : llvm::enumerate(maps)) {
    auto type = cast<ShapedType>(op.getIns()[i].getType());
    for (auto [r, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || ShapedType::isDynamic(domain[dim.getPosition()]) ||
          type.isDynamicDim(r))
        continue;
      if (domain[dim.getPosition()] > type.getDimSize(r))
        return op.emitOpError("dimension ")
               << dim.getPosition() << " has size " << domain[dim.getPosition()]
               << ", but dimension " << r << " of 'ins' #" << i << " has only "
               << type.getDimSize(r);
    }
  }
  size_t numBuffers = llvm::count_if(
      op.getOuts(), [](Value v) { return isa<MemRefType>(v.getType()); });
  if (numBuffers != 0 && numBuffers != op.getOuts().size())
    return op.emitOpError("'outs' are either all tensors or all memrefs");
  if (op->getNumResults() != op.getOuts().size() - numBuffers)
    return op.emitOpError("has one result for each tensor of 'outs'");
  for (auto [result, out] : llvm::zip(op->getResults(), op.getOuts()))
    if (result.getType() != out.getType())
      return op.emitOpError("result type ")
             << result.getType() << " differs from type " << out.getType()
             << " of its 'outs'";

  Block *body = op.getBody();
  if (body->getNumArguments() != op.getIns().size() + op.getCaptures().size())
    return op.emitOpError("body must have one argument for each of 'ins' and "
                          "'with', got ")
           << body->getNumArguments();
  for (auto [i, arg] : llvm::enumerate(body->getArguments())) {
    Type want = i < op.getIns().size()
                    ? getElementTypeOrSelf(op.getIns()[i])
                    : op.getCaptures()[i - op.getIns().size()].getType();
    if (arg.getType() != want)
      return op.emitOpError("body argument #")
             << i << " must be " << want << ", got " << arg.getType();
  }
  if (!isa<YieldOp>(body->back()))
    return op.emitOpError("body must end in tang.yield");
  return success();
}

/// All of `outs[first, first + count)` have the shape `shape`.
static LogicalResult verifyOutShapes(StructuredOp op, size_t first,
                                     size_t count, ArrayRef<int64_t> shape) {
  for (size_t i = first; i < first + count; ++i) {
    auto type = cast<ShapedType>(op.getOuts()[i].getType());
    if (type.getRank() != static_cast<int64_t>(shape.size()) ||
        failed(verifyCompatibleShape(type.getShape(), shape)))
      return op.emitOpError("'outs' #")
             << i << " of type " << type << " does not fit the others";
  }
  return success();
}

static LogicalResult verifyYieldTypes(StructuredOp op, TypeRange want) {
  OperandRange got = op.getYield()->getOperands();
  if (got.size() != want.size())
    return op.emitOpError("body must yield ")
           << want.size() << " values, got " << got.size();
  for (auto [i, value] : llvm::enumerate(got))
    if (value.getType() != want[i])
      return op.emitOpError("yielded value #")
             << i << " must be " << want[i] << ", got " << value.getType();
  return success();
}

static SmallVector<Type> elementTypes(ValueRange values) {
  return llvm::map_to_vector(values,
                             [](Value v) { return getElementTypeOrSelf(v); });
}

static LogicalResult verifyMonoid(StructuredOp op, Attribute attr,
                                  TypeRange states, TypeRange values) {
  FailureOr<Monoid> monoid = Monoid::get(attr, op);
  if (failed(monoid))
    return op.emitOpError("no tang.monoid is named ") << attr;
  return monoid->verify(states, values, [&] { return op.emitOpError(); });
}

/// Tensors are values; buffers are read and written.
static void structuredEffects(
    StructuredOp op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto add = [&](Value value, MemoryEffects::Effect *effect) {
    if (!isa<MemRefType>(value.getType()))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == value) {
        effects.emplace_back(effect, &operand,
                             SideEffects::DefaultResource::get());
        return;
      }
  };
  for (Value value : op.getIns())
    add(value, MemoryEffects::Read::get());
  for (Value value : op.getCaptures())
    add(value, MemoryEffects::Read::get());
  for (Value value : op.getOuts()) {
    add(value, MemoryEffects::Read::get());
    add(value, MemoryEffects::Write::get());
  }
}

#define TANG_STRUCTURED_COMMON(OP, FORM)                                       \
  ParseResult OP::parse(OpAsmParser &parser, OperationState &result) {         \
    return parseStructured(parser, result, StructuredForm::FORM);              \
  }                                                                            \
  void OP::print(OpAsmPrinter &printer) {                                      \
    printStructured(printer, *this, StructuredForm::FORM);                     \
  }                                                                            \
  void OP::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    structuredEffects(*this, effects);                                         \
  }                                                                            \
  Speculation::Speculatability OP::getSpeculatability() {                      \
    return isBufferized() ? Speculation::NotSpeculatable                       \
                          : Speculation::Speculatable;                         \
  }                                                                            \
  LogicalResult OP::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    for (Value out : getOuts().take_front(getNumResults())) {                  \
      auto &shape = shapes.emplace_back();                                     \
      for (int64_t d = 0, e = rankOf(out); d < e; ++d)                         \
        shape.push_back(sizeOf(builder, getLoc(), out, d));                    \
    }                                                                          \
    return success();                                                          \
  }

TANG_STRUCTURED_COMMON(MapOp, Map)
TANG_STRUCTURED_COMMON(ReduceOp, Reduce)
TANG_STRUCTURED_COMMON(ScanOp, Scan)
TANG_STRUCTURED_COMMON(ScatterOp, Scatter)
#undef TANG_STRUCTURED_COMMON

/// The domain of operations whose dimensions start with those of a result.
static SmallVector<OpFoldResult> shapeOf(OpBuilder &builder, Location loc,
                                         Value out) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0, e = rankOf(out); d < e; ++d)
    sizes.push_back(sizeOf(builder, loc, out, d));
  return sizes;
}

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

void MapOp::build(OpBuilder &builder, OperationState &state, ValueRange outs,
                  ValueRange ins, ArrayRef<AffineMap> maps, ValueRange captures,
                  ValueRange symbols, BodyBuilder body) {
  buildStructured(builder, state, std::nullopt, symbols, ins, captures, outs,
                  maps, body);
}

int64_t MapOp::getNumDims() { return rankOf(getOuts().front()); }
bool MapOp::isParallelDim(int64_t) { return true; }
SmallVector<int64_t> MapOp::getStaticDomain() {
  return llvm::to_vector(
      cast<ShapedType>(getOuts().front().getType()).getShape());
}
SmallVector<OpFoldResult> MapOp::getMixedDomain(OpBuilder &builder,
                                                Location loc) {
  return shapeOf(builder, loc, getOuts().front());
}

LogicalResult MapOp::verify() {
  if (failed(verifyStructured(*this)) ||
      failed(
          verifyOutShapes(*this, 1, getOuts().size() - 1, getStaticDomain())))
    return failure();
  return verifyYieldTypes(*this, elementTypes(getOuts()));
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     Attribute monoid, ValueRange outs,
                     ArrayRef<OpFoldResult> over, ValueRange ins,
                     ArrayRef<AffineMap> maps, ValueRange captures,
                     ValueRange symbols, ArrayAttr init, BodyBuilder body) {
  SmallVector<int64_t> statics;
  SmallVector<Value> dynamics = splitSizes(over, statics);
  state.addAttribute("monoid", monoid);
  state.addAttribute("static_sizes", builder.getDenseI64ArrayAttr(statics));
  if (init)
    state.addAttribute("init", init);
  buildStructured(builder, state, dynamics, symbols, ins, captures, outs, maps,
                  body);
}

int64_t ReduceOp::getNumResultDims() { return rankOf(getOuts().front()); }
int64_t ReduceOp::getNumDims() {
  return getNumResultDims() + getStaticSizes().size();
}
bool ReduceOp::isParallelDim(int64_t dim) { return dim < getNumResultDims(); }
SmallVector<int64_t> ReduceOp::getStaticDomain() {
  SmallVector<int64_t> sizes =
      llvm::to_vector(cast<ShapedType>(getOuts().front().getType()).getShape());
  llvm::append_range(sizes, getStaticSizes());
  return sizes;
}
SmallVector<OpFoldResult> ReduceOp::getMixedDomain(OpBuilder &builder,
                                                   Location loc) {
  SmallVector<OpFoldResult> sizes = shapeOf(builder, loc, getOuts().front());
  llvm::append_range(sizes,
                     getMixedValues(getStaticSizes(), getSizes(), builder));
  return sizes;
}

LogicalResult ReduceOp::verify() {
  auto numDynamic = llvm::count_if(getStaticSizes(), ShapedType::isDynamic);
  if (numDynamic != static_cast<int64_t>(getSizes().size()))
    return emitOpError("has ") << numDynamic << " dynamic sizes but "
                               << getSizes().size() << " operands for them";
  for (int64_t size : getStaticSizes())
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitOpError("a dimension's size cannot be negative");
  if (failed(verifyStructured(*this)) ||
      failed(verifyOutShapes(
          *this, 1, getOuts().size() - 1,
          cast<ShapedType>(getOuts().front().getType()).getShape())))
    return failure();
  if (ArrayAttr init = getInitAttr()) {
    if (init.size() != getOuts().size())
      return emitOpError("'init' must have one constant for each result");
    for (auto [attr, out] : llvm::zip(init, getOuts())) {
      auto typed = dyn_cast<TypedAttr>(attr);
      if (!typed || typed.getType() != getElementTypeOrSelf(out))
        return emitOpError("'init' constant ")
               << attr << " must be of type " << getElementTypeOrSelf(out);
    }
  }
  return verifyMonoid(*this, getMonoid(), elementTypes(getOuts()),
                      getYield()->getOperandTypes());
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

void ScanOp::build(OpBuilder &builder, OperationState &state, Attribute monoid,
                   ValueRange prefixes, ValueRange states, int64_t dim,
                   ValueRange ins, ArrayRef<AffineMap> maps,
                   ValueRange captures, ValueRange symbols, BodyBuilder body) {
  state.addAttribute("monoid", monoid);
  state.addAttribute("dim", builder.getI64IntegerAttr(dim));
  SmallVector<Value> outs = llvm::to_vector(prefixes);
  llvm::append_range(outs, states);
  buildStructured(builder, state, std::nullopt, symbols, ins, captures, outs,
                  maps, body);
}

int64_t ScanOp::getNumDims() { return rankOf(getOuts().front()); }
bool ScanOp::isParallelDim(int64_t dim) {
  return dim != static_cast<int64_t>(getDim());
}
SmallVector<int64_t> ScanOp::getStaticDomain() {
  return llvm::to_vector(
      cast<ShapedType>(getOuts().front().getType()).getShape());
}
SmallVector<OpFoldResult> ScanOp::getMixedDomain(OpBuilder &builder,
                                                 Location loc) {
  return shapeOf(builder, loc, getOuts().front());
}

LogicalResult ScanOp::verify() {
  if (getOuts().empty() || getOuts().size() % 2)
    return emitOpError("'outs' are the prefixes, then as many states");
  int64_t dim = getDim();
  if (dim < 0 || dim >= getNumDims())
    return emitOpError("dimension ") << dim << " is out of range";
  SmallVector<int64_t> domain = getStaticDomain(), state = domain;
  state.erase(state.begin() + dim);
  int64_t n = getNumStates();
  if (failed(verifyStructured(*this)) ||
      failed(verifyOutShapes(*this, 1, n - 1, domain)) ||
      failed(verifyOutShapes(*this, n, n, state)))
    return failure();
  for (int64_t i = 0; i < n; ++i)
    if (getElementTypeOrSelf(getOuts()[i]) !=
        getElementTypeOrSelf(getOuts()[n + i]))
      return emitOpError("prefixes and states must have the same types");
  return verifyMonoid(*this, getMonoid(), elementTypes(getOuts().take_front(n)),
                      getYield()->getOperandTypes());
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

void ScatterOp::build(OpBuilder &builder, OperationState &state,
                      Attribute monoid, bool unique, ValueRange outs,
                      ArrayRef<OpFoldResult> over, ValueRange ins,
                      ArrayRef<AffineMap> maps, ValueRange captures,
                      ValueRange symbols, BodyBuilder body) {
  SmallVector<int64_t> statics;
  SmallVector<Value> dynamics = splitSizes(over, statics);
  if (monoid)
    state.addAttribute("monoid", monoid);
  if (unique)
    state.addAttribute("unique", builder.getUnitAttr());
  state.addAttribute("static_sizes", builder.getDenseI64ArrayAttr(statics));
  buildStructured(builder, state, dynamics, symbols, ins, captures, outs, maps,
                  body);
}

int64_t ScatterOp::getNumDims() { return getStaticSizes().size(); }
bool ScatterOp::isParallelDim(int64_t dim) {
  if (getUnique())
    return true;
  // Points that differ in a dimension which is itself a coordinate of the
  // destination never meet.
  auto indices = getYield()->getOperands().drop_front(getOuts().size());
  return llvm::any_of(indices.take_front(getDestRank()), [&](Value index) {
    auto op = index.getDefiningOp<IndexOp>();
    return op && static_cast<int64_t>(op.getDim()) == dim;
  });
}
SmallVector<int64_t> ScatterOp::getStaticDomain() {
  return llvm::to_vector(getStaticSizes());
}
SmallVector<OpFoldResult> ScatterOp::getMixedDomain(OpBuilder &builder,
                                                    Location) {
  return getMixedValues(getStaticSizes(), getSizes(), builder);
}

LogicalResult ScatterOp::verify() {
  auto numDynamic = llvm::count_if(getStaticSizes(), ShapedType::isDynamic);
  if (numDynamic != static_cast<int64_t>(getSizes().size()))
    return emitOpError("has ") << numDynamic << " dynamic sizes but "
                               << getSizes().size() << " operands for them";
  for (int64_t size : getStaticSizes())
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitOpError("a dimension's size cannot be negative");
  if (failed(verifyStructured(*this)) ||
      failed(verifyOutShapes(
          *this, 1, getOuts().size() - 1,
          cast<ShapedType>(getOuts().front().getType()).getShape())))
    return failure();
  size_t n = getOuts().size(), rank = getDestRank();
  SmallVector<Type> yielded(getYield()->getOperandTypes());
  if (yielded.size() != n + rank && yielded.size() != n + rank + 1)
    return emitOpError("body must yield ")
           << n << " values, " << rank
           << " indices and optionally a condition, got " << yielded.size();
  for (Type type : ArrayRef(yielded).slice(n, rank))
    if (!type.isIndex())
      return emitOpError("destinations are indexed by index values, got ")
             << type;
  if (yielded.size() == n + rank + 1 && !yielded.back().isInteger(1))
    return emitOpError("the condition must be i1, got ") << yielded.back();
  if (Attribute monoid = getMonoidAttr())
    return verifyMonoid(*this, monoid, elementTypes(getOuts()),
                        ArrayRef(yielded).take_front(n));
  for (size_t i = 0; i < n; ++i)
    if (yielded[i] != getElementTypeOrSelf(getOuts()[i]))
      return emitOpError("yielded value #")
             << i << " must be " << getElementTypeOrSelf(getOuts()[i])
             << ", got " << yielded[i];
  return success();
}
