// RUN: %tang-derive %s
// linalg.softmax, the operation.
// INPUT: 24x70xf32=random:1
// SET:
// INPUT: 24x70xf32=odd:2:0:1e30
// TOLERANCE: f32 rtol=2e-5 atol=1e-6 (exp some units off, in another order of sums)
func.func @main(%input: tensor<24x70xf32>) -> tensor<24x70xf32> {
  %e_nc = tensor.empty() : tensor<24x70xf32>
  %probabilities = linalg.softmax dimension(1)
      ins(%input : tensor<24x70xf32>) outs(%e_nc : tensor<24x70xf32>) -> tensor<24x70xf32>
  return %probabilities : tensor<24x70xf32>
}
