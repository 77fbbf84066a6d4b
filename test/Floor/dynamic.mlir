// Dynamic sizes: polynomials, or times for sizes that are given.
// RUN: tang-opt %s --tang-floor=target=h200 2>&1 | FileCheck %s
// RUN: tang-opt %s --tang-floor="target=h200 sizes=arg0.0=4096,arg0.1=1024" 2>&1 | FileCheck %s --check-prefix=SIZED
// RUN: not tang-opt %s --tang-floor="target=h200 sizes=x=3" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not tang-opt %s --tang-floor=target=tpu 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: remark: main_map0: exponent = 1; no time on h200: sizes are dynamic (option 'sizes' gives them)
// CHECK: note: memory: 8 * dim(arg0, 0) * dim(arg0, 1) B
// CHECK: note: special functions: dim(arg0, 0) * dim(arg0, 1) op
// SIZED: remark: main_map0: exponent = 1; floor 6.99 us on h200, bound by memory
// WRONG: error: option 'sizes' takes arg0.1=4096 for dimension 1 of argument 0, not 'x=3'
// UNKNOWN: error: unknown target 'tpu'; known are
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tang.map [i, j] ins(%x[i, j] : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) (%u: f32) {
    %v = math.exp %u : f32
    tang.yield %v : f32
  }
  return %r : tensor<?x?xf32>
}
