// RUN: %tang-agree %s
// i4 inside a graph: narrowed, reshaped, widened with and without sign.
// INPUT: 3x5xi8=iota
// EXPECT: 3x5xi8=0 1 2 3 4 5 6 7 -8 -7 -6 -5 -4 -3 -2
// EXPECT: 15xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
// SET:
// INPUT: 3x5xi8=full:1
func.func @main(%x: tensor<3x5xi8>) -> (tensor<3x5xi8>, tensor<15xi32>) {
  %n = arith.trunci %x : tensor<3x5xi8> to tensor<3x5xi4>
  %0 = arith.extsi %n : tensor<3x5xi4> to tensor<3x5xi8>
  %c = tensor.collapse_shape %n [[0, 1]] : tensor<3x5xi4> into tensor<15xi4>
  %1 = arith.extui %c : tensor<15xi4> to tensor<15xi32>
  return %0, %1 : tensor<3x5xi8>, tensor<15xi32>
}
