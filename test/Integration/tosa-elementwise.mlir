// RUN: %tang-agree %s
// Elementwise operations of TOSA with their broadcasting of dimensions of 1.
// INPUT: 5x7xf32=range:1:0.2:3
// INPUT: 5x1xf32=range:2:0.2:3
// INPUT: 5x7xi32=random:3
// TOLERANCE: f32 rtol=2e-5 atol=2e-6 (four functions in a row, each two units off at most)
func.func @main(%x: tensor<5x7xf32>, %y: tensor<5x1xf32>, %n: tensor<5x7xi32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi32>) {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %a = tosa.add %x, %y : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  %b = tosa.mul %a, %y, %shift : (tensor<5x7xf32>, tensor<5x1xf32>, tensor<1xi8>) -> tensor<5x7xf32>
  %c = tosa.clamp %b {min_val = 0.5 : f32, max_val = 4.0 : f32} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %d = tosa.sigmoid %c : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %e = tosa.tanh %x : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %f = tosa.rsqrt %x : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %g = tosa.pow %x, %y : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  %h = tosa.log %x : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %i = tosa.negate %h, %zp, %zp : (tensor<5x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5x7xf32>
  %p = tosa.greater %x, %y : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xi1>
  %0 = tosa.select %p, %d, %f : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %j = tosa.maximum %g, %e : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tosa.sub %j, %i : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %k = tosa.abs %n : (tensor<5x7xi32>) -> tensor<5x7xi32>
  %l = tosa.bitwise_xor %k, %n : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  %one = "tosa.const"() <{values = dense<1> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %m = tosa.arithmetic_right_shift %l, %one {round = true} : (tensor<5x7xi32>, tensor<1x1xi32>) -> tensor<5x7xi32>
  %2 = tosa.minimum %m, %n : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0, %1, %2 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xi32>
}
