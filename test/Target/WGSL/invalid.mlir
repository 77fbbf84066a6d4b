// RUN: tang-translate --tang-to-wgsl --split-input-file --verify-diagnostics %s
// What WebGPU has no room for is refused, naming the operation and the limit.

gpu.module @kernels {
  // expected-error @+1 {{is on f64, which WGSL does not have}}
  gpu.func @double(%x: memref<?xf64> {tang.name = "x"}) kernel attributes {tang.block = 64 : i64} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has blocks of 512 threads; WebGPU guarantees 256 (maxComputeInvocationsPerWorkgroup)}}
  gpu.func @wide(%x: memref<?xf32> {tang.name = "x"}) kernel attributes {tang.block = 512 : i64} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{writes 9 and reads 0 buffers; WebGPU guarantees 8 bindings (maxStorageBuffersPerShaderStage)}}
  gpu.func @many(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %d: memref<?xf32>, %e: memref<?xf32>,
                 %f: memref<?xf32>, %g: memref<?xf32>, %h: memref<?xf32>, %i: memref<?xf32>) kernel
      attributes {tang.block = 64 : i64} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @sum(%x: memref<?xindex>, %n: index) kernel attributes {tang.block = 64 : i64} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    // expected-error @+1 {{index of more than 32 bits, which WGSL does not have}}
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zero) -> index {
      %v = memref.load %x[%i] : memref<?xindex>
      %next = arith.addi %acc, %v : index
      scf.yield %next : index
    }
    memref.store %sum, %x[%zero] : memref<?xindex>
    gpu.return
  }
}
