// REQUIRES: cuda-toolkit
// Functions without an exact instruction come from libdevice, of which nothing else is left; roots do not, as libdevice's
// are approximate.
// RUN: tang-translate --tang-to-ptx %s | FileCheck %s
// CHECK-NOT: .func
// CHECK: .entry functions(
// CHECK-NOT: .func
// CHECK: ex2.approx.ftz.f32
// CHECK: sqrt.rn.f32
// CHECK: ret;

// Without a toolkit there are none, and no machine code.
// RUN: env CUDA_HOME=%t.none not tang-translate --tang-to-ptx %s 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the kernels call __nv_expf, and CUDA's libdevice.10.bc, which has it, was not found; set CUDA_HOME
// RUN: env CUDA_HOME=%t.none tang-compile --target=h200 %S/simt.mlir -o %t.bundle
// RUN: ls %t.bundle | FileCheck %s --check-prefix=FILES --implicit-check-not=cubin
// FILES: kernels.ptx
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @functions(%x: memref<?xf32> {tang.name = "x"}) kernel attributes {tang.block = 128 : i64} {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xf32>
      %e = math.exp %v : f32
      %a = math.sqrt %e : f32
      memref.store %a, %x[%t] : memref<?xf32>
      gpu.return
    }
  }
}
