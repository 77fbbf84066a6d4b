// RUN: %tang-derive %s
// Sliding window: a query sees itself and the 4 keys before it. For late rows whole tiles of early keys are masked, so
// the running maximum stays -inf for a while.
// INPUT: 1x70x2x8xf32=random:1
// INPUT: 1x70x2x8xf32=random:2
// INPUT: 1x70x2x8xf32=random:3
// SET:
// INPUT: 1x70x2x8xf32=odd:4:1:1e15
// INPUT: 1x70x2x8xf32=random:5
// INPUT: 1x70x2x8xf32=random:6
// SET:
// INPUT: 1x70x2x8xf32=random:7
// INPUT: 1x70x2x8xf32=late:8:1:50
// INPUT: 1x70x2x8xf32=random:9
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#bhtsd_bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bhtsd_bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhtsd_bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bht = affine_map<(b, h, t, s) -> (b, h, t)>
#bthes_bhts = affine_map<(b, t, h, e, s) -> (b, h, t, s)>
#bthes_bshe = affine_map<(b, t, h, e, s) -> (b, s, h, e)>
#bthes_bthe = affine_map<(b, t, h, e, s) -> (b, t, h, e)>
func.func @main(%q: tensor<1x70x2x8xf32>, %k: tensor<1x70x2x8xf32>, %v: tensor<1x70x2x8xf32>) -> tensor<1x70x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32
  %low = arith.constant 0xFF800000 : f32
  %window = arith.constant 5 : index
  %e_bhts = tensor.empty() : tensor<1x2x70x70xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhts : tensor<1x2x70x70xf32>) -> tensor<1x2x70x70xf32>
  %logits = linalg.generic {indexing_maps = [#bhtsd_bthd, #bhtsd_bshd, #bhtsd_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x70x2x8xf32>, tensor<1x70x2x8xf32>) outs(%logits_start : tensor<1x2x70x70xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x2x70x70xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<1x2x70x70xf32>) outs(%e_bhts : tensor<1x2x70x70xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<1x2x70x70xf32>
  %masked = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled : tensor<1x2x70x70xf32>) outs(%e_bhts : tensor<1x2x70x70xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %past = arith.cmpi sle, %j, %i : index
    %back = arith.subi %i, %j : index
    %near = arith.cmpi slt, %back, %window : index
    %keep = arith.andi %past, %near : i1
    %r = arith.select %keep, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<1x2x70x70xf32>
  %e_bht = tensor.empty() : tensor<1x2x70xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bht : tensor<1x2x70xf32>) -> tensor<1x2x70xf32>
  %max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<1x2x70x70xf32>) outs(%max_start : tensor<1x2x70xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x2x70xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<1x2x70x70xf32>, tensor<1x2x70xf32>) outs(%e_bhts : tensor<1x2x70x70xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<1x2x70x70xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bht : tensor<1x2x70xf32>) -> tensor<1x2x70xf32>
  %sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<1x2x70x70xf32>) outs(%sum_start : tensor<1x2x70xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x2x70xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<1x2x70x70xf32>, tensor<1x2x70xf32>) outs(%e_bhts : tensor<1x2x70x70xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<1x2x70x70xf32>
  %e_bthe = tensor.empty() : tensor<1x70x2x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_bthe : tensor<1x70x2x8xf32>) -> tensor<1x70x2x8xf32>
  %o = linalg.generic {indexing_maps = [#bthes_bhts, #bthes_bshe, #bthes_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<1x2x70x70xf32>, tensor<1x70x2x8xf32>) outs(%o_start : tensor<1x70x2x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x70x2x8xf32>
  return %o : tensor<1x70x2x8xf32>
}
