// RUN: %tang-batch %s
// One query a sequence against 600 keys of its own. With one sequence the keys may be split over threads; with a
// thousand there is no need, and the split must be the same all the same.
// INPUT: ?x4xf32=random:1
// INPUT: ?x600x4xf32=random:2
// INPUT: ?x600x4xf32=random:3
#bsd_bd = affine_map<(b, s, d) -> (b, d)>
#bsd_bsd = affine_map<(b, s, d) -> (b, s, d)>
#bsd_bs = affine_map<(b, s, d) -> (b, s)>
#bs_bs = affine_map<(b, s) -> (b, s)>
#bs_b = affine_map<(b, s) -> (b)>
#bes_bs = affine_map<(b, e, s) -> (b, s)>
#bes_bse = affine_map<(b, e, s) -> (b, s, e)>
#bes_be = affine_map<(b, e, s) -> (b, e)>
func.func @main(%q: tensor<?x4xf32>, %k: tensor<?x600x4xf32>, %v: tensor<?x600x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %scale = arith.constant 0.5 : f32
  %low = arith.constant 0xFF800000 : f32
  %nb = tensor.dim %q, %c0 : tensor<?x4xf32>
  %e_bs = tensor.empty(%nb) : tensor<?x600xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bs : tensor<?x600xf32>) -> tensor<?x600xf32>
  %logits = linalg.generic {indexing_maps = [#bsd_bd, #bsd_bsd, #bsd_bs],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x4xf32>, tensor<?x600x4xf32>) outs(%logits_start : tensor<?x600xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x600xf32>
  %scaled = linalg.generic {indexing_maps = [#bs_bs, #bs_bs], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<?x600xf32>) outs(%e_bs : tensor<?x600xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<?x600xf32>
  %e_b = tensor.empty(%nb) : tensor<?xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_b : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#bs_bs, #bs_b], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<?x600xf32>) outs(%max_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %weights = linalg.generic {indexing_maps = [#bs_bs, #bs_b, #bs_bs], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %max : tensor<?x600xf32>, tensor<?xf32>) outs(%e_bs : tensor<?x600xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x600xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_b : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#bs_bs, #bs_b], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<?x600xf32>) outs(%sum_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %probabilities = linalg.generic {indexing_maps = [#bs_bs, #bs_b, #bs_bs], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x600xf32>, tensor<?xf32>) outs(%e_bs : tensor<?x600xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<?x600xf32>
  %e_be = tensor.empty(%nb) : tensor<?x4xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_be : tensor<?x4xf32>) -> tensor<?x4xf32>
  %o = linalg.generic {indexing_maps = [#bes_bs, #bes_bse, #bes_be],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<?x600xf32>, tensor<?x600x4xf32>) outs(%o_start : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}
