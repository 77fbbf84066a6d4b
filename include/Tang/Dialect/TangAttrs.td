//===- TangAttrs.td - Monoids, targets and schedules as data -----------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_ATTRS_TD
#define TANG_ATTRS_TD

include "Tang/Dialect/TangDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tang_Attr<string name, string mnem, list<Trait> traits = []>
    : AttrDef<Tang_Dialect, name, traits> {
  let mnemonic = mnem;
}

//===----------------------------------------------------------------------===//
// Monoids
//===----------------------------------------------------------------------===//

class MonoidCase<string sym, int val, string str> : I32EnumAttrCase<sym, val, str>;

def Tang_MonoidKind : I32EnumAttr<"MonoidKind", "a built-in monoid", [
    MonoidCase<"Add", 0, "add">, MonoidCase<"Mul", 1, "mul">,
    MonoidCase<"Maximum", 2, "maximum">, MonoidCase<"Minimum", 3, "minimum">,
    MonoidCase<"MaxNum", 4, "maxnum">, MonoidCase<"MinNum", 5, "minnum">,
    MonoidCase<"MaxS", 6, "maxs">, MonoidCase<"MinS", 7, "mins">,
    MonoidCase<"MaxU", 8, "maxu">, MonoidCase<"MinU", 9, "minu">,
    MonoidCase<"And", 10, "and">, MonoidCase<"Or", 11, "or">,
    MonoidCase<"Xor", 12, "xor">,
    MonoidCase<"ArgMax", 13, "argmax">, MonoidCase<"ArgMin", 14, "argmin">,
    MonoidCase<"ArgMaxNum", 15, "argmaxnum">,
    MonoidCase<"ArgMinNum", 16, "argminnum">,
    MonoidCase<"LogSumExp", 17, "logsumexp">,
    MonoidCase<"Moments", 18, "moments">, MonoidCase<"Affine", 19, "affine">,
    MonoidCase<"TopK", 20, "topk">]> {
  let cppNamespace = "::mlir::tang";
  let genSpecializedAttr = 0;
}

def Tang_MonoidAttr : Tang_Attr<"Monoid", "monoid"> {
  let summary = "A built-in monoid";
  let description = [{
    The associative combination of a fold, with its identity and its laws.

    | name | state | combine |
    |---|---|---|
    | `add`, `mul` | one number | sum, product (integers wrap) |
    | `maximum`, `minimum` | one float | IEEE maximum and minimum: NaN wins, -0 < +0 |
    | `maxnum`, `minnum` | one float | NaN loses |
    | `maxs`, `mins`, `maxu`, `minu` | one integer | signed and unsigned |
    | `and`, `or`, `xor` | one integer | bitwise |
    | `argmax`, `argmin` | (value, index) | NaN wins, then the value, then the lowest index |
    | `argmaxnum`, `argminnum` | (value, index) | NaN never wins |
    | `logsumexp` | (m, l) | the sum of l·exp(m) in the gauge of the greater m |
    | `moments` | (n, mean, M2) | Chan's merge of count, mean and squared deviations |
    | `affine` | (a, b) of x ↦ a·x + b | composition, later map outermost; not commutative |
    | `topk<k>` | k values and k indices, best first | merge, keep the best k |

    ```mlir
    // RUN: an attribute of tang.reduce, tang.scan and tang.scatter
    #sum = #tang.monoid<add>
    #best = #tang.monoid<topk, 4>
    ```
  }];
  let parameters = (ins EnumParameter<Tang_MonoidKind>:$kind,
                        DefaultValuedParameter<"int64_t", "1">:$k);
  let assemblyFormat = "`<` $kind (`,` $k^)? `>`";
  let builders = [AttrBuilder<(ins "MonoidKind":$kind), [{
    return $_get($_ctxt, kind, int64_t(1));
  }]>];
}

def Tang_FoldAttr : Tang_Attr<"Fold", "fold"> {
  let summary = "How a reduction is folded: the numeric contract";
  let description = [{
    - `accumulate`: the type of the running state.
    - `block`: points are combined in blocks of so many, each from the identity,
      and the blocks one after the other; 0 is one serial fold. A property of the
      reduction, not of a schedule: it fixes the result's bits.
    - `gauges`: the positions among `ins` of running values of earlier folds over
      the same dimensions. When they change, the state is rescaled.
    - `bound`: an upper bound of the relative error of the sum of absolute
      values, in unit roundoffs u of the accumulating type, for n points.

    ```mlir
    #f = #tang.fold<accumulate = f32, block = 32, bound = "(31 + 4 n/32) u", gauges = [1]>
    module attributes {my.fold = #f} {}
    ```
  }];
  let parameters = (ins "::mlir::Type":$accumulate, "int64_t":$block,
                        StringRefParameter<"the error bound">:$bound,
                        OptionalArrayRefParameter<"int64_t">:$gauges);
  let assemblyFormat = [{
    `<` `accumulate` `=` $accumulate `,` `block` `=` $block `,` `bound` `=` $bound
    (`,` `gauges` `=` `[` $gauges^ `]`)? `>`
  }];
}

//===----------------------------------------------------------------------===//
// Targets and schedules
//===----------------------------------------------------------------------===//

def Tang_TargetAttr : Tang_Attr<"Target", "target"> {
  let summary = "Facts about a target";
  let description = [{
    Everything that a schedule may depend on. Passes ask this attribute; none
    names a chip. The rows live in `lib/Analysis/Targets.cpp`, each constant with
    its source.

    - `language`: what kernels are written in (`llvm`, `c`, `opencl`).
    - `lanes`: elements of f32 that one thread works on at once.
    - `register_bytes`: fast storage of one thread.
    - `cache_bytes`: storage next to it that is shared by a block (L1 or
      workgroup memory).
    - `block`: threads of a block; 1 where a block is a loop body on a CPU.
    - `units`: blocks that run at once (cores, compute units).
    - `matrix`: the matrix unit, by the name of its instruction, or absent.
    - `shared_bytes`: workgroup memory that one block may have, for targets whose
      copies into it run by themselves.

    ```mlir
    #t = #tang.target<"cpu", language = "llvm", lanes = 8, register_bytes = 512,
                      cache_bytes = 32768, block = 1, units = 2>
    module attributes {my.target = #t} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"the target's name">:$name,
                        StringRefParameter<"the kernels' language">:$language,
                        "int64_t":$lanes, "int64_t":$register_bytes,
                        "int64_t":$cache_bytes, "int64_t":$block,
                        "int64_t":$units,
                        OptionalParameter<"::mlir::StringAttr">:$matrix,
                        DefaultValuedParameter<"int64_t", "0">:$shared_bytes);
  let builders = [AttrBuilder<(ins "StringRef":$name, "StringRef":$language,
                                   "int64_t":$lanes, "int64_t":$registerBytes,
                                   "int64_t":$cacheBytes, "int64_t":$block,
                                   "int64_t":$units), [{
    return $_get($_ctxt, name, language, lanes, registerBytes, cacheBytes, block,
                 units, StringAttr(), int64_t(0));
  }]>];
  let assemblyFormat = [{
    `<` $name `,` struct($language, $lanes, $register_bytes, $cache_bytes,
                         $block, $units, $matrix, $shared_bytes) `>`
  }];
}

def Tang_AsyncAttr : Tang_Attr<"Async", "async"> {
  let summary = "A kernel of agents: copies that run ahead, consumers that compute";
  let description = [{
    - `consumers`: groups of 128 threads that compute, each with as many rows of the
      tile; one more group issues the copies.
    - `stages`: slots of each ring that copies fill and contractions read.
    - `skew`: steps by which the contractions that wait for another one of the
      same step run behind it: 0 or 1.
    - `raster`: programs of so many rows of tiles are neighbours; 1 is row by row.

    ```mlir
    #a = #tang.async<consumers = 2, stages = 4, skew = 0, raster = 8>
    module attributes {my.async = #a} {}
    ```
  }];
  let parameters = (ins "int64_t":$consumers, "int64_t":$stages,
                        "int64_t":$skew, "int64_t":$raster);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tang_ScheduleAttr : Tang_Attr<"Schedule", "schedule"> {
  let summary = "How one operation becomes one kernel";
  let description = [{
    - `tile`: for each dimension of the iteration space the size of the box
      that one program (parallel dimensions) or one step of a stream (reduced
      dimensions) works on. 1 ≤ tile.
    - `block`: threads of a block, each running one program; with `async` all of
      them run one program at a time.
    - `async`: how a block's threads share a program (`#tang.async`).

    ```mlir
    #s = #tang.schedule<tile = [4, 64, 16], block = 1>
    #g = #tang.schedule<tile = [128, 256, 64], block = 384,
                        async = <consumers = 2, stages = 4, skew = 0, raster = 8>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$tile, "int64_t":$block,
                        OptionalParameter<"::mlir::tang::AsyncAttr">:$async);
  let builders = [AttrBuilder<(ins "ArrayRef<int64_t>":$tile, "int64_t":$block), [{
    return $_get($_ctxt, tile, block, ::mlir::tang::AsyncAttr());
  }]>];
  let assemblyFormat = [{
    `<` `tile` `=` custom<Tile>($tile) `,` `block` `=` $block
    (`,` `async` `=` $async^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // TANG_ATTRS_TD
