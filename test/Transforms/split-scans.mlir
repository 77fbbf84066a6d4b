// Long scans run in chunks of 256 points where the monoid allows it and, under exact numerics, where no order shows.
// RUN: tang-opt %s --tang-split-scans | FileCheck %s
// RUN: tang-opt %s --tang-split-scans=numerics=fast | FileCheck %s
// RUN: tang-opt %s --tang-split-scans=numerics=exact | FileCheck %s --check-prefix=EXACT
// RUN: tang-opt %s --tang-split-scans --tang-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tang-opt %s --tang-split-scans --tang-schedule=target=cpu | FileCheck %s --check-prefix=SCHEDULE
// RUN: tang-opt %s --tang-split-scans --tang-schedule=target=opencl | FileCheck %s --check-prefix=THREADS
// RUN: tang-opt %s --tang-split-scans --tang-schedule=target=cpu --tang-bufferize --canonicalize --tang-apply-schedule --canonicalize --cse --verify-each | FileCheck %s --check-prefix=TILE

tang.monoid @compose attributes {associative, identity = [1.0 : f32, 0.0 : f32]} (%a: f32, %b: f32, %c: f32, %d: f32) {
  %p = arith.mulf %a, %c : f32
  %q = arith.mulf %b, %c : f32
  %r = arith.addf %q, %d : f32
  tang.yield %p, %r : f32, f32
}
tang.monoid @nameless attributes {associative} (%a: f32, %b: f32) {
  %p = arith.addf %a, %b : f32
  tang.yield %p : f32
}

// CHECK-LABEL: func @few
// CHECK: tang.scan {{.*}} #tang.fold<accumulate = f32, block = 256, bound = "515 u">, tang.rules = ["scan: prefixes are a chain through each chunk of 256 points, from the state in front of it; a rounding a chunk, and those of two chunks, in place of the whole chain's"]
// EXACT-LABEL: func @few
// EXACT: tang.scan {{.*}} #tang.fold<accumulate = f32, block = 0, bound = "1000 u">, tang.missed = ["scan: one chain of all points (the order of the scan shows in the result, and numerics are exact)"]
// EXPLAIN: remark: few_scan0: scan add over 1000, alone
// EXPLAIN: note: rule scan on %{{.*}}: prefixes are a chain through each chunk of 256 points, from the state in front of it; a rounding a chunk
// EXPLAIN: accumulates in f32 in blocks of 256; error at most 515 u
// SCHEDULE-LABEL: func @few
// SCHEDULE: tang.split = 4
// THREADS-LABEL: func @few
// THREADS: tang.split = 1

// A program for every four chunks folds them from the identity; of the fourth and last one fewer positions are there. The
// states are scanned in place, and are where the chains through the chunks start.
// TILE-LABEL: func @few
// TILE: memref.alloc() : memref<1x4xf32>
// TILE: gpu.launch_func @kernels::@few_scan0_chunks blocks in (%c1,
// TILE: gpu.launch_func @kernels::@few_scan0_merge blocks in (%c1,
// TILE: gpu.launch_func @kernels::@few_scan0_prefixes blocks in (%c1,
// TILE-LABEL: gpu.func @few_scan0_chunks
// TILE-SAME: tang.comment = "folds of the chunks of a scan add over d1 in chunks of 256, tile 1x1x4"
// TILE: tang.stream %[[S:.*]] = %c0 to %{{.*}} step 1 carry(%[[P:.*]] = %{{.*}} : vector<1x1x4xf32>)
// TILE: %[[LEFT:.*]] = arith.subi %c1000, %[[S]]
// TILE: %[[HAVE:.*]] = arith.ceildivui %[[LEFT]], %c256
// TILE: %[[COUNT:.*]] = arith.minsi %[[HAVE]], %c4
// TILE: tang.fold #tang.monoid<add> %{{.*}} along [1] into %[[P]] counts(%c1, %c1, %[[COUNT]])
// TILE: tang.store
// TILE-LABEL: gpu.func @few_scan0_merge
// TILE-SAME: tang.comment = "states of the chunks of a
// TILE: tang.stream %{{.*}} = %c0 to %c4 step 1 carry(%[[BEFORE:.*]] = %{{.*}})
// TILE: %[[CHUNK:.*]] = tang.keep
// TILE: tang.store %[[BEFORE]], %{{.*}} memref<1x4xf32>
// The last chunk, and chunks next to what is infinite or NaN, run again from there: an empty stream else.
// TILE: arith.cmpf ueq
// TILE: arith.cmpf ueq
// TILE: %[[UPPER:.*]] = arith.select %{{.*}}, %{{.*}}, %c0
// TILE: %[[CHAIN:.*]] = tang.stream %{{.*}} = %c0 to %[[UPPER]] step 1 carry(%{{.*}} = %[[BEFORE]]
// TILE: %[[BOTH:.*]] = arith.addf %[[BEFORE]], %[[CHUNK]]
// TILE: arith.select %{{.*}}, %[[CHAIN]], %[[BOTH]]
// TILE-LABEL: gpu.func @few_scan0_prefixes
// TILE: %[[START:.*]] = tang.keep %{{.*}} : vector<1x1x4xf32>
// TILE: tang.stream {{.*}} carry(%{{.*}} = %[[START]]
// TILE: %[[Y:.*]] = tang.fold #tang.monoid<add>
// TILE: tang.store %[[Y]], %{{.*}} memref<1x1000xf32>
func.func @few(%x: tensor<1x1000xf32>, %e: tensor<1x1000xf32>, %s: tensor<1xf32>) -> (tensor<1x1000xf32>, tensor<1xf32>) {
  %y:2 = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<1x1000xf32>) outs(%e, %s : tensor<1x1000xf32>, tensor<1xf32>) (%a: f32) { tang.yield %a : f32 }
  return %y#0, %y#1 : tensor<1x1000xf32>, tensor<1xf32>
}

// Rows enough: one program runs the chunks of its rows, in the same order.
// CHECK-LABEL: func @many
// CHECK: block = 256, bound = "one combination a term, and one a chunk"
// SCHEDULE-LABEL: func @many
// SCHEDULE: tang.scan
// SCHEDULE-NOT: tang.split
// SCHEDULE: return
// TILE-LABEL: gpu.func @many_scan0
// TILE: tang.stream %{{.*}} = %c0 to %{{.*}} step 1 carry({{.*}}) attributes {comment = "chunks"}
// TILE: tang.stream %{{.*}} step 1 carry({{.*}}) attributes {comment = "d1 in a chunk"}
// TILE: tang.fold @compose
// TILE: tang.store
func.func @many(%x: tensor<1000x?xf32>, %e: tensor<1000x?xf32>, %s: tensor<1000xf32>) -> tensor<1000x?xf32> {
  %y:4 = tang.scan @compose [i, t] along t ins(%x[i, t], %x[i, t] : tensor<1000x?xf32>, tensor<1000x?xf32>) outs(%e, %e, %s, %s : tensor<1000x?xf32>, tensor<1000x?xf32>, tensor<1000xf32>, tensor<1000xf32>) (%a: f32, %b: f32) { tang.yield %a, %b : f32, f32 }
  return %y#1 : tensor<1000x?xf32>
}

// Near misses: a short row, a monoid without identity, a scan scheduled by hand. Integers have no order to keep.
// CHECK-LABEL: func @others
// CHECK: tang.scan #tang.monoid<add> {{.*}} block = 0, bound = "511 u">}
// CHECK: tang.scan @nameless {{.*}} block = 0, {{.*}} tang.missed = ["scan: one chain of all points (the monoid's identity is not known)"]
// CHECK: tang.scan #tang.monoid<mul> {{.*}} block = 1>}
// CHECK: tang.scan #tang.monoid<add> {{.*}}accumulate = i32, block = 256, bound = "exact"
// EXACT: tang.scan #tang.monoid<add> {{.*}}accumulate = i32, block = 256, bound = "exact"
func.func @others(%x: tensor<511xf32>, %z: tensor<900xf32>, %k: tensor<900xi32>, %s: tensor<f32>, %si: tensor<i32>) -> (tensor<511xf32>, tensor<900xf32>, tensor<900xf32>, tensor<900xi32>) {
  %a:2 = tang.scan #tang.monoid<add> [t] along t ins(%x[t] : tensor<511xf32>) outs(%x, %s : tensor<511xf32>, tensor<f32>) (%p: f32) { tang.yield %p : f32 }
  %b:2 = tang.scan @nameless [t] along t ins(%z[t] : tensor<900xf32>) outs(%z, %s : tensor<900xf32>, tensor<f32>) (%p: f32) { tang.yield %p : f32 }
  %c:2 = tang.scan #tang.monoid<mul> [t] along t ins(%z[t] : tensor<900xf32>) outs(%z, %s : tensor<900xf32>, tensor<f32>) attributes {schedule = #tang.schedule<tile = [1], block = 1>} (%p: f32) { tang.yield %p : f32 }
  %d:2 = tang.scan #tang.monoid<add> [t] along t ins(%k[t] : tensor<900xi32>) outs(%k, %si : tensor<900xi32>, tensor<i32>) (%p: i32) { tang.yield %p : i32 }
  return %a#0, %b#0, %c#0, %d#0 : tensor<511xf32>, tensor<900xf32>, tensor<900xf32>, tensor<900xi32>
}
