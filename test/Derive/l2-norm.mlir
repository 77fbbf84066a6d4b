// RUN: %tang-derive %s
// Rows divided by their length, with a lower bound on it.
// INPUT: 24x64xf32=random:1
// SET:
// INPUT: 24x64xf32=odd:2:0:1e15
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#n_n = affine_map<(n) -> (n)>
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<24x64xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-12 : f32
  %e_nc = tensor.empty() : tensor<24x64xf32>
  %squares = linalg.square ins(%input : tensor<24x64xf32>) outs(%e_nc : tensor<24x64xf32>) -> tensor<24x64xf32>
  %e_n = tensor.empty() : tensor<24xf32>
  %square_sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %square_sum = linalg.reduce {arith.addf}
      ins(%squares : tensor<24x64xf32>) outs(%square_sum_start : tensor<24xf32>) dimensions = [1]
  %length = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%s: f32, %out: f32):
    %l = math.sqrt %s : f32
    %r = arith.maximumf %l, %least : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %length : tensor<24x64xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x64xf32>) {
  ^bb0(%x: f32, %l: f32, %out: f32):
    %r = arith.divf %x, %l : f32
    linalg.yield %r : f32
  } -> tensor<24x64xf32>
  return %result : tensor<24x64xf32>
}
