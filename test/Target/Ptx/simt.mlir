// PTX of a kernel of one thread a point: global addresses, correctly rounded arithmetic that ptxas may not contract, and
// the launch of its bundle, by a CUDA driver that only takes notes.
// RUN: tang-translate --tang-to-ptx %s | FileCheck %s
// RUN: tang-translate --tang-to-ptx --target=h200 %s | FileCheck %s --check-prefix=H200
// RUN: tang-compile --target=cuda %s -o %t.bundle
// RUN: ls %t.bundle | FileCheck %s --check-prefix=FILES
// RUN: rm -f %t.log
// RUN: env FAKE_CUDA_LOG=%t.log LD_LIBRARY_PATH=%tang_build/test/unit/runtime/fake-cuda \
// RUN:   tang-run %t.bundle --input=10x64xbf16=random:1 --input=64xf32=2 --benchmark --repetitions=2 --flush-l2 \
// RUN:   | FileCheck %s --check-prefix=TIME
// RUN: FileCheck %s --check-prefix=LOG < %t.log

// CHECK: .version 6.3
// CHECK: .target sm_70
// CHECK: .visible .entry [[NAME:main_[a-z0-9]+]](
// CHECK-NEXT: .param .u64 .ptr .global .align 1 [[NAME]]_param_0,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 [[NAME]]_param_1,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 [[NAME]]_param_2,
// CHECK-NEXT: .param .u64 [[NAME]]_param_3
// CHECK-NEXT: )
// CHECK-NEXT: .reqntid 128
// CHECK-DAG: ld.global.nc.b16
// CHECK-DAG: ld.global.nc.b32
// CHECK: mul.rn.f32
// CHECK-NEXT: add.rn.f32
// CHECK-NEXT: div.rn.f32
// CHECK-NEXT: sqrt.rn.f32
// CHECK-NOT: .ftz
// CHECK: st.global.b32
// CHECK: ret;

// H200: .version 8.6
// H200: .target sm_90a
// H200: max.NaN.f32

// FILES-NOT: cubin
// FILES: kernels.ptx

// TIME: main on cuda (Fake GPU, compute capability 9.0, CUDA 13.0), 2 runs
// TIME: median 2.5 ms

// LOG: load
// LOG: memset 268435456
// LOG-NEXT: event
// LOG-NEXT: alloc
// LOG-NEXT: launch main_map0 grid 5 block 128 shared 0 args m0 m1 m3 a
// LOG-NEXT: event
// LOG: memset
// LOG-NEXT: event
// LOG-NEXT: launch main_map0 grid 5 block 128 shared 0 args m0 m1 m3 a
// LOG-NEXT: event
func.func @main(%a: tensor<?x64xbf16>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %b : tensor<?x64xbf16>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%x: bf16, %y: f32, %o: f32):
    %f = arith.extf %x : bf16 to f32
    %m = arith.mulf %f, %y : f32
    %s = arith.addf %m, %y : f32
    %d = arith.divf %s, %f : f32
    %q = math.sqrt %d : f32
    %max = arith.maximumf %q, %f : f32
    linalg.yield %max : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
