// RUN: %tang-derive %s
// Decoding with a cache: one query of each head against 512 places of which the first `length` are filled; the length
// is a scalar known at call time, what is after them is NaN in set 3.
// INPUT: 2x4x32xf32=random:1
// INPUT: 2x512x4x32xf32=random:2
// INPUT: 2x512x4x32xf32=random:3
// INPUT: i32=300
// SET:
// INPUT: 2x4x32xf32=odd:4:1:1e15
// INPUT: 2x512x4x32xf32=random:5
// INPUT: 2x512x4x32xf32=random:6
// INPUT: i32=1
// SET:
// INPUT: 2x4x32xf32=random:1
// INPUT: 2x512x4x32xf32=random:2
// INPUT: 2x512x4x32xf32=random:3
// INPUT: i32=0
// EXPECT: 2x4x32xf32=nan
// SET:
// INPUT: 2x4x32xf32=random:1
// INPUT: 2x512x4x32xf32=late:2:1:300
// INPUT: 2x512x4x32xf32=random:3
// INPUT: i32=300
// TOLERANCE: f32 rtol=1e-4 atol=5e-6 (sums of 512 in f32 against f64, in another order)
#bhsd_bhd = affine_map<(b, h, s, d) -> (b, h, d)>
#bhsd_bshd = affine_map<(b, h, s, d) -> (b, s, h, d)>
#bhsd_bhs = affine_map<(b, h, s, d) -> (b, h, s)>
#bhs_bhs = affine_map<(b, h, s) -> (b, h, s)>
#bhs_scalar = affine_map<(b, h, s) -> ()>
#bhs_bh = affine_map<(b, h, s) -> (b, h)>
#bhes_bhs = affine_map<(b, h, e, s) -> (b, h, s)>
#bhes_bshe = affine_map<(b, h, e, s) -> (b, s, h, e)>
#bhes_bhe = affine_map<(b, h, e, s) -> (b, h, e)>
func.func @main(%q: tensor<2x4x32xf32>, %k: tensor<2x512x4x32xf32>, %v: tensor<2x512x4x32xf32>, %length: tensor<i32>)
    -> tensor<2x4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.176776692 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_bhs = tensor.empty() : tensor<2x4x512xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_bhs : tensor<2x4x512xf32>) -> tensor<2x4x512xf32>
  %logits = linalg.generic {indexing_maps = [#bhsd_bhd, #bhsd_bshd, #bhsd_bhs],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x32xf32>, tensor<2x512x4x32xf32>) outs(%logits_start : tensor<2x4x512xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x512xf32>
  %scaled = linalg.generic {indexing_maps = [#bhs_bhs, #bhs_bhs], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%logits : tensor<2x4x512xf32>) outs(%e_bhs : tensor<2x4x512xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x4x512xf32>
  %masked = linalg.generic {indexing_maps = [#bhs_bhs, #bhs_scalar, #bhs_bhs],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %length : tensor<2x4x512xf32>, tensor<i32>) outs(%e_bhs : tensor<2x4x512xf32>) {
  ^bb0(%x: f32, %n: i32, %out: f32):
    %j = linalg.index 2 : index
    %at = arith.index_cast %j : index to i32
    %keep = arith.cmpi slt, %at, %n : i32
    %r = arith.select %keep, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x4x512xf32>
  %e_bh = tensor.empty() : tensor<2x4xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bh : tensor<2x4xf32>) -> tensor<2x4xf32>
  %max = linalg.generic {indexing_maps = [#bhs_bhs, #bhs_bh], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<2x4x512xf32>) outs(%max_start : tensor<2x4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %weights = linalg.generic {indexing_maps = [#bhs_bhs, #bhs_bh, #bhs_bhs],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<2x4x512xf32>, tensor<2x4xf32>) outs(%e_bhs : tensor<2x4x512xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x4x512xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bh : tensor<2x4xf32>) -> tensor<2x4xf32>
  %sum = linalg.generic {indexing_maps = [#bhs_bhs, #bhs_bh], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%weights : tensor<2x4x512xf32>) outs(%sum_start : tensor<2x4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhs_bhs, #bhs_bh, #bhs_bhs],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<2x4x512xf32>, tensor<2x4xf32>) outs(%e_bhs : tensor<2x4x512xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<2x4x512xf32>
  %e_bhe = tensor.empty() : tensor<2x4x32xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_bhe : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
  %o = linalg.generic {indexing_maps = [#bhes_bhs, #bhes_bshe, #bhes_bhe],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : tensor<2x4x512xf32>, tensor<2x512x4x32xf32>) outs(%o_start : tensor<2x4x32xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4x32xf32>
  return %o : tensor<2x4x32xf32>
}
