// RUN: tang-opt %s --tang-import | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>

// Each permutation of the result is a map of its own; loops are renamed to the
// result's dimensions, and a result that is read is an operand.
// CHECK-LABEL: func.func @permuted
// CHECK: tang.map [d0, d1] ins(%arg0[d0, d1], %arg1[d0, d1] :
// CHECK: tang.map [d0, d1] ins(%arg2[d0, d1] : {{.*}}) with(%arg3 : f32)
// CHECK-NEXT: tang.index 1
func.func @permuted(%x: tensor<4x5xf32>, %a: tensor<4x5xf32>, %b: tensor<5x4xf32>, %s: f32)
    -> (tensor<4x5xf32>, tensor<5x4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #tr], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf32>) outs(%a, %b : tensor<4x5xf32>, tensor<5x4xf32>) {
  ^bb0(%e: f32, %o: f32, %p: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %u = arith.addf %e, %o : f32
    %v = arith.mulf %p, %s : f32
    %w = arith.addf %v, %f : f32
    linalg.yield %u, %w : f32, f32
  } -> (tensor<4x5xf32>, tensor<5x4xf32>)
  return %r#0, %r#1 : tensor<4x5xf32>, tensor<5x4xf32>
}

// A constant index where the size is 1 is a dimension too.
// CHECK-LABEL: func.func @unit_dimension
// CHECK: tang.map [d0, d1] ins(%arg0[d1, 0] : tensor<4x1xf32>)
func.func @unit_dimension(%x: tensor<4x1xf32>, %a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (0, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x1xf32>) outs(%a : tensor<1x4xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

// Branches are speculated, with their reads guarded; sizes and constant
// tensors are made outside; what the host would read is read in the body.
// CHECK-LABEL: func.func @branches
// CHECK: %[[SIZE:.*]] = tensor.dim %arg1
// CHECK: tang.map [d0] ins(%arg3[] : tensor<i32>) with(%[[SIZE]], %arg2, %arg0, %arg1 :
// CHECK: %[[I:.*]] = tang.index 0
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[IN]], %[[C:.*]] : i1
// CHECK: %[[A:.*]] = tang.at %{{.*}}[%[[I]]] if %[[BOTH]]
// CHECK: %[[NOT:.*]] = arith.xori %[[C]]
// CHECK: %[[OTHER:.*]] = arith.andi %[[IN]], %[[NOT]]
// CHECK: %[[B:.*]] = tang.at %{{.*}}[%[[I]]] if %[[OTHER]]
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[A]], %[[B]]
// CHECK: arith.select %[[IN]], %[[S]]
func.func @branches(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1, %n: tensor<i32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %host = tensor.extract %n[] : tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %z = arith.constant 0 : index
    %size = tensor.dim %y, %z : tensor<?xf32>
    %in = arith.cmpi slt, %i, %size : index
    %v = scf.if %in -> f32 {
      %w = scf.if %c -> f32 {
        %a = tensor.extract %x[%i] : tensor<?xf32>
        scf.yield %a : f32
      } else {
        %b = tensor.extract %y[%i] : tensor<?xf32>
        scf.yield %b : f32
      }
      scf.yield %w : f32
    } else {
      %q = arith.sitofp %host : i32 to f32
      scf.yield %q : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Reads at affine indices in range are operands; of a constant, constants.
// CHECK-LABEL: func.func @affine_reads
// CHECK: %[[T:.*]] = arith.constant dense<[1.0{{.*}}, 2.0{{.*}}, 4.0{{.*}}]>
// CHECK: tang.map [d0] ins(%arg0[-d0 + 2], %[[T]][d0] :
// CHECK-NOT: tang.at
// CHECK: constant 2.0
func.func @affine_reads(%x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<3xf32>) {
  ^bb0(%o: f32):
    %t = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %i = linalg.index 0 : index
    %c1 = arith.constant 1 : index
    %a = tensor.extract %t[%i] : tensor<3xf32>
    %b = tensor.extract %t[%c1] : tensor<3xf32>
    %j = affine.apply affine_map<(d0) -> (2 - d0)>(%i)
    %c = tensor.extract %x[%j] : tensor<3xf32>
    %s = arith.addf %a, %b : f32
    %u = arith.addf %s, %c : f32
    linalg.yield %u : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// One more than the last index: the read stays guarded.
// CHECK-LABEL: func.func @read_outside
// CHECK: tang.at
func.func @read_outside(%x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c1 = arith.constant 1 : index
    %j = arith.addi %i, %c1 : index
    %c = tensor.extract %x[%j] : tensor<3xf32>
    linalg.yield %c : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
