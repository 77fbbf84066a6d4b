// RUN: %tang-agree %s
// All three sizes are known at call time only, and each may be 0 or 1.
// INPUT: 5x19xf32=random:1
// INPUT: 19x7xf32=random:2
// SET:
// INPUT: 130x65xf32=random:3
// INPUT: 65x33xf32=random:4
// SET:
// INPUT: 1x1xf32=3
// INPUT: 1x1xf32=5
// EXPECT: 1x1xf32=15
// SET:
// INPUT: 4x0xf32=0
// INPUT: 0x2xf32=0
// EXPECT: 4x2xf32=0
// SET:
// INPUT: 0x3xf32=0
// INPUT: 3x2xf32=1
// EXPECT: 0x2xf32=0
// TOLERANCE: f32 rtol=1e-5 atol=1e-4 (sums of up to 65 products near 1)
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
