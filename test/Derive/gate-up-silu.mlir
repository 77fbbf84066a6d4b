// RUN: %tang-derive %s
// The first half of a gated MLP: two projections of one input, silu of one times the other.
// INPUT: 33x40xf32=random:1
// INPUT: 40x56xf32=random:2
// INPUT: 40x56xf32=random:3
// SET:
// INPUT: 33x40xf32=odd:4:0:1
// INPUT: 40x56xf32=random:2
// INPUT: 40x56xf32=random:3
// SET:
// INPUT: 33x40xf32=1e12
// INPUT: 40x56xf32=range:2:0:1
// INPUT: 40x56xf32=range:3:0:1
// SET:
// INPUT: 33x40xf32=-1e12
// INPUT: 40x56xf32=range:2:0:1
// INPUT: 40x56xf32=range:3:0:1
// TOLERANCE: f32 rtol=2e-5 atol=1e-5 (sums of 40 products in f32)
#mn_mn = affine_map<(m, n) -> (m, n)>
func.func @main(%input: tensor<33x40xf32>, %gate: tensor<40x56xf32>, %up: tensor<40x56xf32>) -> tensor<33x56xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e_mn = tensor.empty() : tensor<33x56xf32>
  %g_start = linalg.fill ins(%zero : f32) outs(%e_mn : tensor<33x56xf32>) -> tensor<33x56xf32>
  %g = linalg.matmul
      ins(%input, %gate : tensor<33x40xf32>, tensor<40x56xf32>) outs(%g_start : tensor<33x56xf32>) -> tensor<33x56xf32>
  %u_start = linalg.fill ins(%zero : f32) outs(%e_mn : tensor<33x56xf32>) -> tensor<33x56xf32>
  %u = linalg.matmul
      ins(%input, %up : tensor<33x40xf32>, tensor<40x56xf32>) outs(%u_start : tensor<33x56xf32>) -> tensor<33x56xf32>
  %silu = linalg.generic {indexing_maps = [#mn_mn, #mn_mn], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<33x56xf32>) outs(%e_mn : tensor<33x56xf32>) {
  ^bb0(%x: f32, %out: f32):
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %x, %d : f32
    linalg.yield %r : f32
  } -> tensor<33x56xf32>
  %result = linalg.mul
      ins(%silu, %u : tensor<33x56xf32>, tensor<33x56xf32>) outs(%e_mn : tensor<33x56xf32>) -> tensor<33x56xf32>
  return %result : tensor<33x56xf32>
}
