// RUN: %tang-agree %s
// collapse_shape and expand_shape, static and dynamic, tensor.reshape, and a cast between the two kinds of size.
// INPUT: 2x3x4xf32=iota
// INPUT: 6x5xf32=iota
// EXPECT: 6x4xf32=iota
// EXPECT: 4x6xf32=0 4 8 12 16 20 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23
// EXPECT: 3x2x5xf32=iota
// EXPECT: 30xf32=iota
// EXPECT: 2x12xf32=iota
// SET:
// INPUT: 2x3x4xf32=random:1
// INPUT: 0x5xf32=0
// EXPECT: -
// EXPECT: -
// EXPECT: 0x2x5xf32=0
// EXPECT: 0xf32=0
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<?x5xf32>)
    -> (tensor<6x4xf32>, tensor<4x6xf32>, tensor<?x2x5xf32>, tensor<?xf32>, tensor<2x12xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.transpose ins(%0 : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %y, %c0 : tensor<?x5xf32>
  %h = arith.divui %n, %c2 : index
  %2 = tensor.expand_shape %y [[0, 1], [2]] output_shape [%h, 2, 5] : tensor<?x5xf32> into tensor<?x2x5xf32>
  %3 = tensor.collapse_shape %y [[0, 1]] : tensor<?x5xf32> into tensor<?xf32>
  %shape = arith.constant dense<[2, 12]> : tensor<2xi32>
  %4 = tensor.reshape %x(%shape) : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<2x12xf32>
  return %0, %1, %2, %3, %4 : tensor<6x4xf32>, tensor<4x6xf32>, tensor<?x2x5xf32>, tensor<?xf32>, tensor<2x12xf32>
}
