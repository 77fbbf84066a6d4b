// RUN: %tang-batch %s
// Softmax of rows, more columns than a tile has.
// INPUT: ?x257xf32=random:1
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<?x257xf32>) -> tensor<?x257xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %nn = tensor.dim %input, %c0 : tensor<?x257xf32>
  %e_n = tensor.empty(%nn) : tensor<?xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<?x257xf32>) outs(%max_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %e_nc = tensor.empty(%nn) : tensor<?x257xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<?x257xf32>, tensor<?xf32>) outs(%e_nc : tensor<?x257xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x257xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<?x257xf32>) outs(%sum_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %probabilities = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x257xf32>, tensor<?xf32>) outs(%e_nc : tensor<?x257xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<?x257xf32>
  return %probabilities : tensor<?x257xf32>
}
