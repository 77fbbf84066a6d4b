// RUN: %tang-derive %s
// Cross-entropy from the last hidden state: the logits are a contraction over k for 200 words, and need never be
// stored.
// INPUT: 24x16xf32=random:1
// INPUT: 16x200xf32=random:5
// INPUT: 24xi32=range:2:0:200
// SET:
// INPUT: 24x16xf32=odd:3:0:1e15
// INPUT: 16x200xf32=random:5
// INPUT: 24xi32=range:4:0:200
// TOLERANCE: f32 rtol=1e-4 atol=2e-5 (sums in another order; a difference near 0)
#nw_nw = affine_map<(n, w) -> (n, w)>
#nw_n = affine_map<(n, w) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%h: tensor<24x16xf32>, %words: tensor<16x200xf32>, %labels: tensor<24xi32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_nw = tensor.empty() : tensor<24x200xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_nw : tensor<24x200xf32>) -> tensor<24x200xf32>
  %logits = linalg.matmul
      ins(%h, %words : tensor<24x16xf32>, tensor<16x200xf32>)
      outs(%logits_start : tensor<24x200xf32>) -> tensor<24x200xf32>
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nw_nw, #nw_n], iterator_types = ["parallel", "reduction"]}
      ins(%logits : tensor<24x200xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %weights = linalg.generic {indexing_maps = [#nw_nw, #nw_n, #nw_nw], iterator_types = ["parallel", "parallel"]}
      ins(%logits, %max : tensor<24x200xf32>, tensor<24xf32>) outs(%e_nw : tensor<24x200xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<24x200xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#nw_nw, #nw_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<24x200xf32>) outs(%sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %log_sum_exp = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%max, %sum : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%m: f32, %z: f32, %out: f32):
    %l = math.log %z : f32
    %r = arith.addf %m, %l : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %picked_terms = linalg.generic {indexing_maps = [#nw_nw, #nw_n, #nw_nw], iterator_types = ["parallel", "parallel"]}
      ins(%logits, %labels : tensor<24x200xf32>, tensor<24xi32>) outs(%e_nw : tensor<24x200xf32>) {
  ^bb0(%x: f32, %label: i32, %out: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %hit = arith.cmpi eq, %i, %label : i32
    %r = arith.select %hit, %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<24x200xf32>
  %picked_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %picked = linalg.generic {indexing_maps = [#nw_nw, #nw_n], iterator_types = ["parallel", "reduction"]}
      ins(%picked_terms : tensor<24x200xf32>) outs(%picked_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %loss = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%log_sum_exp, %picked : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%l: f32, %p: f32, %out: f32):
    %r = arith.subf %l, %p : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %loss : tensor<24xf32>
}
