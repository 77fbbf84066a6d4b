//===- FlatBody.cpp - A body as straight-line code ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBody.h"

#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

/// What flattening does with an operation of the source.
enum class Kind { Clone, Branch, Read, Index, Affine, Outside, Constant };

/// Flattens one block; see FlatBody::get.
class Flattener {
public:
  Flattener(RewriterBase &rewriter, Block &source, OpBuilder &builder)
      : rewriter(rewriter), source(source), builder(builder) {}

  /// Sorts every operation into a kind; fails with `reason` for one that has
  /// none.
  LogicalResult classify(Block &block, std::string &reason);

  /// Clones the operations of `block`; returns the terminator's operands.
  SmallVector<Value> flatten(Block &block, Value condition);

  IRMapping mapping;
  SetVector<Value> captures;
  std::function<Value(Value)> addCapture;

private:
  std::optional<Kind> getKind(Operation *op);
  bool isOutside(Value value) {
    return !source.getParent()->isAncestor(value.getParentRegion());
  }
  Value lookup(Value value);
  Value outsideValue(Value value);
  void flattenIf(scf::IfOp op, Value condition);

  RewriterBase &rewriter;
  Block &source;
  OpBuilder &builder;
  DenseMap<Operation *, Kind> kinds;
  /// Results of operations of kind Outside, at the insertion point.
  IRMapping hoisted;
};

std::optional<Kind> Flattener::getKind(Operation *op) {
  if (isa<scf::IfOp>(op))
    return Kind::Branch;
  if (isa<linalg::IndexOp>(op))
    return Kind::Index;
  if (isa<tensor::ExtractOp>(op))
    return Kind::Read;
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return Kind::Affine;
  auto invariant = [&](Value value) {
    if (isOutside(value))
      return true;
    Operation *def = value.getDefiningOp();
    return def && (def->hasTrait<OpTrait::ConstantLike>() ||
                   kinds.lookup(def) == Kind::Outside);
  };
  bool tensors = llvm::any_of(op->getOperands(), isTensor) ||
                 llvm::any_of(op->getResults(), isTensor);
  if (tensors)
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                   llvm::all_of(op->getOperands(), invariant)
               ? std::optional(Kind::Outside)
               : std::nullopt;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return Kind::Constant;
  bool known =
      isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (known && isMemoryEffectFree(op))
    return Kind::Clone;
  return std::nullopt;
}

LogicalResult Flattener::classify(Block &block, std::string &reason) {
  for (Operation &op : block.without_terminator()) {
    std::optional<Kind> kind = getKind(&op);
    if (!kind) {
      reason = ("its body holds '" + op.getName().getStringRef() +
                "', which has no pointwise form")
                   .str();
      return failure();
    }
    kinds[&op] = *kind;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(classify(inner, reason)))
          return failure();
  }
  return success();
}

/// The value before the operation that `value`, invariant, has.
Value Flattener::outsideValue(Value value) {
  if (isOutside(value))
    return value;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    hoisted.map(operand, outsideValue(operand));
  Operation *clone = rewriter.clone(*op, hoisted);
  return clone->getResult(cast<OpResult>(value).getResultNumber());
}

Value Flattener::lookup(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (!isOutside(value)) // Outside kinds are only made when they are used.
    value = outsideValue(value);
  Operation *def = value.getDefiningOp();
  if (def && def->hasTrait<OpTrait::ConstantLike>() && !isTensor(value))
    return builder.clone(*def)->getResult(0);
  return addCapture(value);
}

void Flattener::flattenIf(scf::IfOp op, Value condition) {
  Value chosen = lookup(op.getCondition());
  Location loc = op.getLoc();
  auto both = [&](Value inner) -> Value {
    return condition
               ? builder.createOrFold<arith::AndIOp>(loc, condition, inner)
               : inner;
  };
  SmallVector<Value> yes = flatten(*op.thenBlock(), both(chosen)), no;
  if (!op.getElseRegion().empty()) {
    Value one = builder.create<arith::ConstantIntOp>(loc, 1, 1);
    Value other = builder.createOrFold<arith::XOrIOp>(loc, chosen, one);
    no = flatten(*op.elseBlock(), both(other));
  }
  for (auto [result, x, y] : llvm::zip(op.getResults(), yes, no))
    mapping.map(result,
                builder.createOrFold<arith::SelectOp>(loc, chosen, x, y));
}

SmallVector<Value> Flattener::flatten(Block &block, Value condition) {
  for (Operation &op : block.without_terminator()) {
    Location loc = op.getLoc();
    switch (kinds.lookup(&op)) {
    case Kind::Outside:
      break;
    case Kind::Branch:
      flattenIf(cast<scf::IfOp>(op), condition);
      break;
    case Kind::Index:
      mapping.map(
          op.getResult(0),
          builder.create<IndexOp>(loc, cast<linalg::IndexOp>(op).getDim()));
      break;
    case Kind::Read: {
      auto read = cast<tensor::ExtractOp>(op);
      Value source = lookup(read.getTensor());
      SmallVector<Value> indices;
      for (Value index : read.getIndices())
        indices.push_back(lookup(index));
      mapping.map(op.getResult(0),
                  builder.create<AtOp>(loc, read.getType(), source, indices,
                                       condition));
      break;
    }
    case Kind::Affine: {
      SmallVector<Value> operands;
      for (Value operand : op.getOperands())
        operands.push_back(lookup(operand));
      AffineMap map = isa<affine::AffineApplyOp>(op)
                          ? cast<affine::AffineApplyOp>(op).getAffineMap()
                          : cast<AffineMapAttr>(op.getAttr("map")).getValue();
      auto values = affine::expandAffineMap(builder, loc, map, operands);
      Value result = values->front();
      for (Value value : ArrayRef<Value>(*values).drop_front())
        result =
            isa<affine::AffineMinOp>(op)
                ? builder.create<arith::MinSIOp>(loc, result, value).getResult()
                : builder.create<arith::MaxSIOp>(loc, result, value)
                      .getResult();
      mapping.map(op.getResult(0), result);
      break;
    }
    case Kind::Clone:
    case Kind::Constant:
      for (Value operand : op.getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, lookup(operand));
      builder.clone(op, mapping);
      break;
    }
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return lookup(value); });
}

} // namespace

FlatBody::FlatBody(MLIRContext *context)
    : context(context), region(std::make_unique<Region>()) {
  region->push_back(new Block());
}

OpBuilder FlatBody::getBuilder() const {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&region->front());
  return builder;
}

BlockArgument FlatBody::addElement(Type type, Location loc) {
  return region->front().insertArgument(numElements++, type, loc);
}

FailureOr<FlatBody> FlatBody::get(RewriterBase &rewriter, Block &source,
                                  std::string &reason, bool argsAreIndices) {
  FlatBody body(rewriter.getContext());
  OpBuilder builder = body.getBuilder();
  Flattener flattener(rewriter, source, builder);
  if (failed(flattener.classify(source, reason)))
    return failure();
  for (auto [i, arg] : llvm::enumerate(source.getArguments()))
    if (argsAreIndices)
      flattener.mapping.map(arg, builder.create<IndexOp>(arg.getLoc(), i));
    else
      flattener.mapping.map(arg, body.addElement(arg.getType(), arg.getLoc()));
  flattener.addCapture = [&](Value value) { return body.addCapture(value); };
  body.yields = flattener.flatten(source, Value());
  return body;
}

Value FlatBody::addCapture(Value value) {
  Block &block = region->front();
  if (captures.insert(value))
    return block.addArgument(value.getType(), value.getLoc());
  return getCaptureArg(llvm::find(captures, value) - captures.begin());
}

void FlatBody::getSlice(ValueRange wanted, SetVector<Operation *> &ops,
                        SetVector<Value> &args, ValueRange stops) const {
  DenseSet<Value> needed(wanted.begin(), wanted.end());
  DenseSet<Value> stopped(stops.begin(), stops.end());
  SmallVector<Operation *> found;
  for (Operation &op : llvm::reverse(region->front())) {
    if (llvm::none_of(op.getResults(), [&](Value value) {
          return needed.contains(value) && !stopped.contains(value);
        }))
      continue;
    found.push_back(&op);
    needed.insert(op.operand_begin(), op.operand_end());
  }
  ops.insert(found.rbegin(), found.rend());
  for (BlockArgument arg : region->front().getArguments())
    if (needed.contains(arg))
      args.insert(arg);
}

DenseSet<Value> FlatBody::getDependents(ValueRange roots) const {
  DenseSet<Value> dependents(roots.begin(), roots.end());
  for (Operation &op : region->front())
    if (llvm::any_of(op.getOperands(),
                     [&](Value value) { return dependents.contains(value); }))
      dependents.insert(op.result_begin(), op.result_end());
  return dependents;
}

Reads mlir::tang::detail::collectReads(const FlatBody &body,
                                       ArrayRef<Value> wanted,
                                       ValueRange operands,
                                       ArrayRef<AffineMap> maps,
                                       ValueRange stops) {
  SetVector<Operation *> ops;
  SetVector<Value> used;
  body.getSlice(wanted, ops, used, stops);
  Reads reads;
  SmallVector<Value> captureArgs;
  for (auto [i, arg] : llvm::enumerate(body.getElements())) {
    if (!used.contains(arg))
      continue;
    if (isTensor(operands[i])) {
      reads.ins.push_back(operands[i]);
      reads.maps.push_back(maps[i]);
      reads.args.push_back(arg);
    } else {
      reads.captures.push_back(operands[i]);
      captureArgs.push_back(arg);
    }
  }
  for (auto [i, value] : llvm::enumerate(body.getCaptures())) {
    if (!used.contains(body.getCaptureArg(i)))
      continue;
    reads.captures.push_back(value);
    captureArgs.push_back(body.getCaptureArg(i));
  }
  llvm::append_range(reads.args, captureArgs);
  return reads;
}

SmallVector<Value> mlir::tang::detail::cloneSlice(OpBuilder &builder,
                                                  const FlatBody &body,
                                                  ArrayRef<Value> wanted,
                                                  IRMapping &mapping,
                                                  ArrayRef<int64_t> newDims) {
  // What the mapping already knows is a leaf.
  SmallVector<Value> open;
  for (Value value : wanted)
    if (!mapping.contains(value))
      open.push_back(value);
  DenseSet<Value> needed(open.begin(), open.end());
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(body.getBlock())) {
    if (llvm::none_of(op.getResults(),
                      [&](Value value) { return needed.contains(value); }))
      continue;
    ops.push_back(&op);
    for (Value operand : op.getOperands())
      if (!mapping.contains(operand))
        needed.insert(operand);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      mapping.map(
          index.getResult(),
          builder.create<IndexOp>(index.getLoc(), newDims[index.getDim()]));
      continue;
    }
    builder.clone(*op, mapping);
  }
  return llvm::map_to_vector(
      wanted, [&](Value value) { return mapping.lookup(value); });
}
