// Indirect operations leave nothing but maps, folds and scatters.
// RUN: tang-opt %s --tang-decompose --canonicalize --cse --verify-each | FileCheck %s
// RUN: tang-opt %s --tang-decompose | FileCheck %s --check-prefix=NONE

// NONE-NOT: tang.{{gather|sort|top_k|group_by}}

// Batch dimensions are the index tensor's first; those after the axis follow its rest. An index outside gives zero.
// CHECK-LABEL: func @gather
// CHECK: tang.map [d0, d1, d2, d3] ins(%[[I:[a-z0-9]+]][d0, d1, d2] : tensor<2x3x?xi32>) with(%[[X:[a-z0-9]+]] : tensor<2x?x8xf16>)
// CHECK-SAME: (%[[K:[a-z0-9]+]]: i32, %[[S:[a-z0-9]+]]: tensor<2x?x8xf16>) {
// CHECK-DAG: %[[B:.*]] = tang.index 0
// CHECK-DAG: %[[A:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK-DAG: %[[D:.*]] = tang.index 3
// CHECK: tang.at %[[S]][%[[B]], %[[A]], %[[D]]] : tensor<2x?x8xf16>
func.func @gather(%x: tensor<2x?x8xf16>, %i: tensor<2x3x?xi32>) -> tensor<2x3x?x8xf16> {
  %a = tang.gather %x[%i] axis 1 batch 1 : tensor<2x?x8xf16>, tensor<2x3x?xi32> -> tensor<2x3x?x8xf16>
  return %a : tensor<2x3x?x8xf16>
}

// One index gives one slice: the dimension is dropped. The result's static type is kept.
// CHECK-LABEL: func @gather_one
// CHECK: tang.map [d0] ins(%[[I:[a-z0-9]+]][] : tensor<index>) with(
// CHECK: %[[D:.*]] = tang.index 0
// CHECK: tang.at %{{.*}}[%{{.*}}, %[[D]]] : tensor<9x?xf16>
// CHECK: tensor.cast %{{.*}} : tensor<?xf16> to tensor<8xf16>
func.func @gather_one(%x: tensor<9x?xf16>, %i: tensor<index>) -> tensor<8xf16> {
  %a = tang.gather %x[%i] axis 0 : tensor<9x?xf16>, tensor<index> -> tensor<8xf16>
  return %a : tensor<8xf16>
}

// An element's place is the number of elements before it: greater, or equal and earlier; NaN comes last.
// CHECK-LABEL: func @sort
// CHECK: %[[R:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = %[[N:[a-z0-9_]+]]] init(0 : i64) ins(%[[X:.*]][d0, d1], %[[X]][d0, d2] :
// CHECK-SAME: (%[[OWN:[a-z0-9]+]]: f32, %[[OTHER:[a-z0-9]+]]: f32) {
// CHECK-DAG: arith.cmpf ogt, %[[OTHER]], %[[OWN]]
// CHECK-DAG: arith.cmpf oeq, %[[OTHER]], %[[OWN]]
// CHECK-DAG: arith.cmpf une, %[[OWN]], %[[OWN]]
// CHECK-DAG: arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: tang.scatter over [d0 = 4, d1 = %[[N]]] unique ins(%[[X]][d0, d1], %[[R]][d0, d1] :
func.func @sort(%x: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xi32>) {
  %s, %p = tang.sort %x dim 1 descending : tensor<4x?xf32> -> tensor<4x?xi32>
  return %s, %p : tensor<4x?xf32>, tensor<4x?xi32>
}

// CHECK-LABEL: func @sort_ascending
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i16
func.func @sort_ascending(%x: tensor<5xi16>) -> tensor<5xi16> {
  %s, %p = tang.sort %x dim 0 : tensor<5xi16> -> tensor<5xi32>
  return %s : tensor<5xi16>
}

// k rounds, each of which takes the best of those after the last one taken.
// CHECK-LABEL: func @top_k
// CHECK: scf.for %[[ROUND:.*]] = %c0 to %c2 step %c1 iter_args(%[[V:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}}, %[[VS:.*]] = %{{.*}}, %[[IS:.*]] = %{{.*}}) -> (tensor<4xi8>, tensor<4xi64>, tensor<2x4xi8>, tensor<2x4xi32>) {
// CHECK: tang.reduce #tang.monoid<argmax> [d0] over [d1 = 9] init(-128 : i8, 9223372036854775807 : i64)
// CHECK-SAME: ins(%{{.*}}[d1, d0], %[[V]][d0], %[[I]][d0] :
// CHECK: tang.scatter over [d0 = 4] unique {{.*}} with(%[[ROUND]] : index) outs(%[[VS]], %[[IS]] :
func.func @top_k(%x: tensor<9x4xi8>) -> (tensor<2x4xi8>, tensor<2x4xi32>) {
  %v, %i = tang.top_k %x dim 0 : tensor<9x4xi8> -> tensor<2x4xi8>, tensor<2x4xi32>
  return %v, %i : tensor<2x4xi8>, tensor<2x4xi32>
}

// Of rank 1 the state has rank 0; no best element at all is k = 0.
// CHECK-LABEL: func @top_k_rank_1
// CHECK: tang.reduce #tang.monoid<argmax> [] over [d0 = %{{.*}}] init(0xFF800000 : f32,
func.func @top_k_rank_1(%x: tensor<?xf32>) -> (tensor<2xf32>, tensor<2xi64>, tensor<0xf32>) {
  %v, %i = tang.top_k %x dim 0 : tensor<?xf32> -> tensor<2xf32>, tensor<2xi64>
  %w, %j = tang.top_k %x dim 0 : tensor<?xf32> -> tensor<0xf32>, tensor<0xi64>
  return %v, %i, %w : tensor<2xf32>, tensor<2xi64>, tensor<0xf32>
}

// Counts, their prefix sums, and each member's place: its group's start and how many earlier ones share the key. Keys
// outside of [0, 4) count nowhere, and the rest of the members is -1.
// CHECK-LABEL: func @group_by
// CHECK: %[[C:.*]] = tang.scatter #tang.monoid<add> over [d0 = %[[N:[a-z0-9_]+]]] ins(%[[K:[a-z0-9]+]][d0] : tensor<?xi32>)
// CHECK: %[[O:.*]]:2 = tang.scan #tang.monoid<add> [d0] along d0 ins(%[[C]][d0] : tensor<5xi32>)
// CHECK: %[[E:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = %[[N]]] init(0 : i64) ins(%[[K]][d0], %[[K]][d1] :
// CHECK: arith.constant -1 : i64
// CHECK: %[[M:.*]] = tang.scatter over [d0 = %[[N]]] unique ins(%[[K]][d0], %[[E]][d0] : {{.*}}) with(%[[O]]#0 : tensor<5xi32>)
// CHECK: return %[[O]]#0, %[[M]]
func.func @group_by(%e: tensor<?xi32>) -> (tensor<5xi32>, tensor<?xi64>) {
  %o, %m = tang.group_by %e : tensor<?xi32> -> tensor<5xi32>, tensor<?xi64>
  return %o, %m : tensor<5xi32>, tensor<?xi64>
}
