// RUN: %tang-derive %s
// Attention that masks with -1e30 in place of -inf. A row without keys is then the mean of all values (set 1), which
// is why Tang never replaces one by the other.
// INPUT: 2x3xf32=random:1
// INPUT: 4x3xf32=random:2
// INPUT: 4x2xf32=random:3
// INPUT: 2x4xi1=1 1 0 0 0 1 1 1
// SET:
// INPUT: 2x3xf32=random:1
// INPUT: 4x3xf32=random:2
// INPUT: 4x2xf32=1 2 3 4 5 6 7 8
// INPUT: 2x4xi1=0
// EXPECT: 2x2xf32=4 5 4 5
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#tsd_td = affine_map<(t, s, d) -> (t, d)>
#tsd_sd = affine_map<(t, s, d) -> (s, d)>
#tsd_ts = affine_map<(t, s, d) -> (t, s)>
#ts_ts = affine_map<(t, s) -> (t, s)>
#ts_t = affine_map<(t, s) -> (t)>
#tes_ts = affine_map<(t, e, s) -> (t, s)>
#tes_se = affine_map<(t, e, s) -> (s, e)>
#tes_te = affine_map<(t, e, s) -> (t, e)>
func.func @main(%q: tensor<2x3xf32>, %k: tensor<4x3xf32>, %v: tensor<4x2xf32>, %mask: tensor<2x4xi1>)
    -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.577350259 : f32
  %sentinel = arith.constant -1.0e+30 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_ts = tensor.empty() : tensor<2x4xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_ts : tensor<2x4xf32>) -> tensor<2x4xf32>
  %logits = linalg.generic {indexing_maps = [#tsd_td, #tsd_sd, #tsd_ts],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x3xf32>, tensor<4x3xf32>) outs(%logits_start : tensor<2x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %scaled = linalg.generic {indexing_maps = [#ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<2x4xf32>) outs(%e_ts : tensor<2x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %masked = linalg.generic {indexing_maps = [#ts_ts, #ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %mask : tensor<2x4xf32>, tensor<2x4xi1>) outs(%e_ts : tensor<2x4xf32>) {
  ^bb0(%x: f32, %keep: i1, %out: f32):
    %r = arith.select %keep, %x, %sentinel : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %e_t = tensor.empty() : tensor<2xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_t : tensor<2xf32>) -> tensor<2xf32>
  %max = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%masked : tensor<2x4xf32>) outs(%max_start : tensor<2xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %weights = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %max : tensor<2x4xf32>, tensor<2xf32>) outs(%e_ts : tensor<2x4xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x4xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_t : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [#ts_ts, #ts_t], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<2x4xf32>) outs(%sum_start : tensor<2xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %probabilities = linalg.generic {indexing_maps = [#ts_ts, #ts_t, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<2x4xf32>, tensor<2xf32>) outs(%e_ts : tensor<2x4xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<2x4xf32>
  %e_te = tensor.empty() : tensor<2x2xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_te : tensor<2x2xf32>) -> tensor<2x2xf32>
  %o = linalg.generic {indexing_maps = [#tes_ts, #tes_se, #tes_te],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<2x4xf32>, tensor<4x2xf32>) outs(%o_start : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  return %o : tensor<2x2xf32>
}
