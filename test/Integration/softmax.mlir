// RUN: %tang-agree %s
// linalg.softmax over the last and over the first dimension; large logits do not overflow.
// INPUT: 6x101xf32=random:1
// INPUT: 7x3x5xf32=range:2:-1000:1000
// SET:
// INPUT: 6x101xf32=1e30
// INPUT: 7x3x5xf32=-1e30
// EXPECT: 6x101xf32=0.00990099009901
// EXPECT: 7x3x5xf32=0.142857142857
// TOLERANCE: f32 rtol=2e-5 atol=1e-7 (exp two units off, in another order of sums)
func.func @main(%x: tensor<6x101xf32>, %y: tensor<7x3x5xf32>) -> (tensor<6x101xf32>, tensor<7x3x5xf32>) {
  %e = tensor.empty() : tensor<6x101xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<6x101xf32>) outs(%e : tensor<6x101xf32>) -> tensor<6x101xf32>
  %f = tensor.empty() : tensor<7x3x5xf32>
  %1 = linalg.softmax dimension(0) ins(%y : tensor<7x3x5xf32>) outs(%f : tensor<7x3x5xf32>) -> tensor<7x3x5xf32>
  return %0, %1 : tensor<6x101xf32>, tensor<7x3x5xf32>
}
