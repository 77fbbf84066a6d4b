// RUN: %tang-derive %s
// Under fast numerics the factor leaves the product's sum, so that both sums run in one pass.
// RUN: tang-opt %s --tang-import --tang-derive=numerics=fast --tang-explain -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: main_kernel0: {{.*}} in one pass
// RUN: tang-run %s --target=reference --input=random:1 --input=random:2 --input=random:3 --output=@%t.npy
// RUN: tang-run %s --target=cpu --numerics=fast --input=random:1 --input=random:2 --input=random:3 --expected-output=@%t.npy --rtol=5e-5 --atol=1e-5
// RMSNorm, then a projection: the root of the mean square is one factor for a whole row of the product.
// INPUT: 33x64xf32=random:1
// INPUT: 64xf32=random:2
// INPUT: 64x40xf32=random:3
// SET:
// INPUT: 33x64xf32=odd:4:0:1e12
// INPUT: 64xf32=random:2
// INPUT: 64x40xf32=random:3
// TOLERANCE: f32 rtol=5e-5 atol=1e-5 (sums of 64 products in f32; the factor may move out of the sum)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
#nc_c = affine_map<(n, c) -> (c)>
#noc_nc = affine_map<(n, o, c) -> (n, c)>
#noc_co = affine_map<(n, o, c) -> (c, o)>
#noc_no = affine_map<(n, o, c) -> (n, o)>
func.func @main(%input: tensor<33x64xf32>, %gamma: tensor<64xf32>, %projection: tensor<64x40xf32>)
    -> tensor<33x40xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %epsilon = arith.constant 1.0e-06 : f32
  %e_nc = tensor.empty() : tensor<33x64xf32>
  %squares = linalg.generic {indexing_maps = [#nc_nc, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input : tensor<33x64xf32>) outs(%e_nc : tensor<33x64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %q = arith.mulf %x, %x : f32
    linalg.yield %q : f32
  } -> tensor<33x64xf32>
  %e_n = tensor.empty() : tensor<33xf32>
  %square_sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<33xf32>) -> tensor<33xf32>
  %square_sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<33x64xf32>) outs(%square_sum_start : tensor<33xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %factor = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<33xf32>) outs(%e_n : tensor<33xf32>) {
  ^bb0(%s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    %w = arith.addf %m, %epsilon : f32
    %f = math.rsqrt %w : f32
    linalg.yield %f : f32
  } -> tensor<33xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %factor, %gamma : tensor<33x64xf32>, tensor<33xf32>, tensor<64xf32>) outs(%e_nc : tensor<33x64xf32>) {
  ^bb0(%x: f32, %f: f32, %g: f32, %out: f32):
    %n = arith.mulf %x, %f : f32
    %r = arith.mulf %n, %g : f32
    linalg.yield %r : f32
  } -> tensor<33x64xf32>
  %e_no = tensor.empty() : tensor<33x40xf32>
  %projected_start = linalg.fill ins(%zero : f32) outs(%e_no : tensor<33x40xf32>) -> tensor<33x40xf32>
  %projected = linalg.generic {indexing_maps = [#noc_nc, #noc_co, #noc_no],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%result, %projection : tensor<33x64xf32>, tensor<64x40xf32>) outs(%projected_start : tensor<33x40xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<33x40xf32>
  return %projected : tensor<33x40xf32>
}
