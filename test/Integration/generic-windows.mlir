// RUN: %tang-agree %s
// A cumulative sum as a window over padded data, a diagonal, a reversed read and a triangular mask: maps that are no
// projection.
// INPUT: 6xi32=1 2 3 4 5 6
// INPUT: 4x4xi32=iota
// EXPECT: 6xi32=1 3 6 10 15 21
// EXPECT: 4xi32=0 5 10 15
// EXPECT: 6xi32=6 5 4 3 2 1
// EXPECT: 4x4xi32=0 0 0 0 4 5 0 0 8 9 10 0 12 13 14 15
func.func @main(%x: tensor<6xi32>, %m: tensor<4x4xi32>) -> (tensor<6xi32>, tensor<4xi32>, tensor<6xi32>, tensor<4x4xi32>) {
  %zero = arith.constant 0 : i32
  %p = tensor.pad %x low[5] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : i32
  } : tensor<6xi32> to tensor<11xi32>
  %z = arith.constant dense<0> : tensor<6xi32>
  %w = tensor.empty() : tensor<6xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<11xi32>, tensor<6xi32>) outs(%z : tensor<6xi32>) {
  ^bb0(%a: i32, %u: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<6xi32>
  %e4 = tensor.empty() : tensor<4xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m : tensor<4x4xi32>) outs(%e4 : tensor<4xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<4xi32>
  %e6 = tensor.empty() : tensor<6xi32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e6 : tensor<6xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %five = arith.constant 5 : index
    %j = arith.subi %five, %i : index
    %v = tensor.extract %x[%j] : tensor<6xi32>
    linalg.yield %v : i32
  } -> tensor<6xi32>
  %e44 = tensor.empty() : tensor<4x4xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<4x4xi32>) outs(%e44 : tensor<4x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ule, %j, %i : index
    %v = arith.select %c, %a, %zero : i32
    linalg.yield %v : i32
  } -> tensor<4x4xi32>
  return %0, %1, %2, %3 : tensor<6xi32>, tensor<4xi32>, tensor<6xi32>, tensor<4x4xi32>
}
