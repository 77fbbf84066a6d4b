// RUN: %tang-agree %s
// The size of the result is computed from the sizes of image and filter.
// INPUT: 2x9x8x3xf32=random:1
// INPUT: 3x2x3x4xf32=random:2
// SET:
// INPUT: 1x5x5x3xf32=1
// INPUT: 5x5x3x4xf32=1
// EXPECT: 1x1x1x4xf32=75
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 18 products near 1)
func.func @main(%x: tensor<?x?x?x3xf32>, %k: tensor<?x?x3x4xf32>) -> tensor<?x?x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?x3xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x3xf32>
  %w = tensor.dim %x, %c2 : tensor<?x?x?x3xf32>
  %kh = tensor.dim %k, %c0 : tensor<?x?x3x4xf32>
  %kw = tensor.dim %k, %c1 : tensor<?x?x3x4xf32>
  %h1 = arith.subi %h, %kh : index
  %w1 = arith.subi %w, %kw : index
  %oh = arith.addi %h1, %c1 : index
  %ow = arith.addi %w1, %c1 : index
  %e = tensor.empty(%b, %oh, %ow) : tensor<?x?x?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<?x?x?x3xf32>, tensor<?x?x3x4xf32>) outs(%f : tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  return %0 : tensor<?x?x?x4xf32>
}
