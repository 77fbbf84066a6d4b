// RUN: %tang-derive %s
// Attention with a mask of keys as an input. Where no key is left (all of set 1, some batches of set 2) a softmax
// spelled out gives NaN, and must keep doing so.
// INPUT: 3x7x2x8xf32=random:1
// INPUT: 3x13x2x8xf32=random:2
// INPUT: 3x13x2x8xf32=random:3
// INPUT: 3x13xi1=random:4
// SET:
// INPUT: 3x7x2x8xf32=random:1
// INPUT: 3x13x2x8xf32=random:2
// INPUT: 3x13x2x8xf32=random:3
// INPUT: 3x13xi1=0
// EXPECT: 3x7x2x8xf32=nan
// SET:
// INPUT: 3x7x2x8xf32=odd:5:1:1e15
// INPUT: 3x13x2x8xf32=random:6
// INPUT: 3x13x2x8xf32=random:7
// INPUT: 3x13xi1=1 1 1 0 0 0 0 0 0 0 0 0 0  0 0 0 0 0 0 0 0 0 0 0 0 0  0 0 0 0 0 0 0 0 0 0 0 1 1
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#bhtsd_bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bhtsd_bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhtsd_bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bs = affine_map<(b, h, t, s) -> (b, s)>
#bhts_bht = affine_map<(b, h, t, s) -> (b, h, t)>
#bthes_bhts = affine_map<(b, t, h, e, s) -> (b, h, t, s)>
#bthes_bshe = affine_map<(b, t, h, e, s) -> (b, s, h, e)>
#bthes_bthe = affine_map<(b, t, h, e, s) -> (b, t, h, e)>
func.func @main(%q: tensor<3x7x2x8xf32>, %k: tensor<3x13x2x8xf32>, %v: tensor<3x13x2x8xf32>, %mask: tensor<3x13xi1>)
    -> tensor<3x7x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_bhts = tensor.empty() : tensor<3x2x7x13xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhts : tensor<3x2x7x13xf32>) -> tensor<3x2x7x13xf32>
  %logits = linalg.generic {indexing_maps = [#bhtsd_bthd, #bhtsd_bshd, #bhtsd_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x7x2x8xf32>, tensor<3x13x2x8xf32>) outs(%logits_start : tensor<3x2x7x13xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<3x2x7x13xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<3x2x7x13xf32>) outs(%e_bhts : tensor<3x2x7x13xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<3x2x7x13xf32>
  %masked = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bs, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %mask : tensor<3x2x7x13xf32>, tensor<3x13xi1>) outs(%e_bhts : tensor<3x2x7x13xf32>) {
  ^bb0(%x: f32, %keep: i1, %out: f32):
    %r = arith.select %keep, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<3x2x7x13xf32>
  %e_bht = tensor.empty() : tensor<3x2x7xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bht : tensor<3x2x7xf32>) -> tensor<3x2x7xf32>
  %max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<3x2x7x13xf32>) outs(%max_start : tensor<3x2x7xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<3x2x7xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<3x2x7x13xf32>, tensor<3x2x7xf32>) outs(%e_bhts : tensor<3x2x7x13xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<3x2x7x13xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bht : tensor<3x2x7xf32>) -> tensor<3x2x7xf32>
  %sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<3x2x7x13xf32>) outs(%sum_start : tensor<3x2x7xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<3x2x7xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<3x2x7x13xf32>, tensor<3x2x7xf32>) outs(%e_bhts : tensor<3x2x7x13xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<3x2x7x13xf32>
  %e_bthe = tensor.empty() : tensor<3x7x2x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_bthe : tensor<3x7x2x8xf32>) -> tensor<3x7x2x8xf32>
  %o = linalg.generic {indexing_maps = [#bthes_bhts, #bthes_bshe, #bthes_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<3x2x7x13xf32>, tensor<3x13x2x8xf32>) outs(%o_start : tensor<3x7x2x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<3x7x2x8xf32>
  return %o : tensor<3x7x2x8xf32>
}
