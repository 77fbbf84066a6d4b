// What a kernel of agents does beside contractions: other element types, loads and stores of single elements, and reads that it
// leaves to kernels of threads.
// RUN: tang-compile %s --target=h200 --emit=kernel | FileCheck %s

// f16: the same instructions of another element.
// CHECK: gpu.func @f16_kernel0
// CHECK: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.f16.f16
// CHECK: cvt.rn.f16x2.f32
func.func @f16(%a: tensor<256x256xf16>, %b: tensor<512x256xf16>) -> tensor<256x512xf16> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xf16>, tensor<512x256xf16>)
         outs(%e : tensor<256x512xf32>) (%x: f16, %y: f16) {
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<256x512xf32>) outs(%o : tensor<256x512xf16>) (%x: f32) {
    %t = arith.truncf %x : f32 to f16
    tang.yield %t : f16
  }
  return %r : tensor<256x512xf16>
}

// A bias of columns and a residual are loaded by the threads that add them, where they are inside; the result is copied in boxes.
// CHECK: gpu.func @residual_kernel0
// CHECK: wgmma.mma_async
// CHECK: mov.b32 $0, 0; @p ld.global.b32 $0, [$2];
// CHECK: mov.b16 $0, 0; @p ld.global.b16 $0, [$2];
// CHECK: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
func.func @residual(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>, %c: tensor<512xf32>, %d: tensor<256x512xbf16>) -> tensor<256x512xbf16> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xbf16>
  %r = tang.map [i, j] ins(%s[i, j], %c[j], %d[i, j] : tensor<256x512xf32>, tensor<512xf32>, tensor<256x512xbf16>) outs(%o : tensor<256x512xbf16>) (%x: f32, %y: f32, %w: bf16) {
    %z = arith.addf %x, %y : f32
    %v = arith.extf %w : bf16 to f32
    %s1 = arith.addf %z, %v : f32
    %t = arith.truncf %s1 : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<256x512xbf16>
}

// A result of 32 bits is stored by the threads.
// CHECK: gpu.func @wide_kernel0
// CHECK: wgmma.mma_async
// CHECK: @p st.global.b32 [$1], $2;
// CHECK-NOT: nvvm.stmatrix
func.func @wide(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
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

// Bits are a byte each in memory, and a register of 16 bits.
// CHECK: gpu.func @bits_kernel0
// CHECK: wgmma.mma_async
// CHECK: mov.b16 $0, 0; @p ld.global.b8 $0, [$2]; }", "=&h,r,l"
// CHECK: arith.trunci %{{.*}} : i16 to i1
// CHECK: arith.extui %{{.*}} : i1 to i16
// CHECK: @p st.global.b8 [$1], $2; }", "r,l,h"
func.func @bits(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>, %c: tensor<256x512xi1>) -> tensor<256x512xi1> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xi1>
  %r = tang.map [i, j] ins(%s[i, j], %c[i, j] : tensor<256x512xf32>, tensor<256x512xi1>) outs(%o : tensor<256x512xi1>) (%x: f32, %y: i1) {
    %q = arith.constant 0.0 : f32
    %z = arith.cmpf ogt, %x, %q : f32
    %t = arith.andi %y, %z : i1
    tang.yield %t : i1
  }
  return %r : tensor<256x512xi1>
}

// No register of a tile has 64 or 8 bits: another kind of kernel reads them.
// CHECK: gpu.func @double_kernel0
// CHECK-NOT: wgmma
func.func @double(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>, %c: tensor<512xf64>) -> tensor<256x512xbf16> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xbf16>
  %r = tang.map [i, j] ins(%s[i, j], %c[j] : tensor<256x512xf32>, tensor<512xf64>) outs(%o : tensor<256x512xbf16>) (%x: f32, %y: f64) {
    %w = arith.truncf %y : f64 to f32
    %z = arith.addf %x, %w : f32
    %t = arith.truncf %z : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<256x512xbf16>
}

// CHECK: gpu.func @byte_kernel0
// CHECK-NOT: wgmma
func.func @byte(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>, %c: tensor<256x512xi8>) -> tensor<256x512xbf16> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xbf16>
  %r = tang.map [i, j] ins(%s[i, j], %c[i, j] : tensor<256x512xf32>, tensor<256x512xi8>) outs(%o : tensor<256x512xbf16>) (%x: f32, %y: i8) {
    %w = arith.sitofp %y : i8 to f32
    %z = arith.addf %x, %w : f32
    %t = arith.truncf %z : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<256x512xbf16>
}

// Nor does one hold a scalar of 16 bits.
// CHECK: gpu.func @scalar_kernel0
// CHECK-NOT: wgmma
func.func @scalar(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>, %al: bf16) -> tensor<256x512xbf16> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xbf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<256x512xf32>) with(%al : bf16) outs(%o : tensor<256x512xbf16>) (%x: f32, %y: bf16) {
    %w = arith.extf %y : bf16 to f32
    %q = arith.mulf %x, %w : f32
    %t = arith.truncf %q : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<256x512xbf16>
}

// What a contraction reads lies in shared memory for the matrix unit alone: with the sum of its squares beside, as a norm and a
// projection have it, it is another kernel.
// CHECK: gpu.func @read_otherwise_kernel0
// CHECK-NOT: wgmma
func.func @read_otherwise(%a: tensor<256x512xbf16>, %b: tensor<128x512xbf16>) -> tensor<256x128xbf16> {
  %e = tensor.empty() : tensor<256x128xf32>
  %er = tensor.empty() : tensor<256xf32>
  %q = tang.reduce #tang.monoid<add> [i] over [k = 512] init(0.0 : f32) ins(%a[i, k] : tensor<256x512xbf16>) outs(%er : tensor<256xf32>) (%x: bf16) {
    %u = arith.extf %x : bf16 to f32
    %p = arith.mulf %u, %u : f32
    tang.yield %p : f32
  }
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 512] init(0.0 : f32) ins(%a[i, k], %b[j, k] : tensor<256x512xbf16>, tensor<128x512xbf16>) outs(%e : tensor<256x128xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x128xbf16>
  %r = tang.map [i, j] ins(%s[i, j], %q[i] : tensor<256x128xf32>, tensor<256xf32>) outs(%o : tensor<256x128xbf16>) (%x: f32, %y: f32) {
    %f = math.rsqrt %y : f32
    %qq = arith.mulf %f, %x : f32
    %t = arith.truncf %qq : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<256x128xbf16>
}

// Conversions to integers and divisions by what may be 0 are legalised elsewhere, which kernels of agents are not.
// CHECK: gpu.func @undefined_kernel0
// CHECK-NOT: wgmma
func.func @undefined(%a: tensor<256x256xbf16>, %b: tensor<512x256xbf16>) -> tensor<256x512xi32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<256x256xbf16>, tensor<512x256xbf16>)
         outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xi32>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<256x512xf32>) outs(%o : tensor<256x512xi32>) (%x: f32) {
    %t = arith.fptosi %x : f32 to i32
    tang.yield %t : i32
  }
  return %r : tensor<256x512xi32>
}

// An operand that is computed has the rows, be it the second one: each of four registers is multiplied from them.
// CHECK: gpu.func @second_computed_kernel0
// CHECK: arith.maximumf
// CHECK: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.bf16.bf16 {{.*}}, {${{[0-9]+}}, ${{[0-9]+}}, ${{[0-9]+}}, ${{[0-9]+}}}, $
func.func @second_computed(%a: tensor<256x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<256x512xbf16> {
  %e = tensor.empty() : tensor<256x512xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 512] init(0.0 : f32) ins(%a[i, k], %b[j, k] : tensor<256x512xbf16>, tensor<512x512xbf16>) outs(%e : tensor<256x512xf32>) (%x: bf16, %y: bf16) {
    %u0 = arith.extf %y : bf16 to f32
    %z = arith.constant 0.0 : f32
    %u1 = arith.maximumf %u0, %z : f32
    %u2 = arith.truncf %u1 : f32 to bf16
    %u = arith.extf %u2 : bf16 to f32
    %v = arith.extf %x : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<256x512xbf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<256x512xf32>) outs(%o : tensor<256x512xbf16>) (%x: f32) {
    %t = arith.truncf %x : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<256x512xbf16>
}

// A result of 2^32 elements and more: positions are computed in 64 bits.
// CHECK: gpu.func @large_kernel0
// CHECK: %[[COLUMNS:.*]] = arith.constant 65600 : i64
// CHECK: wgmma.mma_async
// CHECK: arith.muli %{{.*}}, %[[COLUMNS]] : i64
// CHECK: st.global.b32
func.func @large(%a: tensor<65536x128xbf16>, %b: tensor<65600x128xbf16>) -> tensor<65536x65600xf32> {
  %e = tensor.empty() : tensor<65536x65600xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 128] init(0.0 : f32)
         ins(%a[i, k], %b[j, k] : tensor<65536x128xbf16>, tensor<65600x128xbf16>)
         outs(%e : tensor<65536x65600xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<65536x65600xf32>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<65536x65600xf32>) outs(%o : tensor<65536x65600xf32>) (%x: f32) {
    %t = math.absf %x : f32
    tang.yield %t : f32
  }
  return %r : tensor<65536x65600xf32>
}
