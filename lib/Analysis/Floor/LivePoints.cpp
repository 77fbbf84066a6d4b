//===- LivePoints.cpp - Points that a mask leaves -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/LivePoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
using Inequality = LivePoints::Inequality;

/// Columns that are counted one by one.
constexpr double kMaxColumns = 1 << 20;

/// What sums of a few products with sizes below 2^40 leave room for.
bool isSmall(const Inequality &form) {
  constexpr int64_t maxFactor = int64_t(1) << 20, maxConstant = int64_t(1)
                                                                << 50;
  auto within = [](int64_t value, int64_t most) {
    return -most <= value && value <= most;
  };
  return within(form.constant, maxConstant) &&
         llvm::all_of(form.factors, [&](auto &term) {
           return within(term.second, maxFactor);
         });
}

/// An index as a linear form. Casts are taken not to lose bits.
std::optional<Inequality> linear(Value value, ArrayRef<int64_t> dims) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (constant.getValue().getSignificantBits() > 50)
      return std::nullopt;
    return Inequality{{}, constant.getValue().getSExtValue()};
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto index = dyn_cast<IndexOp>(op)) {
    int64_t dim = dims[index.getDim()];
    return dim < 0 ? Inequality{{}, 0} : Inequality{{{dim, 1}}, 0};
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          op))
    return linear(op->getOperand(0), dims);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Inequality> a = linear(op->getOperand(0), dims),
                            b = linear(op->getOperand(1), dims);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (!a->factors.empty())
      std::swap(a, b);
    if (!a->factors.empty())
      return std::nullopt;
    bool fits = !llvm::MulOverflow(b->constant, a->constant, b->constant);
    for (auto &[dim, factor] : b->factors)
      fits &= !llvm::MulOverflow(factor, a->constant, factor);
    return fits && isSmall(*b) ? b : std::nullopt;
  }
  int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
  for (auto &[dim, factor] : b->factors)
    a->factors[dim] += sign * factor;
  a->constant += sign * b->constant;
  return isSmall(*a) ? a : std::nullopt;
}

/// a - b - less ≥ 0
Inequality difference(const Inequality &a, const Inequality &b, int64_t less) {
  Inequality result = a;
  for (auto &[dim, factor] : b.factors)
    result.factors[dim] -= factor;
  llvm::SmallVector<int64_t> gone;
  for (auto &[dim, factor] : result.factors)
    if (!factor)
      gone.push_back(dim);
  for (int64_t dim : gone)
    result.factors.erase(dim);
  result.constant -= b.constant + less;
  return result;
}

/// The inequalities that a condition means; false if it is none.
bool collect(Value condition, bool holds, ArrayRef<int64_t> dims,
             std::vector<Inequality> &all) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return false;
  // All of `a and b`, or none of `a or b`.
  if (holds ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op))
    return collect(op->getOperand(0), holds, dims, all) &&
           collect(op->getOperand(1), holds, dims, all);
  if (isa<arith::XOrIOp>(op) && matchPattern(op->getOperand(1), m_One()))
    return collect(op->getOperand(0), !holds, dims, all);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return false;
  std::optional<Inequality> a = linear(compare.getLhs(), dims),
                            b = linear(compare.getRhs(), dims);
  if (!a || !b)
    return false;
  arith::CmpIPredicate predicate = compare.getPredicate();
  using P = arith::CmpIPredicate;
  bool equal = predicate == P::eq || predicate == P::ne;
  if (equal) {
    if ((predicate == P::eq) != holds)
      return false;
    all.push_back(difference(*a, *b, 0));
    all.push_back(difference(*b, *a, 0));
    return true;
  }
  bool greater = predicate == P::sgt || predicate == P::sge ||
                 predicate == P::ugt || predicate == P::uge;
  bool strict = predicate == P::sgt || predicate == P::slt ||
                predicate == P::ugt || predicate == P::ult;
  if (!holds)
    greater = !greater, strict = !strict;
  all.push_back(greater ? difference(*a, *b, strict)
                        : difference(*b, *a, strict));
  return true;
}
} // namespace

void LivePoints::add(StructuredOp op, ArrayRef<int64_t> dims) {
  op.getBody()->walk([&](arith::SelectOp select) {
    bool whenTrue = matchPattern(select.getFalseValue(), m_Constant());
    bool whenFalse = matchPattern(select.getTrueValue(), m_Constant());
    std::vector<Inequality> found;
    if (whenTrue == whenFalse ||
        !collect(select.getCondition(), whenTrue, dims, found))
      return;
    for (Inequality &inequality : found)
      if (!inequality.factors.empty() &&
          !llvm::is_contained(inequalities, inequality))
        inequalities.push_back(std::move(inequality));
  });
}

SmallVector<int64_t> LivePoints::getDims() const {
  llvm::SmallSetVector<int64_t, 4> dims;
  for (const Inequality &inequality : inequalities)
    for (auto &[dim, factor] : inequality.factors)
      dims.insert(dim);
  return dims.takeVector();
}

bool LivePoints::mayMeet(
    llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> range) const {
  // Each inequality by itself: the greatest value of its form in the box.
  return llvm::all_of(inequalities, [&](const Inequality &inequality) {
    int64_t most = inequality.constant;
    for (auto &[dim, factor] : inequality.factors) {
      auto [low, high] = range(dim);
      most += factor * (factor > 0 ? high : low);
    }
    return most >= 0;
  });
}

double LivePoints::share(llvm::function_ref<int64_t(int64_t)> sizeOf) const {
  SmallVector<int64_t> dims = getDims();
  double columns = 1;
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(sizeOf(dim)) || sizeOf(dim) <= 0 ||
        sizeOf(dim) >= int64_t(1) << 40)
      return 1;
    columns *= sizeOf(dim);
  }
  if (dims.empty())
    return 1;
  // The longest dimension's points are counted at once, as an interval.
  llvm::sort(dims, [&](int64_t a, int64_t b) {
    return std::pair(sizeOf(a), a) < std::pair(sizeOf(b), b);
  });
  int64_t last = dims.pop_back_val();
  double points = columns;
  columns /= sizeOf(last);
  if (columns > kMaxColumns)
    return 1;
  std::map<int64_t, int64_t> at;
  for (int64_t dim : dims)
    at[dim] = 0;
  double left = 0;
  for (int64_t column = 0; column < columns; ++column) {
    int64_t rest = column;
    for (int64_t dim : dims) {
      at[dim] = rest % sizeOf(dim);
      rest /= sizeOf(dim);
    }
    int64_t low = 0, high = sizeOf(last) - 1;
    for (const Inequality &inequality : inequalities) {
      int64_t constant = inequality.constant, own = 0;
      for (auto &[dim, factor] : inequality.factors)
        if (dim == last)
          own = factor;
        else
          constant += factor * at[dim];
      if (own == 0) {
        if (constant < 0)
          high = -1;
      } else if (own > 0) {
        low = std::max(low, -llvm::divideFloorSigned(constant, own));
      } else {
        high = std::min(high, llvm::divideFloorSigned(constant, -own));
      }
    }
    left += std::max<int64_t>(0, high - low + 1);
  }
  return left / points;
}
