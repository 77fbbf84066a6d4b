// RUN: %tang-agree %s
// Padding by a constant, by sizes that are data, by a value that depends on the index, and before a fold.
// INPUT: 2x3xf32=1 2 3 4 5 6
// INPUT: 2xi32=1 2
// EXPECT: 4x4xf32=9 9 9 9 9 1 2 3 9 4 5 6 9 9 9 9
// EXPECT: 5x3xf32=-1 -1 -1 1 2 3 4 5 6 -1 -1 -1 -1 -1 -1
// EXPECT: 3x3xf32=1 2 3 4 5 6 20 21 22
// EXPECT: 4xf32=36 15 24 36
// SET:
// INPUT: 2x3xf32=0
// INPUT: 2xi32=0 0
// EXPECT: 4x4xf32=9 9 9 9 9 0 0 0 9 0 0 0 9 9 9 9
// EXPECT: 2x3xf32=0
// TOLERANCE: f32 rtol=0 atol=0 (small integers)
func.func @main(%x: tensor<2x3xf32>, %by: tensor<2xi32>) -> (tensor<4x4xf32>, tensor<?x3xf32>, tensor<3x3xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nine = arith.constant 9.0 : f32
  %0 = tensor.pad %x low[1, 1] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %nine : f32
  } : tensor<2x3xf32> to tensor<4x4xf32>
  %l = tensor.extract %by[%c0] : tensor<2xi32>
  %h = tensor.extract %by[%c1] : tensor<2xi32>
  %low = arith.index_cast %l : i32 to index
  %high = arith.index_cast %h : i32 to index
  %minus = arith.constant -1.0 : f32
  %1 = tensor.pad %x low[%low, 0] high[%high, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %minus : f32
  } : tensor<2x3xf32> to tensor<?x3xf32>
  %ten = arith.constant 10 : index
  %2 = tensor.pad %x low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %a = arith.muli %i, %ten : index
    %b = arith.addi %a, %j : index
    %c = arith.index_cast %b : index to i32
    %d = arith.sitofp %c : i32 to f32
    tensor.yield %d : f32
  } : tensor<2x3xf32> to tensor<3x3xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %3 = linalg.reduce {arith.addf} ins(%0 : tensor<4x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<?x3xf32>, tensor<3x3xf32>, tensor<4xf32>
}
