// RUN: %tang-derive %s
// RMSNorm in bf16 with the sum in f32 and two roundings, as exported.
// INPUT: 24x64xbf16=random:1
// INPUT: 64xbf16=random:2
// SET:
// INPUT: 24x64xbf16=odd:2:0:1e15
// INPUT: 64xbf16=random:2
// TOLERANCE: bf16 rtol=0.0078125 atol=1e-6 (one step of bf16)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
#nc_c = affine_map<(n, c) -> (c)>
func.func @main(%input: tensor<24x64xbf16>, %gamma: tensor<64xbf16>) -> tensor<24x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %epsilon = arith.constant 1.0e-06 : f32
  %e_nc = tensor.empty() : tensor<24x64xf32>
  %squares = linalg.generic {indexing_maps = [#nc_nc, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input : tensor<24x64xbf16>) outs(%e_nc : tensor<24x64xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %w = arith.extf %x : bf16 to f32
    %q = arith.mulf %w, %w : f32
    linalg.yield %q : f32
  } -> tensor<24x64xf32>
  %e_n = tensor.empty() : tensor<24xf32>
  %square_sum_start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<24xf32>) -> tensor<24xf32>
  %square_sum = linalg.generic {indexing_maps = [#nc_nc, #nc_n], iterator_types = ["parallel", "reduction"]}
      ins(%squares : tensor<24x64xf32>) outs(%square_sum_start : tensor<24xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %r = arith.addf %acc, %x : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %factor = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<24xf32>) outs(%e_n : tensor<24xf32>) {
  ^bb0(%s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    %w = arith.addf %m, %epsilon : f32
    %f = math.rsqrt %w : f32
    linalg.yield %f : f32
  } -> tensor<24xf32>
  %e_nc_bf16 = tensor.empty() : tensor<24x64xbf16>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_c, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input, %factor, %gamma : tensor<24x64xbf16>, tensor<24xf32>, tensor<64xbf16>)
      outs(%e_nc_bf16 : tensor<24x64xbf16>) {
  ^bb0(%x: bf16, %f: f32, %g: bf16, %out: bf16):
    %w = arith.extf %x : bf16 to f32
    %n = arith.mulf %w, %f : f32
    %t = arith.truncf %n : f32 to bf16
    %r = arith.mulf %t, %g : bf16
    linalg.yield %r : bf16
  } -> tensor<24x64xbf16>
  return %result : tensor<24x64xbf16>
}
