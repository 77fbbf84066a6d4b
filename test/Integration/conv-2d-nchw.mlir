// RUN: %tang-agree %s
// Channels first, plain and with stride and dilation at once; and the bare two-dimensional convolution.
// INPUT: 2x3x9x8xf32=random:1
// INPUT: 4x3x3x2xf32=random:2
// INPUT: 4x4xf32=iota
// INPUT: 2x2xf32=1 10 100 1000
// EXPECT: -
// EXPECT: -
// EXPECT: 3x3xf32=5410 6521 7632 9854 10965 12076 14298 15409 16520
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 18 products near 1)
func.func @main(%x: tensor<2x3x9x8xf32>, %k: tensor<4x3x3x2xf32>, %y: tensor<4x4xf32>, %l: tensor<2x2xf32>)
    -> (tensor<2x4x7x7xf32>, tensor<2x4x3x3xf32>, tensor<3x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x4x7x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<2x3x9x8xf32>, tensor<4x3x3x2xf32>) outs(%f0 : tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
  %e1 = tensor.empty() : tensor<2x4x3x3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %1 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<[2, 3]> : tensor<2xi64>}
      ins(%x, %k : tensor<2x3x9x8xf32>, tensor<4x3x3x2xf32>) outs(%f1 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %e2 = tensor.empty() : tensor<3x3xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = linalg.conv_2d ins(%y, %l : tensor<4x4xf32>, tensor<2x2xf32>) outs(%f2 : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0, %1, %2 : tensor<2x4x7x7xf32>, tensor<2x4x3x3xf32>, tensor<3x3xf32>
}
