// RUN: %tang-batch %s
// Queries of one head against 130 keys, which all of them share.
// INPUT: ?x16xf32=random:1
// INPUT: 130x16xf32=random:2
// INPUT: 130x16xf32=random:3
#tsd_td = affine_map<(t, s, d) -> (t, d)>
#tsd_sd = affine_map<(t, s, d) -> (s, d)>
#tsd_ts = affine_map<(t, s, d) -> (t, s)>
#ts_ts = affine_map<(t, s) -> (t, s)>
#ts_t = affine_map<(t, s) -> (t)>
#tes_ts = affine_map<(t, e, s) -> (t, s)>
#tes_se = affine_map<(t, e, s) -> (s, e)>
#tes_te = affine_map<(t, e, s) -> (t, e)>
func.func @main(%q: tensor<?x16xf32>, %k: tensor<130x16xf32>, %v: tensor<130x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %scale = arith.constant 0.25 : f32
  %low = arith.constant 0xFF800000 : f32
  %nt = tensor.dim %q, %c0 : tensor<?x16xf32>
  %e_ts = tensor.empty(%nt) : tensor<?x130xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_ts : tensor<?x130xf32>) -> tensor<?x130xf32>
  %logits = linalg.generic {indexing_maps = [#tsd_td, #tsd_sd, #tsd_ts],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16xf32>, tensor<130x16xf32>) outs(%logits_start : tensor<?x130xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x130xf32>
  %scaled = linalg.generic {indexing_maps = [#ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<?x130xf32>) outs(%e_ts : tensor<?x130xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<?x130xf32>
  %e_t = tensor.empty(%nt) : tensor<?xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_t : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<?x130xf32>) outs(%max_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %weights = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %max : tensor<?x130xf32>, tensor<?xf32>) outs(%e_ts : tensor<?x130xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x130xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_t : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<?x130xf32>) outs(%sum_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %probabilities = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x130xf32>, tensor<?xf32>) outs(%e_ts : tensor<?x130xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<?x130xf32>
  %e_te = tensor.empty(%nt) : tensor<?x16xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_te : tensor<?x16xf32>) -> tensor<?x16xf32>
  %o = linalg.generic {indexing_maps = [#tes_ts, #tes_se, #tes_te],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<?x130xf32>, tensor<130x16xf32>) outs(%o_start : tensor<?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %o : tensor<?x16xf32>
}
