//===- TangGraphOps.td - The graph stage ---------------------------*- tablegen -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_GRAPH_OPS_TD
#define TANG_GRAPH_OPS_TD

include "Tang/Dialect/TangAttrs.td"
include "Tang/Dialect/TangInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

class Tang_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tang_Dialect, mnemonic, traits>;

def Tang_Shaped : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;
def Tang_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;
def Tang_Capture : AnyTypeOf<[AnyRankedTensor, AnyMemRef, AnyFloat,
                              AnySignlessInteger, Index]>;
def Tang_Combiner : AnyAttrOf<[Tang_MonoidAttr, FlatSymbolRefAttr]>;

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

class Tang_Structured<string mnemonic, list<Trait> traits = []>
    : Tang_Op<mnemonic, !listconcat([
        AttrSizedOperandSegments, IsolatedFromAbove,
        SingleBlockImplicitTerminator<"::mlir::tang::YieldOp">,
        Tang_StructuredOp, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface,
          ["getIterationDomain", "getLoopIteratorTypes",
           "getTiledImplementation", "getResultTilePosition",
           "generateResultTileValue"]>],
        traits)> {
  let regions = (region SizedRegion<1>:$region);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  code commonDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    int64_t getNumDims();
    bool isParallelDim(int64_t dim);
    ::mlir::SmallVector<int64_t> getStaticDomain();
    ::mlir::SmallVector<::mlir::OpFoldResult>
    getMixedDomain(::mlir::OpBuilder &builder, ::mlir::Location loc);
  }];
}

def Tang_MapOp : Tang_Structured<"map"> {
  let summary = "Pointwise work over an iteration space";
  let description = [{
    For every point of the domain, which is the shape of the results, reads one
    element of each of `ins` at its affine map, runs the body, and writes the
    yielded values. `outs` give the shape; they are not read.

    ```mlir
    func.func @scale_rows(%x: tensor<8x?xf32>, %s: tensor<8xf32>, %n: index) -> tensor<8x?xf32> {
      %e = tensor.empty(%n) : tensor<8x?xf32>
      %y = tang.map [i, j] ins(%x[i, j], %s[i] : tensor<8x?xf32>, tensor<8xf32>)
             outs(%e : tensor<8x?xf32>) (%a: f32, %b: f32) {
        %p = arith.mulf %a, %b : f32
        tang.yield %p : f32
      }
      return %y : tensor<8x?xf32>
    }
    ```

    Maps may be any affine function of the dimensions and of symbols, so that a
    slice, a transposition, a broadcast or a reversal is a map too:
    `symbols(o = %offset) ins(%x[i * 2 + o] : …)`. A read outside of an operand is
    undefined; use `tang.at` where indices are computed.
  }];
  let arguments = (ins Variadic<Index>:$symbols,
                       Variadic<Tang_Shaped>:$ins, Variadic<Tang_Capture>:$captures,
                       Variadic<Tang_Shaped>:$outs, AffineMapArrayAttr:$in_maps,
                       OptionalAttr<Tang_ScheduleAttr>:$schedule);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$outs, "::mlir::ValueRange":$ins,
      "::mlir::ArrayRef<::mlir::AffineMap>":$maps,
      CArg<"::mlir::ValueRange", "{}">:$captures,
      CArg<"::mlir::ValueRange", "{}">:$symbols,
      CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>",
           "nullptr">:$body)>];
  let extraClassDeclaration = commonDeclaration;
}

def Tang_ReduceOp : Tang_Structured<"reduce", [
    DeclareOpInterfaceMethods<PartialReductionOpInterface,
      ["generateInitialTensorForPartialReduction", "tileToPartialReduction",
       "mergeReductions", "getPartialResultTilePosition"]>]> {
  let summary = "A fold with a monoid over some dimensions";
  let description = [{
    The body is the *lift*: it makes the fold's state from the elements at one
    point. States are combined by the monoid over the dimensions after `over`,
    in lexicographic order, starting from `outs` (or from the constants of
    `init(…)` after `over [...]`, and then `outs` give only the shape). A state of several numbers
    gives several results.

    ```mlir
    func.func @matmul(%a: tensor<4x8xbf16>, %b: tensor<8x6xbf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = tang.reduce #tang.monoid<add> [i, j] over [k = 8]
             ins(%a[i, k], %b[k, j] : tensor<4x8xbf16>, tensor<8x6xbf16>)
             outs(%c : tensor<4x6xf32>) (%x: bf16, %y: bf16) {
        %xf = arith.extf %x : bf16 to f32
        %yf = arith.extf %y : bf16 to f32
        %p = arith.mulf %xf, %yf : f32
        tang.yield %p : f32
      }
      return %r : tensor<4x6xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, Variadic<Index>:$symbols,
                       Variadic<Tang_Shaped>:$ins, Variadic<Tang_Capture>:$captures,
                       Variadic<Tang_Shaped>:$outs, Tang_Combiner:$monoid,
                       DenseI64ArrayAttr:$static_sizes,
                       AffineMapArrayAttr:$in_maps, OptionalAttr<ArrayAttr>:$init,
                       OptionalAttr<Tang_ScheduleAttr>:$schedule);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$monoid, "::mlir::ValueRange":$outs,
      "::mlir::ArrayRef<::mlir::OpFoldResult>":$over, "::mlir::ValueRange":$ins,
      "::mlir::ArrayRef<::mlir::AffineMap>":$maps,
      CArg<"::mlir::ValueRange", "{}">:$captures,
      CArg<"::mlir::ValueRange", "{}">:$symbols,
      CArg<"::mlir::ArrayAttr", "{}">:$init,
      CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>",
           "nullptr">:$body)>];
  let extraClassDeclaration = commonDeclaration # [{
    /// Number of dimensions of the results.
    int64_t getNumResultDims();
  }];
}

def Tang_ScanOp : Tang_Structured<"scan"> {
  let summary = "A prefix fold with a monoid along one dimension";
  let description = [{
    For n state values, `outs` are n tensors of the domain's shape for the
    prefixes, then n of that shape without the scanned dimension with the
    initial states; results are the prefixes and the final states. With
    `reverse` the scan runs from the last index to the first; with `exclusive` a
    prefix does not include its own point.

    ```mlir
    func.func @cumsum(%x: tensor<4x37xf32>, %s0: tensor<4xf32>) -> (tensor<4x37xf32>, tensor<4xf32>) {
      %e = tensor.empty() : tensor<4x37xf32>
      %y, %s = tang.scan #tang.monoid<add> [i, t] along t
             ins(%x[i, t] : tensor<4x37xf32>)
             outs(%e, %s0 : tensor<4x37xf32>, tensor<4xf32>) (%a: f32) {
        tang.yield %a : f32
      }
      return %y, %s : tensor<4x37xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$symbols,
                       Variadic<Tang_Shaped>:$ins, Variadic<Tang_Capture>:$captures,
                       Variadic<Tang_Shaped>:$outs, Tang_Combiner:$monoid,
                       I64Attr:$dim, UnitAttr:$reverse, UnitAttr:$exclusive,
                       AffineMapArrayAttr:$in_maps,
                       OptionalAttr<Tang_ScheduleAttr>:$schedule);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$monoid, "::mlir::ValueRange":$prefixes,
      "::mlir::ValueRange":$states, "int64_t":$dim, "::mlir::ValueRange":$ins,
      "::mlir::ArrayRef<::mlir::AffineMap>":$maps,
      CArg<"::mlir::ValueRange", "{}">:$captures,
      CArg<"::mlir::ValueRange", "{}">:$symbols,
      CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>",
           "nullptr">:$body)>];
  let extraClassDeclaration = commonDeclaration # [{
    /// Number of values in the state.
    int64_t getNumStates() { return getOuts().size() / 2; }
  }];
}

def Tang_ScatterOp : Tang_Structured<"scatter"> {
  let summary = "Writes or combines elements at computed indices";
  let description = [{
    For every point of the domain, in lexicographic order, the body yields one
    value for each of `outs`, then the index of each dimension of `outs`, then
    optionally an i1; the values are stored there, or combined into what is
    there by the monoid. A point outside of `outs`, or whose i1 is false, writes
    nothing. Elements of `outs` that no point writes stay as they are. `unique`
    promises that no two points write the same element.

    ```mlir
    func.func @histogram(%bin: tensor<100xi32>, %h: tensor<16xi32>) -> tensor<16xi32> {
      %r = tang.scatter #tang.monoid<add> over [i = 100]
             ins(%bin[i] : tensor<100xi32>) outs(%h : tensor<16xi32>) (%b: i32) {
        %one = arith.constant 1 : i32
        %k = arith.index_cast %b : i32 to index
        tang.yield %one, %k : i32, index
      }
      return %r : tensor<16xi32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, Variadic<Index>:$symbols,
                       Variadic<Tang_Shaped>:$ins, Variadic<Tang_Capture>:$captures,
                       Variadic<Tang_Shaped>:$outs,
                       OptionalAttr<Tang_Combiner>:$monoid, UnitAttr:$unique,
                       DenseI64ArrayAttr:$static_sizes,
                       AffineMapArrayAttr:$in_maps,
                       OptionalAttr<Tang_ScheduleAttr>:$schedule);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$monoid, "bool":$unique,
      "::mlir::ValueRange":$outs, "::mlir::ArrayRef<::mlir::OpFoldResult>":$over,
      "::mlir::ValueRange":$ins, "::mlir::ArrayRef<::mlir::AffineMap>":$maps,
      CArg<"::mlir::ValueRange", "{}">:$captures,
      CArg<"::mlir::ValueRange", "{}">:$symbols,
      CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>",
           "nullptr">:$body)>];
  let extraClassDeclaration = commonDeclaration # [{
    /// Rank of the destinations.
    int64_t getDestRank() {
      return ::llvm::cast<::mlir::ShapedType>(getOuts().front().getType()).getRank();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Inside of bodies
//===----------------------------------------------------------------------===//

def Tang_YieldOp : Tang_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["MapOp", "ReduceOp", "ScanOp", "ScatterOp", "MonoidOp", "StreamOp", "KernelOp"]>]> {
  let summary = "Ends a body and gives its values";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tang_IndexOp : Tang_Op<"index", [Pure]> {
  let summary = "The current index along a dimension of the domain";
  let description = [{
    ```mlir
    func.func @iota() -> tensor<5xi32> {
      %e = tensor.empty() : tensor<5xi32>
      %r = tang.map [i] outs(%e : tensor<5xi32>) () {
        %i = tang.index 0
        %v = arith.index_cast %i : index to i32
        tang.yield %v : i32
      }
      return %r : tensor<5xi32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>]>:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Tang_AtOp : Tang_Op<"at", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    TypesMatchWith<"result type matches element type of the source", "source",
      "result", "::llvm::cast<::mlir::ShapedType>($_self).getElementType()">]> {
  let summary = "An element at computed indices, zero outside";
  let description = [{
    Reads `source` at `indices`. Where an index is out of range, or the
    condition after `if` is false, nothing is read and the result is zero: the
    operation is total.

    ```mlir
    func.func @take(%x: tensor<10x4xf32>, %ids: tensor<3xi32>) -> tensor<3x4xf32> {
      %e = tensor.empty() : tensor<3x4xf32>
      %r = tang.map [i, j] ins(%ids[i] : tensor<3xi32>) with(%x : tensor<10x4xf32>)
             outs(%e : tensor<3x4xf32>) (%id: i32, %src: tensor<10x4xf32>) {
        %row = arith.index_cast %id : i32 to index
        %col = tang.index 1
        %v = tang.at %src[%row, %col] : tensor<10x4xf32>
        tang.yield %v : f32
      }
      return %r : tensor<3x4xf32>
    }
    ```
  }];
  let arguments = (ins Tang_Shaped:$source, Variadic<Index>:$indices,
                       Optional<I1>:$condition);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`if` $condition^)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Tang_KernelOp : Tang_Op<"kernel", [AttrSizedOperandSegments,
    IsolatedFromAbove, SingleBlockImplicitTerminator<"::mlir::tang::YieldOp">,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A small graph that is one kernel";
  let description = [{
    Means what its graph means: the maps and reductions of the body, on whole
    tensors. That they form one kernel is a claim about how they may be run: for
    every tile of the dimensions that all of them share, one serial pass (or a
    few) over the others, nothing in between ever stored. Derivation makes the
    claim, and whoever schedules or lowers the kernel checks it
    (`Tang/Analysis/KernelPlan.h` says what a legal kernel is). `#tang.fold` on a reduction of the body says how it is
    folded, and which of its operands are *gauges*: running values of earlier
    folds of the same pass, whose changes rescale the state.

    `ins` become arguments of the body, tensors as tensors also after
    bufferisation; `outs` give the results' shapes and are not read. With
    `chunk = c` the dimension of its only pass is folded in chunks of c points, each
    from the identity, and their states are merged in order: by one program, or
    by a program a chunk and a second kernel, with the same bits.

    ```mlir
    func.func @normalise(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
      %e = tensor.empty() : tensor<8x100xf32>
      %y = tang.kernel (%a = %x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) {
        %rows = tensor.empty() : tensor<8xf32>
        %all = tensor.empty() : tensor<8x100xf32>
        %s = tang.reduce #tang.monoid<add> [i] over [j = 100] init(0.0 : f32)
               ins(%a[i, j] : tensor<8x100xf32>) outs(%rows : tensor<8xf32>) (%v: f32) {
          tang.yield %v : f32
        }
        %q = tang.map [i, j] ins(%a[i, j], %s[i] : tensor<8x100xf32>, tensor<8xf32>)
               outs(%all : tensor<8x100xf32>) (%v: f32, %t: f32) {
          %r = arith.divf %v, %t : f32
          tang.yield %r : f32
        }
        tang.yield %q : tensor<8x100xf32>
      }
      return %y : tensor<8x100xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tang_Capture>:$ins, Variadic<Tang_Shaped>:$outs,
                       OptionalAttr<I64Attr>:$chunk,
                       OptionalAttr<Tang_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$ins, "::mlir::ValueRange":$outs)>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    ::mlir::Block *getBody() { return &getRegion().front(); }
    ::mlir::Operation *getYield() { return getBody()->getTerminator(); }
    /// True after bufferisation.
    bool isBufferized() { return getNumResults() == 0; }
    /// The operand that an argument of the body stands for.
    ::mlir::Value getOperandOf(::mlir::BlockArgument arg) {
      return getIns()[arg.getArgNumber()];
    }
  }];
}

//===----------------------------------------------------------------------===//
// Monoids by symbol
//===----------------------------------------------------------------------===//

def Tang_MonoidOp : Tang_Op<"monoid", [IsolatedFromAbove, Symbol,
    SingleBlockImplicitTerminator<"::mlir::tang::YieldOp">]> {
  let summary = "Declares a monoid, or any left fold, by its combination";
  let description = [{
    The body takes the n values of a state, then the values that are combined
    into it, and yields the new state. `identity` gives the neutral state. The
    laws are promises that rewrites consult (and that the reference interpreter
    tests on random data): `associative`, `commutative`, `idempotent`. Without
    `associative` it is a left fold, whose order nothing changes and whose
    combined values may have other types than its state.

    ```mlir
    tang.monoid @absmax identity [0.0 : f32] associative commutative (%a: f32, %b: f32) {
      %x = math.absf %b : f32
      %m = arith.maximumf %a, %x : f32
      tang.yield %m : f32
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<ArrayAttr>:$identity,
                       UnitAttr:$associative, UnitAttr:$commutative,
                       UnitAttr:$idempotent);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBody() { return &getRegion().front(); }
    /// Number of values in the state.
    int64_t getNumStates() { return getBody()->getTerminator()->getNumOperands(); }
  }];
}

//===----------------------------------------------------------------------===//
// Indirect operations that decompose
//===----------------------------------------------------------------------===//

def Tang_GatherOp : Tang_Op<"gather", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Slices of a tensor at indices";
  let description = [{
    With b = `batch`, a = `axis` ≥ b: result[d_0…d_{a-1}, i_b…, d_{a+1}…] =
    source[d_0…d_{a-1}, indices[d_0…d_{b-1}, i_b…], d_{a+1}…]. An index outside of
    the source gives zeros.

    ```mlir
    func.func @embed(%table: tensor<100x8xf32>, %ids: tensor<2x3xi32>) -> tensor<2x3x8xf32> {
      %r = tang.gather %table[%ids] axis 0 : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
      return %r : tensor<2x3x8xf32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices,
                       I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$batch);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` $axis (`batch` $batch^)? attr-dict `:`
    type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tang_SortOp : Tang_Op<"sort", [Pure, AllTypesMatch<["keys", "sorted"]>, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Stable sort along a dimension, with the permutation";
  let description = [{
    `sorted` has the keys in ascending (or `descending`) order along `dim`,
    `permutation` the position each came from. Equal keys keep their order; -0
    equals +0; NaN sorts last in both directions.

    ```mlir
    func.func @sort(%x: tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>) {
      %s, %p = tang.sort %x dim 1 : tensor<4x9xf32> -> tensor<4x9xi32>
      return %s, %p : tensor<4x9xf32>, tensor<4x9xi32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$keys, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs AnyRankedTensor:$sorted, AnyRankedTensor:$permutation);
  let assemblyFormat = [{
    $keys `dim` $dim (`descending` $descending^)? attr-dict `:` type($keys) `->`
    type($permutation)
  }];
  let hasVerifier = 1;
}

def Tang_TopKOp : Tang_Op<"top_k", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The k greatest along a dimension, best first, with indices";
  let description = [{
    Along `dim`, whose size in the results is k. Equal values: the lowest index
    first. NaN counts as the greatest. With fewer than k elements the rest is the identity
    (-inf or the least integer, index -1).

    ```mlir
    func.func @top2(%x: tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
      %v, %i = tang.top_k %x dim 1 : tensor<4x9xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
      return %v, %i : tensor<4x2xf32>, tensor<4x2xi32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$keys, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$indices);
  let assemblyFormat = [{
    $keys `dim` $dim attr-dict `:` type($keys) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Tang_GroupByOp : Tang_Op<"group_by", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "From keys to the members of each group";
  let description = [{
    For keys in [0, G), `offsets` (G + 1 numbers) says where each group starts
    in `members`, which lists the positions of group 0, then of group 1, …, each in
    ascending order. Keys outside of the range belong to no group; the rest of
    `members` is -1. Routing, ragged batches and segment sums share this.

    ```mlir
    func.func @route(%expert: tensor<12xi32>) -> (tensor<5xi32>, tensor<12xi32>) {
      %o, %m = tang.group_by %expert : tensor<12xi32> -> tensor<5xi32>, tensor<12xi32>
      return %o, %m : tensor<5xi32>, tensor<12xi32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$keys);
  let results = (outs AnyRankedTensor:$offsets, AnyRankedTensor:$members);
  let assemblyFormat = [{
    $keys attr-dict `:` type($keys) `->` type($offsets) `,` type($members)
  }];
  let hasVerifier = 1;
}

#endif // TANG_GRAPH_OPS_TD
