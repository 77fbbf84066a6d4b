// Causal attention of one head as a frontend writes it: softmax(q kᵀ / 4 + mask) v, 64 positions of 16 elements.
#row = affine_map<(t, s, d) -> (t, d)>
#col = affine_map<(t, s, d) -> (s, d)>
#mat = affine_map<(t, s, d) -> (t, s)>
#val = affine_map<(t, d, s) -> (s, d)>
#prob = affine_map<(t, d, s) -> (t, s)>
#out = affine_map<(t, d, s) -> (t, d)>
#id = affine_map<(t, s) -> (t, s)>
#first = affine_map<(t, s) -> (t)>
func.func @attention(%q: tensor<64x16xf32> loc("q"), %k: tensor<64x16xf32> loc("k"), %v: tensor<64x16xf32> loc("v")) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %square = tensor.empty() : tensor<64x64xf32>
  %column = tensor.empty() : tensor<64xf32>
  %rows = tensor.empty() : tensor<64x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%square : tensor<64x64xf32>) -> tensor<64x64xf32>
  %score = linalg.generic {indexing_maps = [#row, #col, #mat], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<64x16xf32>, tensor<64x16xf32>) outs(%s0 : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %sum, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%score : tensor<64x64xf32>) outs(%square : tensor<64x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %quarter = arith.constant 0.25 : f32
    %t = linalg.index 0 : index
    %s = linalg.index 1 : index
    %past = arith.cmpi sle, %s, %t : index
    %scaled = arith.mulf %x, %quarter : f32
    %r = arith.select %past, %scaled, %low : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%column : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.reduce {arith.maximumf} ins(%masked : tensor<64x64xf32>) outs(%m0 : tensor<64xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %max : tensor<64x64xf32>, tensor<64xf32>) outs(%square : tensor<64x64xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%column : tensor<64xf32>) -> tensor<64xf32>
  %sums = linalg.reduce {arith.addf} ins(%e : tensor<64x64xf32>) outs(%l0 : tensor<64xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sums : tensor<64x64xf32>, tensor<64xf32>) outs(%square : tensor<64x64xf32>) {
  ^bb0(%x: f32, %l: f32, %o: f32):
    %r = arith.divf %x, %l : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<64x16xf32>) -> tensor<64x16xf32>
  %o = linalg.generic {indexing_maps = [#prob, #val, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<64x64xf32>, tensor<64x16xf32>) outs(%o0 : tensor<64x16xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %w = arith.mulf %x, %y : f32
    %r = arith.addf %sum, %w : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  return %o : tensor<64x16xf32>
}
