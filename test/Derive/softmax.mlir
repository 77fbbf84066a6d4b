// RUN: %tang-derive %s
// Softmax of rows in five operations, rows of -inf, +inf, NaN and huge numbers among them.
// INPUT: 24x70xf32=random:1
// SET:
// INPUT: 24x70xf32=odd:2:0:1e30
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
func.func @main(%input: tensor<24x70xf32>) -> tensor<24x70xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e_n = tensor.empty() : tensor<24xf32>
  %max_start = linalg.fill ins(%low : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %max = linalg.reduce {arith.maximumf}
      ins(%input : tensor<24x70xf32>) outs(%max_start : tensor<24xf32>) dimensions = [1]
  %e_nc = tensor.empty() : tensor<24x70xf32>
  %max_all = linalg.broadcast ins(%max : tensor<24xf32>) outs(%e_nc : tensor<24x70xf32>) dimensions = [1]
  %shifted = linalg.sub
      ins(%input, %max_all : tensor<24x70xf32>, tensor<24x70xf32>) outs(%e_nc : tensor<24x70xf32>) -> tensor<24x70xf32>
  %weights = linalg.exp ins(%shifted : tensor<24x70xf32>) outs(%e_nc : tensor<24x70xf32>) -> tensor<24x70xf32>
  %sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.reduce {arith.addf} ins(%weights : tensor<24x70xf32>) outs(%sum_start : tensor<24xf32>) dimensions = [1]
  %sum_all = linalg.broadcast ins(%sum : tensor<24xf32>) outs(%e_nc : tensor<24x70xf32>) dimensions = [1]
  %probabilities = linalg.div
      ins(%weights, %sum_all : tensor<24x70xf32>, tensor<24x70xf32>)
      outs(%e_nc : tensor<24x70xf32>) -> tensor<24x70xf32>
  return %probabilities : tensor<24x70xf32>
}
