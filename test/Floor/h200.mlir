// The worked figures of the floor on an H200.
// RUN: tang-opt %s --split-input-file --tang-floor=target=h200 -o %t.mlir 2>&1 | FileCheck %s

// CHECK: remark: main_kernel0: exponent = 3/2; floor 1.11 ms on h200, bound by matrix bf16
// CHECK: note: matrix bf16: 1.1 Tflop at 989.4 Tflop/s, 1.11 ms
// CHECK: note: cache: 6.22 GB at
// CHECK: note: memory: 402.7 MB at 4.8 TB/s, 83.89 us
func.func @main(%a: tensor<8192x8192xbf16>, %b: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %e = tensor.empty() : tensor<8192x8192xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 8192] init(0.0 : f32)
         ins(%a[i, k], %b[k, j] : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) outs(%e : tensor<8192x8192xf32>) (%x: bf16, %y: bf16) {
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<8192x8192xbf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<8192x8192xf32>) outs(%o : tensor<8192x8192xbf16>) (%x: f32) {
    %t = arith.truncf %x : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<8192x8192xbf16>
}

// -----

// CHECK: remark: gemv_kernel0: exponent = 1; floor 27.97 us on h200, bound by memory
// CHECK: note: memory: 134.3 MB at 4.8 TB/s, 27.97 us
func.func @gemv(%a: tensor<8192x8192xbf16>, %x: tensor<8192xbf16>) -> tensor<8192xbf16> {
  %e = tensor.empty() : tensor<8192xf32>
  %s = tang.reduce #tang.monoid<add> [i] over [k = 8192] init(0.0 : f32)
         ins(%a[i, k], %x[k] : tensor<8192x8192xbf16>, tensor<8192xbf16>) outs(%e : tensor<8192xf32>) (%x0: bf16, %y: bf16) {
    %u = arith.extf %x0 : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %o = tensor.empty() : tensor<8192xbf16>
  %r = tang.map [i] ins(%s[i] : tensor<8192xf32>) outs(%o : tensor<8192xbf16>) (%x0: f32) {
    %t = arith.truncf %x0 : f32 to bf16
    tang.yield %t : bf16
  }
  return %r : tensor<8192xbf16>
}
