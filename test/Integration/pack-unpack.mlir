// RUN: %tang-agree %s
// Blocks with padding, permuted blocks, and back.
// INPUT: 5x7xf32=iota
// EXPECT: 3x3x2x3xf32=0 1 2 7 8 9 3 4 5 10 11 12 6 -1 -1 13 -1 -1 14 15 16 21 22 23 17 18 19 24 25 26 20 -1 -1 27 -1 -1 28 29 30 -1 -1 -1 31 32 33 -1 -1 -1 34 -1 -1 -1 -1 -1
// EXPECT: 5x7xf32=iota
// EXPECT: 7x5x1x1xf32=0 7 14 21 28 1 8 15 22 29 2 9 16 23 30 3 10 17 24 31 4 11 18 25 32 5 12 19 26 33 6 13 20 27 34
// TOLERANCE: f32 rtol=0 atol=0 (values only move)
func.func @main(%x: tensor<5x7xf32>) -> (tensor<3x3x2x3xf32>, tensor<5x7xf32>, tensor<7x5x1x1xf32>) {
  %pad = arith.constant -1.0 : f32
  %e = tensor.empty() : tensor<3x3x2x3xf32>
  %0 = linalg.pack %x padding_value(%pad : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e
      : tensor<5x7xf32> -> tensor<3x3x2x3xf32>
  %f = tensor.empty() : tensor<5x7xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %f : tensor<3x3x2x3xf32> -> tensor<5x7xf32>
  %g = tensor.empty() : tensor<7x5x1x1xf32>
  %2 = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [1, 1] into %g
      : tensor<5x7xf32> -> tensor<7x5x1x1xf32>
  return %0, %1, %2 : tensor<3x3x2x3xf32>, tensor<5x7xf32>, tensor<7x5x1x1xf32>
}
