// RUN: %tang-agree %s
// Channels last: plain, strided (2, 3), dilated (3, 2), and the filter with the output channel first.
// INPUT: 2x9x8x3xf32=random:1
// INPUT: 3x2x3x4xf32=random:2
// INPUT: 4x3x2x3xf32=random:3
// SET:
// INPUT: 2x9x8x3xf32=1
// INPUT: 3x2x3x4xf32=2
// INPUT: 4x3x2x3xf32=-1
// EXPECT: 2x7x7x4xf32=36
// EXPECT: 2x4x3x4xf32=36
// EXPECT: 2x3x6x4xf32=36
// EXPECT: 2x7x7x4xf32=-18
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 18 products near 1)
func.func @main(%x: tensor<2x9x8x3xf32>, %k: tensor<3x2x3x4xf32>, %t: tensor<4x3x2x3xf32>)
    -> (tensor<2x7x7x4xf32>, tensor<2x4x3x4xf32>, tensor<2x3x6x4xf32>, tensor<2x7x7x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x7x7x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x7x7x4xf32>) -> tensor<2x7x7x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<2x9x8x3xf32>, tensor<3x2x3x4xf32>) outs(%f0 : tensor<2x7x7x4xf32>) -> tensor<2x7x7x4xf32>
  %e1 = tensor.empty() : tensor<2x4x3x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x3x4xf32>) -> tensor<2x4x3x4xf32>
  %1 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<2x9x8x3xf32>, tensor<3x2x3x4xf32>) outs(%f1 : tensor<2x4x3x4xf32>) -> tensor<2x4x3x4xf32>
  %e2 = tensor.empty() : tensor<2x3x6x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x3x6x4xf32>) -> tensor<2x3x6x4xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<[3, 2]> : tensor<2xi64>}
      ins(%x, %k : tensor<2x9x8x3xf32>, tensor<3x2x3x4xf32>) outs(%f2 : tensor<2x3x6x4xf32>) -> tensor<2x3x6x4xf32>
  %3 = linalg.conv_2d_nhwc_fhwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %t : tensor<2x9x8x3xf32>, tensor<4x3x2x3xf32>) outs(%f0 : tensor<2x7x7x4xf32>) -> tensor<2x7x7x4xf32>
  return %0, %1, %2, %3 : tensor<2x7x7x4xf32>, tensor<2x4x3x4xf32>, tensor<2x3x6x4xf32>, tensor<2x7x7x4xf32>
}
