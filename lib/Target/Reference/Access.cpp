//===- Access.cpp - Programs over a domain
//---------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/Support/Parallel.h"

#include <atomic>

using namespace mlir;
using namespace mlir::tang::reference;

//===----------------------------------------------------------------------===//
// Linear forms
//===----------------------------------------------------------------------===//

static bool hasDims(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr part) { found |= isa<AffineDimExpr>(part); });
  return found;
}

bool tang::reference::isLinear(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return isLinear(lhs) && isLinear(rhs);
  case AffineExprKind::Mul:
    return isLinear(lhs) && isLinear(rhs) && !(hasDims(lhs) && hasDims(rhs));
  default:
    return !hasDims(lhs) && !hasDims(rhs);
  }
}

std::optional<LinearForm>
tang::reference::linearize(AffineExpr expr, unsigned numDims,
                           ArrayRef<int64_t> symbols) {
  LinearForm form;
  form.coefficients.assign(numDims, 0);
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    form.constant = cast<AffineConstantExpr>(expr).getValue();
    return form;
  case AffineExprKind::DimId:
    form.coefficients[cast<AffineDimExpr>(expr).getPosition()] = 1;
    return form;
  case AffineExprKind::SymbolId:
    form.constant = symbols[cast<AffineSymbolExpr>(expr).getPosition()];
    return form;
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = linearize(binary.getLHS(), numDims, symbols);
  auto rhs = linearize(binary.getRHS(), numDims, symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  bool overflows = false;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    overflows |= llvm::AddOverflow(lhs->constant, rhs->constant, form.constant);
    for (unsigned d = 0; d < numDims; ++d)
      overflows |= llvm::AddOverflow(lhs->coefficients[d], rhs->coefficients[d],
                                     form.coefficients[d]);
    break;
  case AffineExprKind::Mul: {
    if (llvm::any_of(lhs->coefficients, [](int64_t c) { return c != 0; }))
      std::swap(lhs, rhs);
    int64_t factor = lhs->constant;
    overflows |= llvm::MulOverflow(factor, rhs->constant, form.constant);
    for (unsigned d = 0; d < numDims; ++d)
      overflows |=
          llvm::MulOverflow(factor, rhs->coefficients[d], form.coefficients[d]);
    break;
  }
  default: {
    int64_t divisor = rhs->constant;
    if (divisor <= 0)
      return std::nullopt;
    int64_t floor = divideFloor(lhs->constant, divisor);
    form.constant = expr.getKind() == AffineExprKind::FloorDiv ? floor
                    : expr.getKind() == AffineExprKind::CeilDiv
                        ? divideCeil(lhs->constant, divisor)
                        : lhs->constant - floor * divisor;
    break;
  }
  }
  if (overflows)
    return std::nullopt;
  return form;
}

//===----------------------------------------------------------------------===//
// Bound programs
//===----------------------------------------------------------------------===//

Frame BoundProgram::makeFrame() const {
  Frame frame(*program);
  frame.tensors = tensors;
  for (auto [reg, value] : scalars)
    frame.broadcast(reg, value);
  for (auto [stream, from] : llvm::zip(frame.streams, streams))
    stream.base = from.first;
  return frame;
}

void BoundProgram::place(Frame &frame, ArrayRef<int64_t> point, int laneDim,
                         int n, int step) const {
  for (auto [stream, from] : llvm::zip(frame.streams, streams)) {
    stream.offset = from.second.at(point);
    stream.step = laneDim < 0 ? 0 : from.second.coefficients[laneDim] * step;
  }
  for (auto [d, reg] : llvm::enumerate(program->indices)) {
    if (!reg)
      continue;
    Cell *cells = frame.reg(*reg);
    int64_t start = point[d], by = int(d) == laneDim ? step : 0;
    for (int l = 0; l < n; ++l)
      cells[l].i = start + l * by;
  }
}

int tang::reference::chooseLaneDim(ArrayRef<int64_t> sizes) {
  constexpr int64_t kLongEnough = 32;
  if (sizes.empty())
    return -1;
  if (sizes.back() >= kLongEnough)
    return int(sizes.size()) - 1;
  return int(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

LaneWalk::LaneWalk(ArrayRef<int64_t> sizes, ArrayRef<unsigned> outer,
                   int laneDim, int lanes)
    : sizes(sizes), outer(outer), laneDim(laneDim), lanes(lanes) {
  laneSize = laneDim < 0 ? 1 : sizes[laneDim];
  chunks = llvm::divideCeil(laneSize, lanes);
  items = chunks;
  for (unsigned d : outer)
    items *= sizes[d];
}

int LaneWalk::start(int64_t item, MutableArrayRef<int64_t> point) const {
  int64_t first = item % chunks * lanes;
  if (laneDim >= 0)
    point[laneDim] = first;
  int64_t rest = item / chunks;
  for (unsigned d : llvm::reverse(outer)) {
    point[d] = rest % sizes[d];
    rest /= sizes[d];
  }
  return int(std::min<int64_t>(lanes, laneSize - first));
}

//===----------------------------------------------------------------------===//
// Lanes and memory
//===----------------------------------------------------------------------===//

void tang::reference::storeLanes(char *data, Store store, int64_t offset,
                                 int64_t stride, const Cell *from, int n) {
  auto write = [&](auto *to, auto convert) {
    to += offset;
    for (int l = 0; l < n; ++l)
      to[l * stride] = convert(from[l]);
  };
  switch (store) {
  case Store::F64:
    return write(reinterpret_cast<double *>(data), [](Cell c) { return c.f; });
  case Store::I1:
    return write(data, [](Cell c) { return char(c.i & 1); });
  case Store::I8:
    return write(data, [](Cell c) { return char(c.i); });
  case Store::I16:
    return write(reinterpret_cast<int16_t *>(data),
                 [](Cell c) { return int16_t(c.i); });
  case Store::I32:
    return write(reinterpret_cast<int32_t *>(data),
                 [](Cell c) { return int32_t(c.i); });
  case Store::I64:
    return write(reinterpret_cast<int64_t *>(data), [](Cell c) { return c.i; });
  }
}

void tang::reference::loadLanes(const char *data, Store store, int64_t offset,
                                int64_t stride, Cell *to, int n) {
  for (int l = 0; l < n; ++l)
    to[l] = loadCell(data, store, offset + l * stride);
}

bool tang::reference::inParallel(
    int64_t count, double cost,
    function_ref<bool(int64_t begin, int64_t end)> work) {
  constexpr double kWorthThreads = 1 << 21;
  int64_t parts =
      std::min<int64_t>(count, llvm::parallel::strategy.compute_thread_count());
  if (cost < kWorthThreads || parts <= 1)
    return work(0, count);
  // Smaller parts than threads, so that uneven ones even out.
  parts = std::min<int64_t>(count, parts * 8);
  std::atomic<bool> good = true;
  llvm::parallelFor(0, parts, [&](size_t part) {
    auto begin = int64_t(__int128(count) * part / parts);
    auto end = int64_t(__int128(count) * (part + 1) / parts);
    if (good && !work(begin, end))
      good = false;
  });
  return good;
}
