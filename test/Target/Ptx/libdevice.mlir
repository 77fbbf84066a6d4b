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
