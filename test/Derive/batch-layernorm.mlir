// RUN: %tang-batch %s
// LayerNorm of rows in two passes.
// INPUT: ?x96xf32=random:1
// INPUT: 96xf32=random:2
// INPUT: 96xf32=random:3
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
#nc_c = affine_map<(n, c) -> (c)>
func.func @main(%input: tensor<?x96xf32>, %gamma: tensor<96xf32>, %beta: tensor<96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 96.0 : f32
  %epsilon = arith.constant 1.0e-05 : f32
  %c0 = arith.constant 0 : index
  %nn = tensor.dim %input, %c0 : tensor<?x96xf32>
  %e_n = tensor.empty(%nn) : tensor<?xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<?x96xf32>) outs(%sum_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %mean = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%sum : tensor<?xf32>) outs(%e_n : tensor<?xf32>) {
  ^bb0(%s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %e_nc = tensor.empty(%nn) : tensor<?x96xf32>
  %squares = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %mean : tensor<?x96xf32>, tensor<?xf32>) outs(%e_nc : tensor<?x96xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %d : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32>
  %square_sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<?xf32>) -> tensor<?xf32>
  %square_sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<?x96xf32>) outs(%square_sum_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %factor = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<?xf32>) outs(%e_n : tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %m = arith.divf %v, %count : f32
    %w = arith.addf %m, %epsilon : f32
    %f = math.rsqrt %w : f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_n, #nc_c, #nc_c, #nc_nc],
      iterator_types = ["parallel", "parallel"]}
      ins(%input, %mean, %factor, %gamma, %beta
          : tensor<?x96xf32>, tensor<?xf32>, tensor<?xf32>, tensor<96xf32>, tensor<96xf32>)
      outs(%e_nc : tensor<?x96xf32>) {
  ^bb0(%x: f32, %m: f32, %f: f32, %g: f32, %h: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %n = arith.mulf %d, %f : f32
    %s = arith.mulf %n, %g : f32
    %r = arith.addf %s, %h : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  return %result : tensor<?x96xf32>
}
