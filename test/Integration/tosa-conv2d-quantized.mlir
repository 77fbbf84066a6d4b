// RUN: %tang-agree %s
// An int8 convolution with zero points, then rescaled to int8: the multiply, shift and rounding of TOSA, exactly.
// INPUT: 1x5x5x3xi8=full:1
// INPUT: 4x3x3x3xi8=full:2
// INPUT: 4xi32=range:3:-1000:1000
// SET:
// INPUT: 1x5x5x3xi8=127
// INPUT: 4x3x3x3xi8=127
// INPUT: 4xi32=0
// EXPECT: 1x3x3x4xi32=401193
// EXPECT: 1x3x3x4xi8=127
func.func @main(%x: tensor<1x5x5x3xi8>, %k: tensor<4x3x3x3xi8>, %b: tensor<4xi32>) -> (tensor<1x3x3x4xi32>, tensor<1x3x3x4xi8>) {
  %xzp = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %kzp = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %k, %b, %xzp, %kzp {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x5x5x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x4xi32>
  %multiplier = "tosa.const"() <{values = dense<1140850688> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shift = "tosa.const"() <{values = dense<41> : tensor<1xi8>}> : () -> tensor<1xi8>
  %in = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %out = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %multiplier, %shift, %in, %out {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
      : (tensor<1x3x3x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x4xi8>
  return %0, %1 : tensor<1x3x3x4xi32>, tensor<1x3x3x4xi8>
}
