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

    ```mlir
    gpu.module @kernels {
      // y[i] = the sum of x[i, ...], 4 rows a program, 8 columns a step.
      gpu.func @row_sums(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel {
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %c32 = arith.constant 32 : index
        %zero = arith.constant dense<0.0> : vector<4xf32>
        %rows = tang.view %x[%n] : memref<?xf32> -> memref<?x32xf32>
        %program = gpu.block_id x
        %i = arith.muli %program, %c4 : index
        %rest = arith.subi %n, %i : index
        %count = arith.minsi %rest, %c4 : index
        %sum = tang.stream %k = %c0 to %c32 step 8 carry(%acc = %zero : vector<4xf32>) {
          %t = tang.load %rows at affine_map<(i, k) -> (i, k)>(%i, %k) : memref<?x32xf32> -> vector<4x8xf32>
          %next = tang.fold #tang.monoid<add> %t along [1] into %acc counts(%count, %c8)
                    : vector<4x8xf32> into vector<4xf32>
          tang.yield %next : vector<4xf32>
        }
        tang.store %sum, %y at affine_map<(i) -> (i)>(%i) counts(%count) : vector<4xf32>, memref<?xf32>
        gpu.return
      }
    }
    ```
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

    ```mlir
    func.func @rows(%x: memref<?xf32>, %n: index) -> memref<?x8xf32> {
      %rows = tang.view %x[%n] : memref<?xf32> -> memref<?x8xf32>
      return %rows : memref<?x8xf32>
    }
    ```
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
  let description = [{
    At position p: base + p[dim].

    ```mlir
    func.func @columns(%base: index) -> vector<4x8xindex> {
      %j = tang.coord %base dim 1 : vector<4x8xindex>
      return %j : vector<4x8xindex>
    }
    ```
  }];
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

    ```mlir
    func.func @transposed(%x: memref<?x16xf32>, %i: index, %j: index) -> vector<4x8xf32> {
      %t = tang.load %x at affine_map<(i, j) -> (j, i)>(%i, %j) : memref<?x16xf32> -> vector<4x8xf32>
      return %t : vector<4x8xf32>
    }
    ```
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
  let description = [{
    The tile form of `tang.at`.

    ```mlir
    func.func @take(%x: memref<?x16xf32>, %row: vector<4xindex>, %column: vector<4xindex>,
                    %wanted: vector<4xi1>) -> vector<4xf32> {
      %t = tang.gather_load %x[%row, %column] if %wanted
             : memref<?x16xf32>, vector<4xindex>, vector<4xindex> if vector<4xi1> -> vector<4xf32>
      return %t : vector<4xf32>
    }
    ```
  }];
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
    `counts` (one for each dimension of the values) take part. The states lack the
    folded dimensions, or have them with size 1.

    ```mlir
    func.func @row_maxima(%t: vector<4x8xf32>, %acc: vector<4xf32>, %rows: index, %columns: index) -> vector<4xf32> {
      %m = tang.fold #tang.monoid<maximum> %t along [1] into %acc counts(%rows, %columns)
             : vector<4x8xf32> into vector<4xf32>
      return %m : vector<4xf32>
    }
    ```
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

def Tang_KeepOp : Tang_Op<"keep", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tile that is computed once, here";
  let description = [{
    Gives `value`. Tiles are computed where they are needed, position by
    position; one that several operations need, or that must not change any more, is
    kept. Positions beyond `counts` hold anything.

    ```mlir
    func.func @once(%t: vector<4x8xf32>, %rows: index, %columns: index) -> vector<4x8xf32> {
      %e = math.exp %t : vector<4x8xf32>
      %k = tang.keep %e counts(%rows, %columns) : vector<4x8xf32>
      return %k : vector<4x8xf32>
    }
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$value, Variadic<Index>:$counts);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$value `counts` `(` $counts `)` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tang_StoreOp : Tang_Op<"store", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "Writes a tile through an affine map";
  let description = [{
    At every position p below `counts`: destination[map(coords)] = value[p],
    where the first operands are bases to which p is added.

    ```mlir
    func.func @put(%t: vector<4x8xf32>, %y: memref<?x16xf32>, %i: index, %j: index, %rows: index, %columns: index) {
      tang.store %t, %y at affine_map<(i, j) -> (i, j)>(%i, %j) counts(%rows, %columns)
        : vector<4x8xf32>, memref<?x16xf32>
      return
    }
    ```
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

    ```mlir
    func.func @count(%ones: vector<8xi32>, %bins: memref<16xi32>, %bin: vector<8xindex>, %n: index) {
      tang.scatter_store #tang.monoid<add> %ones into %bins[%bin] counts(%n)
        : vector<8xi32> into memref<16xi32>[vector<8xindex>]
      return
    }
    ```
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
