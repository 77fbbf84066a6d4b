// RUN: %tang-derive %s
// Cross-entropy of integer labels; the label's logit is read where the label says.
// INPUT: 24x70xf32=random:1
// INPUT: 24xi32=range:2:0:70
// SET:
// INPUT: 24x70xf32=odd:3:0:1e30
// INPUT: 24xi32=range:4:0:70
// TOLERANCE: f32 rtol=2e-5 atol=1e-5 (a logarithm and a difference near 0 have absolute errors)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%input: tensor<24x70xf32>, %labels: tensor<24xi32>) -> tensor<24xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x70xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<24x70xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x70xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x70xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<24x70xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<24x70xf32>) outs(%sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %log_sum_exp = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%max, %sum : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%m: f32, %z: f32, %out: f32):
    %l = math.log %z : f32
    %r = arith.addf %m, %l : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %picked = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%labels : tensor<24xi32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%label: i32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i32 to index
    %r = tensor.extract %input[%i, %j] : tensor<24x70xf32>
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %loss = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%log_sum_exp, %picked : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%l: f32, %p: f32, %out: f32):
    %r = arith.subf %l, %p : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  return %loss : tensor<24xf32>
}
