// RUN: %tang-agree %s
// tosa.matmul in f32, in bf16 summed in f32, and in int8 with zero points.
// INPUT: 2x4x17xf32=random:1
// INPUT: 2x17x3xf32=random:2
// INPUT: 1x4x8xbf16=random:3
// INPUT: 1x8x3xbf16=random:4
// INPUT: 1x2x3xi8=1 2 3 4 5 6
// INPUT: 1x3x2xi8=-1 2 -3 4 -5 6
// EXPECT: -
// EXPECT: -
// EXPECT: 1x2x2xi32=-19 10 -64 28
// TOLERANCE: f32 rtol=1e-5 atol=3e-5 (sums of 17 products near 1)
func.func @main(%a: tensor<2x4x17xf32>, %b: tensor<2x17x3xf32>, %c: tensor<1x4x8xbf16>, %d: tensor<1x8x3xbf16>, %i: tensor<1x2x3xi8>,
                %j: tensor<1x3x2xi8>) -> (tensor<2x4x3xf32>, tensor<1x4x3xf32>, tensor<1x2x2xi32>) {
  %zf = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %zb = "tosa.const"() <{values = dense<0.0> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  %z1 = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z2 = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %zf, %zf : (tensor<2x4x17xf32>, tensor<2x17x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x3xf32>
  %1 = tosa.matmul %c, %d, %zb, %zb : (tensor<1x4x8xbf16>, tensor<1x8x3xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<1x4x3xf32>
  %2 = tosa.matmul %i, %j, %z1, %z2 : (tensor<1x2x3xi8>, tensor<1x3x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2xi32>
  return %0, %1, %2 : tensor<2x4x3xf32>, tensor<1x4x3xf32>, tensor<1x2x2xi32>
}
