// Two contractions around a literal softmax: one kernel whose floor is the matrix
// unit's, with inputs and results once and an exponential a score.
// RUN: tang-opt %s --tang-floor=target=h200 -o %t.mlir 2>&1 | FileCheck %s
// CHECK: remark: main_kernel0: exponent = 3/2; floor 4.45 ms on h200, bound by matrix bf16
// CHECK: note: matrix bf16: 4.4 Tflop at 989.4 Tflop/s, 4.45 ms
// CHECK: note: special functions: 8.59 Gop at 3.86 Top/s, 2.22 ms
// CHECK: note: memory: 1.07 GB at 4.8 TB/s, 223.7 us
func.func @main(%q: tensor<4x32x8192x128xbf16>, %k: tensor<4x32x8192x128xbf16>, %v: tensor<4x32x8192x128xbf16>) -> tensor<4x32x8192x128xbf16> {
  %es = tensor.empty() : tensor<4x32x8192x8192xf32>
  %er = tensor.empty() : tensor<4x32x8192xf32>
  %s = tang.reduce #tang.monoid<add> [b, h, t, s] over [d = 128] init(0.0 : f32)
         ins(%q[b, h, t, d], %k[b, h, s, d] : tensor<4x32x8192x128xbf16>, tensor<4x32x8192x128xbf16>) outs(%es : tensor<4x32x8192x8192xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }
  %c = tang.map [b, h, t, s] ins(%s[b, h, t, s] : tensor<4x32x8192x8192xf32>) outs(%es : tensor<4x32x8192x8192xf32>) (%x: f32) {
    %scale = arith.constant 0.0883883476 : f32
    %y = arith.mulf %x, %scale : f32
    tang.yield %y : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [b, h, t] over [s = 8192] init(0xFF800000 : f32)
         ins(%c[b, h, t, s] : tensor<4x32x8192x8192xf32>) outs(%er : tensor<4x32x8192xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %p = tang.map [b, h, t, s] ins(%c[b, h, t, s], %m[b, h, t] : tensor<4x32x8192x8192xf32>, tensor<4x32x8192xf32>) outs(%es : tensor<4x32x8192x8192xf32>) (%x: f32, %y: f32) {
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }
  %l = tang.reduce #tang.monoid<add> [b, h, t] over [s = 8192] init(0.0 : f32)
         ins(%p[b, h, t, s] : tensor<4x32x8192x8192xf32>) outs(%er : tensor<4x32x8192xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %ep = tensor.empty() : tensor<4x32x8192x8192xbf16>
  %n = tang.map [b, h, t, s] ins(%p[b, h, t, s], %l[b, h, t] : tensor<4x32x8192x8192xf32>, tensor<4x32x8192xf32>) outs(%ep : tensor<4x32x8192x8192xbf16>) (%x: f32, %y: f32) {
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }
  %eo = tensor.empty() : tensor<4x32x8192x128xf32>
  %o = tang.reduce #tang.monoid<add> [b, h, t, e] over [s = 8192] init(0.0 : f32)
         ins(%n[b, h, t, s], %v[b, h, s, e] : tensor<4x32x8192x8192xbf16>, tensor<4x32x8192x128xbf16>) outs(%eo : tensor<4x32x8192x128xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }
  %er2 = tensor.empty() : tensor<4x32x8192x128xbf16>
  %r = tang.map [b, h, t, e] ins(%o[b, h, t, e] : tensor<4x32x8192x128xf32>) outs(%er2 : tensor<4x32x8192x128xbf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }
  return %r : tensor<4x32x8192x128xbf16>
}
