// RUN: %tang-agree %s
// linalg.contract with several reduction dimensions and an output that is permuted.
// INPUT: 3x4x5x2xf32=random:1
// INPUT: 5x4x6xf32=random:2
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 20 products near 1)
#a = affine_map<(m, n, p, k, l) -> (m, k, l, p)>
#b = affine_map<(m, n, p, k, l) -> (l, k, n)>
#c = affine_map<(m, n, p, k, l) -> (p, n, m)>
func.func @main(%a: tensor<3x4x5x2xf32>, %b: tensor<5x4x6xf32>) -> tensor<2x6x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  %0 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<3x4x5x2xf32>, tensor<5x4x6xf32>) outs(%f : tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  return %0 : tensor<2x6x3xf32>
}
