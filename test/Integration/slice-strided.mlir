// RUN: %tang-agree %s
// Static slices: with strides, that drop unit dimensions, of a slice, and summed.
// INPUT: 4x6x5xi32=iota
// EXPECT: 2x3x2xi32=32 34 42 44 52 54 92 94 102 104 112 114
// EXPECT: 6xi32=63 68 73 78 83 88
// EXPECT: 3xi32=39 49 59
// EXPECT: 2x3xi32=66 86 106 186 206 226
// EXPECT: i32=88
func.func @main(%x: tensor<4x6x5xi32>) -> (tensor<2x3x2xi32>, tensor<6xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<i32>) {
  %0 = tensor.extract_slice %x[1, 0, 2] [2, 3, 2] [2, 2, 2] : tensor<4x6x5xi32> to tensor<2x3x2xi32>
  %1 = tensor.extract_slice %x[2, 0, 3] [1, 6, 1] [1, 1, 1] : tensor<4x6x5xi32> to tensor<6xi32>
  %s = tensor.extract_slice %x[1, 1, 1] [2, 5, 4] [1, 1, 1] : tensor<4x6x5xi32> to tensor<2x5x4xi32>
  %2 = tensor.extract_slice %s[0, 0, 3] [1, 3, 1] [1, 2, 1] : tensor<2x5x4xi32> to tensor<1x3x1xi32>
  %flat = tensor.collapse_shape %2 [[0, 1, 2]] : tensor<1x3x1xi32> into tensor<3xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x3xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = linalg.reduce {arith.addi} ins(%0 : tensor<2x3x2xi32>) outs(%f : tensor<2x3xi32>) dimensions = [2]
  %4 = tensor.extract_slice %1[5] [1] [1] : tensor<6xi32> to tensor<i32>
  return %0, %1, %flat, %3, %4 : tensor<2x3x2xi32>, tensor<6xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<i32>
}
