// RUN: tang-opt %s --tang-import --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 8] init(0.000000e+00 : f32)
// CHECK-SAME: ins(%arg0[d0, d2], %arg1[d2, d1] : tensor<4x8xbf16>, tensor<8x6xbf16>)
// CHECK: arith.extf
// CHECK: arith.mulf
// CHECK-NEXT: tang.yield
func.func @matmul(%a: tensor<4x8xbf16>, %b: tensor<8x6xbf16>) -> tensor<4x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x6xbf16>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @conv
// CHECK: tang.reduce #tang.monoid<add> [d0, d1, d2, d3] over [d4 = 3, d5 = 3, d6 = 2]
// CHECK-SAME: ins(%arg0[0, d1 * 2 + d4, d2 * 2 + d5, d6], %arg1[d4, d5, d6, d3] :
func.func @conv(%x: tensor<1x9x9x2xf32>, %w: tensor<3x3x2x5xf32>, %o: tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x9x9x2xf32>, tensor<3x3x2x5xf32>) outs(%o : tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %r : tensor<1x4x4x5xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK: tang.reduce #tang.monoid<maxnum> [d0] over [d1 = 7]
// CHECK: math.exp
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 7]
// CHECK: arith.divf
func.func @softmax(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %e = tensor.empty() : tensor<3x7xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}

// -----

// CHECK-LABEL: func.func @pack
// CHECK: tang.map [d0, d1, d2] ins(%arg0[d1 * 2 + d2, d0] : tensor<6x4xf32>)
// CHECK: tang.map [d0, d1] ins(%{{.*}}[d1, d0 floordiv 2, d0 mod 2] : tensor<4x3x2xf32>)
func.func @pack(%x: tensor<6x4xf32>) -> (tensor<4x3x2xf32>, tensor<6x4xf32>) {
  %e = tensor.empty() : tensor<4x3x2xf32>
  %p = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<6x4xf32> -> tensor<4x3x2xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [2] into %f : tensor<4x3x2xf32> -> tensor<6x4xf32>
  return %p, %u : tensor<4x3x2xf32>, tensor<6x4xf32>
}

// -----

// CHECK-LABEL: func.func @pack_padded
// CHECK: tang.at
// CHECK: arith.select
func.func @pack_padded(%x: tensor<5xf32>, %v: f32) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %p = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<5xf32> -> tensor<3x2xf32>
  return %p : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @winograd
// CHECK-COUNT-2: tang.reduce #tang.monoid<add>
// CHECK-NOT: linalg
func.func @winograd(%f: tensor<2x3x3x5xf32>) -> tensor<6x6x5x2xf32> {
  %e = tensor.empty() : tensor<6x6x5x2xf32>
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %r : tensor<6x6x5x2xf32>
}

// -----

// CHECK-LABEL: func.func @reduce_broadcast_transpose
// CHECK: tang.reduce #tang.monoid<maxs> [d0] over [d1 = 5]
// CHECK: tang.map [d0, d1] ins(%{{.*}}[d0] :
// CHECK: tang.map [d0, d1] ins(%{{.*}}[d1, d0] :
func.func @reduce_broadcast_transpose(%x: tensor<4x5xi32>, %o: tensor<4xi32>) -> tensor<5x4xi32> {
  %r = linalg.reduce { arith.maxsi } ins(%x : tensor<4x5xi32>) outs(%o : tensor<4xi32>) dimensions = [1]
  %e = tensor.empty() : tensor<4x5xi32>
  %b = linalg.broadcast ins(%r : tensor<4xi32>) outs(%e : tensor<4x5xi32>) dimensions = [1]
  %f = tensor.empty() : tensor<5x4xi32>
  %t = linalg.transpose ins(%b : tensor<4x5xi32>) outs(%f : tensor<5x4xi32>) permutation = [1, 0]
  return %t : tensor<5x4xi32>
}
