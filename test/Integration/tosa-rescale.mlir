// RUN: %tang-agree %s
// Rescaling a channel at a time, and once with one multiplier: ties round up, results saturate.
// INPUT: 3x2xi32=1 -1 3 -3 1000 -100000
// EXPECT: 3x2xi8=1 -1 2 -3 127 -128
// SET:
// INPUT: 3x2xi32=nasty:1
// SET:
// INPUT: 3x2xi32=range:2:-300:300
func.func @main(%x: tensor<3x2xi32>) -> (tensor<3x2xi8>, tensor<3x2xi8>) {
  %in = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %out = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %multipliers = "tosa.const"() <{values = dense<[1073741824, 2147483647]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %shifts = "tosa.const"() <{values = dense<31> : tensor<2xi8>}> : () -> tensor<2xi8>
  %0 = tosa.rescale %x, %multipliers, %shifts, %in, %out {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false}
      : (tensor<3x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<3x2xi8>
  %multiplier = "tosa.const"() <{values = dense<1717986918> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shift = "tosa.const"() <{values = dense<34> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zp = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %x, %multiplier, %shift, %in, %zp {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
      : (tensor<3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<3x2xi8>
  return %0, %1 : tensor<3x2xi8>, tensor<3x2xi8>
}
