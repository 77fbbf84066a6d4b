// RUN: %tang-agree %s
// A branch on data around tensors, with a nested one, and a branch that leaves a tensor as it is.
// INPUT: 4xf32=1 2 3 4
// INPUT: i32=5
// EXPECT: 4xf32=2 4 6 8
// EXPECT: 4xf32=1 2 3 4
// SET:
// INPUT: 4xf32=1 2 3 4
// INPUT: i32=-5
// EXPECT: 4xf32=0 1 2 3
// EXPECT: 4xf32=1 4 9 16
// SET:
// INPUT: 4xf32=1 2 3 4
// INPUT: i32=0
// EXPECT: 4xf32=-1 -2 -3 -4
// EXPECT: 4xf32=1 2 3 4
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %s = tensor.extract %n[] : tensor<i32>
  %positive = arith.cmpi sgt, %s, %zero : i32
  %negative = arith.cmpi slt, %s, %zero : i32
  %0 = scf.if %positive -> tensor<4xf32> {
    %a = arith.addf %x, %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    %b = scf.if %negative -> tensor<4xf32> {
      %c = arith.subf %x, %one : tensor<4xf32>
      scf.yield %c : tensor<4xf32>
    } else {
      %c = arith.negf %x : tensor<4xf32>
      scf.yield %c : tensor<4xf32>
    }
    scf.yield %b : tensor<4xf32>
  }
  %1 = scf.if %negative -> tensor<4xf32> {
    %a = arith.mulf %x, %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
