// Tiles are values, while their arrays are updated in place: where one value is needed after the update of another
// that shares its array, there are two arrays.
// RUN: tang-opt %s --pass-pipeline='builtin.module(gpu.module(tang-tile-to-kernel,canonicalize,cse))' --split-input-file --verify-each | FileCheck %s

// Three states that start from one constant (moments of 0).
// CHECK-LABEL: gpu.func @one_init
// CHECK-COUNT-3: memref.alloca() {tang.name = "{{.*}}"} : memref<f32>
// CHECK-NOT: memref.alloca
gpu.module @kernels {
  gpu.func @one_init(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %xv = tang.view %x[%n] : memref<?xf32> -> memref<?xf32>
    %zero = arith.constant dense<0.0> : vector<f32>
    %zeros = arith.constant dense<0.0> : vector<1xf32>
    %r:3 = tang.stream %i = %c0 to %n step 1 carry(%a = %zero : vector<f32>, %b = %zero : vector<f32>, %c = %zero : vector<f32>) {
      %v = tang.load %xv at affine_map<(d0) -> (d0)>(%i) : memref<?xf32> -> vector<1xf32>
      %f:3 = tang.fold #tang.monoid<moments> %v, %v, %zeros along [0] into %a, %b, %c counts(%c1) : vector<1xf32>, vector<1xf32>, vector<1xf32> into vector<f32>, vector<f32>, vector<f32>
      tang.yield %f#0, %f#1, %f#2 : vector<f32>, vector<f32>, vector<f32>
    }
    tang.store %r#0, %xv at affine_map<()[s0] -> (s0)>(%c0) counts() : vector<f32>, memref<?xf32>
    tang.store %r#1, %xv at affine_map<()[s0] -> (s0)>(%c0) counts() : vector<f32>, memref<?xf32>
    tang.store %r#2, %xv at affine_map<()[s0] -> (s0)>(%c0) counts() : vector<f32>, memref<?xf32>
    gpu.return
  }
}

// -----

// What is stored after the fold is the state before it, plus one.
// CHECK-LABEL: gpu.func @read_after_fold
// CHECK: scf.for
// CHECK-NEXT: %[[S:.*]] = memref.load %[[CARRY:.*]][]
// CHECK-NEXT: memref.store %[[S]], %[[NEXT:.*]][]
// CHECK: arith.addf
// CHECK-NEXT: memref.store %{{.*}}, %[[NEXT]][]
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[CARRY]][]
// CHECK-NEXT: %[[O:.*]] = arith.addf %[[OLD]], %cst
// CHECK-NEXT: memref.store %[[O]], %arg0
// CHECK: memref.store %{{.*}}, %[[CARRY]][]
gpu.module @kernels {
  gpu.func @read_after_fold(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %xv = tang.view %x[%n] : memref<?xf32> -> memref<?xf32>
    %two = arith.constant dense<2.0> : vector<f32>
    %one = arith.constant dense<1.0> : vector<f32>
    %r = tang.stream %i = %c0 to %n step 1 carry(%a = %two : vector<f32>) {
      %b = arith.addf %a, %one : vector<f32>
      %v = tang.load %xv at affine_map<(d0) -> (d0)>(%i) : memref<?xf32> -> vector<1xf32>
      %f = tang.fold #tang.monoid<add> %v along [0] into %a counts(%c1) : vector<1xf32> into vector<f32>
      tang.store %b, %xv at affine_map<()[s0] -> (s0)>(%i) counts() : vector<f32>, memref<?xf32>
      tang.yield %f : vector<f32>
    }
    tang.store %r, %xv at affine_map<()[s0] -> (s0)>(%c0) counts() : vector<f32>, memref<?xf32>
    gpu.return
  }
}

// -----

// A step that swaps its carried values, and one without any fold.
// CHECK-LABEL: gpu.func @swap
// CHECK: scf.for
// CHECK-NEXT: %[[B:.*]] = memref.load %[[BS:.*]][]
// CHECK-NEXT: memref.store %[[B]], %[[T:.*]][]
// CHECK-NEXT: %[[A:.*]] = memref.load %[[AS:.*]][]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[A]], %cst
// CHECK-NEXT: memref.store %[[NEXT]], %[[U:.*]][]
// CHECK-NEXT: %[[V:.*]] = memref.load %[[T]][]
// CHECK-NEXT: memref.store %[[V]], %[[AS]][]
// CHECK-NEXT: %[[W:.*]] = memref.load %[[U]][]
// CHECK-NEXT: memref.store %[[W]], %[[BS]][]
gpu.module @kernels {
  gpu.func @swap(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %xv = tang.view %x[%n] : memref<?xf32> -> memref<?xf32>
    %zero = arith.constant dense<0.0> : vector<f32>
    %one = arith.constant dense<1.0> : vector<f32>
    %r:2 = tang.stream %i = %c0 to %n step 1 carry(%a = %zero : vector<f32>, %b = %one : vector<f32>) {
      %c = arith.addf %a, %one : vector<f32>
      tang.yield %b, %c : vector<f32>, vector<f32>
    }
    tang.store %r#0, %xv at affine_map<()[s0] -> (s0)>(%c0) counts() : vector<f32>, memref<?xf32>
    gpu.return
  }
}
