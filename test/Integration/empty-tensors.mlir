// RUN: %tang-agree %s
// Sizes of 0: nothing is launched for an empty result, and a fold over nothing is its initial value.
// INPUT: 0x4xf32=0
// INPUT: 3x0xf32=0
// EXPECT: 0x4xf32=0
// EXPECT: 4xf32=7
// EXPECT: 3x4xf32=0
// EXPECT: 0x3xf32=0
// EXPECT: 3x2xf32=9
func.func @main(%x: tensor<0x4xf32>, %y: tensor<3x0xf32>)
    -> (tensor<0x4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<0x3xf32>, tensor<3x2xf32>) {
  %e0 = tensor.empty() : tensor<0x4xf32>
  %0 = linalg.exp ins(%x : tensor<0x4xf32>) outs(%e0 : tensor<0x4xf32>) -> tensor<0x4xf32>
  %seven = arith.constant dense<7.0> : tensor<4xf32>
  %1 = linalg.reduce {arith.mulf} ins(%x : tensor<0x4xf32>) outs(%seven : tensor<4xf32>) dimensions = [0]
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %2 = linalg.matmul ins(%y, %x : tensor<3x0xf32>, tensor<0x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  %e3 = tensor.empty() : tensor<0x3xf32>
  %3 = linalg.transpose ins(%y : tensor<3x0xf32>) outs(%e3 : tensor<0x3xf32>) permutation = [1, 0]
  %nine = arith.constant 9.0 : f32
  %4 = tensor.pad %y low[0, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %nine : f32
  } : tensor<3x0xf32> to tensor<3x2xf32>
  return %0, %1, %2, %3, %4 : tensor<0x4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<0x3xf32>, tensor<3x2xf32>
}
