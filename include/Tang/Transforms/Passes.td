//===- Passes.td - Passes from graph to tile ----------------------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TRANSFORMS_PASSES_TD
#define TANG_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TangDecompose : Pass<"tang-decompose"> {
  let summary = "Indirect operations become maps, reductions and scatters";
  let description = [{
    `tang.gather`, `tang.sort`, `tang.top_k` and `tang.group_by` are rewritten
    into structured operations, so that nothing below knows them. A sort counts
    for every element those before it and scatters (n² comparisons, any
    parallelism); the k greatest are k rounds of a reduction. Numeric effect: none.
  }];
  let dependentDialects = ["tang::TangDialect", "scf::SCFDialect"];
}

def TangWidenAccumulators : Pass<"tang-widen-accumulators"> {
  let summary = "Sums and products of narrow floats accumulate in f32";
  let description = [{
    A `tang.reduce` whose monoid adds or multiplies f16, bf16 or f8 numbers
    keeps its state in f32 and rounds once at the end; a product that is yielded to it
    is not rounded either. Numeric effect: with unit roundoffs u of the narrow type
    and v of f32, n terms, the bound on the relative error falls from
    about n·u to u + n·v. Part of `stable` and `fast` numerics; `exact` keeps
    the literal accumulator.
  }];
  let dependentDialects = ["tang::TangDialect"];
}

def TangFuseMaps : Pass<"tang-fuse-maps"> {
  let summary = "Pointwise producers move into their consumers";
  let description = [{
    A `tang.map` whose every reader is a structured operation is inlined into
    these readers, its maps composed with theirs, where that does not multiply
    expensive work. Reshapes between the two become part of the maps. Numeric effect:
    none, every rounding stays where it is written.
  }];
  let dependentDialects = ["tang::TangDialect"];
}

def TangPullOut : Pass<"tang-pull-out"> {
  let summary = "Row factors leave sums";
  let description = [{
    Σ h·g = h·Σ g where h does not depend on what is summed over, comes from
    a sum of exponentials that is at least 1, and g has a factor of at most 1 (exp(x − max x)). Numeric
    effect: one rounding in place of n; a rounding of h·g to a narrower type
    becomes one of g, which to first order is no worse. Part of `stable` and `fast`
    numerics. Under `fast` any h that is made from a fold leaves, and Σ g may
    overflow or underflow where Σ h·g does not.
  }];
  let dependentDialects = ["tang::TangDialect"];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"stable\"",
           "stable or fast">
  ];
}

def TangFormKernels : Pass<"tang-form-kernels"> {
  let summary = "Operations that run as one become a tang.kernel";
  let description = [{
    Maps and reductions that one program can run through together, without storing
    what they pass on, are grouped. A fold that depends on an earlier one over the
    same points joins its pass where the gauge theorem holds; a reduction whose
    results are folded away again is computed where it is needed. Numeric
    effect under `stable` and `fast`: a fold with gauges is summed in blocks, and
    rescaled when its gauge moves; its `#tang.fold` says in which order and with
    which bound. Under `exact` no order changes.
  }];
  let dependentDialects = ["tang::TangDialect"];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"stable\"",
           "exact, stable or fast">
  ];
}

def TangSplitScans : Pass<"tang-split-scans"> {
  let summary = "Long scans run in chunks";
  let description = [{
    Prefixes are a chain through each chunk of 256 points, from the state in front of
    it; these states are a scan of the folds of chunks, in order. The monoid is
    associative and its identity known; it need not be commutative. Numeric
    effect under `stable` and `fast`, for n points that are added or multiplied:
    at most 511 + ⌈n/256⌉ roundings in place of n. Under `exact` only what no order can
    change, such as integers and maxima. The order depends on neither rows, target
    nor schedule.
  }];
  let dependentDialects = ["tang::TangDialect"];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"stable\"",
           "exact, stable or fast">
  ];
}

def TangFuseProducts : Pass<"tang-fuse-products"> {
  let summary = "Sums of products add with one rounding";
  let description = [{
    Marks (`tang.fused`) folds that add products of f32 or f64: each step is a
    math.fma. Numeric effect: a step rounds once in place of twice; the bound of
    the fold's error is no greater. Targets without a fused multiply-add keep two
    roundings (docs/Rationale/Numerics.md).
  }];
  let dependentDialects = ["tang::TangDialect"];
}

def TangExplain : Pass<"tang-explain", "ModuleOp"> {
  let summary = "Says as remarks what derivation did, and what it did not";
  let description = [{
    For each kernel its passes, its traffic (each input read once, each result
    written once), what is never stored, the rules that made it, each with its
    law and numeric effect, and the contract of each fold; for what did not fuse
    the rule that failed and the reason. To be run on the derived or the scheduled
    stage. Changes nothing.
  }];
}

def TangAnnotateFloor : Pass<"tang-annotate-floor", "ModuleOp"> {
  let summary = "Attaches to every kernel what no schedule of it can beat";
  let description = [{
    For each kernel, and each operation that is one, the exact exponent of its
    Hölder-Brascamp-Lieb bound, and for targets with known peaks the least time
    of each resource: memory, the cache that all units share, matrix units,
    other arithmetic, special functions. The attribute `tang.floor` holds
    `exponent`, `binding`, `seconds` and in `terms` of each resource the amount,
    how many a second at most (0: not known), and the amount that the schedule
    makes of it. With `remarks` they are said as remarks as well. `--tang-floor` does the same for
    a module that is not yet derived.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cuda\"",
           "The target whose peaks count">,
    ListOption<"sizes", "sizes", "std::string",
               "Sizes of dynamic dimensions, arg0.1=4096 for dimension 1 of "
               "argument 0">,
    Option<"remarks", "remarks", "bool", "true", "Say it as remarks, too">
  ];
}

def TangSchedule : Pass<"tang-schedule"> {
  let summary = "Attaches a #tang.schedule to every structured operation";
  let description = [{
    The schedule is a function of the operation's domain and of the target's
    facts only. A schedule that is already there is checked and kept. It never
    changes what is computed nor the order of a fold, but for kernels that a
    matrix unit takes (`#tang.async`): their sums are in blocks of a step.
  }];
  let dependentDialects = ["tang::TangDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "A target's name">,
    Option<"numerics", "numerics", "std::string", "\"stable\"",
           "exact (no matrix units), stable or fast">,
    Option<"simt", "simt", "bool", "false",
           "No matrix units, also where the target has them: for languages "
           "that have no words for them">
  ];
}

def TangRandomSchedules : Pass<"tang-random-schedules", "ModuleOp"> {
  let summary = "Attaches legal schedules drawn at random";
  let description = [{
    For tests: a schedule never changes what a kernel computes. Tiles are drawn
    until one is legal; what has a schedule, or for which none is found, stays as
    it is. The same seed draws the same schedules.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "The target whose block of threads counts">,
    Option<"seed", "seed", "uint64_t", "1", "Where the draws begin">
  ];
}

def TangBufferize : Pass<"tang-bufferize", "ModuleOp"> {
  let summary = "Tensors become buffers, by upstream's one-shot analysis";
  let description = [{
    Arguments of public functions are never written: tensors are values.
  }];
  let dependentDialects = ["tang::TangDialect", "memref::MemRefDialect",
                           "bufferization::BufferizationDialect"];
}

def TangApply : Pass<"tang-apply-schedule", "ModuleOp"> {
  let summary = "Each scheduled operation becomes a kernel at the tile stage";
  let description = [{
    The body is cloned on vector tiles into a `gpu.func`: parallel dimensions
    are dealt to programs, reduced and scanned ones become `tang.stream`s. The
    operation is replaced by a `gpu.launch_func`. Numeric effect: none, folds
    keep their lexicographic order.
  }];
  let dependentDialects = ["tang::TangDialect", "gpu::GPUDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def TangKeepShared : Pass<"tang-keep-shared", "ModuleOp"> {
  let summary = "Costly tiles that several operations need are kept";
  let description = [{
    A function's values (exp, tanh, ...) on a tile that ends in several folds or
    stores are computed once, as a `tang.keep`. Numeric effect: none.
  }];
  let dependentDialects = ["tang::TangDialect", "arith::ArithDialect"];
}

#endif // TANG_TRANSFORMS_PASSES_TD
