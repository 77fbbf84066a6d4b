// RUN: %tang-agree %s
// INPUT: 6x37xf32=random:1
// INPUT: 37xf32=random:2
// INPUT: 6xf32=random:3
// INPUT: 37xf32=random:4
// INPUT: 2x6x37xf32=random:5
// INPUT: 2x37xf32=random:6
// TOLERANCE: f32 rtol=1e-5 atol=4e-5 (sums of 37 products near 1)
func.func @main(%a: tensor<6x37xf32>, %x: tensor<37xf32>, %y: tensor<6xf32>, %z: tensor<37xf32>, %b: tensor<2x6x37xf32>,
                %w: tensor<2x37xf32>) -> (tensor<6xf32>, tensor<37xf32>, tensor<f32>, tensor<2x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e6 = tensor.empty() : tensor<6xf32>
  %f6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %0 = linalg.matvec ins(%a, %x : tensor<6x37xf32>, tensor<37xf32>) outs(%f6 : tensor<6xf32>) -> tensor<6xf32>
  %e37 = tensor.empty() : tensor<37xf32>
  %f37 = linalg.fill ins(%zero : f32) outs(%e37 : tensor<37xf32>) -> tensor<37xf32>
  %1 = linalg.vecmat ins(%y, %a : tensor<6xf32>, tensor<6x37xf32>) outs(%f37 : tensor<37xf32>) -> tensor<37xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %2 = linalg.dot ins(%x, %z : tensor<37xf32>, tensor<37xf32>) outs(%f0 : tensor<f32>) -> tensor<f32>
  %e26 = tensor.empty() : tensor<2x6xf32>
  %f26 = linalg.fill ins(%zero : f32) outs(%e26 : tensor<2x6xf32>) -> tensor<2x6xf32>
  %3 = linalg.batch_matvec ins(%b, %w : tensor<2x6x37xf32>, tensor<2x37xf32>) outs(%f26 : tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<37xf32>, tensor<f32>, tensor<2x6xf32>
}
