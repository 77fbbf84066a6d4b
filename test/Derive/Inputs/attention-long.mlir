// Attention of one head over 65,536 positions: a matrix of logits would take 16 GiB.
#tsd_td = affine_map<(t, s, d) -> (t, d)>
#tsd_sd = affine_map<(t, s, d) -> (s, d)>
#tsd_ts = affine_map<(t, s, d) -> (t, s)>
#ts_ts = affine_map<(t, s) -> (t, s)>
#ts_t = affine_map<(t, s) -> (t)>
#tes_ts = affine_map<(t, e, s) -> (t, s)>
#tes_se = affine_map<(t, e, s) -> (s, e)>
#tes_te = affine_map<(t, e, s) -> (t, e)>
func.func @main(%q: tensor<65536x64xf32>, %k: tensor<65536x64xf32>, %v: tensor<65536x64xf32>) -> tensor<65536x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_ts = tensor.empty() : tensor<65536x65536xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_ts : tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  %logits = linalg.generic {indexing_maps = [#tsd_td, #tsd_sd, #tsd_ts],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<65536x64xf32>, tensor<65536x64xf32>) outs(%logits_start : tensor<65536x65536xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<65536x65536xf32>
  %scaled = linalg.generic {indexing_maps = [#ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<65536x65536xf32>) outs(%e_ts : tensor<65536x65536xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<65536x65536xf32>
  %e_t = tensor.empty() : tensor<65536xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_t : tensor<65536xf32>) -> tensor<65536xf32>
  %max = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<65536x65536xf32>) outs(%max_start : tensor<65536xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<65536xf32>
  %weights = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %max : tensor<65536x65536xf32>, tensor<65536xf32>) outs(%e_ts : tensor<65536x65536xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<65536x65536xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_t : tensor<65536xf32>) -> tensor<65536xf32>
  %sum = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<65536x65536xf32>) outs(%sum_start : tensor<65536xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<65536xf32>
  %probabilities = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<65536x65536xf32>, tensor<65536xf32>) outs(%e_ts : tensor<65536x65536xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<65536x65536xf32>
  %e_te = tensor.empty() : tensor<65536x64xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_te : tensor<65536x64xf32>) -> tensor<65536x64xf32>
  %o = linalg.generic {indexing_maps = [#tes_ts, #tes_se, #tes_te],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<65536x65536xf32>, tensor<65536x64xf32>) outs(%o_start : tensor<65536x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<65536x64xf32>
  return %o : tensor<65536x64xf32>
}
