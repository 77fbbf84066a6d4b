// RUN: %tang-agree %s
// linalg.reduce over inner, outer, several and all dimensions; two results; initial values take part.
// INPUT: 5x37x6xf32=random:1
// INPUT: 5x37x6xi32=random:2
// SET:
// INPUT: 5x37x6xf32=2
// INPUT: 5x37x6xi32=3
// EXPECT: 5x37xf32=12
// EXPECT: 37x6xf32=2
// EXPECT: 37xf32=60
// EXPECT: f32=2221
// EXPECT: 6xi32=555
// EXPECT: 6xi32=3
// TOLERANCE: f32 rtol=1e-5 atol=2e-4 (sums of 1110 numbers near 1)
func.func @main(%x: tensor<5x37x6xf32>, %y: tensor<5x37x6xi32>)
    -> (tensor<5x37xf32>, tensor<37x6xf32>, tensor<37xf32>, tensor<f32>, tensor<6xi32>, tensor<6xi32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<f32>
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<5x37xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x37xf32>) -> tensor<5x37xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<5x37x6xf32>) outs(%f0 : tensor<5x37xf32>) dimensions = [2]
  %e1 = tensor.empty() : tensor<37x6xf32>
  %f1 = linalg.fill ins(%low : f32) outs(%e1 : tensor<37x6xf32>) -> tensor<37x6xf32>
  %1 = linalg.reduce {arith.maximumf} ins(%x : tensor<5x37x6xf32>) outs(%f1 : tensor<37x6xf32>) dimensions = [0]
  %e2 = tensor.empty() : tensor<37xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<37xf32>) -> tensor<37xf32>
  %2 = linalg.reduce ins(%x : tensor<5x37x6xf32>) outs(%f2 : tensor<37xf32>) dimensions = [0, 2]
    (%in: f32, %acc: f32) {
      %a = math.absf %in : f32
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    }
  %3 = linalg.reduce {arith.addf} ins(%x : tensor<5x37x6xf32>) outs(%one : tensor<f32>) dimensions = [0, 1, 2]
  %z = arith.constant 0 : i32
  %m = arith.constant 2147483647 : i32
  %e4 = tensor.empty() : tensor<6xi32>
  %f4 = linalg.fill ins(%z : i32) outs(%e4 : tensor<6xi32>) -> tensor<6xi32>
  %f5 = linalg.fill ins(%m : i32) outs(%e4 : tensor<6xi32>) -> tensor<6xi32>
  %4:2 = linalg.reduce ins(%y, %y : tensor<5x37x6xi32>, tensor<5x37x6xi32>) outs(%f4, %f5 : tensor<6xi32>, tensor<6xi32>)
      dimensions = [0, 1]
    (%in: i32, %in2: i32, %sum: i32, %min: i32) {
      %s = arith.addi %sum, %in : i32
      %n = arith.minsi %min, %in2 : i32
      linalg.yield %s, %n : i32, i32
    }
  return %0, %1, %2, %3, %4#0, %4#1
      : tensor<5x37xf32>, tensor<37x6xf32>, tensor<37xf32>, tensor<f32>, tensor<6xi32>, tensor<6xi32>
}
