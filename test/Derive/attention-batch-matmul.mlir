// RUN: %tang-derive %s
// Attention as torch exports it: batch and heads collapsed for batch_matmul, keys transposed, reductions that keep a
// dimension of size 1 and are read back at index 0.
// INPUT: 2x3x17x8xf32=random:1
// INPUT: 2x3x21x8xf32=random:2
// INPUT: 2x3x21x8xf32=random:3
// SET:
// INPUT: 2x3x17x8xf32=odd:4:2:1e15
// INPUT: 2x3x21x8xf32=random:5
// INPUT: 2x3x21x8xf32=random:6
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#bhts_bhts = affine_map<(b, h, t, s) -> (b, h, t, s)>
#bhts_bht0 = affine_map<(b, h, t, s) -> (b, h, t, 0)>
func.func @main(%q: tensor<2x3x17x8xf32>, %k: tensor<2x3x21x8xf32>, %v: tensor<2x3x21x8xf32>) -> tensor<2x3x17x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32
  %e_bhds = tensor.empty() : tensor<2x3x8x21xf32>
  %k_columns = linalg.transpose
      ins(%k : tensor<2x3x21x8xf32>) outs(%e_bhds : tensor<2x3x8x21xf32>) permutation = [0, 1, 3, 2]
  %q_all = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x17x8xf32> into tensor<6x17x8xf32>
  %k_columns_all = tensor.collapse_shape %k_columns [[0, 1], [2], [3]] : tensor<2x3x8x21xf32> into tensor<6x8x21xf32>
  %v_all = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x3x21x8xf32> into tensor<6x21x8xf32>
  %e_xts = tensor.empty() : tensor<6x17x21xf32>
  %products_start = linalg.fill ins(%zero : f32) outs(%e_xts : tensor<6x17x21xf32>) -> tensor<6x17x21xf32>
  %products = linalg.batch_matmul
      ins(%q_all, %k_columns_all : tensor<6x17x8xf32>, tensor<6x8x21xf32>)
      outs(%products_start : tensor<6x17x21xf32>) -> tensor<6x17x21xf32>
  %logits = tensor.expand_shape %products [[0, 1], [2], [3]]
      output_shape [2, 3, 17, 21] : tensor<6x17x21xf32> into tensor<2x3x17x21xf32>
  %e_bhts = tensor.empty() : tensor<2x3x17x21xf32>
  %scaled = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%logits : tensor<2x3x17x21xf32>) outs(%e_bhts : tensor<2x3x17x21xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17x21xf32>
  %e_bhtu = tensor.empty() : tensor<2x3x17x1xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_bhtu : tensor<2x3x17x1xf32>) -> tensor<2x3x17x1xf32>
  %max = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht0],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%scaled : tensor<2x3x17x21xf32>) outs(%max_start : tensor<2x3x17x1xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %x, %acc : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17x1xf32>
  %weights = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht0, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<2x3x17x21xf32>, tensor<2x3x17x1xf32>) outs(%e_bhts : tensor<2x3x17x21xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x3x17x21xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_bhtu : tensor<2x3x17x1xf32>) -> tensor<2x3x17x1xf32>
  %sum = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht0],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights : tensor<2x3x17x21xf32>) outs(%sum_start : tensor<2x3x17x1xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %x, %acc : f32
    linalg.yield %r : f32
  } -> tensor<2x3x17x1xf32>
  %probabilities = linalg.generic {indexing_maps = [#bhts_bhts, #bhts_bht0, #bhts_bhts],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %sum : tensor<2x3x17x21xf32>, tensor<2x3x17x1xf32>) outs(%e_bhts : tensor<2x3x17x21xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<2x3x17x21xf32>
  %p_all = tensor.collapse_shape %probabilities [[0, 1], [2], [3]] : tensor<2x3x17x21xf32> into tensor<6x17x21xf32>
  %e_xte = tensor.empty() : tensor<6x17x8xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_xte : tensor<6x17x8xf32>) -> tensor<6x17x8xf32>
  %o = linalg.batch_matmul
      ins(%p_all, %v_all : tensor<6x17x21xf32>, tensor<6x21x8xf32>)
      outs(%o_start : tensor<6x17x8xf32>) -> tensor<6x17x8xf32>
  %r = tensor.expand_shape %o [[0, 1], [2], [3]]
      output_shape [2, 3, 17, 8] : tensor<6x17x8xf32> into tensor<2x3x17x8xf32>
  return %r : tensor<2x3x17x8xf32>
}
