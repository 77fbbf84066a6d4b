// Upstream's tiling drivers work on all structured operations.
// RUN: tang-opt %s --transform-interpreter --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// A map: plain operands are sliced, others shifted; tang.index counts in the whole domain.
// CHECK-LABEL: func @map
// CHECK-SAME: %[[X:.*]]: tensor<64x48xf32>, %[[W:.*]]: tensor<65xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step %c16 iter_args(%[[R:.*]] = %{{[a-z0-9_]+}}) -> (tensor<64x48xf32>) {
// CHECK: %[[XS:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [16, 48] [1, 1]
// CHECK: tang.map [d0, d1] symbols(s0 = %[[I]]) ins(%[[XS]][d0, d1], %[[W]][d0 + s0 + 1] : tensor<16x48xf32>, tensor<65xf32>)
// CHECK-SAME: with(%[[I]] : index) outs({{.*}} : tensor<16x48xf32>)
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[O:.*]]: index) {
// CHECK: %[[P:.*]] = tang.index 0
// CHECK: arith.addi %[[P]], %[[O]] : index
// CHECK: tensor.insert_slice %{{[a-z0-9_]+}} into %[[R]][%[[I]], 0] [16, 48] [1, 1]
func.func @map(%x: tensor<64x48xf32>, %w: tensor<65xf32>, %o: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %r = tang.map [i, j] ins(%x[i, j], %w[i + 1] : tensor<64x48xf32>, tensor<65xf32>) outs(%o : tensor<64x48xf32>) (%a: f32, %b: f32) {
    %i = tang.index 0
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.addf %a, %b : f32
    %q = arith.mulf %p, %f : f32
    tang.yield %q : f32
  }
  return %r : tensor<64x48xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.map"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %2 = transform.structured.tile_using_for %0 tile_sizes [16, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A reduce: reduced dimensions carry the state; the last step is shorter.
// CHECK-LABEL: func @reduce
// CHECK: scf.for %[[I:.*]] = {{.*}} step %c4 iter_args
// CHECK: scf.for %[[K:.*]] = {{.*}} step %c16 iter_args
// CHECK: %[[N:.*]] = affine.min #{{.*}}(%[[K]])
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = %[[N]]] ins(%{{[a-z0-9_]+}}[d0, d1] : tensor<4x?xf32>) outs(%{{[a-z0-9_]+}} : tensor<4xf32>)
func.func @reduce(%x: tensor<8x40xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = tang.reduce #tang.monoid<add> [i] over [k = 40] ins(%x[i, k] : tensor<8x40xf32>) outs(%o : tensor<8xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %2:2 = transform.structured.tile_using_for %0 tile_sizes [4, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Each step would start over from the constants.
func.func @reduce_init(%x: tensor<8x40xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has constant 'init': tile its reduced dimensions after materialising the initial tensor}}
  // expected-error@below {{faild to tile operation}}
  // expected-error@below {{failed to generate tiling loops}}
  %r = tang.reduce #tang.monoid<add> [i] over [k = 40] init(0.0 : f32) ins(%x[i, k] : tensor<8x40xf32>) outs(%o : tensor<8xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %2 = transform.structured.tile_using_for %0 tile_sizes [0, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A producer is fused into its consumer's loop: pointwise into a fold with constant `init`, whole along the fold.
// CHECK-LABEL: func @fuse
// CHECK: scf.forall (%{{[a-z0-9_]+}}) in (4)
// CHECK: tang.map {{.*}} : tensor<16x40xf32>)
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = 40] init(0xFF800000 : f32) ins(%{{[a-z0-9_]+}}[d0, d1] : tensor<16x40xf32>)
// CHECK: tensor.parallel_insert_slice
func.func @fuse(%x: tensor<64x40xf32>, %e: tensor<64x40xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %y = tang.map [i, j] ins(%x[i, j] : tensor<64x40xf32>) outs(%e : tensor<64x40xf32>) (%a: f32) {
    %b = math.exp %a : f32
    tang.yield %b : f32
  }
  %r = tang.reduce #tang.monoid<maximum> [i] over [k = 40] init(0xFF800000 : f32) ins(%y[i, k] : tensor<64x40xf32>) outs(%o : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_forall %0 tile_sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.structured.match ops{["tang.map"]} in %m : (!transform.any_op) -> !transform.any_op
    %3, %4 = transform.structured.fuse_into_containing_op %2 into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A fold in parts: identities, a partial fold with one more result dimension, and a merge. A state of two numbers
// splits like one of one. The index counts in the whole domain.
// CHECK-LABEL: func @argmax
// CHECK: tang.map [d0, d1] outs(%{{[a-z0-9_]+}} : tensor<8x16xf32>)
// CHECK-NEXT: arith.constant 0xFF800000 : f32
// CHECK: tang.map [d0, d1] outs(%{{[a-z0-9_]+}} : tensor<8x16xi32>)
// CHECK-NEXT: arith.constant 2147483647 : i32
// CHECK: scf.for %[[K:.*]] = {{.*}} step %c16
// CHECK: tang.reduce #tang.monoid<argmax> [d0, d1] over [] {{.*}}with(%[[K]] : index) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<8x?xf32>, tensor<8x?xi32>)
// CHECK: %[[I:.*]] = tang.index 1
// CHECK: arith.addi %[[I]], %{{[a-z0-9_]+}}
// CHECK: tang.reduce #tang.monoid<argmax> [d0] over [d1 = 16] ins(%{{[a-z0-9_#]+}}[d0, d1], %{{[a-z0-9_#]+}}[d0, d1] : tensor<8x16xf32>, tensor<8x16xi32>) outs(%arg1, %arg2 :
func.func @argmax(%x: tensor<8x40xf32>, %o: tensor<8xf32>, %p: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %r:2 = tang.reduce #tang.monoid<argmax> [i] over [k = 40] ins(%x[i, k] : tensor<8x40xf32>) outs(%o, %p : tensor<8xf32>, tensor<8xi32>) (%a: f32) {
    %k = tang.index 1
    %l = arith.index_cast %k : index to i32
    tang.yield %a, %l : f32, i32
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    %f:2, %1, %2, %3 = transform.structured.tile_reduction_using_for %0 by tile_sizes = [0, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The reduced dimension that is not split stays reduced; with constant `init` the merge starts from it.
// CHECK-LABEL: func @logsumexp
// CHECK: scf.for %{{[a-z0-9_]+}} = {{.*}} step %c5
// CHECK: tang.reduce #tang.monoid<logsumexp> [d0, d1] over [d2 = 40] ins(%{{[a-z0-9_]+}}[d0, d2, d1] : tensor<8x40x5xf32>) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<8x5xf32>, tensor<8x5xf32>)
// CHECK: tang.reduce #tang.monoid<logsumexp> [d0] over [d1 = 5] init(0xFF800000 : f32, 0.000000e+00 : f32) ins(
func.func @logsumexp(%x: tensor<8x40x10xf32>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = tang.reduce #tang.monoid<logsumexp> [i] over [k = 40, l = 10] init(0xFF800000 : f32, 0.0 : f32) ins(%x[i, k, l] : tensor<8x40x10xf32>) outs(%o, %o : tensor<8xf32>, tensor<8xf32>) (%a: f32) {
    %one = arith.constant 1.0 : f32
    tang.yield %a, %one : f32, f32
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    %f:2, %1, %2, %3 = transform.structured.tile_reduction_using_for %0 by tile_sizes = [0, 0, 5] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Parts are interleaved, which a fold that does not commute would notice.
func.func @affine(%x: tensor<40xf32>, %o: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error@below {{only a commutative monoid with an identity can be reduced in parts}}
  %r:2 = tang.reduce #tang.monoid<affine> [] over [k = 40] ins(%x[k] : tensor<40xf32>) outs(%o, %o : tensor<f32>, tensor<f32>) (%a: f32) { tang.yield %a, %a : f32, f32 }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error@below {{failed to tile using partial reduction}}
    %f:2, %1, %2, %3 = transform.structured.tile_reduction_using_for %0 by tile_sizes = [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A scan along the loop hands its state on; in other dimensions it is a map.
// CHECK-LABEL: func @scan
// CHECK: scf.for %[[I:.*]] = {{.*}} step %c2 iter_args
// CHECK: scf.for %[[T:.*]] = {{.*}} step %c8 iter_args
// CHECK: tang.scan #tang.monoid<add> [d0, d1] along d1 exclusive ins(%{{[a-z0-9_]+}}[d0, d1] : tensor<2x8xf32>) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<2x8xf32>, tensor<2xf32>)
// CHECK: tensor.insert_slice {{.*}}[%[[I]], %[[T]]] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x32xf32>
// CHECK: tensor.insert_slice {{.*}}[%[[I]]] [2] [1] : tensor<2xf32> into tensor<4xf32>
func.func @scan(%x: tensor<4x32xf32>, %p: tensor<4x32xf32>, %s: tensor<4xf32>) -> (tensor<4x32xf32>, tensor<4xf32>) {
  %r:2 = tang.scan #tang.monoid<add> [i, t] along t exclusive ins(%x[i, t] : tensor<4x32xf32>) outs(%p, %s : tensor<4x32xf32>, tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r#0, %r#1 : tensor<4x32xf32>, tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.scan"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %2:2 = transform.structured.tile_using_for %0 tile_sizes [2, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @scan_reverse(%x: tensor<4x32xf32>, %p: tensor<4x32xf32>, %s: tensor<4xf32>) -> (tensor<4x32xf32>, tensor<4xf32>) {
  // expected-error@below {{runs in reverse: its scanned dimension cannot be tiled by a forward loop}}
  // expected-error@below {{faild to tile operation}}
  // expected-error@below {{failed to generate tiling loops}}
  %r:2 = tang.scan #tang.monoid<add> [i, t] along t reverse ins(%x[i, t] : tensor<4x32xf32>) outs(%p, %s : tensor<4x32xf32>, tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r#0, %r#1 : tensor<4x32xf32>, tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.scan"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %2 = transform.structured.tile_using_for %0 tile_sizes [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A scatter may write anywhere: every step has the whole destination.
// CHECK-LABEL: func @scatter
// CHECK: scf.for %[[I:.*]] = {{.*}} step %c10 iter_args(%[[H:.*]] = %{{[a-z0-9_]+}}) -> (tensor<16xi32>) {
// CHECK: tang.scatter #tang.monoid<add> over [d0 = 10] {{.*}}ins(%{{[a-z0-9_]+}}[d0] : tensor<10xi32>) {{.*}}outs(%[[H]] : tensor<16xi32>)
func.func @scatter(%bin: tensor<100xi32>, %h: tensor<16xi32>) -> tensor<16xi32> {
  %r = tang.scatter #tang.monoid<add> over [i = 100] ins(%bin[i] : tensor<100xi32>) outs(%h : tensor<16xi32>) (%b: i32) {
    %k = arith.index_cast %b : i32 to index
    tang.yield %b, %k : i32, index
  }
  return %r : tensor<16xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tang.scatter"]} in %m : (!transform.any_op) -> !transform.any_op
    %1, %2 = transform.structured.tile_using_for %0 tile_sizes [10] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
