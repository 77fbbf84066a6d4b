//===- Explain.cpp - What derivation did, as remarks ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One remark for each function, one for each kernel with its passes, rules and
// numeric contracts as notes, and one for each thing that did not fuse.
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Explain.h"
#include "Tang/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tang {
#define GEN_PASS_DEF_TANGEXPLAIN
#include "Tang/Transforms/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

/// A remark without the operation itself below it, which would be long.
InFlightDiagnostic remarkAt(Operation *op) { return emitRemark(op->getLoc()); }

void noteRules(InFlightDiagnostic &diagnostic, Operation *op, StringRef name,
               ArrayRef<Rule> rules) {
  for (const Rule &rule : rules) {
    Diagnostic &note = diagnostic.attachNote(op->getLoc());
    note << "rule";
    if (!rule.name.empty())
      note << " " << rule.name;
    note << " on " << name;
    note << ": " << rule.text;
    if (!rule.effect.empty())
      note << "; " << rule.effect;
  }
}

void noteMissed(Operation *op, StringRef kernel, StringRef name, StringRef what,
                StringRef when, ArrayRef<Rule> missed) {
  for (const Rule &rule : missed) {
    InFlightDiagnostic remark = remarkAt(op);
    remark << "not fused";
    if (!rule.name.empty())
      remark << " by " << rule.name;
    remark << ": " << rule.text;
    Diagnostic &note = remark.attachNote(op->getLoc());
    note << "this is ";
    if (!name.empty())
      note << name << " = ";
    note << what << " in " << kernel;
    if (!when.empty())
      note << ", " << when;
  }
}

void explain(const KernelFacts &kernel, AsmState &state) {
  const Traffic &traffic = kernel.traffic;
  {
    InFlightDiagnostic remark = remarkAt(kernel.op);
    remark << kernel.name << ": " << kernel.summary() << "; reads "
           << formatBytes(traffic.bytesRead) << ", writes "
           << formatBytes(traffic.bytesWritten) << ", "
           << formatFlops(traffic.flops);
    if (!traffic.unstored.empty())
      remark << "; never stored: " << plural(traffic.unstored.size(), "tensor")
             << ", " << formatBytes(traffic.bytesUnstored);
    for (const std::string &pass : kernel.passes)
      remark.attachNote(kernel.op->getLoc()) << pass;
    for (const Access &read : traffic.reads)
      if (read.passes > 1)
        remark.attachNote(kernel.op->getLoc())
            << nameOf(read.value, state) << " (" << formatBytes(read.bytes)
            << ") is read in " << read.passes
            << " passes: again from memory unless a row of it fits on chip";
    noteRules(remark, kernel.op, "the kernel", kernel.rules);
    for (const OperationFacts &op : kernel.ops) {
      noteRules(remark, op.op, op.name, op.rules);
      if (op.fold)
        remark.attachNote(op.op->getLoc())
            << op.name << " = " << op.what << ": " << op.contract();
    }
  }
  noteMissed(kernel.op, kernel.name, "", "the whole kernel", "", kernel.missed);
  for (const OperationFacts &op : kernel.ops)
    noteMissed(op.op, kernel.name, op.name, op.what, op.when, op.missed);
}

struct ExplainPass : tang::impl::TangExplainBase<ExplainPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    AsmState state(module);
    bool any = false;
    module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
      std::vector<KernelFacts> kernels = explainKernels(function, state);
      if (kernels.empty())
        return;
      any = true;
      Count read = 0, written = 0, flops = 0;
      bool inLoop = false;
      for (const KernelFacts &kernel : kernels) {
        read += kernel.traffic.bytesRead;
        written += kernel.traffic.bytesWritten;
        flops += kernel.traffic.flops;
        inLoop |= kernel.inLoop;
      }
      {
        InFlightDiagnostic remark = remarkAt(function);
        remark << function.getName() << ": "
               << plural(kernels.size(), "kernel");
        if (kernels.size() > 1)
          remark << "; together they read " << formatBytes(read) << ", write "
                 << formatBytes(written) << ", " << formatFlops(flops)
                 << (inLoop ? " (loops counted once)" : "");
      }
      for (const KernelFacts &kernel : kernels)
        explain(kernel, state);
    });
    if (!any)
      remarkAt(module) << "nothing to explain: no maps, folds or kernels on "
                          "tensors; run this after --tang-derive";
  }
};
} // namespace
