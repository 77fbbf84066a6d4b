// RUN: %tang-agree %s
// Loops around tensors: a power by repeated products, a scan by slices over i32, and a bound that is data.
// INPUT: 3x3xi32=1 1 0 0 1 1 0 0 1
// INPUT: 6x2xi32=1 2 3 4 5 6 7 8 9 10 11 12
// INPUT: i32=4
// EXPECT: 3x3xi32=1 4 6 0 1 4 0 0 1
// EXPECT: 6x2xi32=1 2 4 6 9 12 16 20 25 30 36 42
// SET:
// INPUT: 3x3xi32=2 0 0 0 2 0 0 0 2
// INPUT: 6x2xi32=0
// INPUT: i32=0
// EXPECT: 3x3xi32=1 0 0 0 1 0 0 0 1
// EXPECT: 6x2xi32=0
func.func @main(%a: tensor<3x3xi32>, %x: tensor<6x2xi32>, %n: tensor<i32>) -> (tensor<3x3xi32>, tensor<6x2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eye = arith.constant dense<[[1, 0, 0], [0, 1, 0], [0, 0, 1]]> : tensor<3x3xi32>
  %zeros = arith.constant dense<0> : tensor<3x3xi32>
  %times = tensor.extract %n[] : tensor<i32>
  %count = arith.index_cast %times : i32 to index
  %0 = scf.for %i = %c0 to %count step %c1 iter_args(%p = %eye) -> tensor<3x3xi32> {
    %q = linalg.matmul ins(%p, %a : tensor<3x3xi32>, tensor<3x3xi32>) outs(%zeros : tensor<3x3xi32>) -> tensor<3x3xi32>
    scf.yield %q : tensor<3x3xi32>
  }
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i5 = arith.constant 5 : i32
  %i6 = arith.constant 6 : i32
  %start = arith.constant dense<0> : tensor<2xi32>
  %e = tensor.empty() : tensor<6x2xi32>
  %1:2 = scf.for %i = %i0 to %i6 step %i1 iter_args(%sum = %start, %out = %e) -> (tensor<2xi32>, tensor<6x2xi32>) : i32 {
    %l = arith.maxsi %i, %i0 : i32
    %k = arith.minsi %l, %i5 : i32
    %at = arith.index_cast %k : i32 to index
    %row = tensor.extract_slice %x[%at, 0] [1, 2] [1, 1] : tensor<6x2xi32> to tensor<2xi32>
    %s = arith.addi %sum, %row : tensor<2xi32>
    %o = tensor.insert_slice %s into %out[%at, 0] [1, 2] [1, 1] : tensor<2xi32> into tensor<6x2xi32>
    scf.yield %s, %o : tensor<2xi32>, tensor<6x2xi32>
  }
  return %0, %1#1 : tensor<3x3xi32>, tensor<6x2xi32>
}
