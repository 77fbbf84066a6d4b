// The default schedule is a function of the domain and the target's facts.
// RUN: tang-opt %s --tang-schedule=target=cpu | FileCheck %s --check-prefix=CPU
// RUN: tang-opt %s --tang-schedule=target=c | FileCheck %s --check-prefix=CPU
// RUN: tang-opt %s --tang-schedule=target=opencl | FileCheck %s --check-prefix=GPU
// RUN: not tang-opt %s --tang-schedule=target=tpu 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown target 'tpu'; known are cpu, c, opencl

// On a CPU a tile is long along the last dimension; on a GPU each thread has one point, 64 threads a block.
// CPU-LABEL: func @rank0
// CPU: #tang.schedule<tile = [], block = 1>
// GPU-LABEL: func @rank0
// GPU: #tang.schedule<tile = [], block = 64>
func.func @rank0(%x: tensor<f32>) -> tensor<f32> {
  %r = tang.map [] ins(%x[] : tensor<f32>) outs(%x : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<f32>
}

// A dynamic dimension takes what a program may work on, 8192 elements; one of size 0 has tiles of size 1.
// CPU-LABEL: func @map
// CPU: #tang.schedule<tile = [1, 1, 8192], block = 1>
// CPU: #tang.schedule<tile = [27, 1, 300], block = 1>
// GPU-LABEL: func @map
// GPU: #tang.schedule<tile = [1, 1, 1], block = 64>
func.func @map(%x: tensor<64x300x?xf32>, %y: tensor<64x0x300xf32>) -> (tensor<64x300x?xf32>, tensor<64x0x300xf32>) {
  %r = tang.map [i, j, k] ins(%x[i, j, k] : tensor<64x300x?xf32>) outs(%x : tensor<64x300x?xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i, j, k] ins(%y[i, j, k] : tensor<64x0x300xf32>) outs(%y : tensor<64x0x300xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<64x300x?xf32>, tensor<64x0x300xf32>
}

// A fold: without rows to share anything, the last reduced dimension advances by 2 vectors, those before it by 1.
// CPU-LABEL: func @reduce
// A sum of products has many rows and columns, which share what is laid out anew for them.
// CPU: #tang.schedule<tile = [102, 256, 256], block = 1>
// CPU: #tang.schedule<tile = [1, 1, 16], block = 1>
// GPU-LABEL: func @reduce
// GPU: #tang.schedule<tile = [1, 1, 1], block = 64>
func.func @reduce(%x: tensor<100x?xf32>, %y: tensor<?x500xf32>, %o: tensor<100x500xf32>, %n: index, %z: tensor<100x33x33xf32>, %q: tensor<f32>) -> (tensor<100x500xf32>, tensor<f32>) {
  %r = tang.reduce #tang.monoid<add> [i, j] over [k = %n] ins(%x[i, k], %y[k, j] : tensor<100x?xf32>, tensor<?x500xf32>) outs(%o : tensor<100x500xf32>) (%a: f32, %b: f32) {
    %p = arith.mulf %a, %b : f32
    tang.yield %p : f32
  }
  %s = tang.reduce #tang.monoid<add> [] over [h = 100, i = 33, j = 33] ins(%z[h, i, j] : tensor<100x33x33xf32>) outs(%q : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<100x500xf32>, tensor<f32>
}

// A scan advances by 1.
// CPU-LABEL: func @scan
// CPU: #tang.schedule<tile = [4, 1], block = 1>
// GPU-LABEL: func @scan
// GPU: #tang.schedule<tile = [1, 1], block = 64>
func.func @scan(%x: tensor<4x100xf32>, %s: tensor<4xf32>) -> (tensor<4x100xf32>, tensor<4xf32>) {
  %r:2 = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<4x100xf32>) outs(%x, %s : tensor<4x100xf32>, tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r#0, %r#1 : tensor<4x100xf32>, tensor<4xf32>
}

// What was written by hand stays: tiles beyond the domain and whole dimensions are legal.
// CPU-LABEL: func @by_hand
// CPU: #tang.schedule<tile = [3, 7], block = 2>
// CPU: #tang.schedule<tile = [8, 40, 64], block = 1>
// CPU: #tang.schedule<tile = [5, 7], block = 1>
func.func @by_hand(%x: tensor<8x40x50xf32>, %y: tensor<8x40xi32>, %o: tensor<8xf32>, %p: tensor<i32>) -> (tensor<8x40xi32>, tensor<8xf32>, tensor<i32>) {
  %r = tang.map [i, j] ins(%y[i, j] : tensor<8x40xi32>) outs(%y : tensor<8x40xi32>) attributes {schedule = #tang.schedule<tile = [3, 7], block = 2>} (%a: i32) { tang.yield %a : i32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 40, l = 50] ins(%x[i, k, l] : tensor<8x40x50xf32>) outs(%o : tensor<8xf32>) attributes {schedule = #tang.schedule<tile = [8, 40, 64], block = 1>} (%a: f32) { tang.yield %a : f32 }
  // Sums of integers do not depend on the order.
  %t = tang.reduce #tang.monoid<add> [] over [k = 8, l = 40] ins(%y[k, l] : tensor<8x40xi32>) outs(%p : tensor<i32>) attributes {schedule = #tang.schedule<tile = [5, 7], block = 1>} (%a: i32) { tang.yield %a : i32 }
  return %r, %s, %t : tensor<8x40xi32>, tensor<8xf32>, tensor<i32>
}
