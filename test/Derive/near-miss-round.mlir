// RUN: %tang-derive %s
// The sum of round(x / max |x|) * 127: rounding stands between the first fold and the second one, so the quotient by a
// running maximum gives other integers.
// INPUT: 24x40xf32=random:1
// SET:
// INPUT: 24x40xf32=range:2:-1000:3
// SET:
// INPUT: 24x40xf32=iota
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<24x40xf32>) -> tensor<24xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %levels = arith.constant 127.0 : f32
  %e_nc = tensor.empty() : tensor<24x40xf32>
  %sizes = linalg.generic {indexing_maps = [#nc_nc, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input : tensor<24x40xf32>) outs(%e_nc : tensor<24x40xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = math.absf %x : f32
    linalg.yield %r : f32
  } -> tensor<24x40xf32>
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%sizes : tensor<24x40xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %rounded = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x40xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x40xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %s = arith.divf %x, %m : f32
    %t = arith.mulf %s, %levels : f32
    %r = math.roundeven %t : f32
    linalg.yield %r : f32
  } -> tensor<24x40xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%rounded : tensor<24x40xf32>) outs(%result_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %result : tensor<24xf32>
}
