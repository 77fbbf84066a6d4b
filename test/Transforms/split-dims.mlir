// Reshapes between operations become dimensions of these operations, or indices.
// RUN: tang-opt %s --tang-fuse-maps --canonicalize --cse --split-input-file --verify-each | FileCheck %s

//===----------------------------------------------------------------------===//
// What is split
//===----------------------------------------------------------------------===//

// The columns of a contraction become (head, column) where they are computed.
// CHECK-LABEL: func @reduction
// CHECK: %[[R:.*]] = tang.reduce #tang.monoid<add> [d0, d1, d2] over [d3 = 32] init({{.*}}) ins(%arg0[d0, d3], %arg1[d3, d1 * 8 + d2] : tensor<4x32xf32>, tensor<32x64xf32>) outs(%{{.*}} : tensor<4x8x8xf32>)
// CHECK-NOT: expand_shape
// CHECK: return %[[R]]
func.func @reduction(%a: tensor<4x32xf32>, %b: tensor<32x64xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = tang.reduce #tang.monoid<add> [i, h] over [k = 32] init(0.0 : f32) ins(%a[i, k], %b[k, h] : tensor<4x32xf32>, tensor<32x64xf32>) outs(%e : tensor<4x64xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  return %y : tensor<4x8x8xf32>
}

// -----

// An index of the old dimension is a sum of the new ones; a dynamic size beside does not matter.
// CHECK-LABEL: func @map_index
// CHECK: tang.map [d0, d1, d2, d3] ins(%arg0[d0, d1 * 32 + d2 * 8 + d3] : tensor<?x64xf32>) outs(%{{.*}} : tensor<?x2x4x8xf32>)
// CHECK-DAG: %[[A:.*]] = tang.index 1
// CHECK-DAG: %[[B:.*]] = tang.index 2
// CHECK-DAG: %[[C:.*]] = tang.index 3
// CHECK: %[[A4:.*]] = arith.muli %[[A]], %c4
// CHECK: %[[AB:.*]] = arith.addi %[[A4]], %[[B]]
// CHECK: %[[AB8:.*]] = arith.muli %[[AB]], %c8
// CHECK: arith.addi %[[AB8]], %[[C]]
// CHECK-NOT: expand_shape
func.func @map_index(%a: tensor<?x64xf32>, %n: index) -> tensor<?x2x4x8xf32> {
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) (%u: f32) {
    %h = tang.index 1
    %g = arith.index_cast %h : index to i32
    %f = arith.sitofp %g : i32 to f32
    %p = arith.mulf %u, %f : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2, 3]] output_shape [%n, 2, 4, 8] : tensor<?x64xf32> into tensor<?x2x4x8xf32>
  return %y : tensor<?x2x4x8xf32>
}

// -----

// The outermost of the new dimensions has no stride: its size may be known at run time only.
// CHECK-LABEL: func @dynamic_outer
// CHECK: tang.map [d0, d1, d2] ins(%arg0[d0, d1 * 8 + d2] : tensor<4x?xf32>) outs(%{{.*}} : tensor<4x?x8xf32>)
// CHECK-NOT: expand_shape
func.func @dynamic_outer(%a: tensor<4x?xf32>, %n: index, %m: index) -> tensor<4x?x8xf32> {
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) (%u: f32) {
    %p = math.exp %u : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, %m, 8] : tensor<4x?xf32> into tensor<4x?x8xf32>
  return %y : tensor<4x?x8xf32>
}

// -----

// A read through collapse_shape, where each term of the index belongs to one of the old dimensions.
// CHECK-LABEL: func @collapse
// CHECK-NOT: collapse_shape
// CHECK: tang.map [d0, d1, d2, d3] ins(%arg0[d0, d1 * 4 + d2, d3] : tensor<4x8x8xf32>)
// CHECK: tang.map [d0, d1, d2] ins(%arg0[d0, d2, d1] : tensor<4x8x8xf32>)
func.func @collapse(%x: tensor<4x8x8xf32>) -> (tensor<4x2x4x8xf32>, tensor<4x8x8xf32>) {
  %e = tensor.empty() : tensor<4x2x4x8xf32>
  %f = tensor.empty() : tensor<4x8x8xf32>
  %u = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x8x8xf32> into tensor<4x64xf32>
  %r = tang.map [i, a, b, c] ins(%u[i, a * 32 + b * 8 + c] : tensor<4x64xf32>) outs(%e : tensor<4x2x4x8xf32>) (%v: f32) {
    %n = arith.negf %v : f32
    tang.yield %n : f32
  }
  %s = tang.map [i, a, b] ins(%u[i, b * 8 + a] : tensor<4x64xf32>) outs(%f : tensor<4x8x8xf32>) (%v: f32) {
    %n = math.exp %v : f32
    tang.yield %n : f32
  }
  return %r, %s : tensor<4x2x4x8xf32>, tensor<4x8x8xf32>
}

// -----

// Two readers that want the same shape.
// CHECK-LABEL: func @same_shape_twice
// CHECK: %[[R:.*]] = tang.map [d0, d1, d2]
// CHECK-NOT: expand_shape
// CHECK: return %[[R]], %[[R]]
func.func @same_shape_twice(%a: tensor<4x64xf32>) -> (tensor<4x8x8xf32>, tensor<4x8x8xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) (%u: f32) {
    %p = math.exp %u : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  %z = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  return %y, %z : tensor<4x8x8xf32>, tensor<4x8x8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// What is not
//===----------------------------------------------------------------------===//

// Somebody reads the old shape.
// CHECK-LABEL: func @other_reader
// CHECK: %[[R:.*]] = tang.map [d0, d1]
// CHECK: tensor.expand_shape %[[R]]
func.func @other_reader(%a: tensor<4x64xf32>) -> (tensor<4x8x8xf32>, tensor<4x64xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) (%u: f32) {
    %p = math.exp %u : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  return %y, %r : tensor<4x8x8xf32>, tensor<4x64xf32>
}

// -----

// Two readers want different shapes.
// CHECK-LABEL: func @other_shape
// CHECK: %[[R:.*]] = tang.map [d0, d1]
// CHECK-COUNT-2: tensor.expand_shape %[[R]]
func.func @other_shape(%a: tensor<4x64xf32>) -> (tensor<4x8x8xf32>, tensor<4x4x16xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) (%u: f32) {
    %p = math.exp %u : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  %z = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 4, 16] : tensor<4x64xf32> into tensor<4x4x16xf32>
  return %y, %z : tensor<4x8x8xf32>, tensor<4x4x16xf32>
}

// -----

// The stride of a new dimension is not known, so that the index would not be affine.
// CHECK-LABEL: func @dynamic_stride
// CHECK: %[[R:.*]] = tang.map [d0, d1]
// CHECK: tensor.expand_shape %[[R]]
func.func @dynamic_stride(%a: tensor<4x?xf32>, %n: index, %m: index) -> tensor<4x8x?xf32> {
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) (%u: f32) {
    %p = math.exp %u : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, %m] : tensor<4x?xf32> into tensor<4x8x?xf32>
  return %y : tensor<4x8x?xf32>
}

// -----

// The size is computed after the map stands.
// CHECK-LABEL: func @late_size
// CHECK: %[[R:.*]] = tang.map [d0, d1]
// CHECK: tensor.expand_shape %[[R]]
func.func @late_size(%a: tensor<4x?xf32>, %n: index) -> tensor<4x?x8xf32> {
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %r = tang.map [i, h] ins(%a[i, h] : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) (%u: f32) {
    %p = math.exp %u : f32
    tang.yield %p : f32
  }
  %c8 = arith.constant 8 : index
  %m = arith.divui %n, %c8 : index
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, %m, 8] : tensor<4x?xf32> into tensor<4x?x8xf32>
  return %y : tensor<4x?x8xf32>
}

// -----

// A fold that starts from a tensor has the tensor's shape.
// CHECK-LABEL: func @start
// CHECK: %[[R:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 32]
// CHECK: tensor.expand_shape %[[R]]
func.func @start(%a: tensor<4x32xf32>, %b: tensor<32x64xf32>, %o: tensor<4x64xf32>) -> tensor<4x8x8xf32> {
  %r = tang.reduce #tang.monoid<add> [i, h] over [k = 32] ins(%a[i, k], %b[k, h] : tensor<4x32xf32>, tensor<32x64xf32>) outs(%o : tensor<4x64xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf32> into tensor<4x8x8xf32>
  return %y : tensor<4x8x8xf32>
}

// -----

// One dimension over both old ones; 16 columns over rows of 8; rows whose length is not known.
// CHECK-LABEL: func @collapse_not
// CHECK-DAG: %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK-DAG: %[[Y:.*]] = tensor.collapse_shape %arg2
// CHECK: tang.map [d0, d1] ins(%[[X]][d0, d1] :
// CHECK: tang.map [d0, d1, d2] ins(%[[X]][d0, d1 * 16 + d2] :
// CHECK: tang.map [d0, d1, d2] ins(%[[Y]][d0, d1 * 8 + d2] :
func.func @collapse_not(%x: tensor<4x8x8xf32>, %n: index, %y: tensor<4x8x?xf32>) -> (tensor<4x64xf32>, tensor<4x4x16xf32>, tensor<4x8x8xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %f = tensor.empty() : tensor<4x4x16xf32>
  %g = tensor.empty() : tensor<4x8x8xf32>
  %u = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x8x8xf32> into tensor<4x64xf32>
  %w = tensor.collapse_shape %y [[0], [1, 2]] : tensor<4x8x?xf32> into tensor<4x?xf32>
  %r = tang.map [i, a] ins(%u[i, a] : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) (%v: f32) {
    %m = arith.negf %v : f32
    tang.yield %m : f32
  }
  %s = tang.map [i, a, b] ins(%u[i, a * 16 + b] : tensor<4x64xf32>) outs(%f : tensor<4x4x16xf32>) (%v: f32) {
    %m = math.exp %v : f32
    tang.yield %m : f32
  }
  %t = tang.map [i, a, b] ins(%w[i, a * 8 + b] : tensor<4x?xf32>) outs(%g : tensor<4x8x8xf32>) (%v: f32) {
    %m = math.exp %v : f32
    tang.yield %m : f32
  }
  return %r, %s, %t : tensor<4x64xf32>, tensor<4x4x16xf32>, tensor<4x8x8xf32>
}
