// RUN: %tang-batch %s
// A product with a matrix, the sum over more than a tile.
// INPUT: ?x150xf32=random:1
// INPUT: 150x40xf32=random:2
func.func @main(%a: tensor<?x150xf32>, %b: tensor<150x40xf32>) -> tensor<?x40xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %nm = tensor.dim %a, %c0 : tensor<?x150xf32>
  %e_mn = tensor.empty(%nm) : tensor<?x40xf32>
  %product_start = linalg.fill ins(%zero : f32) outs(%e_mn : tensor<?x40xf32>) -> tensor<?x40xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<?x150xf32>, tensor<150x40xf32>) outs(%product_start : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %product : tensor<?x40xf32>
}
