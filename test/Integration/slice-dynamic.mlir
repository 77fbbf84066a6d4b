// RUN: %tang-agree %s
// Offset and size come from tensors; a slice of size 0 is allowed.
// INPUT: 9x4xf32=iota
// INPUT: 2xi32=3 4
// EXPECT: 4x2xf32=13 15 17 19 21 23 25 27
// EXPECT: 4xf32=12 13 14 15
// SET:
// INPUT: 9x4xf32=iota
// INPUT: 2xi32=0 9
// SET:
// INPUT: 9x4xf32=iota
// INPUT: 2xi32=8 1
// EXPECT: 1x2xf32=33 35
// EXPECT: 4xf32=32 33 34 35
// SET:
// INPUT: 9x4xf32=iota
// INPUT: 2xi32=5 0
// EXPECT: 0x2xf32=0
// EXPECT: 4xf32=20 21 22 23
func.func @main(%x: tensor<9x4xf32>, %where: tensor<2xi32>) -> (tensor<?x2xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = tensor.extract %where[%c0] : tensor<2xi32>
  %s = tensor.extract %where[%c1] : tensor<2xi32>
  %offset = arith.index_cast %o : i32 to index
  %size = arith.index_cast %s : i32 to index
  %0 = tensor.extract_slice %x[%offset, 1] [%size, 2] [1, 2] : tensor<9x4xf32> to tensor<?x2xf32>
  %1 = tensor.extract_slice %x[%offset, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<4xf32>
}
