// RUN: %tang-derive %s
// The place of the greatest element of a row, the first among equals, NaN before everything, as exported by jax. Set 2
// has ties.
// INPUT: 24x70xf32=random:1
// SET:
// INPUT: 24x70xf32=odd:2:0:1e30
// SET:
// INPUT: 24x70xf32=1
// EXPECT: 24xi32=0
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
func.func @main(%input: tensor<24x70xf32>) -> tensor<24xi32> {
  %low = arith.constant 0xFF800000 : f32
  %zero_i32 = arith.constant 0 : i32
  %e_n = tensor.empty() : tensor<24xf32>
  %top_low = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %e_n_i32 = tensor.empty() : tensor<24xi32>
  %top_zero = linalg.fill ins(%zero_i32 : i32) outs(%e_n_i32 : tensor<24xi32>) -> tensor<24xi32>
  %top:2 = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x70xf32>) outs(%top_low, %top_zero : tensor<24xf32>, tensor<24xi32>) {
  ^bb0(%v: f32, %best: f32, %at: i32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %gt = arith.cmpf ogt, %best, %v : f32
    %nan = arith.cmpf une, %best, %best : f32
    %keep = arith.ori %gt, %nan : i1
    %same = arith.cmpf oeq, %best, %v : f32
    %lower = arith.cmpi slt, %at, %i : i32
    %tie = arith.andi %same, %lower : i1
    %stay = arith.ori %keep, %tie : i1
    %b = arith.select %keep, %best, %v : f32
    %k = arith.select %stay, %at, %i : i32
    linalg.yield %b, %k : f32, i32
  } -> (tensor<24xf32>, tensor<24xi32>)
  return %top#1 : tensor<24xi32>
}
