// RUN: %tang-agree %s
// tosa.conv2d with padding, stride and dilation; tosa.depthwise_conv2d; tosa.transpose_conv2d.
// INPUT: 1x7x8x3xf32=random:1
// INPUT: 5x3x3x3xf32=random:2
// INPUT: 5xf32=random:3
// INPUT: 3x2x3x2xf32=random:4
// INPUT: 6xf32=random:5
// SET:
// INPUT: 1x7x8x3xf32=1
// INPUT: 5x3x3x3xf32=1
// INPUT: 5xf32=100
// INPUT: 3x2x3x2xf32=2
// INPUT: 6xf32=-1
// EXPECT: -
// EXPECT: -
// EXPECT: 1x5x7x6xf32=11
// TOLERANCE: f32 rtol=1e-5 atol=4e-5 (sums of 27 products near 1)
func.func @main(%x: tensor<1x7x8x3xf32>, %k: tensor<5x3x3x3xf32>, %b: tensor<5xf32>, %d: tensor<3x2x3x2xf32>, %c: tensor<6xf32>)
    -> (tensor<1x4x4x5xf32>, tensor<1x7x8x5xf32>, tensor<1x5x7x6xf32>, tensor<1x15x17x5xf32>) {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %k, %b, %zp, %zp {acc_type = f32, pad = array<i64: 1, 1, 0, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>}
      : (tensor<1x7x8x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x5xf32>
  %1 = tosa.conv2d %x, %k, %b, %zp, %zp {acc_type = f32, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>, dilation = array<i64: 2, 2>}
      : (tensor<1x7x8x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x8x5xf32>
  %2 = tosa.depthwise_conv2d %x, %d, %c, %zp, %zp {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x7x8x3xf32>, tensor<3x2x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x7x6xf32>
  %3 = tosa.transpose_conv2d %x, %k, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x7x8x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x15x17x5xf32>
  return %0, %1, %2, %3 : tensor<1x4x4x5xf32>, tensor<1x7x8x5xf32>, tensor<1x5x7x6xf32>, tensor<1x15x17x5xf32>
}
