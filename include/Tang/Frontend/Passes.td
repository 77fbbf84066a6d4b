//===- Passes.td - Passes that import frontends' modules ---*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_FRONTEND_PASSES_TD
#define TANG_FRONTEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def ImportCheck : Pass<"tang-import-check", "ModuleOp"> {
  let summary = "Refuses what no importer can read, before anything is changed";
  let description = [{
    Unranked tensors, buffers, complex and vector elements, encodings and
    element types that Tang does not know are errors at the argument or
    operation that has them; so are unregistered operations, recursion and
    calls of functions without a body. Attributes of dialects that are not
    loaded are dropped from the module, its functions, arguments and results.
    With `allow-partial` these errors are warnings.
  }];
  let options = [Option<"allowPartial", "allow-partial", "bool", "false",
                        "Leave in place what cannot be imported">];
}

def ImportPrepare : Pass<"tang-import-prepare", "ModuleOp"> {
  let summary = "Branches to structured control flow, affine to arith";
  let description = [{
    `cf` branches become `scf` (cf-to-scf lifting), `affine` operations and
    `scf.index_switch` become `arith` and `scf.if`, an `scf.forall` with tensor
    results becomes a nest of `scf.for`, and an `scf.while` that counts becomes
    an `scf.for`.
  }];
  let dependentDialects = ["scf::SCFDialect", "arith::ArithDialect", "tensor::TensorDialect",
                           "ub::UBDialect", "cf::ControlFlowDialect"];
}

def ImportTosa : Pass<"tang-import-tosa", "ModuleOp"> {
  let summary = "TOSA to linalg, tensor, arith and scf";
  let description = [{
    Runs upstream's conversions with the preparation that they need, after
    Tang's own patterns for what they convert wrongly or not at all. Does
    nothing to a module without TOSA.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "scf::SCFDialect", "arith::ArithDialect",
                           "math::MathDialect", "tensor::TensorDialect", "tosa::TosaDialect",
                           "index::IndexDialect", "TangDialect"];
}

def ImportConvert : Pass<"tang-import-convert", "ModuleOp"> {
  let summary = "linalg, tensor and elementwise arith to the tang dialect";
  let description = [{
    Maps, folds and scatters by structure. Where two dynamic dimensions of
    function arguments must agree, a `cf.assert` at the function's entry says
    so. What is left over is one error for each kind of operation, or a remark
    with `allow-partial`.

    Numeric effect: none. A fold whose combining body is proved to be a
    built-in monoid gets that monoid (for minima and maxima spelled as compare
    and select: up to the sign of zero); any other keeps its order as a
    `tang.monoid` without laws.
  }];
  let dependentDialects = ["TangDialect", "linalg::LinalgDialect", "scf::SCFDialect",
                           "affine::AffineDialect", "cf::ControlFlowDialect"];
  let options = [Option<"allowPartial", "allow-partial", "bool", "false",
                        "Leave in place what cannot be imported">];
}

def ImportSimplify : Pass<"tang-import-simplify", "ModuleOp"> {
  let summary = "Computed reads to affine ones, host reads into bodies";
  let description = [{
    A `tang.at` whose indices are affine in the domain's and provably in range
    becomes an operand of `ins`; scalars computed from `tensor.extract` and used
    in a body are computed there; `tensor.extract` of a constant map folds.
    Numeric effect: none.
  }];
  let dependentDialects = ["TangDialect"];
}

def RaiseScan : Pass<"tang-raise-scan", "ModuleOp"> {
  let summary = "Loops that carry a state along slices to tang.scan";
  let description = [{
    An `scf.for` from 0 by 1 whose carried tensors are updated pointwise from
    slices at the loop's index, and whose steps are written at that index into
    carried outputs that start without contents of interest, is a scan. The
    monoid is built in where the update is one; otherwise a left fold.
    Numeric effect: none.
  }];
  let dependentDialects = ["TangDialect"];
}

#endif // TANG_FRONTEND_PASSES_TD
