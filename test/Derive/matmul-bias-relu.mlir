// RUN: %tang-derive %s
// A linear layer: matmul, a bias of columns, a maximum with 0.
// INPUT: 33x40xf32=random:1
// INPUT: 40x24xf32=random:2
// INPUT: 24xf32=random:3
// SET:
// INPUT: 33x40xf32=odd:4:0:1e15
// INPUT: 40x24xf32=odd:5:1:1e15
// INPUT: 24xf32=random:3
// FLUSHES: webgpu (an infinity times a subnormal number)
// TOLERANCE: f32 rtol=2e-5 atol=1e-5 (sums of 40 products in f32)
func.func @main(%a: tensor<33x40xf32>, %b: tensor<40x24xf32>, %bias: tensor<24xf32>) -> tensor<33x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e_mn = tensor.empty() : tensor<33x24xf32>
  %product_start = linalg.fill ins(%zero : f32) outs(%e_mn : tensor<33x24xf32>) -> tensor<33x24xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<33x40xf32>, tensor<40x24xf32>) outs(%product_start : tensor<33x24xf32>) -> tensor<33x24xf32>
  %bias_all = linalg.broadcast ins(%bias : tensor<24xf32>) outs(%e_mn : tensor<33x24xf32>) dimensions = [0]
  %sum = linalg.add
      ins(%product, %bias_all : tensor<33x24xf32>, tensor<33x24xf32>)
      outs(%e_mn : tensor<33x24xf32>) -> tensor<33x24xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e_mn : tensor<33x24xf32>) -> tensor<33x24xf32>
  %result = linalg.max
      ins(%sum, %zeros : tensor<33x24xf32>, tensor<33x24xf32>) outs(%e_mn : tensor<33x24xf32>) -> tensor<33x24xf32>
  return %result : tensor<33x24xf32>
}
