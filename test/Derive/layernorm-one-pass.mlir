// RUN: %tang-derive %s
// LayerNorm with the variance as E[x^2] - E[x]^2, as flax writes it.
// INPUT: 24x64xf32=random:1
// INPUT: 64xf32=random:3
// INPUT: 64xf32=random:3
// SET:
// INPUT: 24x64xf32=odd:2:0:1e12
// INPUT: 64xf32=random:4
// INPUT: 64xf32=random:4
// TOLERANCE: f32 rtol=1e-4 atol=1e-4 (a difference of sums of 64 numbers, times up to 316 where a row is constant)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
#nc_c = affine_map<(n, c) -> (c)>
func.func @main(%input: tensor<24x64xf32>, %gamma: tensor<64xf32>, %beta: tensor<64xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %epsilon = arith.constant 1.0e-05 : f32
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
  %squares = linalg.square ins(%input : tensor<24x64xf32>) outs(%e_nc : tensor<24x64xf32>) -> tensor<24x64xf32>
  %square_sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %square_sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<24x64xf32>) outs(%square_sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %variance = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum, %mean : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%s: f32, %m: f32, %out: f32):
    %q = arith.divf %s, %count : f32
    %mm = arith.mulf %m, %m : f32
    %v = arith.subf %q, %mm : f32
    linalg.yield %v : f32
  } -> tensor<24xf32>
  %factor = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%variance : tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%v: f32, %out: f32):
    %w = arith.addf %v, %epsilon : f32
    %f = math.rsqrt %w : f32
    linalg.yield %f : f32
  } -> tensor<24xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_n, #nc_c, #nc_c, #nc_nc],
      iterator_types = ["parallel", "parallel"]}
      ins(%input, %mean, %factor, %gamma, %beta
          : tensor<24x64xf32>, tensor<24xf32>, tensor<24xf32>, tensor<64xf32>, tensor<64xf32>)
      outs(%e_nc : tensor<24x64xf32>) {
  ^bb0(%x: f32, %m: f32, %f: f32, %g: f32, %h: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %n = arith.mulf %d, %f : f32
    %s = arith.mulf %n, %g : f32
    %r = arith.addf %s, %h : f32
    linalg.yield %r : f32
  } -> tensor<24x64xf32>
  return %result : tensor<24x64xf32>
}
