// RUN: %tang-agree %s
// Narrow integers are widened, with or without sign, before they are multiplied; sums wrap.
// INPUT: 2x3xi8=-128 127 -1 5 -6 7
// INPUT: 3x2xi8=1 2 -128 127 3 -1
// INPUT: 2x3xi64=full:1
// INPUT: 3x2xi64=full:2
// EXPECT: 2x2xi32=-16387 15874 794 -759
// EXPECT: 2x2xi32=17149 81410 32026 33545
// SET:
// INPUT: 2x3xi8=full:3
// INPUT: 3x2xi8=full:4
// INPUT: 2x3xi64=9223372036854775807 2 3 4 5 6
// INPUT: 3x2xi64=1 2 3 4 5 6
// EXPECT: -
// EXPECT: -
// EXPECT: 2x2xi64=-9223372036854775788 24 49 64
func.func @main(%a: tensor<2x3xi8>, %b: tensor<3x2xi8>, %c: tensor<2x3xi64>, %d: tensor<3x2xi64>)
    -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi64>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x2xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xi8>, tensor<3x2xi8>) outs(%f : tensor<2x2xi32>) -> tensor<2x2xi32>
  %1 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %b : tensor<2x3xi8>, tensor<3x2xi8>) outs(%f : tensor<2x2xi32>) -> tensor<2x2xi32>
  %zero64 = arith.constant 0 : i64
  %e64 = tensor.empty() : tensor<2x2xi64>
  %f64 = linalg.fill ins(%zero64 : i64) outs(%e64 : tensor<2x2xi64>) -> tensor<2x2xi64>
  %2 = linalg.matmul ins(%c, %d : tensor<2x3xi64>, tensor<3x2xi64>) outs(%f64 : tensor<2x2xi64>) -> tensor<2x2xi64>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi64>
}
