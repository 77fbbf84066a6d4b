// A fold that prefers numbers to NaN over a row that its steps do not divide: the steps of 16 are unrolled into chains, which
// LLVM took minutes to analyse where each step read the state four times. It takes a quarter of a second.
// RUN: timeout 30 tang-compile %s --target=cpu -o %t.tangb
func.func @main(%x: tensor<32x65xf32>, %s: tensor<f32>, %t: tensor<7xf32>, %y: tensor<7x32x65xf32>) -> (tensor<f32>, tensor<7xf32>) {
  %a = tang.reduce #tang.monoid<minnum> [] over [i = 32, j = 65] ins(%x[i, j] : tensor<32x65xf32>) outs(%s : tensor<f32>)
       attributes {schedule = #tang.schedule<tile = [1, 16], block = 1>} (%p: f32) { tang.yield %p : f32 }
  %b = tang.reduce #tang.monoid<maxnum> [k] over [i = 32, j = 65] ins(%y[k, i, j] : tensor<7x32x65xf32>) outs(%t : tensor<7xf32>)
       attributes {schedule = #tang.schedule<tile = [7, 1, 16], block = 1>} (%p: f32) { tang.yield %p : f32 }
  return %a, %b : tensor<f32>, tensor<7xf32>
}
