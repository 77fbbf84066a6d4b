// RUN: %tang-agree %s
// The elementwise named operations of linalg.
// INPUT: 7x11xf32=range:1:0.1:4
// INPUT: 7x11xf32=range:2:0.1:4
// INPUT: 7x11xi1=random:3
// TOLERANCE: f32 rtol=1e-5 atol=1e-5 (up to eight functions, each two units off at most)
func.func @main(%x: tensor<7x11xf32>, %y: tensor<7x11xf32>, %c: tensor<7x11xi1>)
    -> (tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>) {
  %e = tensor.empty() : tensor<7x11xf32>
  %0 = linalg.add ins(%x, %y : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %1 = linalg.sub ins(%0, %x : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %2 = linalg.mul ins(%1, %y : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %3 = linalg.div ins(%2, %x : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %4 = linalg.max ins(%3, %x : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %5 = linalg.min ins(%4, %y : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %6 = linalg.exp ins(%x : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %7 = linalg.log ins(%6 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %8 = linalg.negf ins(%7 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %9 = linalg.abs ins(%8 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %10 = linalg.sqrt ins(%9 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %11 = linalg.rsqrt ins(%10 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %12 = linalg.square ins(%11 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %13 = linalg.reciprocal ins(%12 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %14 = linalg.tanh ins(%13 : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %15 = linalg.erf ins(%x : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %16 = linalg.powf ins(%x, %y : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %17 = linalg.select ins(%c, %15, %16 : tensor<7x11xi1>, tensor<7x11xf32>, tensor<7x11xf32>)
      outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %18 = linalg.floor ins(%x : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %19 = linalg.ceil ins(%y : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %20 = linalg.round ins(%x : tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %21 = linalg.add ins(%18, %19 : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %22 = linalg.add ins(%21, %20 : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %23 = linalg.add ins(%22, %14 : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %5, %17, %23 : tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>
}
