//===- ApplyKernel.cpp - A tang.kernel becomes tiles ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every tile has one dimension for each kernel dimension, of size 1 where its
// value does not depend on it; values of different dimensions meet by
// broadcasts. A program runs the passes one after the other. In a step of a
// pass the folds advance in order; what is local to the step (a score, an
// exponential) is built where the first fold asks for it.
//
// A fold with gauges keeps its state in the gauge of the points so far:
//
//   state′ = τ(g → g′)·state + Σ over the step of body(c, g′)
//
// where g′ already holds the step's own maximum. A running gauge that is
// infinite is replaced by 0, which the algebra allows (any reference value
// will do) and which keeps ∞ − ∞ out. A row whose *final* gauge is infinite or
// NaN is one where the literal graph may have any special value. Most bodies
// provably give NaN there (Gauge::isNaNIfSpecial). Otherwise such rows are
// folded again with the final gauge, exactly as written.
//
// A sum of (x − r)² is carried about the mean so far instead, and brought to
// its final gauge at the end.
//
// A kernel with chunks merges the chunks' states in order, τ on both sides. One
// program does it all, or (`tang.split`) a first kernel has a program for each
// chunk, which stores its state, and a second one merges them.
//
//===----------------------------------------------------------------------===//

#include "Apply.h"
#include "KernelFrame.h"
#include "Tang/Analysis/Counts.h"
#include "Tang/Analysis/Gauge.h"
#include "Tang/Analysis/KernelPlan.h"
#include "Tang/Dialect/Monoid.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

/// States that a thread reads before it merges them.
constexpr int64_t kReadAhead = 8;

class GraphKernelBuilder : KernelFrame {
public:
  /// Which part of the work the kernel does.
  enum class Part { Whole, Chunks, Merge };

  GraphKernelBuilder(KernelOp op, gpu::GPUModuleOp module, StringRef name,
                     Part part, SmallVectorImpl<Value> &states)
      : KernelFrame(op, module, name), op(op), part(part), states(states) {}

  LogicalResult build();

private:
  // On the host.
  OpFoldResult hostIndex(Value value);
  OpFoldResult hostSizeOf(StructuredOp inner, int64_t dim);
  std::string comment();

  // Shapes of tiles.
  using Shape = SmallVector<int64_t>;
  int64_t rank() const { return plan.getDims().size(); }
  /// The shape of a value over some dimensions of `inner`.
  Shape shapeOver(StructuredOp inner, bool reduced);
  static Shape shapeOf(Value tile) {
    return Shape(cast<VectorType>(tile.getType()).getShape());
  }
  Value broadcast(Value tile, ArrayRef<int64_t> shape);
  Value splat(TypedAttr value, ArrayRef<int64_t> shape);
  SmallVector<Value> countsFor(ArrayRef<int64_t> shape);
  Value keep(Value tile);
  AffineMap toKernelDims(StructuredOp inner, AffineMap map);

  // Values.
  Value lookup(Value value) const;
  void define(Value value, Value tile) { scopes.back()[value] = tile; }
  Value valueOf(Value value);
  Value read(StructuredOp inner, unsigned position);
  /// The yielded values, or the one that is `wanted`.
  SmallVector<Value> runBody(StructuredOp inner,
                             const DenseMap<unsigned, Value> &replaced,
                             Value wanted = {});
  SmallVector<Value> initOf(ReduceOp reduce);
  void runLocalReduce(ReduceOp reduce);

  // Passes.
  void runPass(const KernelPass &pass);
  void finishPass(const KernelPass &pass, MutableArrayRef<Value> final);
  SmallVector<Value> runSteps(const KernelPass &pass, Value lower, Value upper);
  /// Chunks one after the other, or one of them, or their merge.
  void runChunks(const KernelPass &pass);
  SmallVector<Value> merge(const KernelPass &pass, ValueRange first,
                           ValueRange second);
  Value rescaled(ReduceOp fold, const KernelPass &pass, Value state,
                 ValueRange before, ValueRange after);
  /// On the host: buffers for the chunks' states.
  void makeStates(const KernelPass &pass);
  SmallVector<int64_t> stateDims(ReduceOp fold);
  SmallVector<Value> stateCoords(ReduceOp fold, Value index);
  SmallVector<Value> mergeAll(const KernelPass &pass, ValueRange init);
  AffineMap stateMap(ReduceOp fold);
  SmallVector<Value> step(const KernelPass &pass, ValueRange carried);
  SmallVector<Value> foldInto(ReduceOp fold, ValueRange accs,
                              const DenseMap<unsigned, Value> &replaced);
  /// The gauges of a fold as running values, where the folds of the pass have
  /// the given states; infinite ones are 0 if `safe`.
  DenseMap<unsigned, Value> gaugesOf(ReduceOp fold, const KernelPass &pass,
                                     ValueRange states, bool safe);
  /// The folds that the gauges come from, in the given states.
  DenseMap<unsigned, Value> sourcesOf(ReduceOp fold, const KernelPass &pass,
                                      ValueRange states);
  // Folds that follow their gauge by translation carry two numbers more, behind
  // the results of all folds: a reference r, and Σ (x − r).
  bool isTranslated(ReduceOp fold) {
    auto it = gauges.find(fold);
    return it != gauges.end() && it->second.getTranslated();
  }
  Value translatedTile(ReduceOp fold);
  Value sum(ReduceOp fold, Value tile);
  Value toFloat(Value index, Value like);
  SmallVector<Value> startTranslated(ReduceOp fold, int64_t dim);
  SmallVector<Value> stepTranslated(ReduceOp fold, int64_t dim, Value square,
                                    ValueRange extra);
  Value translate(Value square, Value linear, Value from, Value to, Value n);
  void finishTranslated(const KernelPass &pass, MutableArrayRef<Value> states);
  /// OEQ: |value| = inf; UEQ: or NaN.
  Value isInfinite(Value value, arith::CmpFPredicate predicate);
  Value isSpecial(ReduceOp fold, const KernelPass &pass, ValueRange states);
  Value nanIf(Value special, ReduceOp fold, Value state);
  void literalRows(const KernelPass &pass, MutableArrayRef<Value> states);
  void store(int64_t position);

  KernelOp op;
  Part part;
  SmallVectorImpl<Value> &states;
  KernelPlan plan;
  const DenseMap<unsigned, Value> noReplacement;
  /// Tiles of the body's values: of the program, of a step, of steps within.
  SmallVector<DenseMap<Value, Value>> scopes;
  DenseMap<Operation *, Gauge> gauges;
};

bool hasGauges(ReduceOp fold) {
  auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
  return how && !how.getGauges().empty();
}

} // namespace

//===----------------------------------------------------------------------===//
// On the host
//===----------------------------------------------------------------------===//

OpFoldResult GraphKernelBuilder::hostIndex(Value value) {
  if (auto known = getConstantIntValue(value))
    return host.getIndexAttr(*known);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return op.getOperandOf(argument);
  Operation *def = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(def)) {
    int64_t d = *dim.getConstantIndex();
    if (auto argument = dyn_cast<BlockArgument>(dim.getSource()))
      return host.createOrFold<memref::DimOp>(loc, op.getOperandOf(argument),
                                              d);
    if (auto empty = dim.getSource().getDefiningOp<tensor::EmptyOp>()) {
      OpFoldResult size = empty.getMixedSizes()[d];
      if (auto v = dyn_cast<Value>(size))
        return hostIndex(v);
      return size;
    }
    auto result = cast<OpResult>(dim.getSource());
    return hostSizeOf(cast<StructuredOp>(result.getOwner()), d);
  }
  IRMapping mapping;
  for (Value operand : def->getOperands())
    mapping.map(operand,
                getValueOrCreateConstantIndexOp(host, loc, hostIndex(operand)));
  return host.clone(*def, mapping)->getResult(0);
}

OpFoldResult GraphKernelBuilder::hostSizeOf(StructuredOp inner, int64_t dim) {
  Value out = inner.getOuts().front();
  auto type = cast<ShapedType>(out.getType());
  if (dim >= type.getRank()) {
    auto reduce = cast<ReduceOp>(inner.getOperation());
    OpFoldResult size = getMixedValues(
        reduce.getStaticSizes(), reduce.getSizes(), host)[dim - type.getRank()];
    if (auto value = dyn_cast<Value>(size))
      return hostIndex(value);
    return size;
  }
  if (!type.isDynamicDim(dim))
    return host.getIndexAttr(type.getDimSize(dim));
  if (auto empty = out.getDefiningOp<tensor::EmptyOp>())
    return hostIndex(cast<Value>(empty.getMixedSizes()[dim]));
  if (auto argument = dyn_cast<BlockArgument>(out))
    return host.createOrFold<memref::DimOp>(loc, op.getOperandOf(argument),
                                            dim);
  return hostSizeOf(cast<StructuredOp>(out.getDefiningOp()), dim);
}

std::string GraphKernelBuilder::comment() {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (part == Part::Merge)
    os << "merge of the chunks of a ";
  os << "kernel of " << plan.getPasses().size()
     << (plan.getPasses().size() == 1 ? " pass" : " passes");
  if (op.getChunk())
    os << " in chunks of " << *op.getChunk();
  for (auto [p, pass] : llvm::enumerate(plan.getPasses())) {
    os << (p ? "; " : ": ");
    if (!pass.folds.empty()) {
      os << "fold ";
      llvm::interleaveComma(pass.folds, os, [&](ReduceOp fold) {
        if (FailureOr<Monoid> monoid = Monoid::get(fold.getMonoid(), fold);
            succeeded(monoid))
          os << monoid->getName();
      });
    } else {
      os << "write";
    }
    if (!pass.stream.empty()) {
      os << " over ";
      llvm::interleaveComma(pass.stream, os,
                            [&](int64_t d) { os << "d" << d; });
    }
  }
  os << "; tile ";
  llvm::interleave(tile, os, "x");
  return text;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> GraphKernelBuilder::shapeOver(StructuredOp inner,
                                                   bool reduced) {
  Shape shape(rank(), 1);
  for (auto [d, k] : llvm::enumerate(plan.dimsOf(inner)))
    if (k >= 0 && (reduced || inner.isParallelDim(d)))
      shape[k] = tile[k];
  return shape;
}

Value GraphKernelBuilder::broadcast(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<VectorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)))
    return splat(cast<TypedAttr>(dense.getSplatValue<Attribute>()), shape);
  return b.create<vector::BroadcastOp>(
      loc, VectorType::get(shape, type.getElementType()), value);
}

Value GraphKernelBuilder::splat(TypedAttr value, ArrayRef<int64_t> shape) {
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get(shape, value.getType()),
                                  Attribute(value)));
}

SmallVector<Value> GraphKernelBuilder::countsFor(ArrayRef<int64_t> shape) {
  SmallVector<Value> result;
  for (auto [d, size] : llvm::enumerate(shape))
    result.push_back(size == 1 ? constant(1) : counts[d]);
  return result;
}

Value GraphKernelBuilder::keep(Value value) {
  return b.create<KeepOp>(loc, value, countsFor(shapeOf(value)));
}

AffineMap GraphKernelBuilder::toKernelDims(StructuredOp inner, AffineMap map) {
  SmallVector<AffineExpr> dims, symbols;
  for (int64_t k : plan.dimsOf(inner))
    dims.push_back(k < 0 ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(k));
  dims.resize(map.getNumDims());
  for (unsigned s = 0; s < map.getNumSymbols(); ++s)
    symbols.push_back(b.getAffineSymbolExpr(s));
  return withoutRank0(
      map.replaceDimsAndSymbols(dims, symbols, rank(), map.getNumSymbols()));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value GraphKernelBuilder::lookup(Value value) const {
  for (const auto &scope : llvm::reverse(scopes))
    if (Value known = scope.lookup(value))
      return known;
  return {};
}

Value GraphKernelBuilder::valueOf(Value value) {
  if (Value known = lookup(value))
    return known;
  Operation *producer = value.getDefiningOp();
  if (auto reduce = dyn_cast<ReduceOp>(producer)) {
    runLocalReduce(reduce);
  } else {
    auto inner = cast<StructuredOp>(producer);
    SmallVector<Value> yielded = runBody(inner, noReplacement);
    for (auto [result, tile] : llvm::zip(producer->getResults(), yielded))
      define(result, broadcast(tile, shapeOver(inner, /*reduced=*/true)));
  }
  return lookup(value);
}

Value GraphKernelBuilder::read(StructuredOp inner, unsigned position) {
  Value value = inner.getIns()[position];
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return valueOf(value);
  AffineMap map = toKernelDims(inner, inner.getInMapArray()[position]);
  Shape shape(rank(), 1);
  for (int64_t k = 0; k < rank(); ++k)
    if (map.isFunctionOfDim(k))
      shape[k] = tile[k];
  SmallVector<Value> coords;
  for (int64_t k = 0; k < rank(); ++k)
    coords.push_back(map.isFunctionOfDim(k) ? bases[k] : constant(0));
  for (Value symbol : inner.getSymbols())
    coords.push_back(toKernel(hostIndex(symbol)));
  return b.create<LoadOp>(
      loc, VectorType::get(shape, getElementTypeOrSelf(value.getType())),
      views.at(op.getOperandOf(argument)), AffineMapAttr::get(map), coords);
}

SmallVector<Value>
GraphKernelBuilder::runBody(StructuredOp inner,
                            const DenseMap<unsigned, Value> &replaced,
                            Value wanted) {
  IRMapping mapping;
  Block *body = inner.getBody();
  Shape unit(rank(), 1);
  for (unsigned i = 0, e = inner.getIns().size(); i < e; ++i) {
    auto it = replaced.find(i);
    mapping.map(body->getArgument(i),
                it == replaced.end() ? read(inner, i) : it->second);
  }
  for (auto [i, capture] : llvm::enumerate(inner.getCaptures())) {
    auto argument = dyn_cast<BlockArgument>(capture);
    if (isa<TensorType>(capture.getType())) {
      mapping.map(inner.getCaptureArg(i), views.at(op.getOperandOf(argument)));
      continue;
    }
    Value scalar = argument ? toKernel(op.getOperandOf(argument))
                            : toKernel(hostIndex(capture));
    mapping.map(inner.getCaptureArg(i),
                b.create<vector::BroadcastOp>(
                     loc, VectorType::get(unit, scalar.getType()), scalar)
                    .getResult());
  }
  auto join = [&](ArrayRef<Value> tiles) {
    Shape shape = unit;
    for (Value value : tiles)
      for (auto [have, size] : llvm::zip(shape, shapeOf(value)))
        have = std::max(have, size);
    return shape;
  };
  for (Operation &in : body->without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(in)) {
      int64_t k = plan.dimsOf(inner)[index.getDim()];
      if (k < 0) {
        mapping.map(index.getResult(), splat(b.getIndexAttr(0), unit));
        continue;
      }
      Shape shape = unit;
      shape[k] = tile[k];
      mapping.map(index.getResult(),
                  b.create<CoordOp>(loc,
                                    VectorType::get(shape, b.getIndexType()),
                                    bases[k], k)
                      .getResult());
      continue;
    }
    if (auto value = dyn_cast<arith::ConstantOp>(in)) {
      mapping.map(value.getResult(), splat(value.getValue(), unit));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : in.getOperands())
      if (Value mapped = mapping.lookup(operand);
          isa<VectorType>(mapped.getType()))
        operands.push_back(mapped);
    Shape shape = join(operands);
    if (auto at = dyn_cast<AtOp>(in)) {
      SmallVector<Value> indices =
          llvm::map_to_vector(at.getIndices(), [&](Value v) {
            return broadcast(mapping.lookup(v), shape);
          });
      if (indices.empty())
        indices.push_back(splat(b.getIndexAttr(0), shape));
      Value condition =
          at.getCondition()
              ? broadcast(mapping.lookup(at.getCondition()), shape)
              : Value();
      mapping.map(at.getResult(),
                  b.create<GatherLoadOp>(
                       at.getLoc(), VectorType::get(shape, at.getType()),
                       mapping.lookup(at.getSource()), indices, condition)
                      .getResult());
      continue;
    }
    IRMapping same = mapping;
    for (Value operand : in.getOperands())
      same.map(operand, broadcast(mapping.lookup(operand), shape));
    Operation *clone = b.clone(in, same);
    for (auto [result, original] :
         llvm::zip(clone->getResults(), in.getResults())) {
      result.setType(VectorType::get(shape, original.getType()));
      mapping.map(original, result);
    }
  }
  if (wanted)
    return {mapping.lookup(wanted)};
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}

SmallVector<Value> GraphKernelBuilder::initOf(ReduceOp reduce) {
  auto inner = cast<StructuredOp>(reduce.getOperation());
  Shape shape = shapeOver(inner, /*reduced=*/false);
  SmallVector<Value> result;
  for (auto [i, out] : llvm::enumerate(reduce.getOuts())) {
    if (ArrayAttr init = reduce.getInitAttr()) {
      result.push_back(splat(cast<TypedAttr>(init[i]), shape));
      continue;
    }
    AffineMap map = toKernelDims(
        inner, b.getMultiDimIdentityMap(reduce.getNumResultDims()));
    SmallVector<Value> coords;
    for (int64_t k = 0; k < rank(); ++k)
      coords.push_back(map.isFunctionOfDim(k) ? bases[k] : constant(0));
    result.push_back(b.create<LoadOp>(
        loc, VectorType::get(shape, getElementTypeOrSelf(out.getType())),
        views.at(op.getOperandOf(cast<BlockArgument>(out))),
        AffineMapAttr::get(map), coords));
  }
  return result;
}

SmallVector<Value>
GraphKernelBuilder::foldInto(ReduceOp fold, ValueRange accs,
                             const DenseMap<unsigned, Value> &replaced) {
  auto inner = cast<StructuredOp>(fold.getOperation());
  Shape shape = shapeOver(inner, /*reduced=*/true);
  SmallVector<Value> values = runBody(inner, replaced);
  for (Value &value : values)
    value = broadcast(value, shape);
  SmallVector<int64_t> dims;
  for (auto [d, k] : llvm::enumerate(plan.dimsOf(inner)))
    if (k >= 0 && !inner.isParallelDim(d))
      dims.push_back(k);
  auto folded = b.create<FoldOp>(fold.getLoc(), accs.getTypes(),
                                 fold.getMonoid(), b.getDenseI64ArrayAttr(dims),
                                 values, accs, countsFor(shape));
  if (fold->hasAttr("tang.fused"))
    folded->setAttr("tang.fused", b.getUnitAttr());
  return llvm::to_vector_of<Value>(folded.getResults());
}

void GraphKernelBuilder::runLocalReduce(ReduceOp reduce) {
  auto inner = cast<StructuredOp>(reduce.getOperation());
  SmallVector<int64_t> dims;
  for (auto [d, k] : llvm::enumerate(plan.dimsOf(inner)))
    if (k >= 0 && !inner.isParallelDim(d))
      dims.push_back(k);
  // What does not run through these dimensions is computed before.
  for (Value in : reduce.getIns()) {
    auto producer = in.getDefiningOp<StructuredOp>();
    if (!producer || lookup(in))
      continue;
    bool inside = false;
    for (auto [d, k] : llvm::enumerate(plan.dimsOf(producer)))
      inside |= producer.isParallelDim(d) && llvm::is_contained(dims, k);
    if (!inside)
      valueOf(in);
  }
  SmallVector<Value> init = initOf(reduce);
  SmallVector<Value> saved(bases), savedCounts(counts);
  // Agents have no streams within streams: what is whole is one step.
  if (async && llvm::all_of(dims, [&](int64_t d) {
        return getConstantIntValue(hostSizes[d]) == tile[d];
      })) {
    for (int64_t d : dims) {
      bases[d] = constant(0);
      counts[d] = constant(tile[d]);
    }
    dims.clear();
  }
  SmallVector<Value> folded =
      streams(dims, init, [&](ValueRange accs) -> SmallVector<Value> {
        scopes.emplace_back();
        SmallVector<Value> next = foldInto(reduce, accs, noReplacement);
        scopes.pop_back();
        return next;
      });
  bases = saved;
  counts = savedCounts;
  for (auto [result, tile] : llvm::zip(reduce.getResults(), folded))
    define(result, tile);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

Value GraphKernelBuilder::isInfinite(Value value,
                                     arith::CmpFPredicate predicate) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  Value infinity =
      splat(b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())),
            shapeOf(value));
  return b.create<arith::CmpFOp>(loc, predicate,
                                 b.create<math::AbsFOp>(loc, value), infinity);
}

DenseMap<unsigned, Value> GraphKernelBuilder::gaugesOf(ReduceOp fold,
                                                       const KernelPass &pass,
                                                       ValueRange states,
                                                       bool safe) {
  DenseMap<unsigned, Value> result;
  auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
  scopes.emplace_back();
  size_t next = 0;
  for (ReduceOp other : pass.folds)
    for (Value value : other.getResults())
      if (next < states.size())
        define(value, states[next++]);
  for (int64_t position : how.getGauges()) {
    Value gauge = valueOf(fold.getIns()[position]);
    if (safe) {
      Shape shape = shapeOf(gauge);
      Value infinite = isInfinite(gauge, arith::CmpFPredicate::OEQ);
      Type type = getElementTypeOrSelf(gauge);
      gauge = b.create<arith::SelectOp>(
          loc, infinite, splat(b.getFloatAttr(type, 0.0), shape), gauge);
    }
    result[position] = gauge;
  }
  scopes.pop_back();
  return result;
}

DenseMap<unsigned, Value> GraphKernelBuilder::sourcesOf(ReduceOp fold,
                                                        const KernelPass &pass,
                                                        ValueRange states) {
  DenseMap<unsigned, Value> result;
  auto inner = cast<StructuredOp>(fold.getOperation());
  auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
  for (int64_t position : how.getGauges()) {
    Value argument = inner.getBody()->getArgument(position);
    Value source = getGaugeSource(inner, argument, /*greatest=*/true);
    if (!source)
      source = getGaugeSource(inner, argument, /*greatest=*/false);
    size_t next = 0;
    for (ReduceOp other : pass.folds)
      for (Value value : other.getResults()) {
        if (value == source)
          result[position] = states[next];
        ++next;
      }
    // A gauge of an earlier pass is final already.
    if (!result.contains(position))
      result[position] = valueOf(source);
  }
  return result;
}

/// τ·state where the folds' states go from `before` to `after`.
Value GraphKernelBuilder::rescaled(ReduceOp fold, const KernelPass &pass,
                                   Value state, ValueRange before,
                                   ValueRange after) {
  Shape shape = shapeOf(state);
  DenseMap<unsigned, Value> old = gaugesOf(fold, pass, before, true),
                            now = gaugesOf(fold, pass, after, true);
  // Where no gauge moved, or where one was infinite (or NaN, from which a
  // maximum without NaN starts), nothing is rescaled: then no term was greater
  // than 0.
  SmallVector<Value> from(fold.getIns().size()), to(fold.getIns().size());
  Value same, unset;
  for (auto [i, source] : sourcesOf(fold, pass, before)) {
    from[i] = old.lookup(i);
    to[i] = now.lookup(i);
    Value equal = broadcast(
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, from[i], to[i]),
        shape);
    same = same ? b.create<arith::AndIOp>(loc, same, equal).getResult() : equal;
    Value infinite =
        broadcast(isInfinite(source, arith::CmpFPredicate::UEQ), shape);
    unset = unset ? b.create<arith::OrIOp>(loc, unset, infinite).getResult()
                  : infinite;
  }
  Value keeps = b.create<arith::OrIOp>(loc, same, unset);
  Value scaled = gauges.at(fold).rescale(
      b, loc, state, from, to, [&](Value v) { return broadcast(v, shape); });
  return b.create<arith::SelectOp>(loc, keeps, state, scaled);
}

SmallVector<Value> GraphKernelBuilder::step(const KernelPass &pass,
                                            ValueRange carried) {
  SmallVector<Value> next, extra;
  size_t position = 0, total = 0;
  for (ReduceOp fold : pass.folds)
    total += fold.getNumResults();
  for (ReduceOp fold : pass.folds) {
    ValueRange accs = carried.slice(position, fold.getNumResults());
    position += fold.getNumResults();
    if (!hasGauges(fold)) {
      llvm::append_range(next, foldInto(fold, accs, noReplacement));
      continue;
    }
    if (isTranslated(fold)) {
      SmallVector<Value> all =
          stepTranslated(fold, pass.stream.back(), accs.front(),
                         carried.slice(total + extra.size(), 2));
      next.push_back(all.front());
      extra.append(all.begin() + 1, all.end());
      continue;
    }
    Value acc = accs.front();
    SmallVector<Value> zero = initOf(fold);
    Value sum = foldInto(fold, zero, gaugesOf(fold, pass, next, true)).front();
    Value state = rescaled(fold, pass, acc, carried, next);
    next.push_back(keep(b.create<arith::AddFOp>(loc, state, sum)));
  }
  next.append(extra);
  return next;
}

//===----------------------------------------------------------------------===//
// Sums of squares that follow their gauge by translation
//===----------------------------------------------------------------------===//

/// The x of (x − r)², of the points of a step.
Value GraphKernelBuilder::translatedTile(ReduceOp fold) {
  auto inner = cast<StructuredOp>(fold.getOperation());
  // The gauge is not known yet, and not needed.
  DenseMap<unsigned, Value> replaced;
  for (int64_t position :
       fold->getAttrOfType<FoldAttr>("tang.fold").getGauges())
    replaced[position] =
        splat(cast<TypedAttr>(
                  b.getZeroAttr(getElementTypeOrSelf(fold.getIns()[position]))),
              Shape(rank(), 1));
  Value x = runBody(inner, replaced, gauges.at(fold).getTranslated()).front();
  return broadcast(x, shapeOver(inner, /*reduced=*/true));
}

/// The sum of a step's values, from zero.
Value GraphKernelBuilder::sum(ReduceOp fold, Value tile) {
  auto inner = cast<StructuredOp>(fold.getOperation());
  SmallVector<int64_t> dims;
  for (auto [d, k] : llvm::enumerate(plan.dimsOf(inner)))
    if (k >= 0 && !inner.isParallelDim(d))
      dims.push_back(k);
  SmallVector<Value> zero = initOf(fold);
  return b
      .create<FoldOp>(loc, TypeRange{zero.front().getType()}, fold.getMonoid(),
                      b.getDenseI64ArrayAttr(dims), ValueRange{tile}, zero,
                      countsFor(shapeOf(tile)))
      .getResult(0);
}

Value GraphKernelBuilder::toFloat(Value index, Value like) {
  Value integer = b.create<arith::IndexCastOp>(loc, b.getI64Type(), index);
  Value number = b.create<arith::SIToFPOp>(
      loc, getElementTypeOrSelf(like.getType()), integer);
  return b.create<vector::BroadcastOp>(loc, like.getType(), number);
}

/// The first reference is the mean of the first step.
SmallVector<Value> GraphKernelBuilder::startTranslated(ReduceOp fold,
                                                       int64_t dim) {
  bases[dim] = constant(0);
  counts[dim] = countOf(dim, bases[dim]);
  scopes.emplace_back();
  Value total = sum(fold, translatedTile(fold));
  Value mean = b.create<arith::DivFOp>(loc, total, toFloat(counts[dim], total));
  scopes.pop_back();
  return {keep(mean), initOf(fold).front()};
}

/// Σ (x − to)² from Σ (x − from)² and Σ (x − from) of n points.
Value GraphKernelBuilder::translate(Value square, Value linear, Value from,
                                    Value to, Value n) {
  Value delta = b.create<arith::SubFOp>(loc, from, to);
  Value twice = b.create<arith::AddFOp>(loc, delta, delta);
  Value cross = b.create<arith::MulFOp>(loc, twice, linear);
  Value all = b.create<arith::MulFOp>(
      loc, n, b.create<arith::MulFOp>(loc, delta, delta));
  return b.create<arith::AddFOp>(loc, square,
                                 b.create<arith::AddFOp>(loc, cross, all));
}

/// Adds a step about the old reference, the mean before it, and moves on to the
/// mean of all points so far.
SmallVector<Value> GraphKernelBuilder::stepTranslated(ReduceOp fold,
                                                      int64_t dim, Value square,
                                                      ValueRange extra) {
  Value reference = extra[0], linear = extra[1];
  Value x = translatedTile(fold);
  Value d = b.create<arith::SubFOp>(loc, x, broadcast(reference, shapeOf(x)));
  Value dd = b.create<arith::MulFOp>(loc, d, d);
  Value u = keep(b.create<arith::AddFOp>(loc, linear, sum(fold, d)));
  Value t = b.create<arith::AddFOp>(loc, square, sum(fold, dd));
  Value n = toFloat(b.create<arith::AddIOp>(loc, bases[dim], counts[dim]), u);
  Value next = keep(b.create<arith::AddFOp>(
      loc, reference, b.create<arith::DivFOp>(loc, u, n)));
  Value delta = b.create<arith::SubFOp>(loc, reference, next);
  Value moved =
      b.create<arith::AddFOp>(loc, u, b.create<arith::MulFOp>(loc, n, delta));
  return {keep(translate(t, u, reference, next, n)), next, keep(moved)};
}

/// The last reference is what the fold reads. Where that or anything else is
/// infinite or NaN, so is the result, and it is folded again (literalRows).
void GraphKernelBuilder::finishTranslated(const KernelPass &pass,
                                          MutableArrayRef<Value> states) {
  size_t position = 0, extra = 0;
  for (ReduceOp fold : pass.folds)
    extra += fold.getNumResults();
  size_t results = extra;
  for (ReduceOp fold : pass.folds) {
    if (isTranslated(fold)) {
      Value state = states[position];
      auto final = gaugesOf(fold, pass, states.take_front(results), false);
      Value gauge = broadcast(final.begin()->second, shapeOf(state));
      Value n = toFloat(sizes[pass.stream.back()], state);
      states[position] =
          keep(translate(state, states[extra + 1], states[extra], gauge, n));
      extra += 2;
    }
    position += fold.getNumResults();
  }
}

//===----------------------------------------------------------------------===//
// Special rows
//===----------------------------------------------------------------------===//

/// Whether a row's final gauge is infinite or NaN.
Value GraphKernelBuilder::isSpecial(ReduceOp fold, const KernelPass &pass,
                                    ValueRange states) {
  Shape shape = shapeOver(cast<StructuredOp>(fold.getOperation()), false);
  if (isTranslated(fold)) {
    size_t position = 0;
    for (ReduceOp other : pass.folds) {
      if (other == fold)
        break;
      position += other.getNumResults();
    }
    return isInfinite(states[position], arith::CmpFPredicate::UEQ);
  }
  Value result;
  for (auto [i, source] : sourcesOf(fold, pass, states)) {
    // NaN too.
    Value test =
        broadcast(isInfinite(source, arith::CmpFPredicate::UEQ), shape);
    result =
        result ? b.create<arith::OrIOp>(loc, result, test).getResult() : test;
  }
  return result;
}

/// NaN for special rows, if they have a point.
Value GraphKernelBuilder::nanIf(Value special, ReduceOp fold, Value state) {
  auto inner = cast<StructuredOp>(fold.getOperation());
  Shape shape = shapeOf(state);
  for (auto [d, k] : llvm::enumerate(plan.dimsOf(fold))) {
    if (k < 0 || inner.isParallelDim(d))
      continue;
    if (std::optional<int64_t> size = getConstantIntValue(hostSizes[k])) {
      if (*size == 0)
        return state;
      continue;
    }
    Value some = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                         sizes[k], constant(0));
    special = b.create<arith::AndIOp>(
        loc, special,
        b.create<vector::BroadcastOp>(loc, special.getType(), some));
  }
  auto type = cast<FloatType>(getElementTypeOrSelf(state));
  Value nan = splat(
      b.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics())), shape);
  return keep(b.create<arith::SelectOp>(loc, special, nan, state));
}

/// Rows whose final gauge is not finite: what the body as it is written gives.
/// That is NaN where the gauge proves it; else they are folded again.
void GraphKernelBuilder::literalRows(const KernelPass &pass,
                                     MutableArrayRef<Value> states) {
  SmallVector<ReduceOp> folds;
  SmallVector<size_t> positions;
  size_t position = 0;
  for (ReduceOp fold : pass.folds) {
    if (hasGauges(fold)) {
      if (gauges.at(fold).isNaNIfSpecial()) {
        states[position] =
            nanIf(isSpecial(fold, pass, states), fold, states[position]);
      } else {
        folds.push_back(fold);
        positions.push_back(position);
      }
    }
    position += fold.getNumResults();
  }
  if (folds.empty())
    return;
  SmallVector<DenseMap<unsigned, Value>> final;
  SmallVector<Value> special;
  Value any;
  Shape unit(rank(), 1);
  Type i32 = b.getI32Type();
  for (ReduceOp fold : folds) {
    final.push_back(gaugesOf(fold, pass, states, false));
    Value infinite = isSpecial(fold, pass, states);
    special.push_back(infinite);
    // One number: whether a row of the tile needs it.
    Shape shape = shapeOf(infinite);
    Value bit =
        b.create<arith::ExtUIOp>(loc, VectorType::get(shape, i32), infinite);
    SmallVector<int64_t> all;
    for (int64_t k = 0; k < rank(); ++k)
      if (shape[k] > 1)
        all.push_back(k);
    Value one =
        b.create<FoldOp>(loc, TypeRange{VectorType::get(unit, i32)},
                         MonoidAttr::get(b.getContext(), MonoidKind::Or),
                         b.getDenseI64ArrayAttr(all), ValueRange{bit},
                         ValueRange{splat(b.getI32IntegerAttr(0), unit)},
                         countsFor(shape))
            .getResult(0);
    any = any ? b.create<arith::OrIOp>(loc, any, one).getResult() : one;
  }
  Value flag = b.create<vector::ExtractOp>(loc, keep(any),
                                           SmallVector<int64_t>(rank(), 0));
  Value wanted = b.create<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ne, flag,
      b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0)));
  Value upper = b.create<arith::SelectOp>(
      loc, wanted, sizes[pass.stream.front()], constant(0));
  SmallVector<Value> init;
  for (ReduceOp fold : folds)
    llvm::append_range(init, initOf(fold));
  SmallVector<Value> literal = streams(
      pass.stream, init,
      [&](ValueRange accs) -> SmallVector<Value> {
        scopes.emplace_back();
        SmallVector<Value> next;
        for (auto [i, fold] : llvm::enumerate(folds))
          llvm::append_range(next, foldInto(fold, accs[i], final[i]));
        scopes.pop_back();
        return next;
      },
      /*reverse=*/false, upper);
  for (auto [i, fold] : llvm::enumerate(folds)) {
    Value &state = states[positions[i]];
    state = keep(b.create<arith::SelectOp>(loc, special[i], literal[i], state));
  }
}

void GraphKernelBuilder::store(int64_t position) {
  Value value = op.getYield()->getOperand(position);
  auto inner = cast<StructuredOp>(value.getDefiningOp());
  Shape shape = shapeOver(inner, /*reduced=*/false);
  Value tileValue = broadcast(valueOf(value), shape);
  AffineMap map = toKernelDims(
      inner,
      b.getMultiDimIdentityMap(cast<ShapedType>(value.getType()).getRank()));
  SmallVector<Value> coords;
  for (int64_t k = 0; k < rank(); ++k)
    coords.push_back(map.isFunctionOfDim(k) ? bases[k] : constant(0));
  b.create<StoreOp>(loc, tileValue, views.at(op.getOuts()[position]),
                    AffineMapAttr::get(map), coords, countsFor(shape));
}

SmallVector<Value> GraphKernelBuilder::runSteps(const KernelPass &pass,
                                                Value lower, Value upper) {
  SmallVector<Value> init;
  for (ReduceOp fold : pass.folds)
    llvm::append_range(init, initOf(fold));
  for (ReduceOp fold : pass.folds)
    if (isTranslated(fold))
      llvm::append_range(init, startTranslated(fold, pass.stream.back()));
  return streams(
      pass.stream, init,
      [&](ValueRange carried) -> SmallVector<Value> {
        scopes.emplace_back();
        SmallVector<Value> next = step(pass, carried);
        for (int64_t position : pass.stores)
          store(position);
        scopes.pop_back();
        return next;
      },
      /*reverse=*/false, upper, lower);
}

void GraphKernelBuilder::finishPass(const KernelPass &pass,
                                    MutableArrayRef<Value> final) {
  finishTranslated(pass, final);
  literalRows(pass, final);
  size_t position = 0;
  for (ReduceOp fold : pass.folds)
    for (Value result : fold.getResults())
      define(result, final[position++]);
}

void GraphKernelBuilder::runPass(const KernelPass &pass) {
  SmallVector<Value> final = runSteps(pass, {}, {});
  finishPass(pass, final);
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

/// The state that stands for both: folds in order, so that their gauges are
/// merged before them.
SmallVector<Value> GraphKernelBuilder::merge(const KernelPass &pass,
                                             ValueRange first,
                                             ValueRange second) {
  SmallVector<Value> next;
  for (auto [i, known] : llvm::enumerate(pass.folds)) {
    ReduceOp fold = known;
    Value x = first[i], y = second[i];
    if (hasGauges(fold)) {
      x = rescaled(fold, pass, x, first, next);
      y = rescaled(fold, pass, y, second, next);
    }
    // Position by position: nothing is folded away.
    next.push_back(b.create<FoldOp>(fold.getLoc(), TypeRange{x.getType()},
                                    fold.getMonoid(),
                                    b.getDenseI64ArrayAttr({}), ValueRange{y},
                                    ValueRange{x}, countsFor(shapeOf(x)))
                       .getResult(0));
  }
  return next;
}

/// The kernel dimensions of a fold's state as it lies in memory: those that
/// programs share out, -1 for the chunks, and those within a program, which are
/// written and read together.
SmallVector<int64_t> GraphKernelBuilder::stateDims(ReduceOp fold) {
  SmallVector<int64_t> outer, within;
  auto inner = cast<StructuredOp>(fold.getOperation());
  for (auto [d, k] : llvm::enumerate(plan.dimsOf(fold)))
    if (k >= 0 && inner.isParallelDim(d))
      (plan.getDims()[k].kind == KernelDim::Inner ? within : outer)
          .push_back(k);
  outer.push_back(-1);
  llvm::append_range(outer, within);
  return outer;
}

AffineMap GraphKernelBuilder::stateMap(ReduceOp fold) {
  SmallVector<AffineExpr> exprs;
  for (int64_t k : stateDims(fold))
    exprs.push_back(k < 0 ? b.getAffineSymbolExpr(0) : b.getAffineDimExpr(k));
  return AffineMap::get(rank(), 1, exprs, b.getContext());
}

void GraphKernelBuilder::makeStates(const KernelPass &pass) {
  OpFoldResult chunks =
      countChunks(hostSizes[pass.stream.front()], *op.getChunk());
  if (part == Part::Chunks)
    for (ReduceOp fold : pass.folds) {
      SmallVector<OpFoldResult> shape;
      for (int64_t k : stateDims(fold))
        shape.push_back(k < 0 ? chunks : hostSizes[k]);
      states.push_back(
          makeBuffer(shape, getElementTypeOrSelf(fold.getResult(0))));
    }
  for (auto [i, state] : llvm::enumerate(states))
    addBuffer(state, "state" + std::to_string(i), part == Part::Chunks);
  // The chunks are one more dimension of the frame, behind the plan's.
  hostSizes.push_back(chunks);
  tile.push_back(1);
  if (part == Part::Chunks)
    parallel.push_back(rank());
}

/// Where the state of a chunk lies.
SmallVector<Value> GraphKernelBuilder::stateCoords(ReduceOp fold, Value index) {
  SmallVector<Value> result;
  AffineMap map = stateMap(fold);
  for (int64_t k = 0; k < rank(); ++k)
    result.push_back(map.isFunctionOfDim(k) ? bases[k] : constant(0));
  result.push_back(index);
  return result;
}

/// Merges the chunks' states, in order. A thread reads several before it merges
/// them, for it would wait for each.
SmallVector<Value> GraphKernelBuilder::mergeAll(const KernelPass &pass,
                                                ValueRange init) {
  int64_t ahead = block > 1 ? kReadAhead : 1;
  Value chunks = sizes[rank()];
  auto known = getConstantIntValue(hostSizes[rank()]);
  bool whole = ahead == 1 || (known && *known % ahead == 0);
  Value last =
      whole ? Value() : b.create<arith::SubIOp>(loc, chunks, constant(1));
  return stream(
      constant(0), chunks, ahead, false, "chunks", init,
      [&](Value first, ValueRange carried) {
        SmallVector<Value> indices;
        SmallVector<SmallVector<Value>> read;
        for (int64_t j = 0; j < ahead; ++j) {
          Value index =
              j ? b.create<arith::AddIOp>(loc, first, constant(j)) : first;
          indices.push_back(index);
          if (!whole)
            index = b.create<arith::MinSIOp>(loc, index, last);
          SmallVector<Value> &state = read.emplace_back();
          for (auto [i, fold] : llvm::enumerate(pass.folds))
            state.push_back(keep(b.create<LoadOp>(
                loc, carried[i].getType(), views.at(states[i]),
                AffineMapAttr::get(stateMap(fold)), stateCoords(fold, index))));
        }
        SmallVector<Value> merged(carried);
        for (auto [index, state] : llvm::zip(indices, read)) {
          SmallVector<Value> next = merge(pass, merged, state);
          if (!whole) {
            Value exists = b.create<arith::CmpIOp>(
                loc, arith::CmpIPredicate::slt, index, chunks);
            for (auto [after, before] : llvm::zip(next, merged)) {
              Value all = b.create<vector::BroadcastOp>(
                  loc, VectorType::get(shapeOf(after), b.getI1Type()), exists);
              after = b.create<arith::SelectOp>(loc, all, after, before);
            }
          }
          // Several read the state that comes out.
          for (Value &after : next)
            after = ahead == 1 ? after : keep(after);
          merged = next;
        }
        return merged;
      });
}

void GraphKernelBuilder::runChunks(const KernelPass &pass) {
  int64_t d = pass.stream.front(), chunk = *op.getChunk();
  auto end = [&](Value base) -> Value {
    Value next = b.create<arith::AddIOp>(loc, base, constant(chunk));
    return b.create<arith::MinSIOp>(loc, next, sizes[d]);
  };
  if (part == Part::Chunks) {
    Value index = bases[rank()];
    Value base = b.create<arith::MulIOp>(loc, index, constant(chunk));
    SmallVector<Value> final = runSteps(pass, base, end(base));
    for (auto [i, fold] : llvm::enumerate(pass.folds))
      b.create<StoreOp>(loc, final[i], views.at(states[i]),
                        AffineMapAttr::get(stateMap(fold)),
                        stateCoords(fold, index), countsFor(shapeOf(final[i])));
    return;
  }
  SmallVector<Value> init;
  for (ReduceOp fold : pass.folds)
    llvm::append_range(init, initOf(fold));
  SmallVector<Value> final;
  if (part == Part::Whole)
    final = stream(constant(0), sizes[d], chunk, false, "chunks", init,
                   [&](Value base, ValueRange carried) {
                     SmallVector<Value> chunkState =
                         runSteps(pass, base, end(base));
                     return merge(pass, carried, chunkState);
                   });
  else
    final = mergeAll(pass, init);
  finishPass(pass, final);
}

LogicalResult GraphKernelBuilder::build() {
  std::string why;
  FailureOr<KernelPlan> made = KernelPlan::get(op, why);
  if (failed(made))
    return op.emitOpError("cannot be run as one kernel: ") << why;
  plan = std::move(*made);
  if (op.getChunk())
    if (std::string problem = plan.checkChunk(*op.getChunk()); !problem.empty())
      return op.emitOpError("cannot be folded in chunks: ") << problem;
  for (StructuredOp inner : getKernelOps(op)) {
    if (failed(checkTileBody(inner)))
      return failure();
    auto fold = dyn_cast<ReduceOp>(inner.getOperation());
    if (!fold || !hasGauges(fold))
      continue;
    auto how = fold->getAttrOfType<FoldAttr>("tang.fold");
    FailureOr<Gauge> gauge = Gauge::analyze(fold, how.getGauges(), why, &plan);
    if (failed(gauge))
      return fold.emitOpError("does not follow its gauges: ") << why;
    gauges[fold] = *gauge;
    if (gauge->getTranslated() &&
        llvm::count_if(plan.dimsOf(fold), [&](int64_t d) {
          return d >= 0 && plan.getDims()[d].kind == KernelDim::Serial;
        }) != 1)
      return fold.emitOpError("follows its gauge by translation, which is done "
                              "along one dimension");
  }
  ScheduleAttr schedule = *op.getSchedule();
  tile.assign(schedule.getTile().begin(), schedule.getTile().end());
  block = schedule.getBlock();
  async = schedule.getAsync();
  if (auto count = op->getAttrOfType<IntegerAttr>("tang.units"))
    units = count.getInt();
  if (static_cast<int64_t>(tile.size()) != rank())
    return op.emitOpError("schedule rule 'tile-rank': the kernel has ")
           << rank() << " dimensions, the schedule tiles " << tile.size();
  parallel = plan.dimsOfKind(KernelDim::Parallel);
  // Merging is done position by position of a state: only the gauges are needed
  // by several, and these every thread merges for itself.
  if (part == Part::Merge && block > 1) {
    async = {};
    block = std::min<int64_t>(block, 128);
    tile.assign(rank(), 1);
    llvm::append_range(parallel, plan.dimsOfKind(KernelDim::Inner));
    bool everywhere =
        llvm::all_of(op.getYield()->getOperands(), [&](Value value) {
          return llvm::all_of(parallel, [&](int64_t d) {
            return llvm::is_contained(plan.dimsOf(value.getDefiningOp()), d);
          });
        });
    if (!everywhere) {
      parallel = plan.dimsOfKind(KernelDim::Parallel);
      for (int64_t d : plan.dimsOfKind(KernelDim::Inner))
        tile[d] = schedule.getTile()[d];
    }
  }
  for (const KernelDim &dim : plan.getDims())
    hostSizes.push_back(hostSizeOf(dim.op, dim.opDim));

  for (auto [i, in] : llvm::enumerate(op.getIns()))
    if (isa<MemRefType>(in.getType()))
      addBuffer(in, "in" + std::to_string(i), false);
  if (part != Part::Whole)
    makeStates(plan.getPasses().front());
  if (part != Part::Chunks)
    for (auto [i, out] : llvm::enumerate(op.getOuts()))
      addBuffer(out,
                op.getOuts().size() == 1 ? "out" : "out" + std::to_string(i),
                true);
  for (auto [i, size] : llvm::enumerate(hostSizes))
    addScalar(size, "n" + Twine(i), /*isSize=*/true);
  for (auto [i, in] : llvm::enumerate(op.getIns()))
    if (!isa<MemRefType>(in.getType()))
      addScalar(in, "c" + Twine(i));
  for (StructuredOp inner : getKernelOps(op)) {
    for (Value symbol : inner.getSymbols())
      addScalar(hostIndex(symbol), "s");
    for (Value capture : inner.getCaptures())
      if (!isa<ShapedType>(capture.getType()) && !isa<BlockArgument>(capture))
        addScalar(hostIndex(capture), "c");
  }
  makeSignature(comment(),
                part == Part::Merge ? std::nullopt : countFloatOps(op));
  if (Attribute floor = op->getAttr("tang.floor"); floor && part != Part::Merge)
    kernel->setAttr("tang.floor", floor);
  if (async)
    kernel->setAttr("tang.schedule", schedule);
  makeProgram();
  for (int64_t d : plan.dimsOfKind(KernelDim::Inner)) {
    if (llvm::is_contained(parallel, d))
      continue;
    bases[d] = constant(0);
    counts[d] = constant(tile[d]);
  }
  scopes.emplace_back();
  for (const KernelPass &pass : plan.getPasses())
    if (op.getChunk())
      runChunks(pass);
    else
      runPass(pass);
  if (part != Part::Chunks)
    for (auto [i, value] : llvm::enumerate(op.getYield()->getOperands()))
      if (!plan.isLocal(value))
        store(i);
  launch();
  return success();
}

LogicalResult mlir::tang::applyKernel(KernelOp kernel, gpu::GPUModuleOp module,
                                      StringRef name) {
  using Part = GraphKernelBuilder::Part;
  SmallVector<Value> states;
  auto build = [&](const Twine &suffix, Part part) {
    return GraphKernelBuilder(kernel, module, (name + suffix).str(), part,
                              states)
        .build();
  };
  LogicalResult result = success();
  if (kernel.getChunk() && kernel->hasAttr("tang.split")) {
    result = build("_chunks", Part::Chunks);
    if (succeeded(result))
      result = build("_merge", Part::Merge);
  } else {
    result = build("", Part::Whole);
  }
  if (succeeded(result))
    kernel.erase();
  return result;
}
