// RUN: tang-opt %s --pass-pipeline='builtin.module(gpu.module(tang-tile-to-kernel))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @no_view(%x: memref<?xf32>, %n: index) kernel {
    // expected-error@+1 {{accesses buffers through a tang.view of rank 1 or more}}
    %v = tang.load %x at affine_map<(d0) -> (d0)>(%n) : memref<?xf32> -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @view_of_rank_0(%x: memref<?xf32>) kernel {
    %v = tang.view %x : memref<?xf32> -> memref<f32>
    %one = arith.constant dense<1.0> : vector<f32>
    // expected-error@+1 {{accesses buffers through a tang.view of rank 1 or more}}
    tang.store %one, %v at affine_map<() -> ()>() counts() : vector<f32>, memref<f32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @not_elementwise(%x: memref<?xf32>) kernel {
    %one = arith.constant dense<1.0> : vector<4x8xf32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %t = vector.transpose %one, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @constant(%x: memref<?xf32>) kernel {
    // expected-error@+1 {{is not elementwise}}
    %one = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @loop(%x: memref<?xf32>, %n: index) kernel {
    %v = tang.view %x[%n] : memref<?xf32> -> memref<?xf32>
    %c1 = arith.constant 1 : index
    scf.for %i = %c1 to %n step %c1 {
      // expected-error@+1 {{stands in a kernel, a tang.stream or an scf.if without results}}
      %t = tang.load %v at affine_map<(d0) -> (d0)>(%i) : memref<?xf32> -> vector<4xf32>
    }
    gpu.return
  }
}
