// RUN: %tang-agree %s
// Several functions: called twice, called from a called one, with several results; one that nobody calls.
// INPUT: 5xf32=1 2 3 4 5
// EXPECT: 5xf32=9 16 25 36 49
// EXPECT: 5xf32=3 4 5 6 7
// EXPECT: f32=25
// TOLERANCE: f32 rtol=0 atol=0 (small integers)
func.func private @plus_one(%x: tensor<5xf32>) -> tensor<5xf32> {
  %one = arith.constant dense<1.0> : tensor<5xf32>
  %0 = arith.addf %x, %one : tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func private @plus_two(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>) {
  %0 = call @plus_one(%x) : (tensor<5xf32>) -> tensor<5xf32>
  %1 = call @plus_one(%0) : (tensor<5xf32>) -> tensor<5xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %2 = linalg.reduce {arith.addf} ins(%1 : tensor<5xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %1, %2 : tensor<5xf32>, tensor<f32>
}
func.func private @unused(%x: tensor<5xf32>) -> tensor<5xf32> {
  return %x : tensor<5xf32>
}
func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<f32>) {
  %0:2 = call @plus_two(%x) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>)
  %1 = arith.mulf %0#0, %0#0 : tensor<5xf32>
  return %1, %0#0, %0#1 : tensor<5xf32>, tensor<5xf32>, tensor<f32>
}
