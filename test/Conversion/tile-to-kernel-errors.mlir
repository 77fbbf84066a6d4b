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

// -----

// A number is read from a kept tile of one element, and from nothing else.
gpu.module @kernels {
  gpu.func @extract_of_nothing_kept(%x: memref<?xf32>) kernel {
    %t = arith.constant dense<1.0> : vector<1x1xf32>
    %u = math.exp %t : vector<1x1xf32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %v = vector.extract %u[0, 0] : f32 from vector<1x1xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @extract_of_several(%x: memref<?xf32>, %n: index) kernel {
    %t = arith.constant dense<1.0> : vector<4xf32>
    %k = tang.keep %t counts(%n) : vector<4xf32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %v = vector.extract %k[0] : f32 from vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @extract_a_tile(%x: memref<?xf32>, %n: index) kernel {
    %t = arith.constant dense<1.0> : vector<1x1xf32>
    %k = tang.keep %t counts(%n, %n) : vector<1x1xf32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %v = vector.extract %k[0] : vector<1xf32> from vector<1x1xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @extract_at_a_value(%x: memref<?xf32>, %n: index) kernel {
    %t = arith.constant dense<1.0> : vector<1xf32>
    %k = tang.keep %t counts(%n) : vector<1xf32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %v = vector.extract %k[%n] : f32 from vector<1xf32>
    gpu.return
  }
}

// -----

// Broadcasts stretch dimensions of size 1.
gpu.module @kernels {
  gpu.func @broadcast_of_another_rank(%x: memref<?xf32>, %n: index) kernel {
    %t = arith.constant dense<1.0> : vector<8xf32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %b = vector.broadcast %t : vector<8xf32> to vector<4x8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @keep_in_a_loop(%x: memref<?xf32>, %n: index) kernel {
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : vector<4xf32>
    scf.for %i = %c1 to %n step %c1 {
      // expected-error@+1 {{stands in a kernel, a tang.stream or an scf.if without results}}
      %k = tang.keep %t counts(%n) : vector<4xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @extract_of_fold(%x: memref<?xf32>, %n: index) kernel {
    %t = arith.constant dense<1.0> : vector<4xf32>
    %a = arith.constant dense<0.0> : vector<f32>
    %f = tang.fold #tang.monoid<add> %t along [0] into %a counts(%n) : vector<4xf32> into vector<f32>
    // expected-error@+1 {{is not elementwise: tiles are computed position by position}}
    %v = vector.extract %f[] : f32 from vector<f32>
    gpu.return
  }
}
