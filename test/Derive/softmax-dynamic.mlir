// RUN: %tang-derive %s
// Softmax of rows, both sizes known at call time; no rows, no columns, one column, more than a tile.
// INPUT: 3x17xf32=random:1
// SET:
// INPUT: 30x131xf32=odd:2:0:1e30
// SET:
// INPUT: 1x1xf32=42
// EXPECT: 1x1xf32=1
// SET:
// INPUT: 2x0xf32=0
// SET:
// INPUT: 0x9xf32=0
// SET:
// INPUT: 2x3000xf32=range:3:-50:50
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nn = tensor.dim %input, %c0 : tensor<?x?xf32>
  %nc = tensor.dim %input, %c1 : tensor<?x?xf32>
  %e_n = tensor.empty(%nn) : tensor<?xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<?x?xf32>) outs(%max_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %e_nc = tensor.empty(%nn, %nc) : tensor<?x?xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e_nc : tensor<?x?xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<?x?xf32>) outs(%sum_start : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %probabilities = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e_nc : tensor<?x?xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  return %probabilities : tensor<?x?xf32>
}
