// RUN: %tang-derive %s
// x - max - log(sum(exp(x - max))): the result subtracts in the order that frontends write.
// INPUT: 24x70xf32=random:1
// SET:
// INPUT: 24x70xf32=odd:2:0:1e30
// TOLERANCE: f32 rtol=2e-5 atol=4e-6 (a logarithm near 0 has an absolute error)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<24x70xf32>) -> tensor<24x70xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x70xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<24x70xf32>
  %shifted = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x70xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x70xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    linalg.yield %d : f32
  } -> tensor<24x70xf32>
  %weights = linalg.exp ins(%shifted : tensor<24x70xf32>) outs(%e_nc : tensor<24x70xf32>) -> tensor<24x70xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.reduce {arith.addf} ins(%weights : tensor<24x70xf32>) outs(%sum_start : tensor<24xf32>) dimensions = [1]
  %log_sum = linalg.log ins(%sum : tensor<24xf32>) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%shifted, %log_sum : tensor<24x70xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x70xf32>) {
  ^bb0(%d: f32, %l: f32, %out: f32):
    %r = arith.subf %d, %l : f32
    linalg.yield %r : f32
  } -> tensor<24x70xf32>
  return %result : tensor<24x70xf32>
}
