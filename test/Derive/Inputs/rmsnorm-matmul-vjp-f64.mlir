// The vector-Jacobian product of RMSNorm and a projection. The factor r depends on the row, which gives dx its second
// term.
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
#nco_no = affine_map<(n, c, o) -> (n, o)>
#nco_co = affine_map<(n, c, o) -> (c, o)>
#nco_nc = affine_map<(n, c, o) -> (n, c)>
#nc_c = affine_map<(n, c) -> (c)>
#con_nc = affine_map<(c, o, n) -> (n, c)>
#con_no = affine_map<(c, o, n) -> (n, o)>
#con_co = affine_map<(c, o, n) -> (c, o)>
func.func @main(%input: tensor<7x23xf64>, %gamma: tensor<23xf64>, %projection: tensor<23x11xf64>, %dz: tensor<7x11xf64>)
    -> (tensor<7x23xf64>, tensor<23xf64>, tensor<23x11xf64>) {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 23.0 : f64
  %epsilon = arith.constant 1.0e-06 : f64
  %e_nc = tensor.empty() : tensor<7x23xf64>
  %squares = linalg.square ins(%input : tensor<7x23xf64>) outs(%e_nc : tensor<7x23xf64>) -> tensor<7x23xf64>
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
  %dnormed_start = linalg.fill ins(%zero : f64) outs(%e_nc : tensor<7x23xf64>) -> tensor<7x23xf64>
  %dnormed = linalg.generic {indexing_maps = [#nco_no, #nco_co, #nco_nc],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%dz, %projection : tensor<7x11xf64>, tensor<23x11xf64>) outs(%dnormed_start : tensor<7x23xf64>) {
  ^bb0(%x: f64, %y: f64, %acc: f64):
    %p = arith.mulf %x, %y : f64
    %r = arith.addf %acc, %p : f64
    linalg.yield %r : f64
  } -> tensor<7x23xf64>
  %du = linalg.generic {indexing_maps = [#nc_nc, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%dnormed, %gamma : tensor<7x23xf64>, tensor<23xf64>) outs(%e_nc : tensor<7x23xf64>) {
  ^bb0(%g: f64, %s: f64, %out: f64):
    %r = arith.mulf %g, %s : f64
    linalg.yield %r : f64
  } -> tensor<7x23xf64>
  %terms = linalg.mul
      ins(%input, %du : tensor<7x23xf64>, tensor<7x23xf64>) outs(%e_nc : tensor<7x23xf64>) -> tensor<7x23xf64>
  %dot_start = linalg.fill ins(%zero : f64) outs(%e_n : tensor<7xf64>) -> tensor<7xf64>
  %dot = linalg.reduce {arith.addf} ins(%terms : tensor<7x23xf64>) outs(%dot_start : tensor<7xf64>) dimensions = [1]
  %dx = linalg.generic {indexing_maps = [#nc_nc, #nc_nc, #nc_n, #nc_n, #nc_nc],
      iterator_types = ["parallel", "parallel"]}
      ins(%input, %du, %factor, %dot : tensor<7x23xf64>, tensor<7x23xf64>, tensor<7xf64>, tensor<7xf64>)
      outs(%e_nc : tensor<7x23xf64>) {
  ^bb0(%x: f64, %u: f64, %f: f64, %d: f64, %out: f64):
    %a = arith.mulf %f, %u : f64
    %f2 = arith.mulf %f, %f : f64
    %f3 = arith.mulf %f2, %f : f64
    %k = arith.divf %f3, %count : f64
    %kx = arith.mulf %k, %x : f64
    %c = arith.mulf %kx, %d : f64
    %r = arith.subf %a, %c : f64
    linalg.yield %r : f64
  } -> tensor<7x23xf64>
  %unit = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %factor : tensor<7x23xf64>, tensor<7xf64>) outs(%e_nc : tensor<7x23xf64>) {
  ^bb0(%x: f64, %f: f64, %out: f64):
    %r = arith.mulf %x, %f : f64
    linalg.yield %r : f64
  } -> tensor<7x23xf64>
  %gamma_terms = linalg.mul
      ins(%unit, %dnormed : tensor<7x23xf64>, tensor<7x23xf64>) outs(%e_nc : tensor<7x23xf64>) -> tensor<7x23xf64>
  %e_c = tensor.empty() : tensor<23xf64>
  %dgamma_start = linalg.fill ins(%zero : f64) outs(%e_c : tensor<23xf64>) -> tensor<23xf64>
  %dgamma = linalg.generic {indexing_maps = [#nc_nc, #nc_c], iterator_types = ["reduction", "parallel"]}
      ins(%gamma_terms : tensor<7x23xf64>) outs(%dgamma_start : tensor<23xf64>) {
  ^bb0(%x: f64, %acc: f64):
    %r = arith.addf %acc, %x : f64
    linalg.yield %r : f64
  } -> tensor<23xf64>
  %normed = linalg.generic {indexing_maps = [#nc_nc, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%unit, %gamma : tensor<7x23xf64>, tensor<23xf64>) outs(%e_nc : tensor<7x23xf64>) {
  ^bb0(%h: f64, %s: f64, %out: f64):
    %r = arith.mulf %h, %s : f64
    linalg.yield %r : f64
  } -> tensor<7x23xf64>
  %e_co = tensor.empty() : tensor<23x11xf64>
  %dprojection_start = linalg.fill ins(%zero : f64) outs(%e_co : tensor<23x11xf64>) -> tensor<23x11xf64>
  %dprojection = linalg.generic {indexing_maps = [#con_nc, #con_no, #con_co],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%normed, %dz : tensor<7x23xf64>, tensor<7x11xf64>) outs(%dprojection_start : tensor<23x11xf64>) {
  ^bb0(%x: f64, %y: f64, %acc: f64):
    %p = arith.mulf %x, %y : f64
    %r = arith.addf %acc, %p : f64
    linalg.yield %r : f64
  } -> tensor<23x11xf64>
  return %dx, %dgamma, %dprojection : tensor<7x23xf64>, tensor<23xf64>, tensor<23x11xf64>
}
