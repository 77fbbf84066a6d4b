// RUN: %tang-agree %s
// Tensors made from scalars: generate, splat, from_elements, and iota as a generic.
// INPUT: i32=3
// EXPECT: 3x4xi32=0 1 2 3 10 11 12 13 20 21 22 23
// EXPECT: 2x3xi32=3
// EXPECT: 2x2xi32=3 1 2 3
// EXPECT: 5xi32=0 1 2 3 4
// EXPECT: 3x2xi32=3
// SET:
// INPUT: i32=0
// EXPECT: 0x4xi32=0
// EXPECT: 2x3xi32=0
// EXPECT: 2x2xi32=0 1 2 0
// EXPECT: 5xi32=0 1 2 3 4
// EXPECT: 0x2xi32=0
func.func @main(%n: tensor<i32>) -> (tensor<?x4xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<5xi32>, tensor<?x2xi32>) {
  %s = tensor.extract %n[] : tensor<i32>
  %size = arith.index_cast %s : i32 to index
  %ten = arith.constant 10 : index
  %0 = tensor.generate %size {
  ^bb0(%i: index, %j: index):
    %a = arith.muli %i, %ten : index
    %b = arith.addi %a, %j : index
    %c = arith.index_cast %b : index to i32
    tensor.yield %c : i32
  } : tensor<?x4xi32>
  %1 = tensor.splat %s : tensor<2x3xi32>
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %2 = tensor.from_elements %s, %one, %two, %s : tensor<2x2xi32>
  %e = tensor.empty() : tensor<5xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<5xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  } -> tensor<5xi32>
  %4 = tensor.splat %s[%size] : tensor<?x2xi32>
  return %0, %1, %2, %3, %4 : tensor<?x4xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<5xi32>, tensor<?x2xi32>
}
