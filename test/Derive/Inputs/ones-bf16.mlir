// The sum of 1000 numbers of bf16 in bf16, as a frontend writes it.
#n_n = affine_map<(n) -> (n)>
#n_scalar = affine_map<(n) -> ()>
func.func @main(%input: tensor<1000xbf16>) -> tensor<bf16> {
  %zero_bf16 = arith.constant 0.0 : bf16
  %e_scalar_bf16 = tensor.empty() : tensor<bf16>
  %sum_start = linalg.fill ins(%zero_bf16 : bf16) outs(%e_scalar_bf16 : tensor<bf16>) -> tensor<bf16>
  %sum = linalg.generic {indexing_maps = [#n_n, #n_scalar], iterator_types = ["reduction"]}
      ins(%input : tensor<1000xbf16>) outs(%sum_start : tensor<bf16>) {
  ^bb0(%x: bf16, %acc: bf16):
    %r = arith.addf %acc, %x : bf16
    linalg.yield %r : bf16
  } -> tensor<bf16>
  return %sum : tensor<bf16>
}
