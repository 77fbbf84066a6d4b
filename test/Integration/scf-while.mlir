// RUN: %tang-agree %s
// A loop whose end depends on values: halve until every element is small; the number of steps is a result.
// INPUT: 7xf32=1 2 3 4 5 100 7
// EXPECT: 7xf32=0.0078125 0.015625 0.0234375 0.03125 0.0390625 0.78125 0.0546875
// EXPECT: i32=7
// SET:
// INPUT: 7xf32=0.5
// EXPECT: 7xf32=0.5
// EXPECT: i32=0
func.func @main(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bound = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : tensor<7xf32>
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %0:2 = scf.while (%v = %x, %n = %zero) : (tensor<7xf32>, i32) -> (tensor<7xf32>, i32) {
    %m = linalg.reduce {arith.maximumf} ins(%v : tensor<7xf32>) outs(%low : tensor<f32>) dimensions = [0]
    %s = tensor.extract %m[] : tensor<f32>
    %more = arith.cmpf oge, %s, %bound : f32
    scf.condition(%more) %v, %n : tensor<7xf32>, i32
  } do {
  ^bb0(%v: tensor<7xf32>, %n: i32):
    %w = arith.mulf %v, %half : tensor<7xf32>
    %k = arith.addi %n, %one : i32
    scf.yield %w, %k : tensor<7xf32>, i32
  }
  %1 = tensor.from_elements %0#1 : tensor<i32>
  return %0#0, %1 : tensor<7xf32>, tensor<i32>
}
