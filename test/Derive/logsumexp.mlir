// RUN: %tang-derive %s
// max + log(sum(exp(x - max))). As written, a row of -inf gives NaN, not -inf.
// INPUT: 24x70xf32=random:1
// SET:
// INPUT: 24x70xf32=odd:2:0:1e30
// TOLERANCE: f32 rtol=2e-5 atol=4e-6 (a logarithm near 0 has an absolute error)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%input: tensor<24x70xf32>) -> tensor<24xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.reduce {arith.maximumf}
      ins(%input : tensor<24x70xf32>) outs(%max_start : tensor<24xf32>) dimensions = [1]
  %e_nc = tensor.empty() : tensor<24x70xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x70xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x70xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<24x70xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.reduce {arith.addf} ins(%weights : tensor<24x70xf32>) outs(%sum_start : tensor<24xf32>) dimensions = [1]
  %result = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%max, %sum : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%m: f32, %z: f32, %out: f32):
    %l = math.log %z : f32
    %r = arith.addf %m, %l : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %result : tensor<24xf32>
}
