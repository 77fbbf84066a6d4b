// RUN: tang-opt %s --tang-import --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @counting_while
// CHECK: scf.for %{{.*}} = %c0 to %arg1 step %c1
func.func @counting_while(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %t = %x) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %p = arith.cmpi slt, %i, %n : index
    scf.condition(%p) %i, %t : index, tensor<4xf32>
  } do {
  ^bb0(%i: index, %t: tensor<4xf32>):
    %j = arith.addi %i, %c1 : index
    %u = arith.addf %t, %t : tensor<4xf32>
    scf.yield %j, %u : index, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @switch
// CHECK: arith.cmpi eq, %arg1, %c2
// CHECK: scf.if
// CHECK: else
// CHECK: arith.cmpi eq, %arg1, %c5
// CHECK: scf.if
func.func @switch(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = scf.index_switch %n -> tensor<4xf32>
  case 2 {
    %u = arith.addf %x, %x : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  case 5 {
    scf.yield %x : tensor<4xf32>
  }
  default {
    %u = arith.mulf %x, %x : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Its iterations write disjoint slices: a loop, and then, since all of it is
// pointwise, a map.
// CHECK-LABEL: func.func @forall
// CHECK-NOT: scf
// CHECK: tang.map [d0, d1] ins(%arg0[d0, d1] : tensor<4x8xf32>)
func.func @forall(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%a = %o) -> (tensor<4x8xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %u = arith.addf %s, %s : tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %a[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @branches
// CHECK: scf.if %arg1
func.func @branches(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.cond_br %c, ^a, ^b(%x : tensor<4xf32>)
^a:
  %u = arith.addf %x, %x : tensor<4xf32>
  cf.br ^b(%u : tensor<4xf32>)
^b(%y: tensor<4xf32>):
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @loop_of_branches
// CHECK: scf.for %{{.*}} = %c0_i32 to %arg1 step %c1_i32
func.func @loop_of_branches(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^h(%c0, %x : i32, tensor<4xf32>)
^h(%i: i32, %t: tensor<4xf32>):
  %p = arith.cmpi slt, %i, %n : i32
  cf.cond_br %p, ^b, ^e
^b:
  %u = arith.addf %t, %t : tensor<4xf32>
  %j = arith.addi %i, %c1 : i32
  cf.br ^h(%j, %u : i32, tensor<4xf32>)
^e:
  return %t : tensor<4xf32>
}

// -----

// A bound that a map computes is computed on the host.
// CHECK-LABEL: func.func @bound_from_map
// CHECK: %[[N:.*]] = tensor.extract %arg1[]
// CHECK: %[[M:.*]] = arith.addi %[[N]], %{{.*}} : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]]
func.func @bound_from_map(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1> : tensor<i32>
  %m = arith.addi %n, %one : tensor<i32>
  %k = tensor.extract %m[] : tensor<i32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%t = %x) -> tensor<4xf32> : i32 {
    %u = arith.mulf %t, %t : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Calls are inlined, private functions go, and so do attributes of dialects
// that are not loaded.
// CHECK: module @calls {
// CHECK-NEXT: func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NOT: call
// CHECK: arith.negf
module @calls attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<4xf32> {mhlo.sharding = "a"}) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %r = call @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func private @neg(%x: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
    %r = arith.negf %x : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
// CHECK-NOT: @neg
