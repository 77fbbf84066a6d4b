// What is pure may go, merge and move; what writes buffers stays.
// RUN: tang-opt %s --cse --loop-invariant-code-motion --symbol-dce --inline | FileCheck %s

// CHECK: tang.monoid @used
// CHECK-NOT: @unused
tang.monoid @used attributes {sym_visibility = "private"} (%a: f32, %b: f32) { tang.yield %b : f32 }
tang.monoid @unused attributes {sym_visibility = "private"} (%a: f32, %b: f32) { tang.yield %b : f32 }

// CHECK-LABEL: func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<4xf32>, %s: tensor<f32>, %ids: tensor<4xi32>) {
  %0 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %1 = tang.reduce #tang.monoid<add> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  %2:2 = tang.scan #tang.monoid<add> [t] along t ins(%x[t] : tensor<4xf32>) outs(%x, %s : tensor<4xf32>, tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  %3 = tang.scatter over [i = 4] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) {
    %i = tang.index 0
    tang.yield %a, %i : f32, index
  }
  %4 = tang.gather %x[%ids] axis 0 : tensor<4xf32>, tensor<4xi32> -> tensor<4xf32>
  %5:2 = tang.sort %x dim 0 : tensor<4xf32> -> tensor<4xi32>
  %6:2 = tang.top_k %x dim 0 : tensor<4xf32> -> tensor<2xf32>, tensor<2xi32>
  %7:2 = tang.group_by %ids : tensor<4xi32> -> tensor<3xi32>, tensor<4xi32>
  return
}

// CHECK-LABEL: func @buffers
// CHECK-COUNT-2: tang.map
// CHECK: tang.scatter
func.func @buffers(%x: memref<4xf32>) {
  tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) (%a: f32) { tang.yield %a : f32 }
  tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) (%a: f32) { tang.yield %a : f32 }
  tang.scatter over [i = 4] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) (%a: f32) {
    %i = tang.index 0
    tang.yield %a, %i : f32, index
  }
  return
}

// Twice the same is the same.
// CHECK-LABEL: func @common
// CHECK: %[[R:.*]] = tang.map
// CHECK-NOT: tang.map
// CHECK: return %[[R]], %[[R]]
func.func @common(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %1 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Folds are total, so that they may move out of a loop that never runs.
// CHECK-LABEL: func @invariant
// CHECK: tang.reduce @used
// CHECK: scf.for
func.func @invariant(%x: tensor<4xf32>, %s: tensor<f32>, %n: index, %t: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %t) -> tensor<4xf32> {
    %u = tang.reduce @used [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
    %z = tang.map [j] ins(%u[], %y[j] : tensor<f32>, tensor<4xf32>) outs(%y : tensor<4xf32>) (%a: f32, %b: f32) {
      %p = arith.addf %a, %b : f32
      tang.yield %p : f32
    }
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @inlined
// CHECK-NOT: call
// CHECK: tang.map
// CHECK: tang.sort
// CHECK-NOT: func
func.func @inlined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %1:2 = tang.sort %0 dim 0 : tensor<4xf32> -> tensor<4xi32>
  return %1#0 : tensor<4xf32>
}
