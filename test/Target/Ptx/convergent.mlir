// Assembly with side effects may synchronise the threads of a block: it is not put into branches, where it would stand
// twice and be reached apart.
// RUN: tang-translate --tang-to-ptx --target=h200 %s | FileCheck %s
// CHECK: .entry meet
// CHECK-COUNT-1: bar.sync 7, 128;
// CHECK-NOT: bar.sync
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @meet(%x: memref<?xf32> {tang.name = "x"}, %n: index {tang.name = "n"})
        kernel attributes {tang.native, tang.block = 128 : i64} {
      %t = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %early = arith.cmpi ult, %t, %n : index
      scf.if %early {
        memref.store %one, %x[%t] : memref<?xf32>
      }
      llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 7, 128;", "" : () -> ()
      scf.if %early {
        memref.store %two, %x[%c1] : memref<?xf32>
      } else {
        memref.store %two, %x[%c2] : memref<?xf32>
      }
      gpu.return
    }
  }
}
