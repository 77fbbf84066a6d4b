// RUN: %tang-agree %s
// INPUT: 3x5x4xf32=random:1
// INPUT: 3x5x4xf32=random:2
// INPUT: 5xf32=iota
// INPUT: f32=2.5
// TOLERANCE: f32 rtol=1e-6 atol=1e-6 (single operations)
func.func @main(%x: tensor<3x5x4xf32>, %y: tensor<3x5x4xf32>, %v: tensor<5xf32>, %s: tensor<f32>)
    -> (tensor<3x5x4xf32>, tensor<4x3x5xf32>, tensor<3x5x4xf32>, tensor<2x2xf32>, tensor<4x3x5xf32>) {
  %e = tensor.empty() : tensor<3x5x4xf32>
  %0 = linalg.map {arith.mulf} ins(%x, %y : tensor<3x5x4xf32>, tensor<3x5x4xf32>) outs(%e : tensor<3x5x4xf32>)
  %et = tensor.empty() : tensor<4x3x5xf32>
  %1 = linalg.transpose ins(%x : tensor<3x5x4xf32>) outs(%et : tensor<4x3x5xf32>) permutation = [2, 0, 1]
  %2 = linalg.broadcast ins(%v : tensor<5xf32>) outs(%e : tensor<3x5x4xf32>) dimensions = [0, 2]
  %e2 = tensor.empty() : tensor<2x2xf32>
  %3 = linalg.broadcast ins(%s : tensor<f32>) outs(%e2 : tensor<2x2xf32>) dimensions = [0, 1]
  %4 = linalg.map ins(%1 : tensor<4x3x5xf32>) outs(%et : tensor<4x3x5xf32>)
    (%in: f32, %init: f32) {
      %a = math.absf %in : f32
      %b = math.sqrt %a : f32
      linalg.yield %b : f32
    }
  return %0, %1, %2, %3, %4 : tensor<3x5x4xf32>, tensor<4x3x5xf32>, tensor<3x5x4xf32>, tensor<2x2xf32>, tensor<4x3x5xf32>
}
