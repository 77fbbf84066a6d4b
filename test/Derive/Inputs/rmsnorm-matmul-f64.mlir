// RMSNorm, then a projection, in f64; oracles.py differentiates it numerically.
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
#nc_c = affine_map<(n, c) -> (c)>
#noc_nc = affine_map<(n, o, c) -> (n, c)>
#noc_co = affine_map<(n, o, c) -> (c, o)>
#noc_no = affine_map<(n, o, c) -> (n, o)>
func.func @main(%input: tensor<7x23xf64>, %gamma: tensor<23xf64>, %projection: tensor<23x11xf64>) -> tensor<7x11xf64> {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 23.0 : f64
  %epsilon = arith.constant 1.0e-06 : f64
  %e_nc = tensor.empty() : tensor<7x23xf64>
  %squares = linalg.generic {indexing_maps = [#nc_nc, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input : tensor<7x23xf64>) outs(%e_nc : tensor<7x23xf64>) {
  ^bb0(%x: f64, %out: f64):
    %q = arith.mulf %x, %x : f64
    linalg.yield %q : f64
  } -> tensor<7x23xf64>
  %e_n = tensor.empty() : tensor<7xf64>
  %square_sum_start = linalg.fill ins(%zero : f64) outs(%e_n : tensor<7xf64>) -> tensor<7xf64>
  %square_sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<7x23xf64>) outs(%square_sum_start : tensor<7xf64>) {
  ^bb0(%x: f64, %acc: f64):
    %r = arith.addf %acc, %x : f64
    linalg.yield %r : f64
  } -> tensor<7xf64>
  %factor = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<7xf64>) outs(%e_n : tensor<7xf64>) {
  ^bb0(%s: f64, %out: f64):
    %m = arith.divf %s, %count : f64
    %w = arith.addf %m, %epsilon : f64
    %f = math.rsqrt %w : f64
    linalg.yield %f : f64
  } -> tensor<7xf64>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %factor, %gamma : tensor<7x23xf64>, tensor<7xf64>, tensor<23xf64>) outs(%e_nc : tensor<7x23xf64>) {
  ^bb0(%x: f64, %f: f64, %g: f64, %out: f64):
    %n = arith.mulf %x, %f : f64
    %r = arith.mulf %n, %g : f64
    linalg.yield %r : f64
  } -> tensor<7x23xf64>
  %e_no = tensor.empty() : tensor<7x11xf64>
  %projected_start = linalg.fill ins(%zero : f64) outs(%e_no : tensor<7x11xf64>) -> tensor<7x11xf64>
  %projected = linalg.generic {indexing_maps = [#noc_nc, #noc_co, #noc_no],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%result, %projection : tensor<7x23xf64>, tensor<23x11xf64>) outs(%projected_start : tensor<7x11xf64>) {
  ^bb0(%x: f64, %y: f64, %acc: f64):
    %p = arith.mulf %x, %y : f64
    %r = arith.addf %acc, %p : f64
    linalg.yield %r : f64
  } -> tensor<7x11xf64>
  return %projected : tensor<7x11xf64>
}
