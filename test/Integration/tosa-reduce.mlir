// RUN: %tang-agree %s
// Reductions of TOSA, which keep the dimension as 1, and argmax, which drops it.
// INPUT: 3x5x4xf32=range:1:0.5:1.5
// INPUT: 3x5xi32=random:2
// INPUT: 3x4xi1=1 1 1 1 0 0 0 0 0 1 0 1
// SET:
// INPUT: 3x5x4xf32=2
// INPUT: 3x5xi32=1 5 2 5 0 -1 -2 -3 -4 -5 9 9 9 9 9
// INPUT: 3x4xi1=1 1 1 1 0 0 0 0 0 1 0 1
// EXPECT: 3x1x4xf32=10
// EXPECT: 3x5x1xf32=16
// EXPECT: 1x5x4xf32=2
// EXPECT: 3x5x1xf32=2
// EXPECT: 3x1xi32=13 -15 45
// EXPECT: 3x1xi1=1 0 0
// EXPECT: 3x1xi1=1 0 1
// EXPECT: 3xi32=1 0 0
// TOLERANCE: f32 rtol=2e-6 atol=0 (five positive numbers in another order)
func.func @main(%x: tensor<3x5x4xf32>, %y: tensor<3x5xi32>, %p: tensor<3x4xi1>)
    -> (tensor<3x1x4xf32>, tensor<3x5x1xf32>, tensor<1x5x4xf32>, tensor<3x5x1xf32>, tensor<3x1xi32>, tensor<3x1xi1>, tensor<3x1xi1>,
        tensor<3xi32>) {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<3x5x4xf32>) -> tensor<3x1x4xf32>
  %1 = tosa.reduce_product %x {axis = 2 : i32} : (tensor<3x5x4xf32>) -> tensor<3x5x1xf32>
  %2 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<3x5x4xf32>) -> tensor<1x5x4xf32>
  %3 = tosa.reduce_min %x {axis = 2 : i32} : (tensor<3x5x4xf32>) -> tensor<3x5x1xf32>
  %4 = tosa.reduce_sum %y {axis = 1 : i32} : (tensor<3x5xi32>) -> tensor<3x1xi32>
  %5 = tosa.reduce_all %p {axis = 1 : i32} : (tensor<3x4xi1>) -> tensor<3x1xi1>
  %6 = tosa.reduce_any %p {axis = 1 : i32} : (tensor<3x4xi1>) -> tensor<3x1xi1>
  %yf = tosa.cast %y : (tensor<3x5xi32>) -> tensor<3x5xf32>
  %7 = tosa.argmax %yf {axis = 1 : i32} : (tensor<3x5xf32>) -> tensor<3xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<3x1x4xf32>, tensor<3x5x1xf32>, tensor<1x5x4xf32>, tensor<3x5x1xf32>, tensor<3x1xi32>, tensor<3x1xi1>, tensor<3x1xi1>,
        tensor<3xi32>
}
