// RUN: %tang-agree %s
// linalg.elementwise with maps that broadcast and transpose.
// INPUT: 3x4xf32=iota
// INPUT: 4xf32=1 2 3 4
// INPUT: 4x3xf32=iota
// EXPECT: 3x4xf32=1 3 5 7 5 7 9 11 9 11 13 15
// EXPECT: 3x4xf32=0 3 12 27 4 20 42 70 16 45 80 121
// TOLERANCE: f32 rtol=0 atol=0 (small integers)
func.func @main(%x: tensor<3x4xf32>, %v: tensor<4xf32>, %t: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<add>
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      ins(%x, %v : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = linalg.elementwise kind=#linalg.elementwise_kind<mul>
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      ins(%x, %t : tensor<3x4xf32>, tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}
