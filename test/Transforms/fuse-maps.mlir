// RUN: tang-opt %s --tang-fuse-maps --canonicalize --cse --split-input-file --verify-each | FileCheck %s

//===----------------------------------------------------------------------===//
// What fuses
//===----------------------------------------------------------------------===//

// A cast costs nothing, so that even a second reader and a loop do not keep it. Every rounding stays.
// CHECK-LABEL: func @casts
// CHECK-NOT: tang.map
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 8] init({{.*}}) ins(%{{.*}}[d0, d1] : tensor<4x8xf32>)
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK: scf.for
// CHECK: tang.map [d0, d1] ins(%{{.*}}[d0, d1], %arg0[d0, d1] : tensor<4x8xf16>, tensor<4x8xf32>)
// CHECK-NEXT: arith.truncf
func.func @casts(%x: tensor<4x8xf32>, %n: index) -> (tensor<4xf32>, tensor<4x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xf16>
  %f = tensor.empty() : tensor<4x8xf32>
  %o = tensor.empty() : tensor<4xf32>
  %h = tang.map [i, j] ins(%x[i, j] : tensor<4x8xf32>) outs(%e : tensor<4x8xf16>) (%a: f32) {
    %b = arith.truncf %a : f32 to f16
    tang.yield %b : f16
  }
  %w = tang.map [i, j] ins(%h[i, j] : tensor<4x8xf16>) outs(%f : tensor<4x8xf32>) (%a: f16) {
    %b = arith.extf %a : f16 to f32
    tang.yield %b : f32
  }
  %r = tang.reduce #tang.monoid<add> [i] over [k = 8] init(0.0 : f32) ins(%w[i, k] : tensor<4x8xf32>) outs(%o : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%y = %e) -> tensor<4x8xf16> {
    %z = tang.map [i, j] ins(%h[i, j], %y[i, j] : tensor<4x8xf16>, tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) (%a: f16, %b: f16) {
      %s = arith.addf %a, %b : f16
      tang.yield %s : f16
    }
    scf.yield %z : tensor<4x8xf16>
  }
  return %r, %l : tensor<4xf32>, tensor<4x8xf16>
}

// -----

// Maps compose: a broadcast, a transposition and a slice disappear into the reader's index, symbols included.
// CHECK-LABEL: func @views
// CHECK-SAME: %[[X:.*]]: tensor<9x7xf32>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK: %[[R:.*]] = tang.map [d0, d1, d2] symbols(s0 = %[[M]], s1 = %[[N]]) ins(%[[X]][d2 * 2 + s0 * 2 + 1, d0 + s1] : tensor<9x7xf32>)
// CHECK: return %[[R]]
func.func @views(%x: tensor<9x7xf32>, %n: index, %m: index) -> tensor<3x5x2xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %f = tensor.empty() : tensor<3x4xf32>
  %g = tensor.empty() : tensor<3x5x2xf32>
  %slice = tang.map [i, j] symbols(o = %n) ins(%x[i * 2 + 1, j + o] : tensor<9x7xf32>) outs(%e : tensor<4x3xf32>) (%a: f32) { tang.yield %a : f32 }
  %t = tang.map [i, j] ins(%slice[j, i] : tensor<4x3xf32>) outs(%f : tensor<3x4xf32>) (%a: f32) { tang.yield %a : f32 }
  %b = tang.map [i, j, k] symbols(o = %m) ins(%t[i, k + o] : tensor<3x4xf32>) outs(%g : tensor<3x5x2xf32>) (%a: f32) { tang.yield %a : f32 }
  return %b : tensor<3x5x2xf32>
}

// -----

// The producer's index is where the reader looks: computed from the reader's indices, and from a symbol by a capture.
// CHECK-LABEL: func @index
// CHECK-SAME: %[[N:.*]]: index
// CHECK: tang.map [d0, d1] with(%[[N]] : index) outs(%{{.*}} : tensor<3x4xindex>) (%[[O:.*]]: index) {
// CHECK-DAG: %[[J:.*]] = tang.index 1
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[S:.*]] = arith.muli %[[J]], %[[C3]]
// CHECK-DAG: %[[T:.*]] = arith.addi %[[S]], %[[O]]
// CHECK-DAG: %[[I:.*]] = tang.index 0
// CHECK: arith.muli %[[I]], %[[T]]
func.func @index(%n: index) -> tensor<3x4xindex> {
  %e = tensor.empty() : tensor<99xindex>
  %f = tensor.empty() : tensor<3x4xindex>
  %iota = tang.map [i] outs(%e : tensor<99xindex>) () {
    %i = tang.index 0
    tang.yield %i : index
  }
  %r = tang.map [i, j] symbols(o = %n) ins(%iota[j * 3 + o] : tensor<99xindex>) outs(%f : tensor<3x4xindex>) (%a: index) {
    %i = tang.index 0
    %p = arith.muli %i, %a : index
    tang.yield %p : index
  }
  return %r : tensor<3x4xindex>
}

// -----

// Captures go along.
// CHECK-LABEL: func @gathered
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = 8] init({{.*}}) ins(%arg1[d0] : tensor<4xi32>) with(%arg0 : tensor<99x8xf32>)
// CHECK: tang.at
func.func @gathered(%x: tensor<99x8xf32>, %ids: tensor<4xi32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %g = tang.map [i, j] ins(%ids[i] : tensor<4xi32>) with(%x : tensor<99x8xf32>) outs(%e : tensor<4x8xf32>) (%a: i32, %s: tensor<99x8xf32>) {
    %r = arith.index_cast %a : i32 to index
    %c = tang.index 1
    %v = tang.at %s[%r, %c] : tensor<99x8xf32>
    tang.yield %v : f32
  }
  %r = tang.reduce #tang.monoid<maximum> [i] over [k = 8] init(0xFF800000 : f32) ins(%g[i, k] : tensor<4x8xf32>) outs(%o : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<4xf32>
}

// -----

// Of a producer with several results each reader takes what it reads; who reads nothing of it anymore, drops it.
// CHECK-LABEL: func @several_results
// CHECK: tang.map
// CHECK-DAG: %[[S:.*]] = arith.addf
// CHECK-DAG: %[[M:.*]] = arith.mulf
// CHECK: arith.subf %[[S]], %[[M]]
// CHECK-NOT: tang.map
func.func @several_results(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %p:2 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) (%a: f32) {
    %s = arith.addf %a, %a : f32
    %m = arith.mulf %a, %a : f32
    tang.yield %s, %m : f32, f32
  }
  %r = tang.map [i] ins(%p#0[i], %p#1[i] : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    tang.yield %d : f32
  }
  return %r : tensor<4xf32>
}

// -----

// Into scans and scatters too; an expensive producer where each element is read once.
// CHECK-LABEL: func @into_scan
// CHECK-NOT: tang.map
// CHECK: tang.scan #tang.monoid<add> [d0] along d0 ins(%arg0[d0] : tensor<8xf32>)
// CHECK-NEXT: math.exp
// CHECK: tang.scatter #tang.monoid<add> over [d0 = 8]
// CHECK: math.tanh
func.func @into_scan(%x: tensor<8xf32>, %s: tensor<f32>, %h: tensor<16xf32>) -> (tensor<8xf32>, tensor<f32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %y = tang.map [i] ins(%x[i] : tensor<8xf32>) outs(%e : tensor<8xf32>) (%a: f32) {
    %b = math.exp %a : f32
    tang.yield %b : f32
  }
  %z = tang.map [i] ins(%x[i] : tensor<8xf32>) outs(%e : tensor<8xf32>) (%a: f32) {
    %b = math.tanh %a : f32
    tang.yield %b : f32
  }
  %p, %q = tang.scan #tang.monoid<add> [t] along t ins(%y[t] : tensor<8xf32>) outs(%e, %s : tensor<8xf32>, tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  %w = tang.scatter #tang.monoid<add> over [i = 8] ins(%z[i] : tensor<8xf32>) outs(%h : tensor<16xf32>) (%a: f32) {
    %i = tang.index 0
    tang.yield %a, %i : f32, index
  }
  return %p, %q, %w : tensor<8xf32>, tensor<f32>, tensor<16xf32>
}

// -----

// A reshape between the two is an index: expansion multiplies by static sizes, collapse drops ones.
// CHECK-LABEL: func @reshapes
// CHECK: tang.map [d0, d1] ins(%arg0[d0 * 8 + d1] : tensor<?xf32>)
// CHECK: tang.map [d0, d1] ins(%arg1[0, d0, d1] : tensor<1x4x8xf32>)
func.func @reshapes(%x: tensor<?xf32>, %y: tensor<1x4x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %u = tensor.expand_shape %x [[0, 1]] output_shape [%n, 8] : tensor<?xf32> into tensor<?x8xf32>
  %v = tensor.collapse_shape %y [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
  %r = tang.map [i, j] ins(%u[i, j] : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i, j] ins(%v[i, j] : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<?x8xf32>, tensor<4x8xf32>
}

// -----

// From rank 0 and to rank 0.
// CHECK-LABEL: func @reshape_rank_0
// CHECK: tang.map [] ins(%arg0[0, 0] : tensor<1x1xf32>)
// CHECK: tang.map [d0] ins(%arg1[] : tensor<f32>)
func.func @reshape_rank_0(%x: tensor<1x1xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<1xf32>) {
  %e = tensor.empty() : tensor<f32>
  %f = tensor.empty() : tensor<1xf32>
  %u = tensor.collapse_shape %x [] : tensor<1x1xf32> into tensor<f32>
  %v = tensor.expand_shape %y [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %r = tang.map [] ins(%u[] : tensor<f32>) outs(%e : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i] ins(%v[i] : tensor<1xf32>) outs(%f : tensor<1xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<f32>, tensor<1xf32>
}

// -----

//===----------------------------------------------------------------------===//
// What does not
//===----------------------------------------------------------------------===//

// exp would be computed 16 times an element.
// CHECK-LABEL: func @reused
// CHECK: math.exp
// CHECK: tang.reduce
// CHECK-NOT: math.exp
func.func @reused(%x: tensor<4x8xf32>, %y: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %o = tensor.empty() : tensor<4x16xf32>
  %a = tang.map [i, j] ins(%x[i, j] : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) (%u: f32) {
    %v = math.exp %u : f32
    tang.yield %v : f32
  }
  %r = tang.reduce #tang.monoid<add> [i, j] over [k = 8] init(0.0 : f32) ins(%a[i, k], %y[k, j] : tensor<4x8xf32>, tensor<8x16xf32>) outs(%o : tensor<4x16xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  return %r : tensor<4x16xf32>
}

// Reuse along a dimension of size 1 is none.
// CHECK-LABEL: func @reused_once
// CHECK-NOT: tang.map
// CHECK: tang.reduce
// CHECK: math.exp
func.func @reused_once(%x: tensor<4x8xf32>, %y: tensor<8x1xf32>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %o = tensor.empty() : tensor<4x1xf32>
  %a = tang.map [i, j] ins(%x[i, j] : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) (%u: f32) {
    %v = math.exp %u : f32
    tang.yield %v : f32
  }
  %r = tang.reduce #tang.monoid<add> [i, j] over [k = 8] init(0.0 : f32) ins(%a[i, k], %y[k, j] : tensor<4x8xf32>, tensor<8x1xf32>) outs(%o : tensor<4x1xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  return %r : tensor<4x1xf32>
}

// -----

// Two readers, or one that reads at two places, would compute exp twice.
// CHECK-LABEL: func @two_readers
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
func.func @two_readers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32) {
    %v = math.exp %u : f32
    tang.yield %v : f32
  }
  %r = tang.map [i] ins(%a[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32) {
    %v = arith.negf %u : f32
    tang.yield %v : f32
  }
  %s = tang.map [i] ins(%a[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32) {
    %v = arith.addf %u, %u : f32
    tang.yield %v : f32
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @two_places
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
func.func @two_places(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = tang.map [i, j] ins(%x[i, j] : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) (%u: f32) {
    %v = math.exp %u : f32
    tang.yield %v : f32
  }
  %r = tang.map [i, j] ins(%a[i, j], %a[j, i] : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) (%u: f32, %v: f32) {
    %w = arith.addf %u, %v : f32
    tang.yield %w : f32
  }
  return %r : tensor<4x4xf32>
}

// -----

// Someone else needs the tensor: a function's result, a capture.
// CHECK-LABEL: func @stored_anyway
// CHECK-COUNT-4: tang.map
func.func @stored_anyway(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = tang.map [i] ins(%x[i], %y[i] : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32, %v: f32) {
    %s = arith.addf %u, %v : f32
    tang.yield %s : f32
  }
  %r = tang.map [i] ins(%a[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32) {
    %v = arith.negf %u : f32
    tang.yield %v : f32
  }
  %b = tang.map [i] ins(%x[i], %y[i] : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32, %v: f32) {
    %s = arith.mulf %u, %v : f32
    tang.yield %s : f32
  }
  %s = tang.map [i] ins(%b[i] : tensor<4xf32>) with(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32, %t: tensor<4xf32>) {
    %c = arith.constant 0 : index
    %w = tang.at %t[%c] : tensor<4xf32>
    %v = arith.subf %u, %w : f32
    tang.yield %v : f32
  }
  return %a, %r, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop would compute it again in each iteration.
// CHECK-LABEL: func @outside_of_loop
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
func.func @outside_of_loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %a = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32) {
    %v = math.exp %u : f32
    tang.yield %v : f32
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<4xf32> {
    %z = tang.map [i] ins(%a[i], %y[i] : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) (%u: f32, %v: f32) {
      %w = arith.addf %u, %v : f32
      tang.yield %w : f32
    }
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// These indices would need divisions, or a size that is not known.
// CHECK-LABEL: func @divisions
// CHECK: tensor.collapse_shape
// CHECK: tensor.expand_shape
func.func @divisions(%x: tensor<4x8xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<32xf32>, tensor<2x?xf32>) {
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty(%n) : tensor<2x?xf32>
  %u = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %v = tensor.expand_shape %y [[0, 1]] output_shape [2, %n] : tensor<?xf32> into tensor<2x?xf32>
  %r = tang.map [i] ins(%u[i] : tensor<32xf32>) outs(%e : tensor<32xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i, j] ins(%v[i, j] : tensor<2x?xf32>) outs(%f : tensor<2x?xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<32xf32>, tensor<2x?xf32>
}

// -----

// A kernel takes at most 24 operands.
// CHECK-LABEL: func @too_many
// CHECK-COUNT-2: tang.map
func.func @too_many(%0: tensor<f32>, %1: tensor<f32>, %2: tensor<f32>, %3: tensor<f32>, %4: tensor<f32>, %5: tensor<f32>,
    %6: tensor<f32>, %7: tensor<f32>, %8: tensor<f32>, %9: tensor<f32>, %10: tensor<f32>, %11: tensor<f32>,
    %12: tensor<f32>, %13: tensor<f32>, %14: tensor<f32>, %15: tensor<f32>, %16: tensor<f32>, %17: tensor<f32>,
    %18: tensor<f32>, %19: tensor<f32>, %20: tensor<f32>, %21: tensor<f32>, %22: tensor<f32>, %23: tensor<f32>,
    %24: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %p = tang.map [] ins(%0[], %1[], %2[], %3[], %4[], %5[], %6[], %7[], %8[], %9[], %10[], %11[] : tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<f32>) outs(%e : tensor<f32>)
         (%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %a10: f32, %a11: f32) {
    %s0 = arith.addf %a0, %a1 : f32
    %s1 = arith.addf %s0, %a2 : f32
    %s2 = arith.addf %s1, %a3 : f32
    %s3 = arith.addf %s2, %a4 : f32
    %s4 = arith.addf %s3, %a5 : f32
    %s5 = arith.addf %s4, %a6 : f32
    %s6 = arith.addf %s5, %a7 : f32
    %s7 = arith.addf %s6, %a8 : f32
    %s8 = arith.addf %s7, %a9 : f32
    %s9 = arith.addf %s8, %a10 : f32
    %s10 = arith.addf %s9, %a11 : f32
    tang.yield %s10 : f32
  }
  %r = tang.map [] ins(%p[], %12[], %13[], %14[], %15[], %16[], %17[], %18[], %19[], %20[], %21[], %22[], %23[], %24[] :
         tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
         tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) outs(%e : tensor<f32>)
         (%a: f32, %a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %a10: f32, %a11: f32, %a12: f32) {
    %s = arith.addf %a, %a0 : f32
    %s0 = arith.addf %s, %a1 : f32
    %s1 = arith.addf %s0, %a2 : f32
    %s2 = arith.addf %s1, %a3 : f32
    %s3 = arith.addf %s2, %a4 : f32
    %s4 = arith.addf %s3, %a5 : f32
    %s5 = arith.addf %s4, %a6 : f32
    %s6 = arith.addf %s5, %a7 : f32
    %s7 = arith.addf %s6, %a8 : f32
    %s8 = arith.addf %s7, %a9 : f32
    %s9 = arith.addf %s8, %a10 : f32
    %s10 = arith.addf %s9, %a11 : f32
    %s11 = arith.addf %s10, %a12 : f32
    tang.yield %s11 : f32
  }
  return %r : tensor<f32>
}
