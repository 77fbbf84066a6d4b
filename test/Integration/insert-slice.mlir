// RUN: %tang-agree %s
// Slices written with strides, into a lower rank, at an offset that is data; the old tensor is still read after.
// INPUT: 4x5xi32=iota
// INPUT: 2x2xi32=-1 -2 -3 -4
// INPUT: 5xi32=100 101 102 103 104
// INPUT: i32=2
// EXPECT: 4x5xi32=0 1 2 3 4 5 -1 7 -2 9 10 11 12 13 14 15 -3 17 -4 19
// EXPECT: 4x5xi32=0 1 2 3 4 5 6 7 8 9 100 101 102 103 104 15 16 17 18 19
// EXPECT: 4x5xi32=0 1 2 3 4 5 7 7 10 9 10 11 12 13 14 15 19 17 22 19
// SET:
// INPUT: 4x5xi32=iota
// INPUT: 2x2xi32=0
// INPUT: 5xi32=0
// INPUT: i32=0
func.func @main(%x: tensor<4x5xi32>, %y: tensor<2x2xi32>, %row: tensor<5xi32>, %at: tensor<i32>)
    -> (tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>) {
  %0 = tensor.insert_slice %y into %x[1, 1] [2, 2] [2, 2] : tensor<2x2xi32> into tensor<4x5xi32>
  %a = tensor.extract %at[] : tensor<i32>
  %i = arith.index_cast %a : i32 to index
  %1 = tensor.insert_slice %row into %x[%i, 0] [1, 5] [1, 1] : tensor<5xi32> into tensor<4x5xi32>
  %e = tensor.empty() : tensor<4x5xi32>
  %d = linalg.sub ins(%x, %0 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%e : tensor<4x5xi32>) -> tensor<4x5xi32>
  %2 = linalg.max ins(%x, %d : tensor<4x5xi32>, tensor<4x5xi32>) outs(%e : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0, %1, %2 : tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>
}
