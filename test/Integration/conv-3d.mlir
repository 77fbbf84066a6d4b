// RUN: %tang-agree %s
// A loop nest of nine dimensions.
// INPUT: 1x5x6x7x2xf32=random:1
// INPUT: 2x3x2x2x3xf32=random:2
// TOLERANCE: f32 rtol=1e-5 atol=3e-5 (sums of 24 products near 1)
func.func @main(%x: tensor<1x5x6x7x2xf32>, %k: tensor<2x3x2x2x3xf32>) -> tensor<1x4x4x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x3x3xf32>) -> tensor<1x4x4x3x3xf32>
  %0 = linalg.conv_3d_ndhwc_dhwcf {strides = dense<[1, 1, 2]> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%x, %k : tensor<1x5x6x7x2xf32>, tensor<2x3x2x2x3xf32>) outs(%f : tensor<1x4x4x3x3xf32>) -> tensor<1x4x4x3x3xf32>
  return %0 : tensor<1x4x4x3x3xf32>
}
