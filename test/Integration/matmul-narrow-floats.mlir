// RUN: %tang-agree %s
// Products of narrow floats, summed in f32; the operands are exact in f32, so only the order of the sums differs.
// INPUT: 4x33xbf16=random:1
// INPUT: 33x6xbf16=random:2
// INPUT: 4x33xf16=random:3
// INPUT: 33x6xf16=random:4
// INPUT: 4x33xf8E4M3FN=random:5
// INPUT: 33x6xf8E5M2=random:6
// TOLERANCE: f32 rtol=1e-5 atol=4e-5 (sums of 33 products near 1)
func.func @main(%a: tensor<4x33xbf16>, %b: tensor<33x6xbf16>, %c: tensor<4x33xf16>, %d: tensor<33x6xf16>,
                %g: tensor<4x33xf8E4M3FN>, %h: tensor<33x6xf8E5M2>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x33xbf16>, tensor<33x6xbf16>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.matmul ins(%c, %d : tensor<4x33xf16>, tensor<33x6xf16>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.matmul ins(%g, %h : tensor<4x33xf8E4M3FN>, tensor<33x6xf8E5M2>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
