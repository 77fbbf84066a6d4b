// RUN: %tang-agree %s
// Average pooling divides by the part of the window that is inside; maximum pooling ignores the padding.
// INPUT: 1x6x7x3xf32=random:1
// INPUT: 1x4x4x1xi8=iota
// SET:
// INPUT: 1x6x7x3xf32=4
// INPUT: 1x4x4x1xi8=-7
// EXPECT: 1x6x7x3xf32=4
// EXPECT: 1x3x3x3xf32=4
// EXPECT: 1x2x2x1xi8=-7
// TOLERANCE: f32 rtol=1e-5 atol=1e-6 (sums of 9 numbers near 1)
func.func @main(%x: tensor<1x6x7x3xf32>, %y: tensor<1x4x4x1xi8>) -> (tensor<1x6x7x3xf32>, tensor<1x3x3x3xf32>, tensor<1x2x2x1xi8>) {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<1x6x7x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x3xf32>
  %1 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x6x7x3xf32>) -> tensor<1x3x3x3xf32>
  %2 = tosa.max_pool2d %y {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x4x4x1xi8>) -> tensor<1x2x2x1xi8>
  return %0, %1, %2 : tensor<1x6x7x3xf32>, tensor<1x3x3x3xf32>, tensor<1x2x2x1xi8>
}
