// RUN: %tang-agree %s
// Depthwise convolutions: one and two dimensions, channels last and first, and with a multiplier.
// INPUT: 2x9x5xf32=random:1
// INPUT: 3x5xf32=random:2
// INPUT: 1x7x6x5xf32=random:3
// INPUT: 3x2x5xf32=random:4
// INPUT: 3x2x5x2xf32=random:5
// INPUT: 1x5x7x6xf32=random:6
// INPUT: 5x3x2xf32=random:7
// TOLERANCE: f32 rtol=1e-5 atol=1e-5 (sums of 6 products near 1)
func.func @main(%x: tensor<2x9x5xf32>, %k: tensor<3x5xf32>, %y: tensor<1x7x6x5xf32>, %l: tensor<3x2x5xf32>,
                %m: tensor<3x2x5x2xf32>, %z: tensor<1x5x7x6xf32>, %n: tensor<5x3x2xf32>)
    -> (tensor<2x7x5xf32>, tensor<1x3x5x5xf32>, tensor<1x5x5x5x2xf32>, tensor<1x5x5x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x7x5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %0 = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %k : tensor<2x9x5xf32>, tensor<3x5xf32>) outs(%f0 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %e1 = tensor.empty() : tensor<1x3x5x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%y, %l : tensor<1x7x6x5xf32>, tensor<3x2x5xf32>) outs(%f1 : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %e2 = tensor.empty() : tensor<1x5x5x5x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x5x5x5x2xf32>) -> tensor<1x5x5x5x2xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%y, %m : tensor<1x7x6x5xf32>, tensor<3x2x5x2xf32>) outs(%f2 : tensor<1x5x5x5x2xf32>) -> tensor<1x5x5x5x2xf32>
  %e3 = tensor.empty() : tensor<1x5x5x5xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %3 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%z, %n : tensor<1x5x7x6xf32>, tensor<5x3x2xf32>) outs(%f3 : tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  return %0, %1, %2, %3 : tensor<2x7x5xf32>, tensor<1x3x5x5xf32>, tensor<1x5x5x5x2xf32>, tensor<1x5x5x5xf32>
}
