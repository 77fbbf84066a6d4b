//===- SplitScans.cpp - Long scans run in chunks --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Law: x₀ ∨ … ∨ x_t = (x₀ ∨ … ∨ x_{k−1}) ∨ x_k ∨ … ∨ x_t. So prefixes are a
// chain through each chunk that starts from the state in front of it. What is
// in front of the chunks is a scan itself, of the folds of chunks, in order:
// nothing needs to commute.
//
// Here it is only decided, and written down as the `block` of the scan's
// #tang.fold, so that every target and schedule combines in that order whether
// or not chunks have programs of their own (lib/Transforms/Apply.cpp).
//
//===----------------------------------------------------------------------===//

#include "Record.h"
#include "Tang/Dialect/Monoid.h"
#include "Tang/Dialect/TangDialect.h"
#include "Tang/Transforms/Passes.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGSPLITSCANS
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// The error of a prefix, in unit roundoffs relative to the sum of absolute
/// values: a chunk's fold, one merge for each chunk, a chain through the chunk.
/// At no point is it more than that of one chain, but in the second chunk,
/// where it may be one more.
std::string boundOf(ScanOp scan, const Monoid &monoid, TypeRange types,
                    int64_t size, int64_t chunk) {
  if (monoid.isReorderExact(types))
    return "exact";
  auto builtin = monoid.getBuiltin();
  if (!builtin || (builtin.getKind() != MonoidKind::Add &&
                   builtin.getKind() != MonoidKind::Mul))
    return chunk ? "one combination a term, and one a chunk"
                 : "one combination a term, in order";
  bool dynamic = ShapedType::isDynamic(size);
  if (!chunk)
    return dynamic ? "n u" : std::to_string(size) + " u";
  if (dynamic)
    return "(" + std::to_string(2 * chunk - 1) + " + n/" +
           std::to_string(chunk) + ") u";
  return std::to_string(std::min<int64_t>(
             size, 2 * chunk - 1 + llvm::divideCeil(size, chunk))) +
         " u";
}

void decide(ScanOp scan, bool exact) {
  FailureOr<Monoid> monoid = Monoid::get(scan.getMonoid(), scan);
  if (failed(monoid))
    return;
  SmallVector<Type> types =
      llvm::map_to_vector(scan.getOuts().take_front(scan.getNumStates()),
                          [](Value out) { return getElementTypeOrSelf(out); });
  int64_t size =
      cast<StructuredOp>(scan.getOperation()).getStaticDomain()[scan.getDim()];
  bool isLong = ShapedType::isDynamic(size) || size >= 2 * kChunk;
  std::string why;
  if (!monoid->isAssociative())
    why = "the monoid is not associative";
  else if (failed(monoid->getIdentity(types)))
    why = "the monoid's identity is not known";
  else if (exact && !monoid->isReorderExact(types))
    why = "the order of the scan shows in the result, and numerics are exact";
  int64_t chunk = isLong && why.empty() ? kChunk : 0;
  scan->setAttr("tang.fold",
                FoldAttr::get(scan.getContext(), types.front(), chunk,
                              boundOf(scan, *monoid, types, size, chunk), {}));
  if (chunk)
    addRecord(scan, "tang.rules",
              "scan: prefixes are a chain through each chunk of " +
                  Twine(kChunk) + " points, from the state in front of it; " +
                  (monoid->isReorderExact(types)
                       ? "exact"
                       : "a rounding a chunk, and those of two chunks, in "
                         "place of the whole chain's"));
  else if (isLong)
    addRecord(scan, "tang.missed",
              "scan: one chain of all points (" + why + ")");
}

struct SplitScansPass : tang::impl::TangSplitScansBase<SplitScansPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([&](ScanOp scan) {
      // What is scheduled by hand stays the kernel that it is.
      if (scan->getNumResults() && !scan->hasAttr("schedule") &&
          !scan->hasAttr("tang.fold"))
        decide(scan, numerics == "exact");
    });
  }
};
} // namespace
