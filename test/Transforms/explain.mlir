// What derivation left in the IR is told as remarks. Here the record is written by hand, so that each form of it is there.
// RUN: split-file %s %t
// RUN: tang-opt %t/kernels.mlir --tang-explain -o %t/same.mlir 2>&1 | FileCheck %t/kernels.mlir --implicit-check-not=remark:
// RUN: tang-opt %t/kernels.mlir | diff - %t/same.mlir
// RUN: tang-opt %t/alone.mlir --tang-explain -o /dev/null 2>&1 | FileCheck %t/alone.mlir --implicit-check-not=remark:
// RUN: tang-opt %t/none.mlir --tang-explain -o /dev/null 2>&1 | FileCheck %t/none.mlir --implicit-check-not=remark:
// RUN: tang-opt %t/linalg.mlir --tang-import --tang-derive --tang-explain -o /dev/null 2>&1 | FileCheck %t/linalg.mlir

// Numbers are the same on buffers.
// RUN: tang-opt %t/kernels.mlir --tang-schedule --tang-bufferize --tang-explain -o /dev/null 2>&1 | FileCheck %t/kernels.mlir --check-prefix=BUFFERS

//--- kernels.mlir
// Two folds in one pass, by a gauge, and a second pass that stores; then a fold that has to wait, and says why.
func.func @main(%x: tensor<8x200xf32>) -> (tensor<8x200xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x200xf32>
  %s = tensor.empty() : tensor<8xf32>
  %y = tang.kernel (%a = %x : tensor<8x200xf32>) outs(%e : tensor<8x200xf32>)
      attributes {tang.rules = ["product: folds over the same points are one fold; no rounding changes"]} {
    %rows = tensor.empty() : tensor<8xf32>
    %all = tensor.empty() : tensor<8x200xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [j = 200] init(0xFF800000 : f32) ins(%a[i, j] : tensor<8x200xf32>) outs(%rows : tensor<8xf32>) (%v: f32) { tang.yield %v : f32 }
    %l = tang.reduce #tang.monoid<add> [i] over [j = 200] init(0.0 : f32) ins(%a[i, j], %m[i] : tensor<8x200xf32>, tensor<8xf32>) outs(%rows : tensor<8xf32>)
        attributes {tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "55 u", gauges = [1]>,
                    tang.rules = ["cascade: sum follows its gauge by exp(r - r'); summed in blocks"]} (%v: f32, %r: f32) {
      %d = arith.subf %v, %r : f32
      %p = math.exp %d : f32
      tang.yield %p : f32
    }
    %q = tang.map [i, j] ins(%a[i, j], %m[i], %l[i] : tensor<8x200xf32>, tensor<8xf32>, tensor<8xf32>) outs(%all : tensor<8x200xf32>) (%v: f32, %r: f32, %t: f32) {
      %d = arith.subf %v, %r : f32
      %p = math.exp %d : f32
      %o = arith.divf %p, %t : f32
      tang.yield %o : f32
    }
    tang.yield %q : tensor<8x200xf32>
  }
  %z = tang.kernel (%a = %x : tensor<8x200xf32>) outs(%s : tensor<8xf32>) {
    %rows = tensor.empty() : tensor<8xf32>
    %m = tang.reduce #tang.monoid<add> [i] over [j = 200] init(0.0 : f32) ins(%a[i, j] : tensor<8x200xf32>) outs(%rows : tensor<8xf32>) (%v: f32) { tang.yield %v : f32 }
    %d = tang.reduce #tang.monoid<add> [i] over [j = 200] init(0.0 : f32) ins(%a[i, j], %m[i] : tensor<8x200xf32>, tensor<8xf32>) outs(%rows : tensor<8xf32>)
        attributes {tang.missed = ["cascade: the gauge itself is summed"]} (%v: f32, %r: f32) {
      %b = arith.subf %v, %r : f32
      %c = arith.mulf %b, %b : f32
      tang.yield %c : f32
    }
    tang.yield %d : tensor<8xf32>
  }
  return %y, %z : tensor<8x200xf32>, tensor<8xf32>
}
// CHECK: kernels.mlir:2:1: remark: main: 2 kernels; together they read 12.5 KiB, write 6.3 KiB, 17.6 kflop
// CHECK: kernels.mlir:5:8: remark: main_kernel0: 3 operations in 2 passes for each of 8 points; reads 6.2 KiB, writes 6.2 KiB, 11.2 kflop; never stored: 2 tensors, 64 bytes
// CHECK: note: pass 1 over 200 points in blocks of 32: [[M:%[0-9]+]] = maximum over 200; [[L:%[0-9]+]] = add over 200 in the gauge of [[M]]
// CHECK: note: pass 2 over 200 points: stores %{{.*}} = map on 8 x 200
// CHECK: note: %arg0 (6.2 KiB) is read in 2 passes: again from memory unless a row of it fits on chip
// CHECK: note: rule product on the kernel: folds over the same points are one fold; no rounding changes
// CHECK: kernels.mlir:10:10: note: rule cascade on [[L]]: sum follows its gauge by exp(r - r'); summed in blocks
// CHECK: note: [[L]] = add over 200: accumulates in f32 in blocks of 32, rescaled when [[M]] moves; error at most 55 u
// CHECK: remark: main_kernel1: 2 operations in 2 passes for each of 8 points; reads 6.2 KiB, writes 32 bytes, 6.4 kflop; never stored: 1 tensor, 32 bytes
// CHECK: kernels.mlir:28:10: remark: not fused by cascade: the gauge itself is summed
// CHECK: note: this is %{{.*}} = add over 200 in main_kernel1, pass 2
// BUFFERS: remark: main_kernel0: 3 operations in 2 passes for each of 8 points; reads 6.2 KiB, writes 6.2 KiB, 11.2 kflop; never stored: 2 tensors, 64 bytes
// BUFFERS: remark: main_kernel1: 2 operations in 2 passes for each of 8 points; reads 6.2 KiB, writes 32 bytes, 6.4 kflop; never stored: 1 tensor, 32 bytes

//--- alone.mlir
// An operation without a kernel is one of its own: dynamic sizes, a part of a tensor, small types, computed indices, and
// an operation in a loop.
// CHECK: remark: main: 4 kernels; together they read
// CHECK: remark: main_reduce0: add over dim(arg0, 1), alone; reads 4 * dim(arg0, 0) * dim(arg0, 1) bytes, writes 4 * dim(arg0, 0) bytes, dim(arg0, 0) * dim(arg0, 1) flops
// CHECK: remark: not fused by kernel: too few programs
// CHECK: note: this is %{{.*}} = add over dim(arg0, 1) in main_reduce0
// CHECK: remark: main_map0: map on 10, alone; reads 10 bytes, writes 80 bytes, 0 flops
// CHECK: remark: main_map1: map on 3, alone; reads 24 bytes, writes 12 bytes, 0 flops
// CHECK: remark: main_map2: map on 3, alone, in a loop; reads 12 bytes, writes 12 bytes, 3 flops
func.func @main(%x: tensor<?x?xf32>, %q: tensor<100xi4>, %t: tensor<1000xf32>, %ids: tensor<3xi32>, %n: index) -> (tensor<?xf32>, tensor<10xi64>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e0 = tensor.empty(%rows) : tensor<?xf32>
  %e1 = tensor.empty() : tensor<10xi64>
  %e2 = tensor.empty() : tensor<3xf32>
  %s = tang.reduce #tang.monoid<add> [i] over [j = %columns] init(0.0 : f32) ins(%x[i, j] : tensor<?x?xf32>) outs(%e0 : tensor<?xf32>)
      attributes {tang.missed = ["kernel: too few programs"]} (%v: f32) { tang.yield %v : f32 }
  %w = tang.map [i] ins(%q[i * 7] : tensor<100xi4>) outs(%e1 : tensor<10xi64>) (%v: i4) {
    %r = arith.extsi %v : i4 to i64
    tang.yield %r : i64
  }
  %g = tang.map [i] ins(%ids[i] : tensor<3xi32>) with(%t : tensor<1000xf32>) outs(%e2 : tensor<3xf32>) (%id: i32, %src: tensor<1000xf32>) {
    %k = arith.index_cast %id : i32 to index
    %v = tang.at %src[%k] : tensor<1000xf32>
    tang.yield %v : f32
  }
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%before = %g) -> tensor<3xf32> {
    %after = tang.map [i] ins(%before[i] : tensor<3xf32>) outs(%e2 : tensor<3xf32>) (%v: f32) {
      %r = arith.addf %v, %v : f32
      tang.yield %r : f32
    }
    scf.yield %after : tensor<3xf32>
  }
  return %s, %w, %h : tensor<?xf32>, tensor<10xi64>, tensor<3xf32>
}

//--- none.mlir
// CHECK: remark: nothing to explain: no maps, folds or kernels on tensors; run this after --tang-derive
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

//--- linalg.mlir
// All the way from linalg: the squares are summed in a second pass, since the mean moves inside of them.
// CHECK: remark: main: 1 kernel
// CHECK: remark: main_kernel0: {{.*}} in 2 passes for each of 8 points; reads 800 bytes, writes 32 bytes
// CHECK: note: %arg0 (800 bytes) is read in 2 passes
// CHECK: remark: not fused by cascade:
// CHECK: note: this is %{{.*}} = add over 25 in main_kernel0, pass 2
func.func @main(%x: tensor<8x25xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 25.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce ins(%x : tensor<8x25xf32>) outs(%start : tensor<8xf32>) dimensions = [1] (%a: f32, %acc: f32) {
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  }
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<8x25xf32>, tensor<8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32, %acc: f32):
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %a, %mean : f32
    %square = arith.mulf %d, %d : f32
    %r = arith.addf %acc, %square : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %squares : tensor<8xf32>
}
