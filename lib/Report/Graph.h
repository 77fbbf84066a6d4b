//===- Graph.h - A block's operations as a picture ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_REPORT_GRAPH_H
#define TANG_LIB_REPORT_GRAPH_H

#include "Tang/Analysis/Explain.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tang::report {

/// Text for HTML, in attributes too.
std::string escape(llvm::StringRef text);

/// Draws every block of a function that works on tensors, each as an SVG with a
/// caption: nodes are operations, edges the tensors between them. `kernels`
/// says what stands in the boxes of kernels.
void drawFunction(FunctionOpInterface function, AsmState &state,
                  llvm::ArrayRef<KernelFacts> kernels, llvm::raw_ostream &os);

} // namespace mlir::tang::report

#endif // TANG_LIB_REPORT_GRAPH_H
