// RUN: tang-opt %s --tang-import --split-input-file | FileCheck %s

// lax.scan: i32, the index clamped again before each slice.
// CHECK-LABEL: func.func @cumsum
// CHECK-NOT: scf
// CHECK: %[[R:.*]]:2 = tang.scan #tang.monoid<add> [d0, d1] along d1 ins(%arg0[d0, d1] : tensor<4x37xf32>)
// CHECK: return %[[R]]#0
func.func @cumsum(%x: tensor<4x37xf32>, %s: tensor<4xf32>) -> tensor<4x37xf32> {
  %c0 = arith.constant 0 : index
  %c36 = arith.constant 36 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i37 = arith.constant 37 : i32
  %o = tensor.empty() : tensor<4x37xf32>
  %r:2 = scf.for %i = %i0 to %i37 step %i1 iter_args(%a = %s, %y = %o) -> (tensor<4xf32>, tensor<4x37xf32>) : i32 {
    %k = arith.index_cast %i : i32 to index
    %l = arith.maxsi %k, %c0 : index
    %t = arith.minsi %l, %c36 : index
    %e = tensor.extract_slice %x[0, %t] [4, 1] [1, 1] : tensor<4x37xf32> to tensor<4x1xf32>
    %c = tensor.collapse_shape %e [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %n = arith.addf %c, %a : tensor<4xf32>
    %w = tensor.expand_shape %n [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %z = tensor.insert_slice %w into %y[0, %t] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x37xf32>
    scf.yield %n, %z : tensor<4xf32>, tensor<4x37xf32>
  }
  return %r#1 : tensor<4x37xf32>
}

// -----

// From the end, with a decay (a left fold), the output computed from the state
// before the step.
// CHECK: tang.monoid @[[FOLD:.*]] attributes
// CHECK-LABEL: func.func @reverse_decay
// CHECK: %[[S:.*]]:2 = tang.scan @[[FOLD]] [d0, d1] along d0 reverse exclusive ins(%arg1[d0, d1], %arg0[d0, d1] :
// CHECK: tang.map [d0, d1] ins(%[[S]]#0[d0, d1], %arg1[d0, d1] :
func.func @reverse_decay(%x: tensor<9x4xf32>, %g: tensor<9x4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %o = tensor.empty() : tensor<9x4xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %s, %y = %o) -> (tensor<4xf32>, tensor<9x4xf32>) {
    %t = arith.subi %c8, %i : index
    %e = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %d = tensor.extract_slice %g[%t, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %m = arith.mulf %d, %a : tensor<4xf32>
    %n = arith.addf %m, %e : tensor<4xf32>
    %z = tensor.insert_slice %m into %y[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
    scf.yield %n, %z : tensor<4xf32>, tensor<9x4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<9x4xf32>
}

// -----

// Only the last state is wanted: a reduction.
// CHECK-LABEL: func.func @fold
// CHECK-NOT: scf
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = 9] ins(%arg0[d1, d0] : tensor<9x4xf32>) outs(%arg1 :
func.func @fold(%x: tensor<9x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %s) -> (tensor<4xf32>) {
    %e = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %n = arith.maximumf %a, %e : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A reduction in each step, a shifted state, a slice written elsewhere: loops.
// CHECK-LABEL: func.func @matrix_state
// CHECK: scf.for
func.func @matrix_state(%x: tensor<9x4xf32>, %m: tensor<4x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %s) -> (tensor<4xf32>) {
    %e = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %n = linalg.matvec ins(%m, %a : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @shifted_state
// CHECK: scf.for
func.func @shifted_state(%x: tensor<9x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %s) -> (tensor<4xf32>) {
    %h = tensor.extract_slice %a[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
    %e = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %n = tensor.insert_slice %h into %e[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @half_written
// CHECK: scf.for
func.func @half_written(%x: tensor<9x4xf32>, %s: tensor<4xf32>, %o: tensor<18x4xf32>) -> tensor<18x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %s, %y = %o) -> (tensor<4xf32>, tensor<18x4xf32>) {
    %e = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %n = arith.addf %a, %e : tensor<4xf32>
    %z = tensor.insert_slice %n into %y[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<18x4xf32>
    scf.yield %n, %z : tensor<4xf32>, tensor<18x4xf32>
  }
  return %r#1 : tensor<18x4xf32>
}
