// RUN: %tang-derive %s
// Grouped queries: 6 query heads over 2 key heads, the query heads split by expand_shape.
// INPUT: 2x9x6x8xf32=random:1
// INPUT: 2x11x2x8xf32=random:2
// INPUT: 2x11x2x8xf32=random:3
// SET:
// INPUT: 2x9x6x8xf32=odd:4:1:1e15
// INPUT: 2x11x2x8xf32=random:5
// INPUT: 2x11x2x8xf32=random:6
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#bkgtsd_btkgd = affine_map<(b, k, g, t, s, d) -> (b, t, k, g, d)>
#bkgtsd_bskd = affine_map<(b, k, g, t, s, d) -> (b, s, k, d)>
#bkgtsd_bkgts = affine_map<(b, k, g, t, s, d) -> (b, k, g, t, s)>
#bkgts_bkgts = affine_map<(b, k, g, t, s) -> (b, k, g, t, s)>
#bkgts_bkgt = affine_map<(b, k, g, t, s) -> (b, k, g, t)>
#btkges_bkgts = affine_map<(b, t, k, g, e, s) -> (b, k, g, t, s)>
#btkges_bske = affine_map<(b, t, k, g, e, s) -> (b, s, k, e)>
#btkges_btkge = affine_map<(b, t, k, g, e, s) -> (b, t, k, g, e)>
func.func @main(%q: tensor<2x9x6x8xf32>, %k: tensor<2x11x2x8xf32>, %v: tensor<2x11x2x8xf32>) -> tensor<2x9x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32
  %low = arith.constant 0xFF800000 : f32
  %qg = tensor.expand_shape %q [[0], [1], [2, 3], [4]]
      output_shape [2, 9, 2, 3, 8] : tensor<2x9x6x8xf32> into tensor<2x9x2x3x8xf32>
  %e_bkgts = tensor.empty() : tensor<2x2x3x9x11xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bkgts : tensor<2x2x3x9x11xf32>) -> tensor<2x2x3x9x11xf32>
  %logits = linalg.generic {indexing_maps = [#bkgtsd_btkgd, #bkgtsd_bskd, #bkgtsd_bkgts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%qg, %k : tensor<2x9x2x3x8xf32>, tensor<2x11x2x8xf32>) outs(%logits_start : tensor<2x2x3x9x11xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x9x11xf32>
  %scaled = linalg.generic {indexing_maps = [#bkgts_bkgts, #bkgts_bkgts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<2x2x3x9x11xf32>) outs(%e_bkgts : tensor<2x2x3x9x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x9x11xf32>
  %e_bkgt = tensor.empty() : tensor<2x2x3x9xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bkgt : tensor<2x2x3x9xf32>) -> tensor<2x2x3x9xf32>
  %max = linalg.generic {indexing_maps = [#bkgts_bkgts, #bkgts_bkgt],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%scaled : tensor<2x2x3x9x11xf32>) outs(%max_start : tensor<2x2x3x9xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x9xf32>
  %weights = linalg.generic {indexing_maps = [#bkgts_bkgts, #bkgts_bkgt, #bkgts_bkgts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<2x2x3x9x11xf32>, tensor<2x2x3x9xf32>) outs(%e_bkgts : tensor<2x2x3x9x11xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x2x3x9x11xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bkgt : tensor<2x2x3x9xf32>) -> tensor<2x2x3x9xf32>
  %sum = linalg.generic {indexing_maps = [#bkgts_bkgts, #bkgts_bkgt],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<2x2x3x9x11xf32>) outs(%sum_start : tensor<2x2x3x9xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x2x3x9xf32>
  %probabilities = linalg.generic {indexing_maps = [#bkgts_bkgts, #bkgts_bkgt, #bkgts_bkgts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<2x2x3x9x11xf32>, tensor<2x2x3x9xf32>) outs(%e_bkgts : tensor<2x2x3x9x11xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<2x2x3x9x11xf32>
  %e_btkge = tensor.empty() : tensor<2x9x2x3x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_btkge : tensor<2x9x2x3x8xf32>) -> tensor<2x9x2x3x8xf32>
  %o = linalg.generic {indexing_maps = [#btkges_bkgts, #btkges_bske, #btkges_btkge],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<2x2x3x9x11xf32>, tensor<2x11x2x8xf32>) outs(%o_start : tensor<2x9x2x3x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x9x2x3x8xf32>
  %r = tensor.collapse_shape %o [[0], [1], [2, 3], [4]] : tensor<2x9x2x3x8xf32> into tensor<2x9x6x8xf32>
  return %r : tensor<2x9x6x8xf32>
}
