// RUN: %tang-derive %s
// Softmax over the first of two dimensions.
// INPUT: 70x24xf32=random:1
// SET:
// INPUT: 70x24xf32=odd:2:1:1e30
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_c = affine_map<(n, c) -> (c)>
func.func @main(%input: tensor<70x24xf32>) -> tensor<70x24xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e_c = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_c : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_c], iterator_types = ["reduction", "parallel"]}
      ins(%input : tensor<70x24xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<70x24xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<70x24xf32>, tensor<24xf32>) outs(%e_nc : tensor<70x24xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<70x24xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_c : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_c], iterator_types = ["reduction", "parallel"]}
      ins(%weights : tensor<70x24xf32>) outs(%sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %probabilities = linalg.generic {indexing_maps = [#nc_nc, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<70x24xf32>, tensor<24xf32>) outs(%e_nc : tensor<70x24xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<70x24xf32>
  return %probabilities : tensor<70x24xf32>
}
