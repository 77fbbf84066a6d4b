// RUN: %tang-derive %s
// The sum of exp(|x| - max x). By algebra this is one fold, but |x| is not bounded by the running maximum: in set 2
// the first terms overflow until the maximum is known.
// INPUT: 24x40xf32=random:1
// SET:
// INPUT: 24x40xf32=odd:3:0:1e30
// SET:
// INPUT: 24x40xf32=rising:4:100
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<24x40xf32>) -> tensor<24xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x40xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<24x40xf32>
  %terms = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x40xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x40xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %a = math.absf %x : f32
    %s = arith.subf %a, %m : f32
    %r = math.exp %s : f32
    linalg.yield %r : f32
  } -> tensor<24x40xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%terms : tensor<24x40xf32>) outs(%result_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %result : tensor<24xf32>
}
