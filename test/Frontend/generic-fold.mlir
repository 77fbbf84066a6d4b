// RUN: tang-opt %s --tang-import | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// A left fold that is no monoid keeps its order, and equal ones share a symbol.
// CHECK: tang.monoid @[[FOLD:[a-z_0-9]+]] attributes {{.*}} (%[[S:.*]]: f32, %[[X:.*]]: f32) {
// CHECK: %[[P:.*]] = arith.mulf %[[S]], %{{.*}} : f32
// CHECK: %[[R:.*]] = arith.addf %[[P]], %[[X]] : f32
// CHECK: tang.yield %[[R]]

// Every result by itself: a map, two sums (one counts), a left fold.
// CHECK-LABEL: func.func @several
// CHECK: tang.map [d0, d1]
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 5] ins(%arg0[d0, d1] :
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 5] outs(%arg3 :
// CHECK-NEXT: constant 1 : i32
// CHECK: tang.reduce @[[FOLD]] [d0] over [d1 = 5]
func.func @several(%x: tensor<4x5xf32>, %a: tensor<4x5xf32>, %b: tensor<4xf32>, %n: tensor<4xi32>, %d: tensor<4xf32>)
    -> (tensor<4x5xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
  %r:4 = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%a, %b, %n, %d : tensor<4x5xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
  ^bb0(%e: f32, %o: f32, %p: f32, %c: i32, %q: f32):
    %u = math.exp %e : f32
    %v = arith.addf %p, %e : f32
    %one = arith.constant 1 : i32
    %cc = arith.addi %c, %one : i32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %q, %half : f32
    %w = arith.addf %h, %e : f32
    linalg.yield %u, %v, %cc, %w : f32, f32, i32, f32
  } -> (tensor<4x5xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<4x5xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @same_fold
// CHECK: tang.reduce @[[FOLD]] [d0] over [d1 = 4]
func.func @same_fold(%x: tensor<4x5xf32>, %a: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [#tr, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%a : tensor<5xf32>) {
  ^bb0(%e: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %o, %half : f32
    %w = arith.addf %h, %e : f32
    linalg.yield %w : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// A window is an affine map; the operand that gives its size vanishes.
// CHECK-LABEL: func.func @window
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = 3] ins(%arg0[d0 * 2 + d1] : tensor<11xf32>)
// CHECK-NOT: tensor<3xf32>
func.func @window(%x: tensor<11xf32>, %a: tensor<5xf32>) -> tensor<5xf32> {
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<11xf32>, tensor<3xf32>) outs(%a : tensor<5xf32>) {
  ^bb0(%e: f32, %k: f32, %o: f32):
    %m = arith.maximumf %o, %e : f32
    linalg.yield %m : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// Compare and select is proved to be a minimum for the state that it starts from.
// CHECK-LABEL: func.func @select_minimum
// CHECK: tang.reduce #tang.monoid<minnum> [d0] over [d1 = 5] init(0x7F800000 : f32)
func.func @select_minimum(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%inf : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = arith.cmpf olt, %a, %o : f32
    %s = arith.select %l, %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// From a state that may be NaN, which it would keep, it is not.
// CHECK-LABEL: func.func @select_minimum_from_anything
// CHECK: tang.reduce @{{.*}} [d0] over [d1 = 5]
func.func @select_minimum_from_anything(%x: tensor<4x5xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = arith.cmpf olt, %a, %o : f32
    %s = arith.select %l, %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Computed indices of a result: in order, combining what is there.
// CHECK-LABEL: func.func @overlapping
// CHECK: tang.scatter #tang.monoid<add> over [d0 = 4, d1 = 5] ins(%arg0[d0, d1] :
func.func @overlapping(%x: tensor<4x5xf32>, %a: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i * 2 + j)>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%a : tensor<16xf32>) {
  ^bb0(%e: f32, %o: f32):
    %u = arith.addf %e, %o : f32
    linalg.yield %u : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// CHECK-LABEL: func.func @diagonal
// CHECK: tang.scatter over [d0 = 4]
func.func @diagonal(%x: tensor<4xf32>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%a : tensor<4x4xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// A state and its value at every point: a scan.
// CHECK-LABEL: func.func @running_sum
// CHECK: tang.scan #tang.monoid<add> [d0, d1] along d0 ins(%arg0[d1, d0] :
func.func @running_sum(%x: tensor<4x5xf32>, %a: tensor<5x4xf32>, %b: tensor<4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #tr, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%a, %b : tensor<5x4xf32>, tensor<4xf32>) {
  ^bb0(%e: f32, %o: f32, %s: f32):
    %u = arith.addf %s, %e : f32
    linalg.yield %u, %u : f32, f32
  } -> (tensor<5x4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<5x4xf32>, tensor<4xf32>
}

// What is computed from the state before a step takes the exclusive scan.
// CHECK-LABEL: func.func @before_each_step
// CHECK: %[[S:.*]]:2 = tang.scan #tang.monoid<add> [d0, d1] along d0 exclusive
// CHECK: tang.map [d0, d1] ins(%[[S]]#0[d0, d1], %arg0[d1, d0]
func.func @before_each_step(%x: tensor<4x5xf32>, %a: tensor<5x4xf32>, %b: tensor<4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #tr, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32>) outs(%a, %b : tensor<5x4xf32>, tensor<4xf32>) {
  ^bb0(%e: f32, %o: f32, %s: f32):
    %u = arith.addf %s, %e : f32
    %v = arith.mulf %u, %s : f32
    linalg.yield %v, %u : f32, f32
  } -> (tensor<5x4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<5x4xf32>, tensor<4xf32>
}
