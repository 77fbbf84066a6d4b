// RUN: %tang-agree %s
// Grouped convolutions in the three layouts that linalg names.
// INPUT: 2x3x4x7x6xf32=random:1
// INPUT: 5x3x4x3x2xf32=random:2
// INPUT: 3x5x4x3x2xf32=random:3
// INPUT: 2x7x6x3x4xf32=random:4
// INPUT: 3x5x3x2x4xf32=random:5
// TOLERANCE: f32 rtol=1e-5 atol=3e-5 (sums of 24 products near 1)
func.func @main(%x: tensor<2x3x4x7x6xf32>, %k: tensor<5x3x4x3x2xf32>, %l: tensor<3x5x4x3x2xf32>, %y: tensor<2x7x6x3x4xf32>,
                %m: tensor<3x5x3x2x4xf32>) -> (tensor<2x3x5x5x5xf32>, tensor<2x3x5x5x5xf32>, tensor<2x5x5x3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x5x5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x5x5x5xf32>) -> tensor<2x3x5x5x5xf32>
  %0 = linalg.conv_2d_ngchw_fgchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<2x3x4x7x6xf32>, tensor<5x3x4x3x2xf32>) outs(%f : tensor<2x3x5x5x5xf32>) -> tensor<2x3x5x5x5xf32>
  %1 = linalg.conv_2d_ngchw_gfchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %l : tensor<2x3x4x7x6xf32>, tensor<3x5x4x3x2xf32>) outs(%f : tensor<2x3x5x5x5xf32>) -> tensor<2x3x5x5x5xf32>
  %e2 = tensor.empty() : tensor<2x5x5x3x5xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x5x5x3x5xf32>) -> tensor<2x5x5x3x5xf32>
  %2 = linalg.conv_2d_nhwgc_gfhwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%y, %m : tensor<2x7x6x3x4xf32>, tensor<3x5x3x2x4xf32>) outs(%f2 : tensor<2x5x5x3x5xf32>) -> tensor<2x5x5x3x5xf32>
  return %0, %1, %2 : tensor<2x3x5x5x5xf32>, tensor<2x3x5x5x5xf32>, tensor<2x5x5x3x5xf32>
}
