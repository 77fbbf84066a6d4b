// RUN: %tang-agree %s
// Sums of exp(x - g), where g is the row's maximum behind a condition: finite, or beyond a bound. While the condition is
// false, g is 0 and bounds nothing: the first 40 columns are -inf, or 900, and what follows is far from that.
// INPUT: 8x100xf32=range:1:-1:1
// TOLERANCE: f32 rtol=4e-4 atol=1e-6 (values near 2000 are rounded to 1.2e-4 before exp)
func.func @main(%noise: tensor<8x100xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r = tensor.empty() : tensor<8xf32>
  %e = tensor.empty() : tensor<8x100xf32>
  %x = tang.map [i, k] ins(%noise[i, k] : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) (%a: f32) {
    %k = tang.index 1
    %c40 = arith.constant 40 : index
    %low = arith.constant 0xFF800000 : f32
    %far = arith.constant 1000.0 : f32
    %first = arith.cmpi slt, %k, %c40 : index
    %d = arith.subf %a, %far : f32
    %s = arith.select %first, %low, %d : f32
    tang.yield %s : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<8x100xf32>) outs(%r : tensor<8xf32>) (%a: f32) { tang.yield %a : f32 }
  %g = tang.map [i] ins(%m[i] : tensor<8xf32>) outs(%r : tensor<8xf32>) (%a: f32) {
    %inf = arith.constant 0x7F800000 : f32
    %z = arith.constant 0.0 : f32
    %b = math.absf %a : f32
    %c = arith.cmpf oeq, %b, %inf : f32
    %s = arith.select %c, %z, %a : f32
    tang.yield %s : f32
  }
  %sum = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %g[i] : tensor<8x100xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %y = tang.map [i, k] ins(%noise[i, k] : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) (%a: f32) {
    %k = tang.index 1
    %c40 = arith.constant 40 : index
    %near = arith.constant 900.0 : f32
    %far = arith.constant 2000.0 : f32
    %first = arith.cmpi slt, %k, %c40 : index
    %b = arith.select %first, %near, %far : f32
    %s = arith.addf %a, %b : f32
    tang.yield %s : f32
  }
  %n = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%y[i, k] : tensor<8x100xf32>) outs(%r : tensor<8xf32>) (%a: f32) { tang.yield %a : f32 }
  %h = tang.map [i] ins(%n[i] : tensor<8xf32>) outs(%r : tensor<8xf32>) (%a: f32) {
    %bound = arith.constant 1000.0 : f32
    %z = arith.constant 0.0 : f32
    %b = math.absf %a : f32
    %c = arith.cmpf ogt, %b, %bound : f32
    %s = arith.select %c, %a, %z : f32
    tang.yield %s : f32
  }
  %sum2 = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%y[i, k], %h[i] : tensor<8x100xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %u = math.exp %d : f32
    tang.yield %u : f32
  }
  return %g, %sum, %h, %sum2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
