// RUN: %tang-batch %s
// Running sums of rows, 2 chunks and a part of one. A row alone has a program for each chunk, a thousand have one each.
// INPUT: ?x700xf32=random:1
func.func @main(%input: tensor<?x700xf32>) -> tensor<?x700xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %input, %c0 : tensor<?x700xf32>
  %e = tensor.empty(%n) : tensor<?x700xf32>
  %r = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %sums, %last = tang.scan #tang.monoid<add> [i, t] along t ins(%input[i, t] : tensor<?x700xf32>)
                 outs(%e, %start : tensor<?x700xf32>, tensor<?xf32>) (%a: f32) { tang.yield %a : f32 }
  return %sums : tensor<?x700xf32>
}
