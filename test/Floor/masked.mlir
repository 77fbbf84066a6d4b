// What a mask of index comparisons leaves is all that counts: of 1000 columns
// 1, 2, ... 1000, that is 50.05%.
// RUN: tang-opt %s --tang-floor=target=h200 2>&1 | FileCheck %s
// CHECK: note: a mask leaves 50.05 % of the points
// CHECK: tang.floor = {{.*}}"matrix bf16" = array<i64: 1025024000, 989400000000000, 1025024000>
// CHECK-SAME: "special functions" = array<i64: 4004000,
func.func @main(%q: tensor<1x8x1000x64xbf16>, %k: tensor<1x8x1000x64xbf16>, %v: tensor<1x8x1000x64xbf16>) -> tensor<1x8x1000x64xbf16> {
  %es = tensor.empty() : tensor<1x8x1000x1000xf32>
  %er = tensor.empty() : tensor<1x8x1000xf32>
  %s = tang.reduce #tang.monoid<add> [b, h, t, s] over [d = 64] init(0.0 : f32)
         ins(%q[b, h, t, d], %k[b, h, s, d] : tensor<1x8x1000x64xbf16>, tensor<1x8x1000x64xbf16>) outs(%es : tensor<1x8x1000x1000xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }
  %c = tang.map [b, h, t, s] ins(%s[b, h, t, s] : tensor<1x8x1000x1000xf32>) outs(%es : tensor<1x8x1000x1000xf32>) (%x: f32) {
    %scale = arith.constant 0.1250000000 : f32
    %y = arith.mulf %x, %scale : f32
    %t = tang.index 2
    %u = tang.index 3
    %seen = arith.cmpi sle, %u, %t : index
    %minf = arith.constant 0xFF800000 : f32
    %z = arith.select %seen, %y, %minf : f32
    tang.yield %z : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [b, h, t] over [s = 1000] init(0xFF800000 : f32)
         ins(%c[b, h, t, s] : tensor<1x8x1000x1000xf32>) outs(%er : tensor<1x8x1000xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %p = tang.map [b, h, t, s] ins(%c[b, h, t, s], %m[b, h, t] : tensor<1x8x1000x1000xf32>, tensor<1x8x1000xf32>) outs(%es : tensor<1x8x1000x1000xf32>) (%x: f32, %y: f32) {
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }
  %l = tang.reduce #tang.monoid<add> [b, h, t] over [s = 1000] init(0.0 : f32)
         ins(%p[b, h, t, s] : tensor<1x8x1000x1000xf32>) outs(%er : tensor<1x8x1000xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %ep = tensor.empty() : tensor<1x8x1000x1000xbf16>
  %n = tang.map [b, h, t, s] ins(%p[b, h, t, s], %l[b, h, t] : tensor<1x8x1000x1000xf32>, tensor<1x8x1000xf32>) outs(%ep : tensor<1x8x1000x1000xbf16>) (%x: f32, %y: f32) {
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }
  %eo = tensor.empty() : tensor<1x8x1000x64xf32>
  %o = tang.reduce #tang.monoid<add> [b, h, t, e] over [s = 1000] init(0.0 : f32)
         ins(%n[b, h, t, s], %v[b, h, s, e] : tensor<1x8x1000x1000xbf16>, tensor<1x8x1000x64xbf16>) outs(%eo : tensor<1x8x1000x64xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }
  %er2 = tensor.empty() : tensor<1x8x1000x64xbf16>
  %r = tang.map [b, h, t, e] ins(%o[b, h, t, e] : tensor<1x8x1000x64xf32>) outs(%er2 : tensor<1x8x1000x64xbf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }
  return %r : tensor<1x8x1000x64xbf16>
}
