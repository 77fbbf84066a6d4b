//===- TangTileOps.td - The tile stage: one kernel ------------------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TILE_OPS_TD
#define TANG_TILE_OPS_TD

include "Tang/Dialect/TangGraphOps.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/ViewLikeInterface.td"

// Tile values are upstream vectors over the box that a program (parallel
// dimensions) or a step of a stream (reduced dimensions) works on: a vector's
// dimensions are the domain's. Elementwise work is arith and math on them.
// Positions at or beyond `counts` are padding; it belongs to the operations
// that end a tile (fold, store), which leave it out.

def Tang_StreamOp : Tang_Op<"stream", [
    SingleBlockImplicitTerminator<"::mlir::tang::YieldOp">,
    AllTypesMatch<["inits", "results"]>, RecursiveMemoryEffects,
    RecursivelySpeculatable]> {
  let summary = "A serial fold over steps";
  let description = [{
    Runs the body for i = lower, lower + step, … while i < upper, in that
    order, or in the opposite order with `reverse`. The values carried from
    step to step are explicit. Streams nest.
  }];
  let arguments = (ins Index:$lower, Index:$upper, ConfinedAttr<I64Attr, [IntPositive]>:$step,
                       UnitAttr:$reverse, OptionalAttr<StrAttr>:$comment,
                       Variadic<AnyVectorOfAnyRank>:$inits);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBody() { return &getRegion().front(); }
    ::mlir::Value getInductionVar() { return getBody()->getArgument(0); }
    ::mlir::Block::BlockArgListType getCarries() {
      return getBody()->getArguments().drop_front();
    }
  }];
}

def Tang_ViewOp : Tang_Op<"view", [Pure]> {
  let summary = "The same buffer under another shape";
  let description = [{
    Kernels take linear buffers; a view gives one its shape, row-major and
    dense. `sizes` are the result's dynamic dimensions.
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source (`[` $sizes^ `]`)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tang_CoordOp : Tang_Op<"coord", [Pure]> {
  let summary = "Indices of a tile's positions along one dimension";
  let description = "At position p: base + p[dim].";
  let arguments = (ins Index:$base, I64Attr:$dim);
  let results = (outs VectorOfAnyRankOf<[Index]>:$result);
  let assemblyFormat = "$base `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tang_LoadOp : Tang_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "A tile read through an affine map";
  let description = [{
    At position p: source[map(bases + p, symbols)]. Positions of padding hold
    anything and are never read from memory.
  }];
  let arguments = (ins AnyMemRef:$source, AffineMapAttr:$map, Variadic<Index>:$coords);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = [{
    $source `at` $map `(` $coords `)` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tang_GatherLoadOp : Tang_Op<"gather_load", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "A tile read at computed indices, zero outside";
  let description = "The tile form of `tang.at`.";
  let arguments = (ins AnyMemRef:$source, Variadic<VectorOfAnyRankOf<[Index]>>:$indices,
                       Optional<VectorOfAnyRankOf<[I1]>>:$condition);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`if` $condition^)? attr-dict `:` type($source) `,`
    type($indices) (`if` type($condition)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tang_FoldOp : Tang_Op<"fold", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["accs", "results"]>]> {
  let summary = "Combines a tile into a state along some of its dimensions";
  let description = [{
    For every position of `accs` combines the values of `values` along `dims`
    into it by the monoid, in lexicographic order. Only positions below
    `counts` (one for each dimension of the values) take part.
  }];
  let arguments = (ins Tang_Combiner:$monoid, DenseI64ArrayAttr:$dims,
                       Variadic<AnyVectorOfAnyRank>:$values,
                       Variadic<AnyVectorOfAnyRank>:$accs, Variadic<Index>:$counts);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$results);
  let assemblyFormat = [{
    $monoid $values `along` $dims `into` $accs `counts` `(` $counts `)` attr-dict
    `:` type($values) `into` type($accs)
  }];
  let hasVerifier = 1;
}

def Tang_StoreOp : Tang_Op<"store", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "Writes a tile through an affine map";
  let description = [{
    At every position p below `counts`: destination[map(coords)] = value[p],
    where the first operands are bases to which p is added.
  }];
  let arguments = (ins AnyVectorOfAnyRank:$value, AnyMemRef:$destination,
                       AffineMapAttr:$map, Variadic<Index>:$coords,
                       Variadic<Index>:$counts);
  let assemblyFormat = [{
    $value `,` $destination `at` $map `(` $coords `)` `counts` `(` $counts `)`
    attr-dict `:` type($value) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Tang_ScatterStoreOp : Tang_Op<"scatter_store", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "Writes or combines a tile at computed indices";
  let description = [{
    The tile form of `tang.scatter`: positions below `counts` in lexicographic
    order; out of range or with a false condition nothing is written.
  }];
  let arguments = (ins OptionalAttr<Tang_Combiner>:$monoid,
                       Variadic<AnyVectorOfAnyRank>:$values,
                       Variadic<AnyMemRef>:$destinations,
                       Variadic<VectorOfAnyRankOf<[Index]>>:$indices,
                       Optional<VectorOfAnyRankOf<[I1]>>:$condition,
                       Variadic<Index>:$counts);
  let assemblyFormat = [{
    ($monoid^)? $values `into` $destinations `[` $indices `]` (`if` $condition^)?
    `counts` `(` $counts `)` attr-dict `:` type($values) `into`
    type($destinations) `[` type($indices) `]` (`if` type($condition)^)?
  }];
  let hasVerifier = 1;
}

#endif // TANG_TILE_OPS_TD
