// RUN: %tang-agree %s
// Zero points are subtracted from sign-extended bytes.
// INPUT: 1x5x5x3xi8=full:1
// INPUT: 3x3x3x2xi8=full:2
// INPUT: 4x6xi8=full:3
// INPUT: 6x2xi8=full:4
// SET:
// INPUT: 1x5x5x3xi8=-128
// INPUT: 3x3x3x2xi8=127
// INPUT: 4x6xi8=3
// INPUT: 6x2xi8=-5
// EXPECT: 1x3x3x2xi32=-445500
// EXPECT: 4x2xi32=12
func.func @main(%x: tensor<1x5x5x3xi8>, %k: tensor<3x3x3x2xi8>, %a: tensor<4x6xi8>, %b: tensor<6x2xi8>)
    -> (tensor<1x3x3x2xi32>, tensor<4x2xi32>) {
  %zero = arith.constant 0 : i32
  %xzp = arith.constant 4 : i32
  %kzp = arith.constant 2 : i32
  %azp = arith.constant 4 : i32
  %bzp = arith.constant -3 : i32
  %e = tensor.empty() : tensor<1x3x3x2xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xi32>
  %0 = linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k, %xzp, %kzp : tensor<1x5x5x3xi8>, tensor<3x3x3x2xi8>, i32, i32)
      outs(%f : tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xi32>
  %e2 = tensor.empty() : tensor<4x2xi32>
  %f2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<4x2xi32>) -> tensor<4x2xi32>
  %1 = linalg.quantized_matmul ins(%a, %b, %azp, %bzp : tensor<4x6xi8>, tensor<6x2xi8>, i32, i32)
      outs(%f2 : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %0, %1 : tensor<1x3x3x2xi32>, tensor<4x2xi32>
}
