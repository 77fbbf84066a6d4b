// RUN: tang-opt %s --tang-import --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @slices
// CHECK: tang.map [d0, d1] ins(%arg0[d0 * 3 + 1, d1 + 2] : tensor<8x9xf32>)
// CHECK: cf.assert %{{.*}}, "tensor.extract_slice: the slice along dimension 1 is out of bounds"
// CHECK: tang.map [d0] symbols(s0 = %arg1, s1 = %arg3) ins(%arg0[3, d0 * s1 + s0] : tensor<8x9xf32>)
func.func @slices(%x: tensor<8x9xf32>, %o: index, %n: index, %s: index) -> (tensor<2x4xf32>, tensor<?xf32>) {
  %a = tensor.extract_slice %x[1, 2] [2, 4] [3, 1] : tensor<8x9xf32> to tensor<2x4xf32>
  %b = tensor.extract_slice %x[3, %o] [1, %n] [1, %s] : tensor<8x9xf32> to tensor<?xf32>
  return %a, %b : tensor<2x4xf32>, tensor<?xf32>
}

// -----

// An offset that is clamped into range needs no check.
// CHECK-LABEL: func.func @clamped
// CHECK-NOT: cf.assert
// CHECK: tang.map [d0] symbols(s0 = %{{.*}}) ins(%arg0[s0, d0] : tensor<8x9xf32>)
func.func @clamped(%x: tensor<8x9xf32>, %i: i32) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %k = arith.index_cast %i : i32 to index
  %l = arith.maxsi %k, %c0 : index
  %m = arith.minsi %l, %c7 : index
  %a = tensor.extract_slice %x[%m, 0] [1, 9] [1, 1] : tensor<8x9xf32> to tensor<9xf32>
  return %a : tensor<9xf32>
}

// -----

// CHECK-LABEL: func.func @inserts
// CHECK: tang.scatter over [d0 = 2, d1 = 3] unique ins(%arg1[d0, d1] : tensor<2x3xf32>) outs(%arg0 :
// CHECK: tang.scatter over [] unique with(%arg2, %arg3 : f32, index) outs(%arg0 :
func.func @inserts(%x: tensor<4x6xf32>, %y: tensor<2x3xf32>, %v: f32, %i: index) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %a = tensor.insert_slice %y into %x[1, 2] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
  %b = tensor.insert %v into %x[%i, %i] : tensor<4x6xf32>
  return %a, %b : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Padding with zero is what tang.at gives outside.
// CHECK-LABEL: func.func @pad_zero
// CHECK: tang.map [d0] with(%arg0 : tensor<3xf32>)
// CHECK: tang.at
// CHECK-NOT: arith.select
// CHECK: tang.yield
func.func @pad_zero(%x: tensor<3xf32>) -> tensor<6xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<3xf32> to tensor<6xf32>
  return %a : tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @pad_computed
// CHECK: %[[T:.*]] = arith.addi %{{.*}}, %arg1
// CHECK: tensor.empty(%[[T]]) : tensor<?x5xf32>
// CHECK: tang.map [d0, d1]
// CHECK: arith.select
func.func @pad_computed(%x: tensor<?x3xf32>, %l: index, %v: f32) -> tensor<?x5xf32> {
  %a = tensor.pad %x low[%l, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %g = arith.addf %f, %v : f32
    tensor.yield %g : f32
  } : tensor<?x3xf32> to tensor<?x5xf32>
  return %a : tensor<?x5xf32>
}

// -----

// CHECK-LABEL: func.func @concat
// CHECK: tang.map [d0, d1] with(%arg0, %arg1, %{{.*}} : tensor<2x3xf32>, tensor<2x?xf32>, index)
// CHECK-COUNT-3: tang.at
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %a = tensor.concat dim(1) %x, %y, %x : (tensor<2x3xf32>, tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  return %a : tensor<2x?xf32>
}

// -----

// CHECK-LABEL: func.func @gather_scatter
// CHECK: tang.map [d0, d1, d2] ins(%arg1[d0, 0] : tensor<7x1xi32>) with(%arg0 : tensor<4x5x6xf32>)
// CHECK: %[[D1:.*]] = tang.index 1
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: %[[D2:.*]] = tang.index 2
// CHECK: tang.at %{{.*}}[%[[D1]], %[[AT]], %[[D2]]]
// CHECK: tang.scatter over [d0 = 7, d1 = 5, d2 = 6] unique
func.func @gather_scatter(%x: tensor<4x5x6xf32>, %i: tensor<7x1xi32>, %g: tensor<7x5x6xf32>) -> (tensor<7x4x6xf32>, tensor<4x5x6xf32>) {
  %a = tensor.gather %x[%i] gather_dims([1]) : (tensor<4x5x6xf32>, tensor<7x1xi32>) -> tensor<7x4x6xf32>
  %b = tensor.scatter %g into %x[%i] scatter_dims([0]) unique : (tensor<7x5x6xf32>, tensor<4x5x6xf32>, tensor<7x1xi32>) -> tensor<4x5x6xf32>
  return %a, %b : tensor<7x4x6xf32>, tensor<4x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @builders
// CHECK: tang.map [d0, d1] outs(%{{.*}} : tensor<?x3xi32>) () {
// CHECK: tang.map [d0] with(%arg1 : f32)
// CHECK: tang.map [d0, d1] with(%arg1, %arg2 : f32, f32)
// CHECK: tang.map [] with(%arg1 : f32)
func.func @builders(%n: index, %v: f32, %w: f32) -> (tensor<?x3xi32>, tensor<?xf32>, tensor<2x2xf32>, tensor<f32>) {
  %a = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %k = arith.index_cast %s : index to i32
    tensor.yield %k : i32
  } : tensor<?x3xi32>
  %b = tensor.splat %v[%n] : tensor<?xf32>
  %c = tensor.from_elements %v, %w, %w, %v : tensor<2x2xf32>
  %d = tensor.from_elements %v : tensor<f32>
  return %a, %b, %c, %d : tensor<?x3xi32>, tensor<?xf32>, tensor<2x2xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @shapes
// CHECK: cf.assert %{{.*}}, "tensor.reshape: the shape holds another number of elements than the tensor"
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg0
// CHECK: tensor.expand_shape %[[C]]
// CHECK: tang.map [d0, d1] ins(%arg0[d0, d1] : tensor<?x6xf32>)
// CHECK-NEXT: arith.bitcast
func.func @shapes(%x: tensor<?x6xf32>, %s: tensor<2xi32>) -> (tensor<?x?xf32>, tensor<?x6xi32>) {
  %b = tensor.reshape %x(%s) : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %d = tensor.bitcast %x : tensor<?x6xf32> to tensor<?x6xi32>
  return %b, %d : tensor<?x?xf32>, tensor<?x6xi32>
}

// -----

// CHECK-LABEL: func.func @split
// CHECK: cf.assert %{{.*}}, "tensor.expand_shape: the sizes that dimension 0 is split into do not multiply to it"
func.func @split(%x: tensor<?xf32>, %h: index) -> tensor<?x2xf32> {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// CHECK-LABEL: func.func @elementwise
// CHECK: tang.map [d0] ins(%arg0[d0], %arg1[d0] : tensor<6xf32>, tensor<6xf32>)
// CHECK-NEXT: arith.addf
// CHECK: tang.map [d0] ins(%{{.*}}[d0], %arg0[d0] : tensor<6xf32>, tensor<6xf32>) with(%arg2 : i1)
// CHECK-NEXT: arith.select
// CHECK: arith.cmpf olt, %{{.*}} : f32
func.func @elementwise(%x: tensor<6xf32>, %y: tensor<6xf32>, %c: i1) -> (tensor<6xf32>, tensor<6xi1>) {
  %a = arith.addf %x, %y : tensor<6xf32>
  %b = arith.select %c, %a, %x : tensor<6xf32>
  %d = arith.cmpf olt, %b, %y : tensor<6xf32>
  return %b, %d : tensor<6xf32>, tensor<6xi1>
}
