// RUN: %tang-derive %s
// Dropout with its mask as an input: probabilities are dropped after they are normalised, so the sum is over all of
// them.
// INPUT: 2x9x2x8xf32=random:1
// INPUT: 2x13x2x8xf32=random:2
// INPUT: 2x13x2x8xf32=random:3
// INPUT: 2x2x9x13xi1=random:4
// SET:
// INPUT: 2x9x2x8xf32=odd:5:1:1e15
// INPUT: 2x13x2x8xf32=random:6
// INPUT: 2x13x2x8xf32=random:7
// INPUT: 2x2x9x13xi1=random:8
// SET:
// INPUT: 2x9x2x8xf32=random:1
// INPUT: 2x13x2x8xf32=random:2
// INPUT: 2x13x2x8xf32=random:3
// INPUT: 2x2x9x13xi1=0
// EXPECT: 2x9x2x8xf32=0
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#bhtsd_bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bhtsd_bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhtsd_bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bht = affine_map<(b, h, t, s) -> (b, h, t)>
#bthes_bhts = affine_map<(b, t, h, e, s) -> (b, h, t, s)>
#bthes_bshe = affine_map<(b, t, h, e, s) -> (b, s, h, e)>
#bthes_bthe = affine_map<(b, t, h, e, s) -> (b, t, h, e)>
func.func @main(%q: tensor<2x9x2x8xf32>, %k: tensor<2x13x2x8xf32>, %v: tensor<2x13x2x8xf32>, %mask: tensor<2x2x9x13xi1>)
    -> tensor<2x9x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32
  %low = arith.constant 0xFF800000 : f32
  %keep_scale = arith.constant 1.25 : f32
  %e_bhts = tensor.empty() : tensor<2x2x9x13xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhts : tensor<2x2x9x13xf32>) -> tensor<2x2x9x13xf32>
  %logits = linalg.generic {indexing_maps = [#bhtsd_bthd, #bhtsd_bshd, #bhtsd_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x9x2x8xf32>, tensor<2x13x2x8xf32>) outs(%logits_start : tensor<2x2x9x13xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x9x13xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<2x2x9x13xf32>) outs(%e_bhts : tensor<2x2x9x13xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x2x9x13xf32>
  %e_bht = tensor.empty() : tensor<2x2x9xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bht : tensor<2x2x9xf32>) -> tensor<2x2x9xf32>
  %max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%scaled : tensor<2x2x9x13xf32>) outs(%max_start : tensor<2x2x9xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x2x9xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<2x2x9x13xf32>, tensor<2x2x9xf32>) outs(%e_bhts : tensor<2x2x9x13xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x2x9x13xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bht : tensor<2x2x9xf32>) -> tensor<2x2x9xf32>
  %sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<2x2x9x13xf32>) outs(%sum_start : tensor<2x2x9xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x2x9xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<2x2x9x13xf32>, tensor<2x2x9xf32>) outs(%e_bhts : tensor<2x2x9x13xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<2x2x9x13xf32>
  %dropped = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%probabilities, %mask : tensor<2x2x9x13xf32>, tensor<2x2x9x13xi1>) outs(%e_bhts : tensor<2x2x9x13xf32>) {
  ^bb0(%p: f32, %keep: i1, %out: f32):
    %u = arith.mulf %p, %keep_scale : f32
    %r = arith.select %keep, %u, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x2x9x13xf32>
  %e_bthe = tensor.empty() : tensor<2x9x2x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_bthe : tensor<2x9x2x8xf32>) -> tensor<2x9x2x8xf32>
  %o = linalg.generic {indexing_maps = [#bthes_bhts, #bthes_bshe, #bthes_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%dropped, %v : tensor<2x2x9x13xf32>, tensor<2x13x2x8xf32>) outs(%o_start : tensor<2x9x2x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x9x2x8xf32>
  return %o : tensor<2x9x2x8xf32>
}
