//===- Traffic.cpp - What a kernel must move and compute ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Traffic.h"

#include "Tang/Analysis/Counts.h"
#include "Tang/Analysis/KernelPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

Count::Count(int64_t value) {
  if (value)
    terms[{}] = value;
}

Count Count::unknown() {
  Count result;
  result.known = false;
  return result;
}

Count Count::named(StringRef name) {
  Count result;
  result.terms[{name.str()}] = 1;
  return result;
}

Count Count::operator+(const Count &other) const {
  if (!known || !other.known)
    return unknown();
  Count result = *this;
  for (const auto &[names, factor] : other.terms) {
    int64_t &sum = result.terms[names];
    if (llvm::AddOverflow(sum, factor, sum))
      return unknown();
    if (sum == 0)
      result.terms.erase(names);
  }
  return result;
}

Count Count::operator*(const Count &other) const {
  if (!known || !other.known)
    return unknown();
  Count result;
  for (const auto &[names, factor] : terms)
    for (const auto &[otherNames, otherFactor] : other.terms) {
      Count product;
      std::vector<std::string> all(names);
      all.insert(all.end(), otherNames.begin(), otherNames.end());
      llvm::sort(all);
      if (llvm::MulOverflow(factor, otherFactor, product.terms[all]))
        return unknown();
      result += product;
      if (!result.known)
        return result;
    }
  return result;
}

Count Count::at(const Sizes &sizes) const {
  if (!known)
    return unknown();
  Count result;
  for (const auto &[names, factor] : terms) {
    Count product = factor;
    for (const std::string &name : names) {
      auto it = sizes.find(name);
      product *= it == sizes.end() ? named(name) : Count(it->second);
    }
    result += product;
  }
  return result;
}

std::optional<int64_t> Count::get() const {
  if (!known)
    return std::nullopt;
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::string Count::str() const {
  if (!known)
    return "dynamic";
  if (terms.empty())
    return "0";
  std::string text;
  // The number last, as one writes polynomials.
  for (const auto &[names, factor] : llvm::reverse(terms)) {
    if (!text.empty())
      text += factor < 0 ? " - " : " + ";
    int64_t shown = !text.empty() && factor < 0 ? -factor : factor;
    if (names.empty() || shown != 1)
      text += std::to_string(shown) + (names.empty() ? "" : " * ");
    text += llvm::join(names, " * ");
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Values are traced this far.
static constexpr int kMaxDepth = 32;

static Count traceDim(Value shaped, int64_t dim, int depth);

Value mlir::tang::outsideOf(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    if (!kernel)
      break;
    value = kernel.getOperandOf(argument);
  }
  return value;
}

/// A value of type index.
static Count traceIndex(Value index, int depth) {
  index = outsideOf(index);
  IntegerAttr constant;
  if (matchPattern(index, m_Constant(&constant)))
    return constant.getInt();
  if (depth == 0)
    return Count::unknown();
  if (auto argument = dyn_cast<BlockArgument>(index))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
               ? Count::named(("arg" + Twine(argument.getArgNumber())).str())
               : Count::unknown();
  Operation *op = index.getDefiningOp();
  if (isa<tensor::DimOp, memref::DimOp>(op)) {
    IntegerAttr dim;
    if (matchPattern(op->getOperand(1), m_Constant(&dim)))
      return traceDim(op->getOperand(0), dim.getInt(), depth - 1);
    return Count::unknown();
  }
  if (isa<arith::IndexCastOp>(op))
    return traceIndex(op->getOperand(0), depth - 1);
  if (isa<arith::MulIOp, arith::AddIOp, arith::SubIOp>(op)) {
    Count a = traceIndex(op->getOperand(0), depth - 1);
    Count b = traceIndex(op->getOperand(1), depth - 1);
    if (isa<arith::MulIOp>(op))
      return a * b;
    return isa<arith::AddIOp>(op) ? a + b : a + b * -1;
  }
  return Count::unknown();
}

static Count traceIndex(OpFoldResult size, int depth) {
  if (auto value = dyn_cast<Value>(size))
    return traceIndex(value, depth);
  return cast<IntegerAttr>(cast<Attribute>(size)).getInt();
}

static Count traceDim(Value shaped, int64_t dim, int depth) {
  auto type = dyn_cast<ShapedType>(shaped.getType());
  if (!type || !type.hasRank() || dim < 0 || dim >= type.getRank())
    return Count::unknown();
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (depth == 0)
    return Count::unknown();
  shaped = outsideOf(shaped);
  if (auto argument = dyn_cast<BlockArgument>(shaped))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
               ? Count::named(("dim(arg" + Twine(argument.getArgNumber()) +
                               ", " + Twine(dim) + ")")
                                  .str())
               : Count::unknown();
  Operation *op = shaped.getDefiningOp();
  auto dynamicOf = [&](ValueRange sizes) {
    int64_t position = type.getNumDynamicDims();
    for (int64_t d = dim; d < type.getRank(); ++d)
      position -= type.isDynamicDim(d);
    return traceIndex(sizes[position], depth - 1);
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return dynamicOf(empty.getDynamicSizes());
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return dynamicOf(alloc.getDynamicSizes());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return traceIndex(expand.getMixedOutputShape()[dim], depth - 1);
  if (isa<tensor::CastOp, memref::CastOp>(op))
    return traceDim(op->getOperand(0), dim, depth - 1);
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return traceDim(style.getTiedOpOperand(cast<OpResult>(shaped))->get(), dim,
                    depth - 1);
  return Count::unknown();
}

Count mlir::tang::sizeOf(Value shaped, int64_t dim) {
  return traceDim(shaped, dim, kMaxDepth);
}

Count mlir::tang::bytesOfElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<IndexType>(element))
    return 8;
  if (!element.isIntOrFloat())
    return Count::unknown();
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

static Count elementsOf(Value shaped) {
  Count elements = 1;
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.hasRank())
    return Count::unknown();
  for (int64_t d = 0; d < type.getRank(); ++d)
    elements *= sizeOf(shaped, d);
  return elements;
}

Count mlir::tang::bytesOf(Value shaped) {
  if (!isa<ShapedType>(shaped.getType()))
    return 0;
  return elementsOf(shaped) * bytesOfElement(shaped.getType());
}

Count mlir::tang::sizeOfDim(StructuredOp op, int64_t dim) {
  int64_t size = op.getStaticDomain()[dim];
  if (ShapedType::isStatic(size))
    return size;
  ArrayRef<int64_t> over;
  ValueRange sizes;
  int64_t results = 0;
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation())) {
    results = reduce.getNumResultDims();
    over = reduce.getStaticSizes();
    sizes = reduce.getSizes();
  } else if (auto scatter = dyn_cast<ScatterOp>(op.getOperation())) {
    over = scatter.getStaticSizes();
    sizes = scatter.getSizes();
  } else {
    results = op.getNumDims();
  }
  if (dim < results)
    return sizeOf(op.getOuts().front(), dim);
  int64_t position =
      llvm::count_if(over.take_front(dim - results), ShapedType::isDynamic);
  return traceIndex(sizes[position], kMaxDepth);
}

Count mlir::tang::pointsOf(StructuredOp op) {
  Count points = 1;
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
    points *= sizeOfDim(op, d);
  return points;
}

//===----------------------------------------------------------------------===//
// Traffic
//===----------------------------------------------------------------------===//

namespace {
/// What one operation reads of a value, in elements.
struct Read {
  Value value;
  Count elements;
  bool atMost;
  /// How it is read; null at computed indices.
  AffineMap map;
};
} // namespace

/// The lesser one; `whole` where they cannot be compared.
static Count lesser(const Count &part, const Count &whole) {
  if (part.get() && whole.get())
    return std::min(*part.get(), *whole.get());
  return whole;
}

static SmallVector<Read> readsOf(StructuredOp op) {
  SmallVector<Read> reads;
  for (auto [in, map] : llvm::zip(op.getIns(), op.getInMapArray())) {
    // As many elements as the dimensions in the map have points, at most.
    Count elements = 1;
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d)
      if (map.isFunctionOfDim(d))
        elements *= sizeOfDim(op, d);
    reads.push_back({in, lesser(elements, elementsOf(in)), false, map});
  }
  for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
    if (!isa<ShapedType>(capture.getType()))
      continue;
    int64_t places = llvm::range_size(op.getCaptureArg(i).getUses());
    reads.push_back({capture,
                     lesser(pointsOf(op) * places, elementsOf(capture)), true,
                     AffineMap()});
  }
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  auto scan = dyn_cast<ScanOp>(op.getOperation());
  auto scatter = dyn_cast<ScatterOp>(op.getOperation());
  for (auto [i, out] : llvm::enumerate(op.getOuts())) {
    bool combines = scatter && scatter.getMonoid();
    if ((reduce && !reduce.getInit()) || combines ||
        (scan && static_cast<int64_t>(i) >= scan.getNumStates()))
      reads.push_back(
          {out,
           combines ? lesser(pointsOf(op), elementsOf(out)) : elementsOf(out),
           combines, AffineMap()});
  }
  return reads;
}

/// Sums up; a value that is read twice is moved once.
static void addReads(Traffic &traffic, ArrayRef<Read> reads) {
  llvm::MapVector<Value, SmallVector<const Read *>> byValue;
  for (const Read &read : reads)
    byValue[outsideOf(read.value)].push_back(&read);
  for (auto &[value, all] : byValue) {
    Count elements = all.front()->elements;
    bool same = true, atMost = false;
    for (const Read *read : all) {
      same &= read->elements == elements;
      atMost |= read->atMost;
    }
    Count whole = elementsOf(value);
    if (!same) {
      elements = 0;
      for (const Read *read : all)
        elements += read->elements;
      elements = lesser(elements, whole);
    }
    Access access{value, elements * bytesOfElement(value.getType())};
    access.atMost = atMost;
    traffic.bytesRead += access.bytes;
    traffic.reads.push_back(access);
  }
}

Traffic Traffic::get(StructuredOp op) {
  Traffic traffic;
  addReads(traffic, readsOf(op));
  auto scatter = dyn_cast<ScatterOp>(op.getOperation());
  for (auto [i, out] : llvm::enumerate(op.getOuts())) {
    Access access{op.isBufferized() ? out : Value(op->getResult(i)),
                  bytesOf(out)};
    if (scatter) {
      access.bytes =
          lesser(pointsOf(op), elementsOf(out)) * bytesOfElement(out.getType());
      access.atMost = true;
    }
    traffic.bytesWritten += access.bytes;
    traffic.writes.push_back(access);
  }
  traffic.flops = pointsOf(op) * countFloatOpsAtPoint(op);
  return traffic;
}

/// Passes that run through each argument of the body.
static llvm::DenseMap<Value, int64_t> countPasses(KernelOp kernel) {
  llvm::DenseMap<Value, int64_t> counts;
  std::string why;
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  if (failed(plan))
    return counts;
  ValueRange yielded = kernel.getYield()->getOperands();
  for (const KernelPass &pass : plan->getPasses()) {
    llvm::SmallSetVector<Operation *, 8> work;
    for (ReduceOp fold : pass.folds)
      work.insert(fold);
    for (int64_t position : pass.stores)
      work.insert(yielded[position].getDefiningOp());
    llvm::DenseSet<Value> seen;
    for (size_t i = 0; i < work.size(); ++i) {
      auto op = cast<StructuredOp>(work[i]);
      ArrayRef<int64_t> dims = plan->dimsOf(op);
      for (auto [in, map] : llvm::zip(op.getIns(), op.getInMapArray())) {
        if (in.getDefiningOp()) {
          if (plan->isLocal(in))
            work.insert(in.getDefiningOp());
          continue;
        }
        bool streams = false;
        for (auto [d, dim] : llvm::enumerate(dims))
          streams |=
              map.isFunctionOfDim(d) && llvm::is_contained(pass.stream, dim);
        if (streams)
          seen.insert(outsideOf(in));
      }
    }
    for (Value value : seen)
      ++counts[value];
  }
  return counts;
}

Traffic Traffic::get(KernelOp kernel) {
  Traffic traffic;
  SmallVector<Read> reads;
  llvm::DenseSet<Value> yielded;
  for (Value value : kernel.getYield()->getOperands())
    yielded.insert(value);
  for (StructuredOp op : getKernelOps(kernel)) {
    for (const Read &read : readsOf(op))
      if (isa<BlockArgument>(read.value))
        reads.push_back(read);
    for (Value result : op->getResults())
      if (!yielded.contains(result)) {
        traffic.unstored.push_back(result);
        traffic.bytesUnstored += bytesOf(result);
      }
    traffic.flops += pointsOf(op) * countFloatOpsAtPoint(op);
  }
  addReads(traffic, reads);
  llvm::DenseMap<Value, int64_t> passes = countPasses(kernel);
  for (Access &access : traffic.reads)
    access.passes = std::max<int64_t>(1, passes.lookup(access.value));
  for (auto [i, out] : llvm::enumerate(kernel.getOuts())) {
    Access access{kernel.isBufferized() ? out : Value(kernel->getResult(i)),
                  bytesOf(out)};
    traffic.bytesWritten += access.bytes;
    traffic.writes.push_back(access);
  }
  return traffic;
}

Traffic Traffic::getOther(Operation *op) {
  Traffic traffic;
  llvm::SmallSetVector<Value, 4> operands;
  for (Value operand : op->getOperands())
    if (isa<ShapedType>(operand.getType()))
      operands.insert(operand);
  for (Value operand : operands) {
    traffic.reads.push_back({operand, bytesOf(operand)});
    traffic.bytesRead += traffic.reads.back().bytes;
  }
  for (Value result : op->getResults())
    if (isa<ShapedType>(result.getType())) {
      traffic.writes.push_back({result, bytesOf(result)});
      traffic.bytesWritten += traffic.writes.back().bytes;
    }
  return traffic;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A number scaled by powers of `base`, with one decimal if that says more.
static std::string scale(int64_t value, double base,
                         ArrayRef<StringRef> units) {
  double scaled = static_cast<double>(value);
  size_t unit = 0;
  // 1023.96 would be printed as 1024.0.
  while (unit + 1 < units.size() && scaled >= base - 0.05) {
    scaled /= base;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.1f", scaled);
  if (StringRef(text).ends_with(".0"))
    text.resize(text.size() - 2);
  return text + " " + units[unit].str();
}

std::string mlir::tang::formatBytes(const Count &bytes) {
  std::optional<int64_t> number = bytes.get();
  if (!number)
    return bytes.str() + " bytes";
  if (*number == 1)
    return "1 byte";
  return scale(*number, 1024, {"bytes", "KiB", "MiB", "GiB", "TiB"});
}

std::string mlir::tang::formatFlops(const Count &flops) {
  std::optional<int64_t> number = flops.get();
  if (!number)
    return flops.str() + " flops";
  if (*number == 1)
    return "1 flop";
  return scale(*number, 1000, {"flops", "kflop", "Mflop", "Gflop", "Tflop"});
}
