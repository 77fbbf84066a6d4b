// RUN: %tang-derive %s
// Of the softmax of a row, the sum of what is above 1/40: the threshold applies to the normalised value, so its fold
// cannot run beside the one that normalises.
// INPUT: 24x40xf32=random:1
// SET:
// INPUT: 24x40xf32=range:2:-4:4
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<24x40xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %threshold = arith.constant 0.025 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x40xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<24x40xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x40xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x40xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<24x40xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<24x40xf32>) outs(%sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %probabilities = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<24x40xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x40xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<24x40xf32>
  %kept = linalg.generic {indexing_maps = [#nc_nc, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%probabilities : tensor<24x40xf32>) outs(%e_nc : tensor<24x40xf32>) {
  ^bb0(%p: f32, %out: f32):
    %big = arith.cmpf ogt, %p, %threshold : f32
    %r = arith.select %big, %p, %zero : f32
    linalg.yield %r : f32
  } -> tensor<24x40xf32>
  %result_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%kept : tensor<24x40xf32>) outs(%result_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %result : tensor<24xf32>
}
