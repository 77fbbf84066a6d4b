// RUN: %tang-derive %s
// Three projections of one input, equally wide (600 columns, more than a program carries), with a bias each: one kernel,
// which reads the input once.
// INPUT: 33x40xf32=random:1
// INPUT: 40x600xf32=random:2
// INPUT: 40x600xf32=random:3
// INPUT: 40x600xf32=random:4
// INPUT: 600xf32=random:5
// SET:
// INPUT: 33x40xf32=odd:4:0:1
// INPUT: 40x600xf32=random:2
// INPUT: 40x600xf32=range:3:0:1
// INPUT: 40x600xf32=random:4
// INPUT: 600xf32=odd:5:0:1
// TOLERANCE: f32 rtol=2e-5 atol=1e-5 (sums of 40 products in f32)
#mn_mn = affine_map<(m, n) -> (m, n)>
#mn_n = affine_map<(m, n) -> (n)>
func.func @main(%input: tensor<33x40xf32>, %wq: tensor<40x600xf32>, %wk: tensor<40x600xf32>, %wv: tensor<40x600xf32>,
                %bias: tensor<600xf32>) -> (tensor<33x600xf32>, tensor<33x600xf32>, tensor<33x600xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x600xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<33x600xf32>) -> tensor<33x600xf32>
  %q = linalg.matmul ins(%input, %wq : tensor<33x40xf32>, tensor<40x600xf32>) outs(%start : tensor<33x600xf32>) -> tensor<33x600xf32>
  %k = linalg.matmul ins(%input, %wk : tensor<33x40xf32>, tensor<40x600xf32>) outs(%start : tensor<33x600xf32>) -> tensor<33x600xf32>
  %v = linalg.matmul ins(%input, %wv : tensor<33x40xf32>, tensor<40x600xf32>) outs(%start : tensor<33x600xf32>) -> tensor<33x600xf32>
  %qb = linalg.generic {indexing_maps = [#mn_mn, #mn_n, #mn_mn], iterator_types = ["parallel", "parallel"]}
      ins(%q, %bias : tensor<33x600xf32>, tensor<600xf32>) outs(%e : tensor<33x600xf32>) {
  ^bb0(%x: f32, %b: f32, %out: f32):
    %r = arith.addf %x, %b : f32
    linalg.yield %r : f32
  } -> tensor<33x600xf32>
  return %qb, %k, %v : tensor<33x600xf32>, tensor<33x600xf32>, tensor<33x600xf32>
}
