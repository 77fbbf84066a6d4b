// RUN: %tang-derive %s
// bf16 attention that rounds the normalised probabilities to bf16 before the second product, sums in f32, as exported
// by jax.
// INPUT: 1x33x2x16xbf16=random:1
// INPUT: 1x33x2x16xbf16=random:2
// INPUT: 1x33x2x16xbf16=random:3
// SET:
// INPUT: 1x33x2x16xbf16=odd:4:1:1e15
// INPUT: 1x33x2x16xbf16=random:5
// INPUT: 1x33x2x16xbf16=random:6
// TOLERANCE: bf16 rtol=0.015625 atol=0.0078125 (p may be rounded in another gauge: 2^-9 of each term, then the result)
#bhtsd_bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bhtsd_bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhtsd_bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bht = affine_map<(b, h, t, s) -> (b, h, t)>
#bthes_bhts = affine_map<(b, t, h, e, s) -> (b, h, t, s)>
#bthes_bshe = affine_map<(b, t, h, e, s) -> (b, s, h, e)>
#bthes_bthe = affine_map<(b, t, h, e, s) -> (b, t, h, e)>
#bthe_bthe = affine_map<(b, t, h, e) -> (b, t, h, e)>
func.func @main(%q: tensor<1x33x2x16xbf16>, %k: tensor<1x33x2x16xbf16>, %v: tensor<1x33x2x16xbf16>)
    -> tensor<1x33x2x16xbf16> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %e_bhts = tensor.empty() : tensor<1x2x33x33xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhts : tensor<1x2x33x33xf32>) -> tensor<1x2x33x33xf32>
  %logits = linalg.generic {indexing_maps = [#bhtsd_bthd, #bhtsd_bshd, #bhtsd_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x33x2x16xbf16>, tensor<1x33x2x16xbf16>) outs(%logits_start : tensor<1x2x33x33xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x2x33x33xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<1x2x33x33xf32>) outs(%e_bhts : tensor<1x2x33x33xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<1x2x33x33xf32>
  %masked = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled : tensor<1x2x33x33xf32>) outs(%e_bhts : tensor<1x2x33x33xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %keep = arith.cmpi sge, %i, %j : index
    %r = arith.select %keep, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<1x2x33x33xf32>
  %e_bht = tensor.empty() : tensor<1x2x33xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bht : tensor<1x2x33xf32>) -> tensor<1x2x33xf32>
  %max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<1x2x33x33xf32>) outs(%max_start : tensor<1x2x33xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x2x33xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<1x2x33x33xf32>, tensor<1x2x33xf32>) outs(%e_bhts : tensor<1x2x33x33xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<1x2x33x33xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bht : tensor<1x2x33xf32>) -> tensor<1x2x33xf32>
  %sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<1x2x33x33xf32>) outs(%sum_start : tensor<1x2x33xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x2x33xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<1x2x33x33xf32>, tensor<1x2x33xf32>) outs(%e_bhts : tensor<1x2x33x33xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<1x2x33x33xf32>
  %e_bhts_bf16 = tensor.empty() : tensor<1x2x33x33xbf16>
  %rounded = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%probabilities : tensor<1x2x33x33xf32>) outs(%e_bhts_bf16 : tensor<1x2x33x33xbf16>) {
  ^bb0(%e: f32, %out: bf16):
    %p = arith.truncf %e : f32 to bf16
    linalg.yield %p : bf16
  } -> tensor<1x2x33x33xbf16>
  %e_bthe = tensor.empty() : tensor<1x33x2x16xf32>
  %sums_start = linalg.fill ins(%zero : f32) outs(%e_bthe : tensor<1x33x2x16xf32>) -> tensor<1x33x2x16xf32>
  %sums = linalg.generic {indexing_maps = [#bthes_bhts, #bthes_bshe, #bthes_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%rounded, %v : tensor<1x2x33x33xbf16>, tensor<1x33x2x16xbf16>) outs(%sums_start : tensor<1x33x2x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x33x2x16xf32>
  %e_bthe_bf16 = tensor.empty() : tensor<1x33x2x16xbf16>
  %o = linalg.generic {indexing_maps = [#bthe_bthe, #bthe_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<1x33x2x16xf32>) outs(%e_bthe_bf16 : tensor<1x33x2x16xbf16>) {
  ^bb0(%e: f32, %out: bf16):
    %p = arith.truncf %e : f32 to bf16
    linalg.yield %p : bf16
  } -> tensor<1x33x2x16xbf16>
  return %o : tensor<1x33x2x16xbf16>
}
