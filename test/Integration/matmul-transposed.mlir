// RUN: %tang-agree %s
// The transposed and the broadcasting products are linalg.matmul with maps of its own.
// INPUT: 9x5xf32=random:1
// INPUT: 7x9xf32=random:2
// INPUT: 9xf32=random:3
// INPUT: 9x7xf32=random:4
// SET:
// INPUT: 9x5xf32=iota
// INPUT: 7x9xf32=1
// INPUT: 9xf32=2
// INPUT: 9x7xf32=iota
// EXPECT: 5x7xf32=180 180 180 180 180 180 180 189 189 189 189 189 189 189 198 198 198 198 198 198 198 207 207 207 207 207 207 207 216 216 216 216 216 216 216
// EXPECT: 5x7xf32=504 522 540 558 576 594 612 504 522 540 558 576 594 612 504 522 540 558 576 594 612 504 522 540 558 576 594 612 504 522 540 558 576 594 612
// TOLERANCE: f32 rtol=1e-5 atol=2e-5 (sums of 9 products near 1)
#am = affine_map<(m, n, k) -> (k, m)>
#bn = affine_map<(m, n, k) -> (n, k)>
#bk = affine_map<(m, n, k) -> (k, n)>
#k = affine_map<(m, n, k) -> (k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: tensor<9x5xf32>, %b: tensor<7x9xf32>, %v: tensor<9xf32>, %w: tensor<9x7xf32>)
    -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul indexing_maps = [#am, #bn, #c]
      ins(%a, %b : tensor<9x5xf32>, tensor<7x9xf32>) outs(%f : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.matmul indexing_maps = [#k, #bk, #c]
      ins(%v, %w : tensor<9xf32>, tensor<9x7xf32>) outs(%f : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
}
