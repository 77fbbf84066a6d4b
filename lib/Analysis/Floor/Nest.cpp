//===- Nest.cpp - Loops and what they touch -------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/Nest.h"

#include "llvm/ADT/MapVector.h"

#include <set>

using namespace mlir;
using namespace mlir::tang;

std::optional<SmallVector<int64_t>> NestArray::loops() const {
  SmallVector<int64_t> result;
  for (const std::vector<int64_t> &form : forms) {
    int64_t only = -1;
    for (auto [i, factor] : llvm::enumerate(form)) {
      if (!factor)
        continue;
      if (only >= 0)
        return std::nullopt;
      only = i;
    }
    if (only >= 0 && !llvm::is_contained(result, only))
      result.push_back(only);
  }
  return result;
}

namespace {

/// A dimension of the domain as loops: where the maps divide it by 4 and by 12
/// it is 12·i + 4·j + k.
struct Digits {
  /// Ascending; each divides the next.
  SmallVector<int64_t> divisors;
  /// The loop of the lowest digit; the others follow.
  int64_t first;
};

class NestBuilder {
public:
  NestBuilder(StructuredOp op,
              llvm::function_ref<double(Value, bool)> storedBytes,
              const Sizes &sizes)
      : op(op), storedBytes(storedBytes), sizes(sizes) {}

  Nest build();

private:
  void findDivisors();
  void makeLoops();
  /// The digits of `dim` from divisor `from` (1: the lowest) below `to` (0: up
  /// to the highest), or nothing if these are no digits.
  std::optional<std::pair<int64_t, int64_t>> digits(int64_t dim, int64_t from,
                                                    int64_t to) const;
  /// An index as forms: one a digit if it is a dimension or digits of one, else
  /// one. Nothing if it is not linear.
  std::vector<std::vector<int64_t>> formsOf(AffineExpr expr) const;
  bool addTo(std::vector<int64_t> &form, AffineExpr expr, int64_t factor) const;
  void add(Value value, StringRef name, AffineMap map, bool isResult);

  StructuredOp op;
  llvm::function_ref<double(Value, bool)> storedBytes;
  const Sizes &sizes;
  SmallVector<Digits> dims;
  Nest nest;
  llvm::MapVector<Value, SmallVector<size_t>> references;
};

/// The dimension and divisor of `d floordiv c` or `d mod c`.
std::optional<std::pair<int64_t, int64_t>> division(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::FloorDiv &&
                  expr.getKind() != AffineExprKind::Mod))
    return std::nullopt;
  AffineExpr of = binary.getLHS();
  // (d floordiv 4) mod 3: the divisor of the inner one counts first.
  int64_t scale = 1;
  if (auto inner = dyn_cast<AffineBinaryOpExpr>(of);
      inner && of.getKind() == AffineExprKind::FloorDiv) {
    if (auto by = dyn_cast<AffineConstantExpr>(inner.getRHS())) {
      scale = by.getValue();
      of = inner.getLHS();
    }
  }
  auto dim = dyn_cast<AffineDimExpr>(of);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t divisor;
  if (!dim || !by || by.getValue() < 1 || scale < 1 ||
      llvm::MulOverflow(scale, by.getValue(), divisor))
    return std::nullopt;
  return std::pair<int64_t, int64_t>(dim.getPosition(), divisor);
}

} // namespace

void NestBuilder::findDivisors() {
  std::vector<std::set<int64_t>> found(op.getNumDims());
  for (AffineMap map : op.getInMapArray())
    map.walkExprs([&](AffineExpr expr) {
      if (auto known = division(expr); known && known->second > 1)
        found[known->first].insert(known->second);
    });
  for (const std::set<int64_t> &divisors : found) {
    dims.emplace_back();
    int64_t last = 1;
    for (int64_t divisor : divisors)
      if (divisor % last == 0) {
        dims.back().divisors.push_back(divisor);
        last = divisor;
      }
  }
}

void NestBuilder::makeLoops() {
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d) {
    int64_t size =
        sizeOfDim(op, d).at(sizes).get().value_or(ShapedType::kDynamic);
    dims[d].first = nest.sizes.size();
    int64_t last = 1;
    std::string name = "d" + std::to_string(d);
    for (int64_t divisor : dims[d].divisors) {
      nest.sizes.push_back(divisor / last);
      nest.names.push_back(name + "." + std::to_string(divisor));
      last = divisor;
    }
    // Rounded up: the bound may count iterations that a last, cut digit lacks,
    // and is multiplied by the true number of them.
    nest.sizes.push_back(
        ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, last));
    nest.names.push_back(name);
  }
}

std::optional<std::pair<int64_t, int64_t>>
NestBuilder::digits(int64_t dim, int64_t from, int64_t to) const {
  const Digits &known = dims[dim];
  auto position = [&](int64_t divisor) -> std::optional<int64_t> {
    if (divisor == 1)
      return 0;
    auto it = llvm::find(known.divisors, divisor);
    if (it == known.divisors.end())
      return std::nullopt;
    return it - known.divisors.begin() + 1;
  };
  std::optional<int64_t> low = position(from);
  std::optional<int64_t> high =
      to ? position(to) : static_cast<int64_t>(known.divisors.size()) + 1;
  if (!low || !high || *low >= *high)
    return std::nullopt;
  return std::pair(known.first + *low, known.first + *high);
}

std::vector<std::vector<int64_t>> NestBuilder::formsOf(AffineExpr expr) const {
  // Factors and constant terms of a single dimension do not matter.
  while (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    bool constant = isa<AffineConstantExpr, AffineSymbolExpr>(binary.getRHS());
    if ((expr.getKind() == AffineExprKind::Mul ||
         expr.getKind() == AffineExprKind::Add) &&
        constant)
      expr = binary.getLHS();
    else
      break;
  }
  std::optional<std::pair<int64_t, int64_t>> range;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    range = digits(dim.getPosition(), 1, 0);
  } else if (auto known = division(expr)) {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    range = expr.getKind() == AffineExprKind::FloorDiv
                ? digits(known->first, known->second, 0)
                : digits(known->first, known->second / by, known->second);
  }
  std::vector<std::vector<int64_t>> forms;
  if (range) {
    for (int64_t i = range->first; i < range->second; ++i) {
      forms.emplace_back(nest.sizes.size());
      forms.back()[i] = 1;
    }
    return forms;
  }
  std::vector<int64_t> form(nest.sizes.size());
  if (addTo(form, expr, 1))
    forms.push_back(std::move(form));
  return forms;
}

bool NestBuilder::addTo(std::vector<int64_t> &form, AffineExpr expr,
                        int64_t factor) const {
  if (isa<AffineConstantExpr, AffineSymbolExpr>(expr))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const Digits &known = dims[dim.getPosition()];
    int64_t weight = 1;
    for (size_t i = 0; i <= known.divisors.size(); ++i) {
      int64_t scaled, &sum = form[known.first + i];
      if (llvm::MulOverflow(factor, weight, scaled) ||
          llvm::AddOverflow(sum, scaled, sum))
        return false;
      if (i < known.divisors.size())
        weight = known.divisors[i];
    }
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addTo(form, binary.getLHS(), factor) &&
           addTo(form, binary.getRHS(), factor);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t product;
  return expr.getKind() == AffineExprKind::Mul && by &&
         !llvm::MulOverflow(factor, by.getValue(), product) &&
         addTo(form, binary.getLHS(), product);
}

void NestBuilder::add(Value value, StringRef name, AffineMap map,
                      bool isResult) {
  if (!isa<ShapedType>(value.getType()))
    return;
  NestArray array;
  array.name = name.str();
  array.bytes = bytesOfElement(value.getType()).get().value_or(1);
  double stored = storedBytes ? storedBytes(value, isResult) : array.bytes;
  if (isResult)
    array.finishedBytes = stored;
  else if (stored == 0)
    return;
  for (AffineExpr expr : map.getResults())
    for (std::vector<int64_t> &form : formsOf(expr))
      if (llvm::any_of(form, [](int64_t factor) { return factor != 0; }))
        array.forms.push_back(std::move(form));
  SmallVector<size_t> &known = references[outsideOf(value)];
  // x[i - 1] and x[i + 1]: one way of reading.
  for (size_t other : known)
    if (nest.arrays[other].forms == array.forms)
      return;
  known.push_back(nest.arrays.size());
  nest.arrays.push_back(std::move(array));
}

Nest NestBuilder::build() {
  findDivisors();
  makeLoops();
  for (auto [i, in, map] : llvm::enumerate(op.getIns(), op.getInMapArray()))
    add(in, ("in" + Twine(i)).str(), map, /*isResult=*/false);
  // Scatter writes at computed indices. A scan has prefixes at every point,
  // then final states.
  auto scan = dyn_cast<ScanOp>(op.getOperation());
  SmallVector<AffineExpr> all, parallel;
  for (int64_t d = 0, e = op.getNumDims(); d < e; ++d) {
    all.push_back(getAffineDimExpr(d, op.getContext()));
    if (op.isParallelDim(d))
      parallel.push_back(all.back());
  }
  if (!isa<ScatterOp>(op.getOperation()))
    for (auto [i, out] : llvm::enumerate(op.getOuts())) {
      bool prefix = scan && static_cast<int64_t>(i) < scan.getNumStates();
      Value result = op.isBufferized() ? out : Value(op->getResult(i));
      add(result, ("out" + Twine(i)).str(),
          AffineMap::get(op.getNumDims(), 0, prefix ? all : parallel,
                         op.getContext()),
          /*isResult=*/true);
    }
  for (auto &[value, all] : references)
    for (size_t i : all) {
      nest.arrays[i].bytes /= all.size();
      nest.arrays[i].finishedBytes /= all.size();
    }

  // Loops of one iteration are none.
  for (size_t i = nest.sizes.size(); i-- > 0;) {
    if (nest.sizes[i] != 1)
      continue;
    nest.sizes.erase(nest.sizes.begin() + i);
    nest.names.erase(nest.names.begin() + i);
    for (NestArray &array : nest.arrays) {
      for (std::vector<int64_t> &form : array.forms)
        form.erase(form.begin() + i);
      llvm::erase_if(array.forms, [](const std::vector<int64_t> &form) {
        return llvm::all_of(form, [](int64_t factor) { return factor == 0; });
      });
    }
  }
  return std::move(nest);
}

Nest Nest::get(StructuredOp op,
               llvm::function_ref<double(Value, bool)> storedBytes,
               const Sizes &sizes) {
  return NestBuilder(op, storedBytes, sizes).build();
}
