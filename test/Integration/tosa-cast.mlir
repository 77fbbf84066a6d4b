// RUN: %tang-agree %s
// tosa.cast: floats to integers round to nearest even and saturate; to i1 is not zero; between floats and integers.
// INPUT: 6xf32=0.5 1.5 -2.5 300 -300 0
// INPUT: 6xi8=0 1 -1 127 -128 5
// EXPECT: 6xi8=0 2 -2 127 -128 0
// EXPECT: 6xi32=0 2 -2 300 -300 0
// EXPECT: 6xf32=0 1 -1 127 -128 5
// EXPECT: 6xi1=0 1 1 1 1 1
// EXPECT: 6xbf16=0.5 1.5 -2.5 300 -300 0
// EXPECT: 6xi32=0 1 -1 127 -128 5
func.func @main(%x: tensor<6xf32>, %y: tensor<6xi8>)
    -> (tensor<6xi8>, tensor<6xi32>, tensor<6xf32>, tensor<6xi1>, tensor<6xbf16>, tensor<6xi32>) {
  %0 = tosa.cast %x : (tensor<6xf32>) -> tensor<6xi8>
  %1 = tosa.cast %x : (tensor<6xf32>) -> tensor<6xi32>
  %2 = tosa.cast %y : (tensor<6xi8>) -> tensor<6xf32>
  %3 = tosa.cast %y : (tensor<6xi8>) -> tensor<6xi1>
  %4 = tosa.cast %x : (tensor<6xf32>) -> tensor<6xbf16>
  %5 = tosa.cast %y : (tensor<6xi8>) -> tensor<6xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<6xi8>, tensor<6xi32>, tensor<6xf32>, tensor<6xi1>, tensor<6xbf16>, tensor<6xi32>
}
