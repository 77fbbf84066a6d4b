// Kernels that agents have no form for are run thread by thread, and nothing is said: sizes known at call time, f32 operands,
// dense dimensions that are no multiple of 64. A batch is a dimension like others.
// RUN: tang-compile %s --target=h200 --emit=kernel 2>&1 | FileCheck %s --implicit-check-not=error --implicit-check-not=warning

// CHECK: gpu.func @dynamic_kernel0
// CHECK-NOT: wgmma
func.func @dynamic(%a: tensor<?x256xbf16>, %b: tensor<512x256xbf16>) -> tensor<?x512xbf16> {
  %c00 = arith.constant 0 : index
    %nn = tensor.dim %a, %c00 : tensor<?x256xbf16>
    %e = tensor.empty(%nn) : tensor<?x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<?x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<?x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?x256xbf16>
    %o = tensor.empty(%n) : tensor<?x512xbf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<?x512xf32>) outs(%o : tensor<?x512xbf16>) (%x: f32) {
    %t = arith.truncf %x : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<?x512xbf16>
}

// CHECK: gpu.func @single_kernel0
// CHECK-NOT: wgmma
func.func @single(%a: tensor<256x256xf32>, %b: tensor<512x256xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xf32>, tensor<512x256xf32>)
         outs(%e : tensor<256x512xf32>) (%x: f32, %y: f32) {
    %u = math.absf %x : f32
    %v = math.absf %y : f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xf32>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<256x512xf32>) outs(%o : tensor<256x512xf32>) (%x: f32) {
    %t = math.absf %x : f32
    tang.yield %t : f32
  }
  return %r : tensor<256x512xf32>
}

// CHECK: gpu.func @odd_kernel0
// CHECK-NOT: wgmma
func.func @odd(%a: tensor<128x100xbf16>, %b: tensor<128x100xbf16>) -> tensor<128x128xbf16> {
  %e = tensor.empty() : tensor<128x128xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<128x100xbf16>, tensor<128x100xbf16>)
         outs(%e : tensor<128x128xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<128x128xbf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<128x128xf32>) outs(%o : tensor<128x128xbf16>) (%x: f32) {
    %t = arith.truncf %x : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<128x128xbf16>
}

// CHECK: gpu.func @lengths_kernel0
// CHECK-NOT: wgmma
func.func @lengths(%q: tensor<1x2x256x96xbf16>, %k: tensor<1x2x256x96xbf16>, %v: tensor<1x2x256x96xbf16>) -> tensor<1x2x256x96xbf16> {
  %es = tensor.empty() : tensor<1x2x256x256xf32>
  %er = tensor.empty() : tensor<1x2x256xf32>
  %s = tang.reduce #tang.monoid<add> [b, h, t, s] over [d = 96] init(0.0 : f32)
         ins(%q[b, h, t, d], %k[b, h, s, d] : tensor<1x2x256x96xbf16>, tensor<1x2x256x96xbf16>) outs(%es : tensor<1x2x256x256xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }
  %c = tang.map [b, h, t, s] ins(%s[b, h, t, s] : tensor<1x2x256x256xf32>) outs(%es : tensor<1x2x256x256xf32>) (%x: f32) {
    %scale = arith.constant 0.1020620726 : f32
    %y = arith.mulf %x, %scale : f32
    %t = tang.index 2
    %u = tang.index 3
    %seen = arith.cmpi sle, %u, %t : index
    %minf = arith.constant 0xFF800000 : f32
    %z = arith.select %seen, %y, %minf : f32
    tang.yield %z : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [b, h, t] over [s = 256] init(0xFF800000 : f32)
         ins(%c[b, h, t, s] : tensor<1x2x256x256xf32>) outs(%er : tensor<1x2x256xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %p = tang.map [b, h, t, s] ins(%c[b, h, t, s], %m[b, h, t] : tensor<1x2x256x256xf32>, tensor<1x2x256xf32>) outs(%es : tensor<1x2x256x256xf32>) (%x: f32, %y: f32) {
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }
  %l = tang.reduce #tang.monoid<add> [b, h, t] over [s = 256] init(0.0 : f32)
         ins(%p[b, h, t, s] : tensor<1x2x256x256xf32>) outs(%er : tensor<1x2x256xf32>) (%x: f32) {
    tang.yield %x : f32
  }
  %ep = tensor.empty() : tensor<1x2x256x256xbf16>
  %n = tang.map [b, h, t, s] ins(%p[b, h, t, s], %l[b, h, t] : tensor<1x2x256x256xf32>, tensor<1x2x256xf32>) outs(%ep : tensor<1x2x256x256xbf16>) (%x: f32, %y: f32) {
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }
  %eo = tensor.empty() : tensor<1x2x256x96xf32>
  %o = tang.reduce #tang.monoid<add> [b, h, t, e] over [s = 256] init(0.0 : f32)
         ins(%n[b, h, t, s], %v[b, h, s, e] : tensor<1x2x256x256xbf16>, tensor<1x2x256x96xbf16>) outs(%eo : tensor<1x2x256x96xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }
  %er2 = tensor.empty() : tensor<1x2x256x96xbf16>
  %r = tang.map [b, h, t, e] ins(%o[b, h, t, e] : tensor<1x2x256x96xf32>) outs(%er2 : tensor<1x2x256x96xbf16>) (%x: f32) {
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }
  return %r : tensor<1x2x256x96xbf16>
}

// CHECK: gpu.func @batch_kernel0
// CHECK-SAME: dims = [128, 200, 3]
// CHECK: wgmma.mma_async
func.func @batch(%a: tensor<3x200x128xbf16>, %b: tensor<3x192x128xbf16>) -> tensor<3x200x192xbf16> {
  %e = tensor.empty() : tensor<3x200x192xf32>
  %s = tang.reduce #tang.monoid<add> [b, i, j] over [k = 128] init(0.0 : f32) ins(%a[b, i, k], %b[b, j, k] : tensor<3x200x128xbf16>, tensor<3x192x128xbf16>) outs(%e : tensor<3x200x192xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<3x200x192xbf16>
  %r = tang.map [b, i, j] ins(%s[b, i, j] : tensor<3x200x192xf32>) outs(%o : tensor<3x200x192xbf16>) (%x: f32) {
    %t = arith.truncf %x : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<3x200x192xbf16>
}
