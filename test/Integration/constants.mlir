// RUN: %tang-agree %s
// Constants: dense, splat, as resources, infinite, of narrow types; and one that is a result as it stands.
// INPUT: 2x3xf32=1 1 1 2 2 2
// EXPECT: 2x3xf32=2 3 4 9 11 13
// EXPECT: 2xf32=-inf inf
// EXPECT: 3xi8=-128 0 127
// EXPECT: 2x2xbf16=1.5
// EXPECT: 4xi32=1 2 -1 16909060
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<3xi8>, tensor<2x2xbf16>, tensor<4xi32>) {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.mulf %x, %a : tensor<2x3xf32>
  %0 = arith.addf %b, %x : tensor<2x3xf32>
  %c = arith.constant dense<1.0> : tensor<2x3xf32>
  %d = arith.subf %0, %c : tensor<2x3xf32>
  %e = arith.addf %d, %c : tensor<2x3xf32>
  %one = arith.constant dense<[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %f = arith.subf %e, %one : tensor<2x3xf32>
  %1 = arith.constant dense<[0xFF800000, 0x7F800000]> : tensor<2xf32>
  %2 = arith.constant dense<[-128, 0, 127]> : tensor<3xi8>
  %3 = arith.constant dense<1.5> : tensor<2x2xbf16>
  %4 = arith.constant dense_resource<words> : tensor<4xi32>
  return %f, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2xf32>, tensor<3xi8>, tensor<2x2xbf16>, tensor<4xi32>
}
{-#
  dialect_resources: {
    builtin: {
      words: "0x040000000100000002000000FFFFFFFF04030201"
    }
  }
#-}
