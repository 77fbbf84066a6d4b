// RUN: %tang-agree %s
// One-dimensional convolutions: bare, channels last with stride 2, channels first with dilation 3.
// INPUT: 10xf32=iota
// INPUT: 3xf32=1 10 100
// INPUT: 2x13x3xf32=random:1
// INPUT: 4x3x5xf32=random:2
// INPUT: 2x3x13xf32=random:3
// INPUT: 5x3x4xf32=random:4
// EXPECT: 8xf32=210 321 432 543 654 765 876 987
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 12 products near 1)
func.func @main(%x: tensor<10xf32>, %k: tensor<3xf32>, %a: tensor<2x13x3xf32>, %b: tensor<4x3x5xf32>, %c: tensor<2x3x13xf32>,
                %d: tensor<5x3x4xf32>) -> (tensor<8xf32>, tensor<2x5x5xf32>, tensor<2x5x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e8 = tensor.empty() : tensor<8xf32>
  %f8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.conv_1d ins(%x, %k : tensor<10xf32>, tensor<3xf32>) outs(%f8 : tensor<8xf32>) -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<2x5x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %1 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%a, %b : tensor<2x13x3xf32>, tensor<4x3x5xf32>) outs(%f1 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %e2 = tensor.empty() : tensor<2x5x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %2 = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<3> : tensor<1xi64>}
      ins(%c, %d : tensor<2x3x13xf32>, tensor<5x3x4xf32>) outs(%f2 : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<2x5x5xf32>, tensor<2x5x4xf32>
}
