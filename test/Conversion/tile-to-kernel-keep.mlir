// Tiles that are kept, broadcasts between tiles, and numbers of kept tiles.
// RUN: tang-opt %s --pass-pipeline='builtin.module(gpu.module(tang-tile-to-kernel,canonicalize,cse))' --split-input-file --verify-each | FileCheck %s

// A kept tile is computed once, within its counts, into an array; its readers read that, each in its own loops.
// CHECK-LABEL: gpu.func @keep
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[Z:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[K:.*]] = memref.alloca() {tang.name = "{{.*}}"} : memref<4x8xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %[[M]] step %c1 {
// CHECK: scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 {
// CHECK: %[[E:.*]] = math.exp
// CHECK-NEXT: memref.store %[[E]], %[[K]][%[[I]], %[[J]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[M]] step %c1 {
// CHECK: scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 {
// CHECK-NEXT: %[[A:.*]] = memref.load %[[K]][%[[I]], %[[J]]]
// CHECK: memref.store %[[A]], %[[Y]]
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK: scf.for %[[J:.*]] = %c0 to %c8 step %c1 {
// CHECK-NEXT: %[[B:.*]] = memref.load %[[K]][%[[I]], %[[J]]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[B]], %[[B]]
// CHECK: memref.store %[[P]], %[[Z]]
// CHECK-NOT: math.exp
gpu.module @kernels {
  gpu.func @keep(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %xv = tang.view %x[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %yv = tang.view %y[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %zv = tang.view %z[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %a = tang.load %xv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) : memref<?x?xf32> -> vector<4x8xf32>
    %e = math.exp %a : vector<4x8xf32>
    %k = tang.keep %e counts(%m, %n) : vector<4x8xf32>
    tang.store %k, %yv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) counts(%m, %n) : vector<4x8xf32>, memref<?x?xf32>
    %q = arith.mulf %k, %k : vector<4x8xf32>
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    tang.store %q, %zv at affine_map<(d0, d1) -> (d1, d0)>(%c0, %c0) counts(%c4, %c8) : vector<4x8xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A broadcast is a read at position 0 of what is stretched: outside of the loop over its dimension, whether the tile is
// kept or computed. Dimensions of size 1 are none of the array.
// CHECK-LABEL: gpu.func @broadcast
// CHECK: %[[K:.*]] = memref.alloca() {tang.name = "{{.*}}"} : memref<4xf32>
// CHECK: scf.for
// CHECK: math.exp
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[W:.*]] = memref.load %[[K]][%[[I]]]
// CHECK: %[[V:.*]] = math.sqrt
// CHECK-NEXT: scf.for
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[W]]
// CHECK-NEXT: arith.addf %[[P]], %[[V]]
gpu.module @kernels {
  gpu.func @broadcast(%x: memref<?xf32>, %r: memref<?xf32>, %y: memref<?xf32>, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %xv = tang.view %x[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %rv = tang.view %r[%m] : memref<?xf32> -> memref<?xf32>
    %yv = tang.view %y[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %a = tang.load %xv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) : memref<?x?xf32> -> vector<4x8xf32>
    %row = tang.load %rv at affine_map<(d0, d1) -> (d0)>(%c0, %c0) : memref<?xf32> -> vector<4x1xf32>
    %e = math.exp %row : vector<4x1xf32>
    %k = tang.keep %e counts(%m, %c1) : vector<4x1xf32>
    %f = math.sqrt %row : vector<4x1xf32>
    %w = vector.broadcast %k : vector<4x1xf32> to vector<4x8xf32>
    %v = vector.broadcast %f : vector<4x1xf32> to vector<4x8xf32>
    %p = arith.mulf %a, %w : vector<4x8xf32>
    %q = arith.addf %p, %v : vector<4x8xf32>
    tang.store %q, %yv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) counts(%m, %n) : vector<4x8xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// The number of a kept tile of one element decides whether a stream runs.
// CHECK-LABEL: gpu.func @flag
// CHECK-SAME: %[[X:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?xi32>, %[[M:.*]]: index)
// CHECK: %[[A:.*]] = memref.alloca() {tang.name = "{{.*}}"} : memref<i32>
// CHECK: arith.ori
// CHECK: memref.store %{{.*}}, %[[A]][] : memref<i32>
// CHECK-NEXT: %[[FLAG:.*]] = memref.load %[[A]][] : memref<i32>
// CHECK-NEXT: %[[WANTED:.*]] = arith.cmpi ne, %[[FLAG]], %c0_i32
// CHECK-NEXT: %[[UPPER:.*]] = arith.select %[[WANTED]], %[[M]], %c0
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[UPPER]] step %c4 {
gpu.module @kernels {
  gpu.func @flag(%x: memref<?xi32>, %y: memref<?xi32>, %m: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %xv = tang.view %x[%m] : memref<?xi32> -> memref<?xi32>
    %yv = tang.view %y[%m] : memref<?xi32> -> memref<?xi32>
    %none = arith.constant dense<0> : vector<1xi32>
    %a = tang.load %xv at affine_map<(d0) -> (d0)>(%c0) : memref<?xi32> -> vector<4xi32>
    %f = tang.fold #tang.monoid<or> %a along [0] into %none counts(%m) : vector<4xi32> into vector<1xi32>
    %k = tang.keep %f counts(%c1) : vector<1xi32>
    %s = vector.extract %k[0] : i32 from vector<1xi32>
    %wanted = arith.cmpi ne, %s, %zero : i32
    %upper = arith.select %wanted, %m, %c0 : index
    tang.stream %i = %c0 to %upper step 4 {
      %b = tang.load %xv at affine_map<(d0) -> (d0)>(%i) : memref<?xi32> -> vector<4xi32>
      tang.store %b, %yv at affine_map<(d0) -> (d0)>(%i) counts(%c1) : vector<4xi32>, memref<?xi32>
    }
    gpu.return
  }
}

// -----

// A kept tile as a stream's next state: it is complete before the carry changes.
// CHECK-LABEL: gpu.func @carry
// CHECK: scf.for %{{.*}} = %c0 to %arg2 step %c1 {
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK: %[[S:.*]] = memref.load %[[STATE:.*]][%[[I]]]
// CHECK: %[[T:.*]] = arith.addf %[[S]], %{{.*}}
// CHECK-NEXT: memref.store %[[T]], %[[NEXT:.*]][%[[I]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT: %[[N:.*]] = memref.load %[[NEXT]][%[[I]]]
// CHECK-NEXT: memref.store %[[N]], %[[STATE]][%[[I]]]
gpu.module @kernels {
  gpu.func @carry(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : vector<4x1xf32>
    %xv = tang.view %x[%n] : memref<?xf32> -> memref<?x4xf32>
    %yv = tang.view %y : memref<?xf32> -> memref<4xf32>
    %r = tang.stream %k = %c0 to %n step 1 carry(%a = %zero : vector<4x1xf32>) {
      %t = tang.load %xv at affine_map<(d0, d1) -> (d1, d0)>(%c0, %k) : memref<?x4xf32> -> vector<4x1xf32>
      %s = arith.addf %a, %t : vector<4x1xf32>
      %q = tang.keep %s counts(%c4, %c1) : vector<4x1xf32>
      tang.yield %q : vector<4x1xf32>
    }
    tang.store %r, %yv at affine_map<(d0, d1) -> (d0)>(%c0, %c0) counts(%c4, %c1) : vector<4x1xf32>, memref<4xf32>
    gpu.return
  }
}
