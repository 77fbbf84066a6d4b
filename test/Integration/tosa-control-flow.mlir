// RUN: %tang-agree %s
// tosa.cond_if and tosa.while_loop.
// INPUT: 4xf32=1 2 3 4
// INPUT: i32=3
// EXPECT: 4xf32=8 16 24 32
// EXPECT: 4xf32=2 4 6 8
// SET:
// INPUT: 4xf32=1 2 3 4
// INPUT: i32=0
// EXPECT: 4xf32=1 2 3 4
// EXPECT: 4xf32=0 0 0 0
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = tosa.while_loop (%v = %x, %k = %n) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
    %more = tosa.greater %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %more : tensor<i1>
  } do {
  ^bb0(%v: tensor<4xf32>, %k: tensor<i32>):
    %w = tosa.add %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %j = tosa.sub %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %w, %j : tensor<4xf32>, tensor<i32>
  }
  %p = tosa.greater %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = tosa.cond_if %p : tensor<i1> -> tensor<4xf32> {
    %a = tosa.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %a : tensor<4xf32>
  } else {
    %a = tosa.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %a : tensor<4xf32>
  }
  return %0#0, %1 : tensor<4xf32>, tensor<4xf32>
}
