// RUN: tang-opt %s --tang-import | FileCheck %s

// A value and where it was found: proved equal to a built-in monoid on every
// order of NaN, zeros, infinities and equal values, whatever its spelling.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// As JAX has it: NaN wins, then the lower index; the indices are an operand,
// made by a map.
// CHECK-LABEL: func.func @nan_wins
// CHECK: tang.reduce #tang.monoid<argmax> [d0] over [d1 = 7] init(0xFF800000 : f32, 0 : i32)
func.func @nan_wins(%x: tensor<3x7xf32>) -> tensor<3xi32> {
  %e = tensor.empty() : tensor<3x7xi32>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x7xi32>) {
  ^bb0(%o: i32):
    %k = linalg.index 1 : index
    %n = arith.index_cast %k : index to i32
    linalg.yield %n : i32
  } -> tensor<3x7xi32>
  %v0 = arith.constant dense<0xFF800000> : tensor<3xf32>
  %i0 = arith.constant dense<0> : tensor<3xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %iota : tensor<3x7xf32>, tensor<3x7xi32>) outs(%v0, %i0 : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%a: f32, %i: i32, %v: f32, %at: i32):
    %gt = arith.cmpf ogt, %v, %a : f32
    %nan = arith.cmpf une, %v, %v : f32
    %keep = arith.ori %gt, %nan : i1
    %eq = arith.cmpf oeq, %v, %a : f32
    %lt = arith.cmpi slt, %at, %i : i32
    %tie = arith.andi %eq, %lt : i1
    %old = arith.ori %keep, %tie : i1
    %nv = arith.select %keep, %v, %a : f32
    %ni = arith.select %old, %at, %i : i32
    linalg.yield %nv, %ni : f32, i32
  } -> (tensor<3xf32>, tensor<3xi32>)
  return %r#1 : tensor<3xi32>
}

// Strictly greater, the first of equals, index first in the state: NaN never wins.
// CHECK-LABEL: func.func @first_of_equals
// CHECK: %[[R:.*]]:2 = tang.reduce #tang.monoid<argmaxnum> [d0] over [d1 = 7] init(0xFF800000 : f32, 0 : i64)
// CHECK: return %[[R]]#1
func.func @first_of_equals(%x: tensor<3x7xf32>) -> tensor<3xi64> {
  %v0 = arith.constant dense<0xFF800000> : tensor<3xf32>
  %i0 = arith.constant dense<0> : tensor<3xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x7xf32>) outs(%i0, %v0 : tensor<3xi64>, tensor<3xf32>) {
  ^bb0(%a: f32, %at: i64, %v: f32):
    %k = linalg.index 1 : index
    %i = arith.index_cast %k : index to i64
    %gt = arith.cmpf ogt, %a, %v : f32
    %nv = arith.select %gt, %a, %v : f32
    %ni = arith.select %gt, %i, %at : i64
    linalg.yield %ni, %nv : i64, f32
  } -> (tensor<3xi64>, tensor<3xf32>)
  return %r#0 : tensor<3xi64>
}

// The last of equals is no built-in monoid.
// CHECK-LABEL: func.func @last_of_equals
// CHECK: tang.reduce @{{.*}} [d0] over [d1 = 7]
func.func @last_of_equals(%x: tensor<3x7xf32>) -> tensor<3xi32> {
  %v0 = arith.constant dense<0xFF800000> : tensor<3xf32>
  %i0 = arith.constant dense<0> : tensor<3xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x7xf32>) outs(%v0, %i0 : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%a: f32, %v: f32, %at: i32):
    %k = linalg.index 1 : index
    %i = arith.index_cast %k : index to i32
    %ge = arith.cmpf oge, %a, %v : f32
    %nv = arith.select %ge, %a, %v : f32
    %ni = arith.select %ge, %i, %at : i32
    linalg.yield %nv, %ni : f32, i32
  } -> (tensor<3xf32>, tensor<3xi32>)
  return %r#1 : tensor<3xi32>
}

// The first of equals in order of the points is the lowest index only if the
// indices grow; these are data.
// CHECK-LABEL: func.func @indices_are_data
// CHECK: tang.reduce @{{.*}} [d0] over [d1 = 7]
func.func @indices_are_data(%x: tensor<3x7xf32>, %ids: tensor<3x7xi32>) -> tensor<3xi32> {
  %v0 = arith.constant dense<0xFF800000> : tensor<3xf32>
  %i0 = arith.constant dense<0> : tensor<3xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %ids : tensor<3x7xf32>, tensor<3x7xi32>) outs(%v0, %i0 : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%a: f32, %i: i32, %v: f32, %at: i32):
    %gt = arith.cmpf ogt, %a, %v : f32
    %nv = arith.select %gt, %a, %v : f32
    %ni = arith.select %gt, %i, %at : i32
    linalg.yield %nv, %ni : f32, i32
  } -> (tensor<3xf32>, tensor<3xi32>)
  return %r#1 : tensor<3xi32>
}
