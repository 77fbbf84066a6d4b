// RUN: %tang-agree %s
// Plain products, added to what the output holds; no size is a multiple of a tile.
// INPUT: 5x19xf32=random:1
// INPUT: 19x7xf32=random:2
// INPUT: 5x7xf32=random:3
// SET:
// INPUT: 5x19xf32=1
// INPUT: 19x7xf32=2
// INPUT: 5x7xf32=-3
// EXPECT: 5x7xf32=38
// EXPECT: 5x7xf32=35
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 19 products near 1)
func.func @main(%a: tensor<5x19xf32>, %b: tensor<19x7xf32>, %c: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x19xf32>, tensor<19x7xf32>) outs(%f : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<5x19xf32>, tensor<19x7xf32>) outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
}
