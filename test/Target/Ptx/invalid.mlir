// What a native kernel may not do, and what its description may not say.
// RUN: split-file %s %t
// RUN: not tang-translate --tang-to-ptx %t/buffer.mlir 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: not tang-translate --tang-to-ptx %t/scalar.mlir 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not tang-translate --tang-to-ptx %t/op.mlir 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not tang-compile --target=h200 %t/map.mlir -o %t/out.tangb 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: not tang-compile --target=h200 %t/order.mlir -o %t/out.tangb 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tang-compile --target=h200 %t/sizes.mlir -o %t/out.tangb 2>&1 | FileCheck %s --check-prefix=SIZES

// BUFFER: error: 'memref.atomic_rmw' op uses a buffer in a way that the ptx backend cannot lower
// SCALAR: error: 'gpu.func' op argument 0 is a scalar of type 'bf16'; small floats arrive as f32
// OP: error: the ptx backend cannot lower vector.print
// MAP: error: 'gpu.func' op argument 0: a pointer must have the attribute tang.tensor_map
// ORDER: error: 'gpu.func' op argument 1 is out of order: buffers come first, then scalars, then tensor maps
// SIZES: error: 'gpu.func' op argument 1: 'box' has an entry that is no size

//--- buffer.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xf32>) kernel attributes {tang.native, tang.block = 128 : i64} {
      %i = gpu.thread_id x
      %f = arith.constant 1.0 : f32
      %old = memref.atomic_rmw addf %f, %x[%i] : (f32, memref<?xf32>) -> f32
      gpu.return
    }
  }
}
//--- scalar.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: bf16) kernel attributes {tang.native, tang.block = 128 : i64} {
      gpu.return
    }
  }
}
//--- op.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: f32) kernel attributes {tang.native, tang.block = 128 : i64} {
      vector.print %x : f32
      gpu.return
    }
  }
}
//--- map.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: !llvm.ptr) kernel attributes {tang.native, tang.block = 128 : i64} {
      gpu.return
    }
  }
}
//--- order.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%n: index, %x: memref<?xf32>) kernel attributes {tang.native, tang.block = 128 : i64} {
      gpu.return
    }
  }
}
//--- sizes.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xf32>,
                %m: !llvm.ptr {tang.tensor_map = {buffer = 0, dims = [64], strides = [], box = [{scalar = 0}]}})
        kernel attributes {tang.native, tang.block = 128 : i64} {
      gpu.return
    }
  }
}
