// A result of one number a row beside the tile: the logarithm of each row's sum of exponentials. One lane of the four that have
// a row writes it.
// RUN: tang-compile %s --target=h200 --emit=kernel | FileCheck %s
// CHECK: gpu.func @main_kernel0
// CHECK-NOT: gpu.func
// CHECK: nvvm.setmaxregister increase
// CHECK: wgmma.mma_async
// CHECK: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: math.log
// CHECK: math.log
// CHECK-NOT: math.log
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c3_i32
// CHECK: arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-COUNT-2: @p st.global.b32
// CHECK-NOT: st.global

func.func @main(%q: tensor<1x4x512x128xbf16>, %k: tensor<1x2x512x128xbf16>, %v: tensor<1x2x512x128xbf16>) -> (tensor<1x4x512x128xbf16>, tensor<1x4x512xf32>) {
  %es = tensor.empty() : tensor<1x4x512x512xf32>
  %er = tensor.empty() : tensor<1x4x512xf32>
  %s = tang.reduce #tang.monoid<add> [b, h, t, s] over [d = 128] init(0.0 : f32)
         ins(%q[b, h, t, d], %k[b, h floordiv 2, s, d] : tensor<1x4x512x128xbf16>, tensor<1x2x512x128xbf16>) outs(%es : tensor<1x4x512x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }
  %c = tang.map [b, h, t, s] ins(%s[b, h, t, s] : tensor<1x4x512x512xf32>) outs(%es : tensor<1x4x512x512xf32>) (%x: f32) {
    %scale = arith.constant 0.0883883476 : f32
    %y = arith.mulf %x, %scale : f32
    tang.yield %y : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [b, h, t] over [s = 512] init(0xFF800000 : f32)
         ins(%c[b, h, t, s] : tensor<1x4x512x512xf32>) outs(%er : tensor<1x4x512xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %p = tang.map [b, h, t, s] ins(%c[b, h, t, s], %m[b, h, t] : tensor<1x4x512x512xf32>, tensor<1x4x512xf32>) outs(%es : tensor<1x4x512x512xf32>) (%x: f32, %y: f32) {
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }
  %l = tang.reduce #tang.monoid<add> [b, h, t] over [s = 512] init(0.0 : f32)
         ins(%p[b, h, t, s] : tensor<1x4x512x512xf32>) outs(%er : tensor<1x4x512xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %ep = tensor.empty() : tensor<1x4x512x512xbf16>
  %n = tang.map [b, h, t, s] ins(%p[b, h, t, s], %l[b, h, t] : tensor<1x4x512x512xf32>, tensor<1x4x512xf32>) outs(%ep : tensor<1x4x512x512xbf16>) (%x: f32, %y: f32) {
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }
  %eo = tensor.empty() : tensor<1x4x512x128xf32>
  %o = tang.reduce #tang.monoid<add> [b, h, t, e] over [s = 512] init(0.0 : f32)
         ins(%n[b, h, t, s], %v[b, h floordiv 2, s, e] : tensor<1x4x512x512xbf16>, tensor<1x2x512x128xbf16>) outs(%eo : tensor<1x4x512x128xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }
  %er2 = tensor.empty() : tensor<1x4x512x128xbf16>
  %r = tang.map [b, h, t, e] ins(%o[b, h, t, e] : tensor<1x4x512x128xf32>) outs(%er2 : tensor<1x4x512x128xbf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }
  %lse = tang.map [b, h, t] ins(%m[b, h, t], %l[b, h, t] : tensor<1x4x512xf32>, tensor<1x4x512xf32>) outs(%er : tensor<1x4x512xf32>) (%x: f32, %y: f32) {
    %z = math.log %y : f32
    %w = arith.addf %x, %z : f32
    tang.yield %w : f32
  }
  return %r, %lse : tensor<1x4x512x128xbf16>, tensor<1x4x512xf32>
}
