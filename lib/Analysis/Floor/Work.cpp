//===- Work.cpp - What must be moved and computed -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/Work.h"

#include "Tang/Analysis/Counts.h"
#include "Tang/Analysis/Floor/LivePoints.h"
#include "Tang/Analysis/KernelPlan.h"
#include "Tang/Dialect/Monoid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::tang;

namespace {

using Dims = std::set<int64_t>;

std::string nameOfType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool isSpecial(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp,
              math::CopySignOp, math::FloorOp, math::FmaOp, math::IsNaNOp,
              math::IsInfOp, math::IsFiniteOp, math::IsNormalOp, math::RoundOp,
              math::RoundEvenOp, math::TruncOp, math::CtPopOp,
              math::CountLeadingZerosOp, math::CountTrailingZerosOp,
              math::IPowIOp>(op);
}

/// Without conversions to a wider type.
Value narrowed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Counts what the operations of a kernel, or one operation, compute.
class Counter {
public:
  Counter(Work &work, const Sizes &given) : work(work), given(given) {}

  void setDim(int64_t dim, Count size) {
    sizes.try_emplace(dim, size.at(given));
  }
  /// `dims` numbers the operation's dimensions, -1 for one of a single point.
  void addMasks(StructuredOp op, ArrayRef<int64_t> dims) { live.add(op, dims); }
  void finishMasks() {
    maskDims = live.getDims();
    work.live = live.share([&](int64_t dim) {
      return sizes.at(dim).get().value_or(ShapedType::kDynamic);
    });
  }
  void add(StructuredOp op, ArrayRef<int64_t> dims);
  /// Of tensors read at computed indices what is expected to be read, if these
  /// are uniform: of E rows T draws touch E·(1 − (1 − 1/E)^T).
  void finishTraffic(const Traffic &traffic);

private:
  struct Known {
    int64_t id;
    Dims dims;
    /// Whether it depends on what is in memory.
    bool fromData;
  };

  Count points(const Dims &dims) const;
  /// Gives a value the number of those that are computed alike; true if it is
  /// the first.
  bool know(Value value, const std::string &key, Dims dims, bool fromData);
  void addContraction(Value product, const Dims &dims);
  void addDraws(AtOp at);

  Work &work;
  const Sizes &given;
  LivePoints live;
  SmallVector<int64_t> maskDims;
  std::map<int64_t, Count> sizes;
  std::map<std::string, int64_t> numbers;
  DenseMap<Value, Known> known;
  /// Elements, by the tensor outside of the kernel.
  DenseMap<Value, double> expected;
};

/// The operand that a body reads.
Value captureOf(Value source) {
  auto argument = dyn_cast<BlockArgument>(source);
  auto op = argument
                ? dyn_cast<StructuredOp>(argument.getOwner()->getParentOp())
                : StructuredOp();
  if (!op)
    return source;
  int64_t position =
      argument.getArgNumber() - static_cast<int64_t>(op.getIns().size());
  return position >= 0 &&
                 position < static_cast<int64_t>(op.getCaptures().size())
             ? op.getCaptures()[position]
             : source;
}

Count Counter::points(const Dims &dims) const {
  Count count = 1;
  for (int64_t dim : dims)
    count *= sizes.at(dim);
  bool masked =
      work.live < 1 &&
      llvm::all_of(maskDims, [&](int64_t dim) { return dims.count(dim) != 0; });
  if (std::optional<int64_t> number = count.get(); number && masked)
    return static_cast<int64_t>(std::llround(*number * work.live));
  return count;
}

bool Counter::know(Value value, const std::string &key, Dims dims,
                   bool fromData) {
  auto [it, isNew] =
      numbers.try_emplace(key, static_cast<int64_t>(numbers.size()));
  known[value] = Known{it->second, std::move(dims), fromData};
  return isNew;
}

void Counter::addContraction(Value product, const Dims &dims) {
  Operation *op = product.getDefiningOp();
  Type type;
  for (Value factor : op->getOperands()) {
    Type own = getElementTypeOrSelf(narrowed(factor));
    if (!type || own.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      type = own;
  }
  work.contraction[nameOfType(type)] += points(dims) * 2;
}

void Counter::add(StructuredOp op, ArrayRef<int64_t> opDims) {
  Dims domain;
  for (int64_t dim : opDims)
    if (dim >= 0)
      domain.insert(dim);

  // Inputs, by what they are and where they are read.
  for (auto [i, in, map] : llvm::enumerate(op.getIns(), op.getInMapArray())) {
    Dims dims;
    SmallVector<AffineExpr> to;
    for (auto [d, dim] : llvm::enumerate(opDims)) {
      if (dim >= 0 && map.isFunctionOfDim(d))
        dims.insert(dim);
      to.push_back(dim >= 0 ? getAffineDimExpr(dim, op->getContext())
                            : getAffineConstantExpr(0, op->getContext()));
    }
    std::string key;
    llvm::raw_string_ostream os(key);
    os << "read " << outsideOf(in).getAsOpaquePointer();
    for (AffineExpr expr : map.getResults())
      os << ", " << expr.replaceDims(to);
    know(op.getBody()->getArgument(i), key, dims, true);
  }
  for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
    std::string key;
    llvm::raw_string_ostream(key)
        << "capture " << outsideOf(capture).getAsOpaquePointer();
    know(op.getCaptureArg(i), key, {}, true);
  }

  // A sum of products of two inputs, or of what is computed from them.
  Operation *contracted = nullptr;
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation())) {
    auto monoid = dyn_cast<MonoidAttr>(reduce.getMonoid());
    Operation *product = op.getYield()->getOperand(0).getDefiningOp();
    if (monoid && monoid.getKind() == MonoidKind::Add &&
        isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) &&
        op.getYield()->getNumOperands() == 1 &&
        narrowed(product->getOperand(0)) != narrowed(product->getOperand(1)))
      contracted = product;
  }

  for (Operation &inner : op.getBody()->without_terminator()) {
    Dims dims;
    bool fromData = false;
    std::string key;
    llvm::raw_string_ostream os(key);
    os << inner.getName();
    if (auto index = dyn_cast<IndexOp>(inner)) {
      int64_t dim = opDims[index.getDim()];
      os << " " << dim;
      if (dim >= 0)
        dims.insert(dim);
    } else {
      os << " " << inner.getAttrDictionary();
    }
    for (Value operand : inner.getOperands()) {
      auto it = known.find(operand);
      if (it == known.end()) { // of an enclosing operation
        os << " " << operand.getAsOpaquePointer();
        continue;
      }
      os << " " << it->second.id;
      dims.insert(it->second.dims.begin(), it->second.dims.end());
      fromData |= it->second.fromData;
    }
    if (inner.getNumResults() == 0)
      continue;
    if (auto at = dyn_cast<AtOp>(inner))
      addDraws(at);
    os << " : " << inner.getResult(0).getType();
    bool isNew = know(inner.getResult(0), key, dims, fromData);
    for (Value other : inner.getResults().drop_front())
      know(other,
           key + " #" + std::to_string(cast<OpResult>(other).getResultNumber()),
           dims, fromData);
    if (&inner == contracted) {
      // A factor's dimensions may be fewer than the fold's.
      addContraction(inner.getResult(0), domain);
      continue;
    }
    if (!isNew ||
        isa<arith::SelectOp, CastOpInterface, arith::ConstantOp, IndexOp, AtOp>(
            inner))
      continue;
    Type type = inner.getNumOperands()
                    ? getElementTypeOrSelf(inner.getOperand(0).getType())
                    : Type();
    Count count = points(dims);
    if (isSpecial(&inner))
      work.special += count;
    else if (isa_and_nonnull<FloatType>(type))
      work.arithmetic[nameOfType(type)] +=
          count * (isa<math::FmaOp>(inner) ? 2 : 1);
    else if (isa_and_nonnull<IntegerType>(type) && !type.isInteger(1))
      work.integer += count;
  }
  // The combination.
  if (Attribute attr = op->getAttr("monoid"); attr && !contracted) {
    Type type = getElementTypeOrSelf(op.getOuts().front().getType());
    int64_t ops = countCombination(op);
    if (isa<FloatType>(type))
      work.arithmetic[nameOfType(type)] += points(domain) * ops;
    else if (isa<IntegerType>(type))
      work.integer += points(domain);
  }
}

void Counter::addDraws(AtOp at) {
  // Indices that the domain gives run through what they run through; computed
  // ones draw rows.
  double rows = 1, elements = 1;
  Dims drawn;
  bool computed = false;
  auto type = cast<ShapedType>(at.getSource().getType());
  for (auto [d, index] : llvm::enumerate(at.getIndices())) {
    auto it = known.find(index);
    bool fromData = it == known.end() || it->second.fromData;
    Count through = it == known.end() ? 1 : points(it->second.dims);
    if (type.isDynamicDim(d) || !through.get())
      return;
    double size = type.getDimSize(d);
    if (fromData) {
      computed = true;
      rows *= size;
      if (it != known.end())
        drawn.insert(it->second.dims.begin(), it->second.dims.end());
    } else {
      elements *= std::min<double>(size, *through.get());
    }
  }
  std::optional<int64_t> draws = points(drawn).get();
  if (!draws || rows < 1)
    return;
  if (computed)
    elements *=
        rows > 1 ? -rows * std::expm1(*draws * std::log1p(-1 / rows)) : 1;
  expected[outsideOf(captureOf(at.getSource()))] += elements;
}

void Counter::finishTraffic(const Traffic &traffic) {
  for (const Access &read : traffic.reads) {
    auto it = expected.find(read.value);
    std::optional<int64_t> most = read.bytes.at(given).get();
    if (!read.atMost || !most || it == expected.end()) {
      work.bytesRead += read.bytes.at(given);
      continue;
    }
    double bytes =
        std::ceil(it->second * *bytesOfElement(read.value.getType()).get());
    work.bytesRead += static_cast<int64_t>(std::min<double>(*most, bytes));
  }
  work.bytesWritten += traffic.bytesWritten.at(given);
}

} // namespace

Work Work::get(KernelOp kernel, const Sizes &sizes) {
  Work work;
  Counter counter(work, sizes);
  SmallVector<StructuredOp> ops = getKernelOps(kernel);
  std::string why;
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, why);
  DenseMap<Operation *, SmallVector<int64_t>> dimsOf;
  int64_t next = 0;
  for (StructuredOp op : ops) {
    // Without a plan every operation has dimensions of its own.
    SmallVector<int64_t> &dims = dimsOf[op];
    for (int64_t d = 0, e = op.getNumDims(); d < e; ++d) {
      dims.push_back(succeeded(plan) ? plan->dimsOf(op)[d] : next++);
      if (dims.back() >= 0)
        counter.setDim(dims.back(), sizeOfDim(op, d));
    }
  }
  for (StructuredOp op : ops)
    counter.addMasks(op, dimsOf[op]);
  counter.finishMasks();
  for (StructuredOp op : ops)
    counter.add(op, dimsOf[op]);
  counter.finishTraffic(Traffic::get(kernel));
  return work;
}

Work Work::get(StructuredOp op, const Sizes &sizes) {
  Work work;
  Counter counter(work, sizes);
  SmallVector<int64_t> dims;
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d) {
    dims.push_back(d);
    counter.setDim(d, sizeOfDim(op, d));
  }
  counter.addMasks(op, dims);
  counter.finishMasks();
  counter.add(op, dims);
  counter.finishTraffic(Traffic::get(op));
  return work;
}
