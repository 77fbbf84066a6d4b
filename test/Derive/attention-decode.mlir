// RUN: %tang-derive %s
// One query against 2048 keys. There is one row, so its keys may be split and the parts merged by a second kernel.
// INPUT: 1x64xf32=random:1
// INPUT: 2048x64xf32=random:2
// INPUT: 2048x64xf32=random:3
// SET:
// INPUT: 1x64xf32=1e15
// INPUT: 2048x64xf32=random:5
// INPUT: 2048x64xf32=random:6
// SET:
// INPUT: 1x64xf32=random:7
// INPUT: 2048x64xf32=random:8
// INPUT: 2048x64xf32=odd:9:1:1e15
// SET:
// INPUT: 1x64xf32=nan
// INPUT: 2048x64xf32=random:8
// INPUT: 2048x64xf32=random:9
// EXPECT: 1x64xf32=nan
// TOLERANCE: f32 rtol=1e-4 atol=5e-6 (sums of 2048 in f32 against f64, in another order)
#tsd_td = affine_map<(t, s, d) -> (t, d)>
#tsd_sd = affine_map<(t, s, d) -> (s, d)>
#tsd_ts = affine_map<(t, s, d) -> (t, s)>
#ts_ts = affine_map<(t, s) -> (t, s)>
#ts_t = affine_map<(t, s) -> (t)>
#tes_ts = affine_map<(t, e, s) -> (t, s)>
#tes_se = affine_map<(t, e, s) -> (s, e)>
#tes_te = affine_map<(t, e, s) -> (t, e)>
func.func @main(%q: tensor<1x64xf32>, %k: tensor<2048x64xf32>, %v: tensor<2048x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_ts = tensor.empty() : tensor<1x2048xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_ts : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %logits = linalg.generic {indexing_maps = [#tsd_td, #tsd_sd, #tsd_ts],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x64xf32>, tensor<2048x64xf32>) outs(%logits_start : tensor<1x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x2048xf32>
  %scaled = linalg.generic {indexing_maps = [#ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<1x2048xf32>) outs(%e_ts : tensor<1x2048xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<1x2048xf32>
  %e_t = tensor.empty() : tensor<1xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_t : tensor<1xf32>) -> tensor<1xf32>
  %max = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<1x2048xf32>) outs(%max_start : tensor<1xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  %weights = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %max : tensor<1x2048xf32>, tensor<1xf32>) outs(%e_ts : tensor<1x2048xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<1x2048xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_t : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<1x2048xf32>) outs(%sum_start : tensor<1xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  %probabilities = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<1x2048xf32>, tensor<1xf32>) outs(%e_ts : tensor<1x2048xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<1x2048xf32>
  %e_te = tensor.empty() : tensor<1x64xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_te : tensor<1x64xf32>) -> tensor<1x64xf32>
  %o = linalg.generic {indexing_maps = [#tes_ts, #tes_se, #tes_te],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<1x2048xf32>, tensor<2048x64xf32>) outs(%o_start : tensor<1x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x64xf32>
  return %o : tensor<1x64xf32>
}
