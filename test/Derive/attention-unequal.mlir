// RUN: %tang-derive %s
// No size is a multiple of a tile, and no two are equal.
// INPUT: 33x40xf32=random:1
// INPUT: 65x40xf32=random:2
// INPUT: 65x24xf32=random:3
// SET:
// INPUT: 33x40xf32=odd:4:0:1e15
// INPUT: 65x40xf32=random:5
// INPUT: 65x24xf32=random:6
// SET:
// INPUT: 33x40xf32=random:7
// INPUT: 65x40xf32=random:8
// INPUT: 65x24xf32=odd:9:1:1e15
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#tsd_td = affine_map<(t, s, d) -> (t, d)>
#tsd_sd = affine_map<(t, s, d) -> (s, d)>
#tsd_ts = affine_map<(t, s, d) -> (t, s)>
#ts_ts = affine_map<(t, s) -> (t, s)>
#ts_t = affine_map<(t, s) -> (t)>
#tes_ts = affine_map<(t, e, s) -> (t, s)>
#tes_se = affine_map<(t, e, s) -> (s, e)>
#tes_te = affine_map<(t, e, s) -> (t, e)>
func.func @main(%q: tensor<33x40xf32>, %k: tensor<65x40xf32>, %v: tensor<65x24xf32>) -> tensor<33x24xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.158113882 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_ts = tensor.empty() : tensor<33x65xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_ts : tensor<33x65xf32>) -> tensor<33x65xf32>
  %logits = linalg.generic {indexing_maps = [#tsd_td, #tsd_sd, #tsd_ts],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<33x40xf32>, tensor<65x40xf32>) outs(%logits_start : tensor<33x65xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<33x65xf32>
  %scaled = linalg.generic {indexing_maps = [#ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<33x65xf32>) outs(%e_ts : tensor<33x65xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<33x65xf32>
  %e_t = tensor.empty() : tensor<33xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_t : tensor<33xf32>) -> tensor<33xf32>
  %max = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<33x65xf32>) outs(%max_start : tensor<33xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %weights = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %max : tensor<33x65xf32>, tensor<33xf32>) outs(%e_ts : tensor<33x65xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<33x65xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_t : tensor<33xf32>) -> tensor<33xf32>
  %sum = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<33x65xf32>) outs(%sum_start : tensor<33xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %probabilities = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<33x65xf32>, tensor<33xf32>) outs(%e_ts : tensor<33x65xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<33x65xf32>
  %e_te = tensor.empty() : tensor<33x24xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_te : tensor<33x24xf32>) -> tensor<33x24xf32>
  %o = linalg.generic {indexing_maps = [#tes_ts, #tes_se, #tes_te],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<33x65xf32>, tensor<65x24xf32>) outs(%o_start : tensor<33x24xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<33x24xf32>
  return %o : tensor<33x24xf32>
}
