// RUN: %tang-agree %s
// Weights divided by a masked sum of them, which is 0 where all is masked: each term is infinite, and terms of both signs
// make NaN. Dividing their sum would make an infinity.
// INPUT: 8x100xf32=random:1
// INPUT: 100x4xf32=random:2
// INPUT: 8x100xi1=0
// EXPECT: 8x4xf32=nan
// SET:
// INPUT: 8x100xf32=random:3
// INPUT: 100x4xf32=random:4
// INPUT: 8x100xi1=random:5
// TOLERANCE: f32 rtol=2e-5 atol=2e-5 (exp some units off, in another order of sums)
func.func @main(%x: tensor<8x100xf32>, %v: tensor<100x4xf32>, %keep: tensor<8x100xi1>) -> tensor<8x4xf32> {
  %r = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<8x4xf32>
  %p = tensor.empty() : tensor<8x100xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<8x100xf32>) outs(%r : tensor<8xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i], %keep[i, k] : tensor<8x100xf32>, tensor<8xf32>, tensor<8x100xi1>) outs(%r : tensor<8xf32>) (%a: f32, %b: f32, %c: i1) {
    %z = arith.constant 0.0 : f32
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %f = arith.select %c, %e, %z : f32
    tang.yield %f : f32
  }
  %w = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<8x100xf32>, tensor<8xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%w[i, k], %v[k, j] : tensor<8x100xf32>, tensor<100x4xf32>) outs(%o : tensor<8x4xf32>) (%a: f32, %b: f32) {
    %q = arith.mulf %a, %b : f32
    tang.yield %q : f32
  }
  return %y : tensor<8x4xf32>
}
