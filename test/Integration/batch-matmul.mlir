// RUN: %tang-agree %s
// One leading batch dimension, the same with the second operand transposed, and a batch that is summed away.
// INPUT: 3x4x11xf32=random:1
// INPUT: 3x11x5xf32=random:2
// INPUT: 3x5x11xf32=random:3
// TOLERANCE: f32 rtol=1e-5 atol=3e-5 (sums of up to 33 products near 1)
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#bt = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @main(%x: tensor<3x4x11xf32>, %y: tensor<3x11x5xf32>, %z: tensor<3x5x11xf32>)
    -> (tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %0 = linalg.batch_matmul ins(%x, %y : tensor<3x4x11xf32>, tensor<3x11x5xf32>)
      outs(%f : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %1 = linalg.batch_matmul indexing_maps = [#a, #bt, #c] ins(%x, %z : tensor<3x4x11xf32>, tensor<3x5x11xf32>)
      outs(%f : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %e2 = tensor.empty() : tensor<4x5xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = linalg.batch_reduce_matmul ins(%x, %y : tensor<3x4x11xf32>, tensor<3x11x5xf32>)
      outs(%f2 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0, %1, %2 : tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<4x5xf32>
}
