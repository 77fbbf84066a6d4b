// RUN: %tang-derive %s
// Attention of one head, in named operations: matmul with a transposed key, softmax spelled out, matmul. Queries that
// are NaN, infinite and huge: only their own rows may change.
// INPUT: 32x16xf32=random:1
// INPUT: 48x16xf32=random:2
// INPUT: 48x16xf32=random:3
// SET:
// INPUT: 32x16xf32=odd:4:0:1e15
// INPUT: 48x16xf32=random:5
// INPUT: 48x16xf32=random:6
// SET:
// INPUT: 32x16xf32=random:7
// INPUT: 48x16xf32=random:8
// INPUT: 48x16xf32=odd:9:1:1e15
// TOLERANCE: f32 rtol=1e-4 atol=2e-6 (sums and exp in f32 against f64, in another order)
#ts_ts = affine_map<(t, s) -> (t, s)>
func.func @main(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x16xf32>) -> tensor<32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %low = arith.constant 0xFF800000 : f32
  %e_ds = tensor.empty() : tensor<16x48xf32>
  %kt = linalg.transpose ins(%k : tensor<48x16xf32>) outs(%e_ds : tensor<16x48xf32>) permutation = [1, 0]
  %e_ts = tensor.empty() : tensor<32x48xf32>
  %logits_start = linalg.fill ins(%zero : f32) outs(%e_ts : tensor<32x48xf32>) -> tensor<32x48xf32>
  %logits = linalg.matmul
      ins(%q, %kt : tensor<32x16xf32>, tensor<16x48xf32>) outs(%logits_start : tensor<32x48xf32>) -> tensor<32x48xf32>
  %scaled = linalg.generic {indexing_maps = [#ts_ts, #ts_ts], iterator_types = ["parallel", "parallel"]}
      ins(%logits : tensor<32x48xf32>) outs(%e_ts : tensor<32x48xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %scale : f32
    linalg.yield %r : f32
  } -> tensor<32x48xf32>
  %e_t = tensor.empty() : tensor<32xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_t : tensor<32xf32>) -> tensor<32xf32>
  %max = linalg.reduce {arith.maximumf}
      ins(%scaled : tensor<32x48xf32>) outs(%max_start : tensor<32xf32>) dimensions = [1]
  %max_all = linalg.broadcast ins(%max : tensor<32xf32>) outs(%e_ts : tensor<32x48xf32>) dimensions = [1]
  %shifted = linalg.sub
      ins(%scaled, %max_all : tensor<32x48xf32>, tensor<32x48xf32>) outs(%e_ts : tensor<32x48xf32>) -> tensor<32x48xf32>
  %weights = linalg.exp ins(%shifted : tensor<32x48xf32>) outs(%e_ts : tensor<32x48xf32>) -> tensor<32x48xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_t : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.reduce {arith.addf} ins(%weights : tensor<32x48xf32>) outs(%sum_start : tensor<32xf32>) dimensions = [1]
  %sum_all = linalg.broadcast ins(%sum : tensor<32xf32>) outs(%e_ts : tensor<32x48xf32>) dimensions = [1]
  %probabilities = linalg.div
      ins(%weights, %sum_all : tensor<32x48xf32>, tensor<32x48xf32>)
      outs(%e_ts : tensor<32x48xf32>) -> tensor<32x48xf32>
  %e_te = tensor.empty() : tensor<32x16xf32>
  %o_start = linalg.fill ins(%zero : f32) outs(%e_te : tensor<32x16xf32>) -> tensor<32x16xf32>
  %o = linalg.matmul
      ins(%probabilities, %v : tensor<32x48xf32>, tensor<48x16xf32>)
      outs(%o_start : tensor<32x16xf32>) -> tensor<32x16xf32>
  return %o : tensor<32x16xf32>
}
