// RUN: %tang-derive %s
// LayerNorm of rows long enough that mean and variance come from one pass, of all kinds of values.
// INPUT: 30x509xf32=random:1
// SET:
// INPUT: 30x509xf32=odd:2:0:1e15
// SET:
// INPUT: 30x509xf32=rising:3:5
// SET:
// INPUT: 30x509xf32=late:4:1:500
// TOLERANCE: f32 rtol=5e-5 atol=1e-5 (sums of 509 numbers in f32)
#nc_nc = affine_map<(n, c) -> (n, c)>
#nc_n = affine_map<(n, c) -> (n)>
#n_n = affine_map<(n) -> (n)>
func.func @main(%input: tensor<30x509xf32>) -> (tensor<30xf32>, tensor<30x509xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 509.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %e_n = tensor.empty() : tensor<30xf32>
  %e_nc = tensor.empty() : tensor<30x509xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e_n : tensor<30xf32>) -> tensor<30xf32>
  %sum = linalg.reduce {arith.addf} ins(%input : tensor<30x509xf32>) outs(%start : tensor<30xf32>) dimensions = [1]
  %mean = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%sum : tensor<30xf32>) outs(%e_n : tensor<30xf32>) {
  ^bb0(%s: f32, %out: f32):
    %m = arith.divf %s, %count : f32
    linalg.yield %m : f32
  } -> tensor<30xf32>
  %mean_all = linalg.broadcast ins(%mean : tensor<30xf32>) outs(%e_nc : tensor<30x509xf32>) dimensions = [1]
  %centred = linalg.sub ins(%input, %mean_all : tensor<30x509xf32>, tensor<30x509xf32>) outs(%e_nc : tensor<30x509xf32>) -> tensor<30x509xf32>
  %squares = linalg.square ins(%centred : tensor<30x509xf32>) outs(%e_nc : tensor<30x509xf32>) -> tensor<30x509xf32>
  %square_sum = linalg.reduce {arith.addf} ins(%squares : tensor<30x509xf32>) outs(%start : tensor<30xf32>) dimensions = [1]
  %variance = linalg.generic {indexing_maps = [#n_n, #n_n], iterator_types = ["parallel"]}
      ins(%square_sum : tensor<30xf32>) outs(%e_n : tensor<30xf32>) {
  ^bb0(%s: f32, %out: f32):
    %v = arith.divf %s, %count : f32
    linalg.yield %v : f32
  } -> tensor<30xf32>
  %result = linalg.generic {indexing_maps = [#nc_nc, #nc_n, #nc_nc], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %variance : tensor<30x509xf32>, tensor<30xf32>) outs(%e_nc : tensor<30x509xf32>) {
  ^bb0(%d: f32, %v: f32, %out: f32):
    %w = arith.addf %v, %epsilon : f32
    %h = math.rsqrt %w : f32
    %r = arith.mulf %d, %h : f32
    linalg.yield %r : f32
  } -> tensor<30x509xf32>
  return %variance, %result : tensor<30xf32>, tensor<30x509xf32>
}
