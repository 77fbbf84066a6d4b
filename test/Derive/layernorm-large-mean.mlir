// RUN: %tang-derive %s
// The same where the mean is 10^4 and the deviation 6: integers, whose sum and mean are exact in f32, so that all error is in
// the variance. The mean of squares less the square of the mean would be off by a tenth.
// INPUT: 16x512xi32=range:1:9990:10010
// SET:
// INPUT: 16x512xi32=range:2:-10010:-9990
// TOLERANCE: f32 rtol=1e-5 atol=1e-6 (a pass about the mean so far rounds differences, not squares of 10^4)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%input: tensor<16x512xi32>) -> (tensor<16xf32>, tensor<16x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 512.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %e_n = tensor.empty() : tensor<16xf32>
  %e_nc = tensor.empty() : tensor<16x512xf32>
  %x = linalg.generic {indexing_maps = [#nc_nc, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%input : tensor<16x512xi32>) outs(%e_nc : tensor<16x512xf32>) {
  ^bb0(%i: i32, %out: f32):
    %v = arith.sitofp %i : i32 to f32
    linalg.yield %v : f32
  } -> tensor<16x512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<16x512xf32>) outs(%start : tensor<16xf32>) dimensions = [1]
  %mean = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%sum : tensor<16xf32>) outs(%e_n : tensor<16xf32>) {
  ^bb0(%s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  %mean_all = linalg.broadcast ins(%mean : tensor<16xf32>) outs(%e_nc : tensor<16x512xf32>) dimensions = [1]
  %centred = linalg.sub ins(%x, %mean_all : tensor<16x512xf32>, tensor<16x512xf32>) outs(%e_nc : tensor<16x512xf32>) -> tensor<16x512xf32>
  %squares = linalg.square ins(%centred : tensor<16x512xf32>) outs(%e_nc : tensor<16x512xf32>) -> tensor<16x512xf32>
  %square_sum = linalg.reduce {arith.addf} ins(%squares : tensor<16x512xf32>) outs(%start : tensor<16xf32>) dimensions = [1]
  %variance = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<16xf32>) outs(%e_n : tensor<16xf32>) {
  ^bb0(%s: f32, %out: f32):
    %v = arith.divf %s, %count : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %variance : tensor<16x512xf32>, tensor<16xf32>) outs(%e_nc : tensor<16x512xf32>) {
  ^bb0(%d: f32, %v: f32, %out: f32):
    %w = arith.addf %v, %epsilon : f32
    %h = math.rsqrt %w : f32
    %r = arith.mulf %d, %h : f32
    linalg.yield %r : f32
  } -> tensor<16x512xf32>
  return %variance, %result : tensor<16xf32>, tensor<16x512xf32>
}
