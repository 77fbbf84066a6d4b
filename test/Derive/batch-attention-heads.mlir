// RUN: %tang-batch %s
// Sequences of causal attention, each with its own keys.
// INPUT: ?x7x2x8xf32=random:1
// INPUT: ?x7x2x8xf32=random:2
// INPUT: ?x7x2x8xf32=random:3
#bhtsd_bthd = affine_map<(b, h, t, s, d) -> (b, t, h, d)>
#bhtsd_bshd = affine_map<(b, h, t, s, d) -> (b, s, h, d)>
#bhtsd_bhts = affine_map<(b, h, t, s, d) -> (b, h, t, s)>
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bht = affine_map<(b, h, t, s) -> (b, h, t)>
#bthes_bhts = affine_map<(b, t, h, e, s) -> (b, h, t, s)>
#bthes_bshe = affine_map<(b, t, h, e, s) -> (b, s, h, e)>
#bthes_bthe = affine_map<(b, t, h, e, s) -> (b, t, h, e)>
func.func @main(%q: tensor<?x7x2x8xf32>, %k: tensor<?x7x2x8xf32>, %v: tensor<?x7x2x8xf32>) -> tensor<?x7x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %scale = arith.constant 0.353553385 : f32
  %low = arith.constant 0xFF800000 : f32
  %nb = tensor.dim %q, %c0 : tensor<?x7x2x8xf32>
  %e_bhts = tensor.empty(%nb) : tensor<?x2x7x7xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhts : tensor<?x2x7x7xf32>) -> tensor<?x2x7x7xf32>
  %logits = linalg.generic {indexing_maps = [#bhtsd_bthd, #bhtsd_bshd, #bhtsd_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x7x2x8xf32>, tensor<?x7x2x8xf32>) outs(%logits_start : tensor<?x2x7x7xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x2x7x7xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<?x2x7x7xf32>) outs(%e_bhts : tensor<?x2x7x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<?x2x7x7xf32>
  %masked = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled : tensor<?x2x7x7xf32>) outs(%e_bhts : tensor<?x2x7x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %keep = arith.cmpi sge, %i, %j : index
    %r = arith.select %keep, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x2x7x7xf32>
  %e_bht = tensor.empty(%nb) : tensor<?x2x7xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bht : tensor<?x2x7xf32>) -> tensor<?x2x7xf32>
  %max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<?x2x7x7xf32>) outs(%max_start : tensor<?x2x7xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?x2x7xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<?x2x7x7xf32>, tensor<?x2x7xf32>) outs(%e_bhts : tensor<?x2x7x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x2x7x7xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bht : tensor<?x2x7xf32>) -> tensor<?x2x7xf32>
  %sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<?x2x7x7xf32>) outs(%sum_start : tensor<?x2x7xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?x2x7xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x2x7x7xf32>, tensor<?x2x7xf32>) outs(%e_bhts : tensor<?x2x7x7xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<?x2x7x7xf32>
  %e_bthe = tensor.empty(%nb) : tensor<?x7x2x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_bthe : tensor<?x7x2x8xf32>) -> tensor<?x7x2x8xf32>
  %o = linalg.generic {indexing_maps = [#bthes_bhts, #bthes_bshe, #bthes_bthe],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<?x2x7x7xf32>, tensor<?x7x2x8xf32>) outs(%o_start : tensor<?x7x2x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x7x2x8xf32>
  return %o : tensor<?x7x2x8xf32>
}
