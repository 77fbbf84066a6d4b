// Kernels become programs of passes: tiles have one dimension for each of the kernel's.
// RUN: tang-opt %s --tang-schedule=target=cpu --tang-bufferize --tang-apply-schedule --canonicalize --cse --split-input-file --verify-each | FileCheck %s
// RUN: tang-opt %s --tang-schedule=target=opencl --tang-bufferize --tang-apply-schedule --canonicalize --cse --split-input-file --verify-each | FileCheck %s --check-prefix=THREADS

// A cascade of three folds, 32 rows a program and 32 columns a step, which is the block of #tang.fold. The maximum
// advances first. Then each sum of the step is made from zero in the gauge of the new maximum, where an infinite one
// counts as 0, and the state so far is rescaled by exp(old - new) if the gauge moved.
// CHECK-LABEL: func @cascade
// CHECK: gpu.launch_func @kernels::@cascade_kernel0 blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1)
// CHECK: gpu.func @cascade_kernel0
// CHECK-SAME: tang.comment = "kernel of 1 pass: fold maximum, add, add over d1; tile 32x32x16"
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<32x1x1xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<32x1x1xf32>
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<32x1x16xf32>
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<32x1x1xf32>
// CHECK: %[[S:.*]]:3 = tang.stream %[[K:.*]] = %c0 to %[[N:.*]] step 32 carry(%[[M:.*]] = %[[LOW]] : vector<32x1x1xf32>, %[[L:.*]] = %[[ZERO]] : vector<32x1x1xf32>, %[[O:.*]] = %[[ZEROS]] : vector<32x1x16xf32>)
// CHECK: %[[X:.*]] = tang.load %{{.*}} -> vector<32x32x1xf32>
// CHECK: %[[NEXT:.*]] = tang.fold #tang.monoid<maximum> %[[X]] along [1] into %[[M]] counts(
// CHECK-DAG: %[[NEW:.*]] = arith.select %{{.*}}, %[[ZERO]], %[[NEXT]]
// CHECK-DAG: %[[ALL:.*]] = vector.broadcast %[[NEW]] : vector<32x1x1xf32> to vector<32x32x1xf32>
// CHECK-DAG: %[[D:.*]] = arith.subf %[[X]], %[[ALL]]
// CHECK-DAG: %[[E:.*]] = math.exp %[[D]]
// CHECK: %[[SUM:.*]] = tang.fold #tang.monoid<add> %[[E]] along [1] into %[[ZERO]] counts(
// CHECK: %[[OLD:.*]] = arith.select %{{.*}}, %[[ZERO]], %[[M]]
// CHECK-DAG: %[[SAME:.*]] = arith.cmpf oeq, %[[OLD]], %[[NEW]]
// CHECK-DAG: %[[SHIFT:.*]] = arith.subf %[[OLD]], %[[NEW]]
// CHECK-DAG: %[[FACTOR:.*]] = math.exp %[[SHIFT]]
// CHECK-DAG: %[[SCALED:.*]] = arith.mulf %[[L]], %[[FACTOR]]
// CHECK: %[[STATE:.*]] = arith.select %{{.*}}, %[[L]], %[[SCALED]]
// CHECK: %[[ADDED:.*]] = arith.addf %[[STATE]], %[[SUM]]
// CHECK: %[[KEPT:.*]] = tang.keep %[[ADDED]]
// CHECK: tang.load %{{.*}} -> vector<1x32x16xf32>
// CHECK: tang.fold #tang.monoid<add> %{{.*}} along [1] into %[[ZEROS]] counts({{.*}} : vector<32x32x16xf32> into vector<32x1x16xf32>
// CHECK: arith.mulf %[[O]], %{{.*}} : vector<32x1x16xf32>
// CHECK: %[[KEPTS:.*]] = tang.keep %{{.*}} : vector<32x1x16xf32>
// CHECK: tang.yield %[[NEXT]], %[[KEPT]], %[[KEPTS]]

// Rows whose final maximum is infinite or NaN give NaN as they are written, if they have a point: no second stream.
// CHECK: %[[ABS:.*]] = math.absf %[[S]]#0
// CHECK: %[[SPECIAL:.*]] = arith.cmpf ueq, %[[ABS]], %[[INF]]
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[N]], %c0
// CHECK: %[[SOMES:.*]] = vector.broadcast %[[SOME]]
// CHECK: %[[NAN:.*]] = arith.andi %[[SPECIAL]], %[[SOMES]]
// CHECK: %[[SUM1:.*]] = arith.select %[[NAN]], %{{.*}}, %[[S]]#1
// CHECK: tang.keep %[[SUM1]]
// CHECK: %[[SUM2:.*]] = arith.select %{{.*}}, %{{.*}}, %[[S]]#2
// CHECK: tang.keep %[[SUM2]]
// CHECK-NOT: tang.stream

// The projection runs once, at the end.
// CHECK: tang.store %{{.*}} : vector<32x1x1xf32>, memref<64xf32>
// CHECK: %[[Y:.*]] = arith.divf %{{.*}} : vector<32x1x16xf32>
// CHECK: tang.store %[[Y]], %{{.*}} : vector<32x1x16xf32>, memref<64x16xf32>
// CHECK-NOT: tang.stream

// Where threads own points, the block stays.
// THREADS-LABEL: gpu.func @cascade_kernel0
// THREADS-SAME: tile 1x32x16
// THREADS: tang.stream %{{.*}} step 32
#fold = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
#fold2 = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [2]>
func.func @cascade(%x: tensor<64x?xf32>, %v: tensor<?x16xf32>, %n: index) -> (tensor<64xf32>, tensor<64x16xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %y:2 = tang.kernel (%a = %x : tensor<64x?xf32>, %b = %v : tensor<?x16xf32>, %size = %n : index) outs(%r, %o : tensor<64xf32>, tensor<64x16xf32>) {
    %row = tensor.empty() : tensor<64xf32>
    %rows = tensor.empty() : tensor<64x16xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = %size] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x?xf32>) outs(%row : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %l = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x?xf32>, tensor<64xf32>) outs(%row : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %e = math.exp %d : f32
      tang.yield %e : f32
    }
    %s = tang.reduce #tang.monoid<add> [i, j] over [k = %size] init(0.0 : f32) ins(%a[i, k], %b[k, j], %m[i] : tensor<64x?xf32>, tensor<?x16xf32>, tensor<64xf32>) outs(%rows : tensor<64x16xf32>) attributes {tang.fold = #fold2} (%u: f32, %c: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %e = math.exp %d : f32
      %p = arith.mulf %e, %c : f32
      tang.yield %p : f32
    }
    %q = tang.map [i, j] ins(%s[i, j], %l[i] : tensor<64x16xf32>, tensor<64xf32>) outs(%rows : tensor<64x16xf32>) (%u: f32, %w: f32) {
      %p = arith.divf %u, %w : f32
      tang.yield %p : f32
    }
    tang.yield %l, %q : tensor<64xf32>, tensor<64x16xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64x16xf32>
}

// -----

// What a mask drops after the exponential may be the very term that is NaN, and a guarded maximum makes none: such rows
// are folded again as they are written, in a stream that is empty where there are none: no selection of the gauge, no
// factor. The sum without a mask beside them is not.
// CHECK-LABEL: gpu.func @literal_kernel0
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<1x1xf32>
// CHECK-DAG: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : vector<1x1xf32>
// CHECK: %[[S:.*]]:4 = tang.stream %{{.*}} = %c0 to %c100 step 32 carry(
// CHECK: tang.yield
// CHECK: %[[ABS:.*]] = math.absf %[[S]]#0
// CHECK: %[[SPECIAL:.*]] = arith.cmpf ueq, %[[ABS]], %[[INF]]
// CHECK: arith.select %[[SPECIAL]], %[[NAN]], %[[S]]#1
// CHECK: tang.fold #tang.monoid<or>
// CHECK: %[[ANY:.*]] = tang.keep %{{.*}} : vector<1x1xi32>
// CHECK: %[[FLAG:.*]] = vector.extract %[[ANY]][0, 0]
// CHECK: %[[WANTED:.*]] = arith.cmpi ne, %[[FLAG]], %c0_i32
// CHECK: %[[UPPER:.*]] = arith.select %[[WANTED]], %c100, %c0
// CHECK: %[[AGAIN:.*]]:2 = tang.stream %{{.*}} = %c0 to %[[UPPER]] step 32 carry(
// CHECK: vector.broadcast %[[S]]#0
// CHECK: tang.yield
// CHECK: arith.select %[[SPECIAL]], %[[AGAIN]]#0, %[[S]]#2
// CHECK: arith.select %[[SPECIAL]], %[[AGAIN]]#1, %[[S]]#3
#fold = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
func.func @literal(%x: tensor<64x100xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  %y:3 = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r, %r, %r : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %row = tensor.empty() : tensor<64xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%row : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %plain = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%row : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %e = math.exp %d : f32
      tang.yield %e : f32
    }
    %masked = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%row : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %k = tang.index 1
      %c9 = arith.constant 9 : index
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpi slt, %k, %c9 : index
      %d = arith.subf %u, %w : f32
      %e = math.exp %d : f32
      %s = arith.select %c, %e, %zero : f32
      tang.yield %s : f32
    }
    %g = tang.map [i] ins(%m[i] : tensor<64xf32>) outs(%row : tensor<64xf32>) (%u: f32) {
      %low = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf oeq, %u, %low : f32
      %s = arith.select %c, %zero, %u : f32
      tang.yield %s : f32
    }
    %guarded = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %g[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%row : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %e = math.exp %d : f32
      tang.yield %e : f32
    }
    tang.yield %plain, %masked, %guarded : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// A sum of squares that follows the mean by translation carries a reference, at first the mean of a step, and the sum of
// differences from it. A step is summed about the reference; then that moves to the mean of all points so far. In the end
// it moves to what the fold reads.
// CHECK-LABEL: gpu.func @squares_kernel0
// CHECK: %[[FIRST:.*]] = tang.fold #tang.monoid<add>
// CHECK: %[[MEAN:.*]] = arith.divf %[[FIRST]]
// CHECK: %[[R0:.*]] = tang.keep %[[MEAN]]
// CHECK: %[[S:.*]]:4 = tang.stream %[[K:.*]] = %c0 to %c100 step 32 carry(%{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}}, %[[R:.*]] = %[[R0]] : {{.*}}, %[[U:.*]] = %{{.*}})
// CHECK: %[[RS:.*]] = vector.broadcast %[[R]]
// CHECK: %[[D:.*]] = arith.subf %{{.*}}, %[[RS]]
// CHECK: %[[DD:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK: tang.fold #tang.monoid<add> %[[D]]
// CHECK: %[[UN:.*]] = tang.keep
// CHECK: tang.fold #tang.monoid<add> %[[DD]]
// CHECK: %[[STEP:.*]] = arith.divf %[[UN]], %[[N:.*]] :
// CHECK: %[[NEXT:.*]] = arith.addf %[[R]], %[[STEP]]
// CHECK: %[[RN:.*]] = tang.keep %[[NEXT]]
// CHECK: arith.subf %[[R]], %[[RN]]
// CHECK: tang.yield
// CHECK: %[[G:.*]] = arith.divf %[[S]]#0
// CHECK: arith.subf %[[S]]#2, %[[G]]
// CHECK: tang.fold #tang.monoid<or>
#fold = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
func.func @squares(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64xf32>) {
    %row = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%row : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %m = tang.map [i] ins(%s[i] : tensor<64xf32>) outs(%row : tensor<64xf32>) (%u: f32) {
      %n = arith.constant 100.0 : f32
      %d = arith.divf %u, %n : f32
      tang.yield %d : f32
    }
    %q = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%row : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %t = arith.mulf %d, %d : f32
      tang.yield %t : f32
    }
    tang.yield %q : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A later pass reads the final sum; what is only written needs no carry.
// CHECK-LABEL: gpu.func @two_passes_kernel0
// CHECK-SAME: tang.comment = "kernel of 2 passes: fold add over d1; write over d1; tile 1x32"
// CHECK: %[[S:.*]] = tang.stream %{{.*}} = %c0 to %c100 step 32 carry(%[[A:.*]] = %{{.*}} : vector<1x1xf32>)
// CHECK: tang.fold #tang.monoid<add> %{{.*}} along [1] into %[[A]]
// CHECK: }
// CHECK: tang.stream %{{.*}} = %c0 to %c100 step 32 attributes
// CHECK: %[[Q:.*]] = arith.divf
// CHECK: tang.store %[[Q]], %{{.*}} : vector<1x32xf32>, memref<64x100xf32>
// CHECK: }
// CHECK-NOT: tang.store
func.func @two_passes(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %r = tensor.empty() : tensor<64x100xf32>
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64x100xf32>) {
    %row = tensor.empty() : tensor<64xf32>
    %rows = tensor.empty() : tensor<64x100xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%row : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.map [i, k] ins(%a[i, k], %s[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%rows : tensor<64x100xf32>) (%u: f32, %w: f32) {
      %p = arith.divf %u, %w : f32
      tang.yield %p : f32
    }
    tang.yield %q : tensor<64x100xf32>
  }
  return %y : tensor<64x100xf32>
}

// -----

// An inner reduction has a stream of its own within the step; its result is no tile of memory.
// CHECK-LABEL: gpu.func @inner_kernel0
// CHECK-SAME: kernel of 1 pass: fold maximum over d1
// CHECK: tang.stream %[[J:.*]] = %c0 to %c100 step 32 carry(%[[M:.*]] = %{{.*}} : vector<32x1x1xf32>)
// CHECK: %[[D:.*]] = tang.stream %{{.*}} = %c0 to %c16 step 16 carry(%[[A:.*]] = %{{.*}} : vector<32x32x1xf32>)
// CHECK: tang.fold #tang.monoid<add> %{{.*}} along [2] into %[[A]] counts({{.*}} : vector<32x32x16xf32> into vector<32x32x1xf32>
// CHECK: tang.fold #tang.monoid<maximum> %[[D]] along [1] into %[[M]] counts(
// CHECK: tang.store
// CHECK-NOT: tang.store
func.func @inner(%q: tensor<64x16xf32>, %k: tensor<100x16xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %y = tang.kernel (%a = %q : tensor<64x16xf32>, %b = %k : tensor<100x16xf32>) outs(%r : tensor<64xf32>) {
    %e = tensor.empty() : tensor<64x100xf32>
    %row = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i, j] over [d = 16] init(0.0 : f32) ins(%a[i, d], %b[j, d] : tensor<64x16xf32>, tensor<100x16xf32>) outs(%e : tensor<64x100xf32>) (%u: f32, %v: f32) {
      %p = arith.mulf %u, %v : f32
      tang.yield %p : f32
    }
    %m = tang.reduce #tang.monoid<maximum> [i] over [j = 100] init(0xFF800000 : f32) ins(%s[i, j] : tensor<64x100xf32>) outs(%row : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
