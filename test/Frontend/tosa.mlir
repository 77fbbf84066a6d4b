// RUN: tang-opt %s --tang-import --split-input-file | FileCheck %s

// One flag suffices.
// CHECK-LABEL: func.func @add
// CHECK-NOT: tosa
// CHECK: arith.addf
func.func @add(%x: tensor<3x4xf32>, %b: tensor<1x4xf32>) -> tensor<3x4xf32> {
  %r = tosa.add %x, %b : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// The maximum of -inf is -inf, not the least finite number.
// CHECK-LABEL: func.func @reduce_max
// CHECK: tang.reduce #tang.monoid<maximum> [d0, d1] over [d2 = 4] init(0xFF800000 : f32) ins(%arg0[d0, d2] :
func.func @reduce_max(%x: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %r = tosa.reduce_max %x {axis = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}

// -----

// CHECK-LABEL: func.func @reduce_min_ignoring_nan
// CHECK: tang.reduce #tang.monoid<minnum> {{.*}} init(0x7FC00000 : f32)
func.func @reduce_min_ignoring_nan(%x: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %r = tosa.reduce_min %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<3x4xf32>) -> tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}

// -----

// CHECK-LABEL: func.func @argmax
// CHECK: tang.reduce #tang.monoid<argmax> [d0] over [d1 = 4]
func.func @argmax(%x: tensor<3x4xf32>) -> tensor<3xi32> {
  %r = tosa.argmax %x {axis = 1 : i32} : (tensor<3x4xf32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// -----

// CHECK-LABEL: func.func @max_pool
// CHECK: tang.reduce #tang.monoid<maximum> [d0, d1, d2, d3] over [d4 = 3, d5 = 3] init(0xFF800000 : f32)
func.func @max_pool(%x: tensor<1x9x9x6xf32>) -> tensor<1x5x5x6xf32> {
  %r = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>} : (tensor<1x9x9x6xf32>) -> tensor<1x5x5x6xf32>
  return %r : tensor<1x5x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @scatter
// CHECK: tang.scatter over [d0 = 2, d1 = 3, d2 = 5] unique ins(%arg2[d0, d1, d2], %arg1[d0, d1] :
func.func @scatter(%x: tensor<2x4x5xf32>, %i: tensor<2x3xi32>, %y: tensor<2x3x5xf32>) -> tensor<2x4x5xf32> {
  %r = tosa.scatter %x, %i, %y : (tensor<2x4x5xf32>, tensor<2x3xi32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// -----

// CHECK-LABEL: func.func @tile
// CHECK: tang.map [d0, d1, d2] ins(%arg0[d0, 0, d2 mod 4] : tensor<3x1x4xf32>)
func.func @tile(%x: tensor<3x1x4xf32>) -> tensor<3x2x12xf32> {
  %m = tosa.const_shape {values = dense<[1, 2, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.tile %x, %m : (tensor<3x1x4xf32>, !tosa.shape<3>) -> tensor<3x2x12xf32>
  return %r : tensor<3x2x12xf32>
}

// -----

// CHECK-LABEL: func.func @control
// CHECK: tensor.extract
// CHECK: scf.if
func.func @control(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %r = tosa.cond_if %c (%a = %x) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = tosa.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %s : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    tosa.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A negative output padding crops.
// CHECK-LABEL: func.func @transpose_conv
// CHECK: tang.reduce #tang.monoid<add>
// CHECK: return %{{.*}} : tensor<1x5x8x3xf32>
func.func @transpose_conv(%x: tensor<1x3x4x2xf32>, %w: tensor<3x3x3x2xf32>, %b: tensor<3xf32>) -> tensor<1x5x8x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -1, -1, -1, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x3x4x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x8x3xf32>
  return %r : tensor<1x5x8x3xf32>
}
