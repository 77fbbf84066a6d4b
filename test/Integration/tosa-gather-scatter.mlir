// RUN: %tang-agree %s
// tosa.gather picks rows by index, tosa.scatter overwrites rows.
// INPUT: 2x4x3xf32=iota
// INPUT: 2x2xi32=3 0 1 1
// INPUT: 2x2x3xf32=-1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12
// INPUT: 2x2xi32=2 0 1 3
// EXPECT: 2x2x3xf32=9 10 11 0 1 2 15 16 17 15 16 17
// EXPECT: 2x4x3xf32=-4 -5 -6 3 4 5 -1 -2 -3 9 10 11 12 13 14 -7 -8 -9 18 19 20 -10 -11 -12
func.func @main(%values: tensor<2x4x3xf32>, %at: tensor<2x2xi32>, %new: tensor<2x2x3xf32>, %to: tensor<2x2xi32>)
    -> (tensor<2x2x3xf32>, tensor<2x4x3xf32>) {
  %0 = tosa.gather %values, %at : (tensor<2x4x3xf32>, tensor<2x2xi32>) -> tensor<2x2x3xf32>
  %1 = tosa.scatter %values, %to, %new : (tensor<2x4x3xf32>, tensor<2x2xi32>, tensor<2x2x3xf32>) -> tensor<2x4x3xf32>
  return %0, %1 : tensor<2x2x3xf32>, tensor<2x4x3xf32>
}
