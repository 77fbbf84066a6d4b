// Scales every row to length 1, as a frontend might write it.
func.func @main(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
  %matrix = tensor.empty(%rows) : tensor<?x32xf32>
  %vector = tensor.empty(%rows) : tensor<?xf32>
  %squares = linalg.square ins(%x : tensor<?x32xf32>) outs(%matrix : tensor<?x32xf32>) -> tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%vector : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.reduce { arith.addf } ins(%squares : tensor<?x32xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  %factors = linalg.rsqrt ins(%sums : tensor<?xf32>) outs(%vector : tensor<?xf32>) -> tensor<?xf32>
  %spread = linalg.broadcast ins(%factors : tensor<?xf32>) outs(%matrix : tensor<?x32xf32>) dimensions = [1]
  %y = linalg.mul ins(%x, %spread : tensor<?x32xf32>, tensor<?x32xf32>) outs(%matrix : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
