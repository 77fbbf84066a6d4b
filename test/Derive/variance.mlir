// RUN: %tang-derive %s
// Variance in two passes, on data of mean 0 and of mean 1e4, where E[x^2] - E[x]^2 has no digits left in f32.
// INPUT: 24x64xf32=random:1
// SET:
// INPUT: 24x64xf32=odd:2:0:1e12
// SET:
// INPUT: 24x64xf32=range:3:9999:10001
// TOLERANCE: f32 rtol=1e-4 atol=1e-6 (cancellation: the mean has an error of some 1e-3 units, squared)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%input: tensor<24x64xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x64xf32>) outs(%sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %mean = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%sum : tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    linalg.yield %m : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<24x64xf32>
  %squares = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %mean : tensor<24x64xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x64xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %d : f32
    linalg.yield %q : f32
  } -> tensor<24x64xf32>
  %square_sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %square_sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<24x64xf32>) outs(%square_sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %variance = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%s: f32, %out: f32):
    %v = arith.divf %s, %count : f32
    linalg.yield %v : f32
  } -> tensor<24xf32>
  return %variance : tensor<24xf32>
}
