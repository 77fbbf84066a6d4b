// RUN: %tang-derive %s
// Attention sinks: one more logit for each head joins the maximum and the sum, and has no value. With it a row without
// keys is zero, not NaN (set 1).
// INPUT: 2x17x3x8xf32=random:1
// INPUT: 2x17x3x8xf32=random:2
// INPUT: 2x17x3x8xf32=random:3
// INPUT: 3xf32=random:4
// INPUT: 2x17xi1=random:5
// SET:
// INPUT: 2x17x3x8xf32=random:1
// INPUT: 2x17x3x8xf32=random:2
// INPUT: 2x17x3x8xf32=random:3
// INPUT: 3xf32=random:4
// INPUT: 2x17xi1=0
// EXPECT: 2x17x3x8xf32=0
// SET:
// INPUT: 2x17x3x8xf32=odd:6:1:1e15
// INPUT: 2x17x3x8xf32=random:7
// INPUT: 2x17x3x8xf32=random:8
// INPUT: 3xf32=-inf 1e30 nan
// INPUT: 2x17xi1=random:9
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#bhtsd_bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bhtsd_bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhtsd_bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bs = affine_map<(b, h, t, s) -> (b, s)>
#bhts_bht = affine_map<(b, h, t, s) -> (b, h, t)>
#bht_bht = affine_map<(b, h, t) -> (b, h, t)>
#bht_h = affine_map<(b, h, t) -> (h)>
#bthes_bhts = affine_map<(b, t, h, e, s) -> (b, h, t, s)>
#bthes_bshe = affine_map<(b, t, h, e, s) -> (b, s, h, e)>
#bthes_bthe = affine_map<(b, t, h, e, s) -> (b, t, h, e)>
func.func @main(%q: tensor<2x17x3x8xf32>, %k: tensor<2x17x3x8xf32>, %v: tensor<2x17x3x8xf32>, %sinks: tensor<3xf32>,
                %mask: tensor<2x17xi1>)
    -> tensor<2x17x3x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32
  %e_bhts = tensor.empty() : tensor<2x3x17x17xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhts : tensor<2x3x17x17xf32>) -> tensor<2x3x17x17xf32>
  %logits = linalg.generic {indexing_maps = [#bhtsd_bthd, #bhtsd_bshd, #bhtsd_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x17x3x8xf32>, tensor<2x17x3x8xf32>) outs(%logits_start : tensor<2x3x17x17xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17x17xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<2x3x17x17xf32>) outs(%e_bhts : tensor<2x3x17x17xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17x17xf32>
  %masked = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bs, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %mask : tensor<2x3x17x17xf32>, tensor<2x17xi1>) outs(%e_bhts : tensor<2x3x17x17xf32>) {
  ^bb0(%x: f32, %keep: i1, %out: f32):
    %r = arith.select %keep, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17x17xf32>
  %e_bht = tensor.empty() : tensor<2x3x17xf32>
  %row_max_start = linalg.fill ins(%low : f32) outs(%e_bht : tensor<2x3x17xf32>) -> tensor<2x3x17xf32>
  %row_max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<2x3x17x17xf32>) outs(%row_max_start : tensor<2x3x17xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17xf32>
  %max = linalg.generic {indexing_maps = [#bht_bht, #bht_h, #bht_bht],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%row_max, %sinks : tensor<2x3x17xf32>, tensor<3xf32>) outs(%e_bht : tensor<2x3x17xf32>) {
  ^bb0(%m: f32, %sink: f32, %out: f32):
    %r = arith.maximumf %m, %sink : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<2x3x17x17xf32>, tensor<2x3x17xf32>) outs(%e_bhts : tensor<2x3x17x17xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x3x17x17xf32>
  %row_sum_start = linalg.fill ins(%zero : f32) outs(%e_bht : tensor<2x3x17xf32>) -> tensor<2x3x17xf32>
  %row_sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<2x3x17x17xf32>) outs(%row_sum_start : tensor<2x3x17xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17xf32>
  %sum = linalg.generic {indexing_maps = [#bht_bht, #bht_bht, #bht_h, #bht_bht],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%row_sum, %max, %sinks : tensor<2x3x17xf32>, tensor<2x3x17xf32>, tensor<3xf32>)
      outs(%e_bht : tensor<2x3x17xf32>) {
  ^bb0(%z: f32, %m: f32, %sink: f32, %out: f32):
    %d = arith.subf %sink, %m : f32
    %e = math.exp %d : f32
    %r = arith.addf %z, %e : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<2x3x17x17xf32>, tensor<2x3x17xf32>) outs(%e_bhts : tensor<2x3x17x17xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<2x3x17x17xf32>
  %e_bthe = tensor.empty() : tensor<2x17x3x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_bthe : tensor<2x17x3x8xf32>) -> tensor<2x17x3x8xf32>
  %o = linalg.generic {indexing_maps = [#bthes_bhts, #bthes_bshe, #bthes_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<2x3x17x17xf32>, tensor<2x17x3x8xf32>) outs(%o_start : tensor<2x17x3x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x17x3x8xf32>
  return %o : tensor<2x17x3x8xf32>
}
