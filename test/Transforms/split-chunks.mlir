// A kernel with chunks is one program a row, or, where these are too few for the target, a kernel with a program for each
// chunk and one that merges their states. The merge is the fold's own monoid, with the factor on both sides.
// RUN: tang-opt %s --tang-schedule=target=cpu | FileCheck %s --check-prefix=SCHEDULE
// RUN: tang-opt %s --tang-schedule=target=cpu --tang-bufferize --tang-apply-schedule --canonicalize --cse --verify-each | FileCheck %s

// SCHEDULE-LABEL: func @few
// SCHEDULE: tang.kernel
// SCHEDULE-SAME: tang.split
// SCHEDULE-LABEL: func @many
// SCHEDULE: tang.kernel
// SCHEDULE-NOT: tang.split

// CHECK-LABEL: func @few
// CHECK-DAG: %[[M:.*]] = memref.alloc() : memref<4xf32>
// CHECK-DAG: %[[L:.*]] = memref.alloc() : memref<4xf32>
// CHECK: gpu.launch_func @kernels::@few_kernel0_chunks blocks in (%c4,
// CHECK: gpu.launch_func @kernels::@few_kernel0_merge blocks in (%c1,
// CHECK-LABEL: func @many
// CHECK: gpu.launch_func @kernels::@many_kernel0 blocks in (%c1000,

// CHECK-LABEL: gpu.func @few_kernel0_chunks
// CHECK: tang.stream
// CHECK: tang.store
// CHECK: tang.store
// CHECK-NOT: tang.stream
// CHECK-LABEL: gpu.func @few_kernel0_merge
// CHECK-SAME: tang.comment = "merge of the chunks of a kernel of 1 pass
// CHECK: tang.stream
// CHECK: tang.fold #tang.monoid<maximum>
// CHECK-COUNT-2: math.exp
// CHECK: tang.fold #tang.monoid<add> %{{.*}} along [] into
// CHECK: tang.yield
// CHECK-LABEL: gpu.func @many_kernel0
// CHECK: tang.stream %{{.*}} step 256
// CHECK: tang.stream %{{.*}} step 32

func.func @few(%x: tensor<1x1000xf32>) -> tensor<1xf32> {
  %r = tensor.empty() : tensor<1xf32>
  %y = tang.kernel (%a = %x : tensor<1x1000xf32>) outs(%r : tensor<1xf32>) attributes {chunk = 256 : i64} {
    %e = tensor.empty() : tensor<1xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 1000] init(0xFF800000 : f32) ins(%a[0, k] : tensor<1x1000xf32>) outs(%e : tensor<1xf32>) (%v: f32) { tang.yield %v : f32 }
    %s = tang.reduce #tang.monoid<add> [i] over [k = 1000] init(0.0 : f32) ins(%a[0, k], %m[0] : tensor<1x1000xf32>, tensor<1xf32>) outs(%e : tensor<1xf32>)
           attributes {tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "71 u", gauges = [1]>} (%v: f32, %g: f32) {
      %d = arith.subf %v, %g : f32
      %t = math.exp %d : f32
      tang.yield %t : f32
    }
    tang.yield %s : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

func.func @many(%x: tensor<1000x1000xf32>) -> tensor<1000xf32> {
  %r = tensor.empty() : tensor<1000xf32>
  %y = tang.kernel (%a = %x : tensor<1000x1000xf32>) outs(%r : tensor<1000xf32>) attributes {chunk = 256 : i64} {
    %e = tensor.empty() : tensor<1000xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 1000] init(0xFF800000 : f32) ins(%a[i, k] : tensor<1000x1000xf32>) outs(%e : tensor<1000xf32>) (%v: f32) { tang.yield %v : f32 }
    %s = tang.reduce #tang.monoid<add> [i] over [k = 1000] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<1000x1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>)
           attributes {tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "71 u", gauges = [1]>} (%v: f32, %g: f32) {
      %d = arith.subf %v, %g : f32
      %t = math.exp %d : f32
      tang.yield %t : f32
    }
    tang.yield %s : tensor<1000xf32>
  }
  return %y : tensor<1000xf32>
}
