// The size of a result is known from operands, without computing the result.
// RUN: tang-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @structured
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[O:.*]]: tensor<?xf32>
// CHECK-DAG: %[[A:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[B:.*]] = tensor.dim %[[O]], %c0
// CHECK: return %[[A]], %[[B]], %[[B]], %[[B]]
func.func @structured(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tang.map [i, j] ins(%x[i, j] : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) (%a: f32) { tang.yield %a : f32 }
  %r = tang.reduce #tang.monoid<add> [i] over [k = 4] ins(%x[i, k] : tensor<?x?xf32>) outs(%o : tensor<?xf32>) (%a: f32) { tang.yield %a : f32 }
  %p, %s = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<?x?xf32>) outs(%x, %o : tensor<?x?xf32>, tensor<?xf32>) (%a: f32) { tang.yield %a : f32 }
  %w = tang.scatter over [i = 4] ins(%x[i, i] : tensor<?x?xf32>) outs(%o : tensor<?xf32>) (%a: f32) {
    %i = tang.index 0
    tang.yield %a, %i : f32, index
  }
  %dm = tensor.dim %m, %c1 : tensor<?x?xf32>
  %dr = tensor.dim %r, %c0 : tensor<?xf32>
  %ds = tensor.dim %s, %c0 : tensor<?xf32>
  %dw = tensor.dim %w, %c0 : tensor<?xf32>
  return %dm, %dr, %ds, %dw : index, index, index, index
}

// gather: source before the axis, indices beyond the batch, source after the axis.
// CHECK-LABEL: func @gather
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?xf32>, %[[I:.*]]: tensor<?x?xi32>
// CHECK-DAG: %[[A:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[B:.*]] = tensor.dim %[[I]], %c1
// CHECK-DAG: %[[C:.*]] = tensor.dim %[[X]], %c2
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @gather(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %g = tang.gather %x[%i] axis 1 batch 1 : tensor<?x?x?xf32>, tensor<?x?xi32> -> tensor<?x?x?xf32>
  %a = tensor.dim %g, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %g, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %g, %c2 : tensor<?x?x?xf32>
  return %a, %b, %c : index, index, index
}

// CHECK-LABEL: func @others
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[I:.*]]: tensor<?xi32>
// CHECK-DAG: %[[A:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[B:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[C:.*]] = tensor.dim %[[I]], %c0
// CHECK: return %[[B]], %[[A]], %[[C]]
func.func @others(%x: tensor<?x?xf32>, %i: tensor<?xi32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s, %p = tang.sort %x dim 0 : tensor<?x?xf32> -> tensor<?x?xi32>
  %v, %w = tang.top_k %x dim 1 : tensor<?x?xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %o, %m = tang.group_by %i : tensor<?xi32> -> tensor<5xi32>, tensor<?xi32>
  %a = tensor.dim %p, %c1 : tensor<?x?xi32>
  %b = tensor.dim %w, %c0 : tensor<?x2xi32>
  %c = tensor.dim %m, %c0 : tensor<?xi32>
  return %a, %b, %c : index, index, index
}
