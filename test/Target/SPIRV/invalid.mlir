// What Metal does not have.
// RUN: not tang-translate --tang-to-metal %s 2>&1 | FileCheck %s

// CHECK: error: is on f64, which the target does not have
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xf64> {tang.name = "x"}, %s: f64 {tang.name = "s"})
        kernel attributes {tang.block = 64 : i64} {
      %i = gpu.thread_id x
      memref.store %s, %x[%i] : memref<?xf64>
      gpu.return
    }
  }
}
