// RUN: %tang-derive %s
// Router: a softmax of 16 experts, the best two of it by two rounds of arg-maximum, and their shares of the sum of
// both.
// INPUT: 24x16xf32=random:1
// SET:
// INPUT: 24x16xf32=range:2:-9:9
// SET:
// INPUT: 24x16xf32=1
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%input: tensor<24x16xf32>) -> (tensor<24xf32>, tensor<24xf32>, tensor<24xi32>, tensor<24xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %zero_i32 = arith.constant 0 : i32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%input : tensor<24x16xf32>) outs(%max_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.maximumf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %e_nc = tensor.empty() : tensor<24x16xf32>
  %weights = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %max : tensor<24x16xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x16xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<24x16xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<24x16xf32>) outs(%sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %probabilities = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %sum : tensor<24x16xf32>, tensor<24xf32>) outs(%e_nc : tensor<24x16xf32>) {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %p = arith.divf %e, %z : f32
    linalg.yield %p : f32
  } -> tensor<24x16xf32>
  %first_low = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %e_n_i32 = tensor.empty() : tensor<24xi32>
  %first_zero = linalg.fill ins(%zero_i32 : i32) outs(%e_n_i32 : tensor<24xi32>) -> tensor<24xi32>
  %first:2 = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%probabilities : tensor<24x16xf32>) outs(%first_low, %first_zero : tensor<24xf32>, tensor<24xi32>) {
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
  %without_first = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%probabilities, %first#1 : tensor<24x16xf32>, tensor<24xi32>) outs(%e_nc : tensor<24x16xf32>) {
  ^bb0(%x: f32, %at: i32, %out: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %hit = arith.cmpi eq, %i, %at : i32
    %r = arith.select %hit, %low, %x : f32
    linalg.yield %r : f32
  } -> tensor<24x16xf32>
  %second_low = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %second_zero = linalg.fill ins(%zero_i32 : i32) outs(%e_n_i32 : tensor<24xi32>) -> tensor<24xi32>
  %second:2 = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%without_first : tensor<24x16xf32>) outs(%second_low, %second_zero : tensor<24xf32>, tensor<24xi32>) {
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
  %share = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%first#0, %second#0 : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %p = arith.divf %a, %s : f32
    linalg.yield %p : f32
  } -> tensor<24xf32>
  %other_share = linalg.generic {indexing_maps = [#n_n, #n_n, #n_n], iterator_types = ["parallel"]}
      ins(%first#0, %second#0 : tensor<24xf32>, tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %p = arith.divf %b, %s : f32
    linalg.yield %p : f32
  } -> tensor<24xf32>
  return %share, %other_share, %first#1, %second#1 : tensor<24xf32>, tensor<24xf32>, tensor<24xi32>, tensor<24xi32>
}
