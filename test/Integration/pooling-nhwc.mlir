// RUN: %tang-agree %s
// Maximum, minimum and sum over windows, channels last; strides and dilations; NaN reaches every window it is in.
// INPUT: 2x9x7x3xf32=random:1
// INPUT: 1x4x4x1xi8=full:2
// SET:
// INPUT: 2x9x7x3xf32=nasty:3
// INPUT: 1x4x4x1xi8=1 -1 2 -2 3 -3 4 -4 5 -5 6 -6 7 -7 8 -8
// EXPECT: -
// EXPECT: -
// EXPECT: 1x3x3x1xi8=0 2 0 0 2 0 0 2 0
// EXPECT: 1x3x3x1xi8=-1 -1 -2 -3 -3 -4 -5 -5 -6
// TOLERANCE: f32 rtol=1e-5 atol=1e-5 (sums of 6 numbers near 1)
func.func @main(%x: tensor<2x9x7x3xf32>, %y: tensor<1x4x4x1xi8>)
    -> (tensor<2x4x3x3xf32>, tensor<2x5x5x3xf32>, tensor<1x3x3x1xi8>, tensor<1x3x3x1xi8>) {
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %w = tensor.empty() : tensor<3x2xf32>
  %e0 = tensor.empty() : tensor<2x4x3x3xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x9x7x3xf32>, tensor<3x2xf32>) outs(%f0 : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %e1 = tensor.empty() : tensor<2x5x5x3xf32>
  %f1 = linalg.fill ins(%high : f32) outs(%e1 : tensor<2x5x5x3xf32>) -> tensor<2x5x5x3xf32>
  %1 = linalg.pooling_nhwc_min {strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x9x7x3xf32>, tensor<3x2xf32>) outs(%f1 : tensor<2x5x5x3xf32>) -> tensor<2x5x5x3xf32>
  %zero = arith.constant 0 : i8
  %w2 = tensor.empty() : tensor<2x2xi8>
  %e2 = tensor.empty() : tensor<1x3x3x1xi8>
  %f2 = linalg.fill ins(%zero : i8) outs(%e2 : tensor<1x3x3x1xi8>) -> tensor<1x3x3x1xi8>
  %2 = linalg.pooling_nhwc_sum ins(%y, %w2 : tensor<1x4x4x1xi8>, tensor<2x2xi8>) outs(%f2 : tensor<1x3x3x1xi8>) -> tensor<1x3x3x1xi8>
  %3 = linalg.pooling_nhwc_max_unsigned ins(%y, %w2 : tensor<1x4x4x1xi8>, tensor<2x2xi8>)
      outs(%f2 : tensor<1x3x3x1xi8>) -> tensor<1x3x3x1xi8>
  return %0, %1, %2, %3 : tensor<2x4x3x3xf32>, tensor<2x5x5x3xf32>, tensor<1x3x3x1xi8>, tensor<1x3x3x1xi8>
}
