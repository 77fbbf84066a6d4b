// Softmax of rows in f64; oracles.py differentiates it numerically.
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<?x19xf64>) -> tensor<?x19xf64> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %nn = tensor.dim %input, %c0 : tensor<?x19xf64>
  %e_n = tensor.empty(%nn) : tensor<?xf64>
  %max_start = linalg.fill ins(%low : f64) outs(%e_n : tensor<?xf64>) -> tensor<?xf64>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<?x19xf64>) outs(%max_start : tensor<?xf64>) {
  ^bb0(%x: f64, %acc: f64):
    %r = arith.maximumf %acc, %x : f64
    linalg.yield %r : f64
  } -> tensor<?xf64>
  %e_nc = tensor.empty(%nn) : tensor<?x19xf64>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<?x19xf64>, tensor<?xf64>) outs(%e_nc : tensor<?x19xf64>) {
  ^bb0(%x: f64, %m: f64, %out: f64):
    %d = arith.subf %x, %m : f64
    %e = math.exp %d : f64
    linalg.yield %e : f64
  } -> tensor<?x19xf64>
  %sum_start = linalg.fill ins(%zero : f64) outs(%e_n : tensor<?xf64>) -> tensor<?xf64>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<?x19xf64>) outs(%sum_start : tensor<?xf64>) {
  ^bb0(%x: f64, %acc: f64):
    %r = arith.addf %acc, %x : f64
    linalg.yield %r : f64
  } -> tensor<?xf64>
  %probabilities = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x19xf64>, tensor<?xf64>) outs(%e_nc : tensor<?x19xf64>) {
  ^bb0(%e: f64, %z: f64, %out: f64):
    %p = arith.divf %e, %z : f64
    linalg.yield %p : f64
  } -> tensor<?x19xf64>
  return %probabilities : tensor<?x19xf64>
}
