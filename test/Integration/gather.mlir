// RUN: %tang-agree %s
// Rows picked by data: tensor.gather, and a generic that clamps its indices as frontends do.
// INPUT: 6x3xf32=iota
// INPUT: 4x1xindex=5 0 2 2
// INPUT: 5xi32=-3 9 1 5 0
// EXPECT: 4x1x3xf32=15 16 17 0 1 2 6 7 8 6 7 8
// EXPECT: 5x3xf32=0 1 2 15 16 17 3 4 5 15 16 17 0 1 2
func.func @main(%table: tensor<6x3xf32>, %at: tensor<4x1xindex>, %ids: tensor<5xi32>) -> (tensor<4x1x3xf32>, tensor<5x3xf32>) {
  %0 = tensor.gather %table[%at] gather_dims([0]) : (tensor<6x3xf32>, tensor<4x1xindex>) -> tensor<4x1x3xf32>
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<5xi32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%id: i32, %o: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %id : i32 to index
    %l = arith.maxsi %i, %c0 : index
    %k = arith.minsi %l, %c5 : index
    %v = tensor.extract %table[%k, %j] : tensor<6x3xf32>
    linalg.yield %v : f32
  } -> tensor<5x3xf32>
  return %0, %1 : tensor<4x1x3xf32>, tensor<5x3xf32>
}
