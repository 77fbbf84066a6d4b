//===- Layout.h - Places of boxes and lines of a graph --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layered drawing: a node stands below all that it reads from, lines that
// cross a layer pass through it at places of their own, the order in a layer
// follows the means of the neighbours, and so do the places, as exactly as the
// widths let them (least squares).
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_REPORT_LAYOUT_H
#define TANG_LIB_REPORT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>
#include <vector>

namespace mlir::tang::report {

struct LayoutNode {
  double width, height;
  /// Of the middle and of the top, set by `layOut`.
  double x = 0, y = 0;
};

struct LayoutEdge {
  /// `from` < `to`: nodes are given in an order of dependence.
  int from, to;
  /// From the bottom of `from` to the top of `to`, set by `layOut`.
  std::vector<std::pair<double, double>> points = {};
};

/// Places all nodes from (0, 0) on; returns width and height.
std::pair<double, double> layOut(llvm::MutableArrayRef<LayoutNode> nodes,
                                 llvm::MutableArrayRef<LayoutEdge> edges);

} // namespace mlir::tang::report

#endif // TANG_LIB_REPORT_LAYOUT_H
