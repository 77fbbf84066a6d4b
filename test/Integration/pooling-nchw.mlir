// RUN: %tang-agree %s
// Channels first, one dimension, and three; the window's values are never read.
// INPUT: 2x3x9x7xf32=random:1
// INPUT: 2x11x3xf32=random:2
// INPUT: 1x4x5x6x2xf32=random:3
// TOLERANCE: f32 rtol=1e-5 atol=1e-5 (sums of 6 numbers near 1)
func.func @main(%x: tensor<2x3x9x7xf32>, %y: tensor<2x11x3xf32>, %z: tensor<1x4x5x6x2xf32>)
    -> (tensor<2x3x7x6xf32>, tensor<2x3x4x3xf32>, tensor<2x4x3xf32>, tensor<1x3x4x5x2xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<3x2xf32>
  %e0 = tensor.empty() : tensor<2x3x7x6xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x3x7x6xf32>) -> tensor<2x3x7x6xf32>
  %0 = linalg.pooling_nchw_sum {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x9x7xf32>, tensor<3x2xf32>) outs(%f0 : tensor<2x3x7x6xf32>) -> tensor<2x3x7x6xf32>
  %e1 = tensor.empty() : tensor<2x3x4x3xf32>
  %f1 = linalg.fill ins(%low : f32) outs(%e1 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %1 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x9x7xf32>, tensor<3x2xf32>) outs(%f1 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %w1 = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<2x4x3xf32>
  %f2 = linalg.fill ins(%low : f32) outs(%e2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%y, %w1 : tensor<2x11x3xf32>, tensor<4xf32>) outs(%f2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %w3 = tensor.empty() : tensor<2x2x2xf32>
  %e3 = tensor.empty() : tensor<1x3x4x5x2xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x3x4x5x2xf32>) -> tensor<1x3x4x5x2xf32>
  %3 = linalg.pooling_ndhwc_sum {strides = dense<1> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%z, %w3 : tensor<1x4x5x6x2xf32>, tensor<2x2x2xf32>) outs(%f3 : tensor<1x3x4x5x2xf32>) -> tensor<1x3x4x5x2xf32>
  return %0, %1, %2, %3 : tensor<2x3x7x6xf32>, tensor<2x3x4x3xf32>, tensor<2x4x3xf32>, tensor<1x3x4x5x2xf32>
}
