// RUN: tang-opt %s --pass-pipeline='builtin.module(gpu.module(tang-tile-to-kernel,canonicalize,cse))' --split-input-file --verify-each | FileCheck %s

// A store is a nest of loops over its counts, in which values are computed position by position, each as far out as
// what it needs: %row in the outer loop, %column in the inner one. The last dimension is innermost.
// CHECK-LABEL: gpu.func @store
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[R:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[S:.*]]: f32, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: scf.for %[[I:.*]] = %c0 to %[[M]] step %c1 {
// CHECK-NEXT: %[[BASE:.*]] = arith.muli %[[I]], %[[N]]
// CHECK-NEXT: %[[ROW:.*]] = memref.load %[[R]][%[[I]]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[ROW]] : f32
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 {
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[BASE]], %[[J]]
// CHECK-NEXT: %[[A:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[E]]
// CHECK-NEXT: %[[Q:.*]] = arith.addf %[[P]], %[[S]]
// CHECK-NEXT: memref.store %[[Q]], %[[Y]][%[[AT]]]
gpu.module @kernels {
  gpu.func @store(%x: memref<?xf32>, %r: memref<?xf32>, %y: memref<?xf32>, %s: f32, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %xv = tang.view %x[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %rv = tang.view %r[%m] : memref<?xf32> -> memref<?xf32>
    %yv = tang.view %y[%m, %n] : memref<?xf32> -> memref<?x?xf32>
    %a = tang.load %xv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) : memref<?x?xf32> -> vector<4x8xf32>
    %row = tang.load %rv at affine_map<(d0, d1) -> (d0)>(%c0, %c0) : memref<?xf32> -> vector<4x8xf32>
    %e = math.exp %row : vector<4x8xf32>
    %p = arith.mulf %a, %e : vector<4x8xf32>
    %b = vector.broadcast %s : f32 to vector<4x8xf32>
    %q = arith.addf %p, %b : vector<4x8xf32>
    tang.store %q, %yv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) counts(%m, %n) : vector<4x8xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Maps with divisions and symbols; dimensions of size 1 need no loop; an index tile is a base and a position.
// CHECK-LABEL: gpu.func @access
// CHECK-SAME: %[[X:.*]]: memref<?xindex>, %[[Y:.*]]: memref<?xindex>, %[[B:.*]]: index, %[[S:.*]]: index)
// CHECK: scf.for %[[J:.*]] = %c0 to %c8 step %c1 {
// CHECK-DAG: %[[D:.*]] = arith.addi %[[B]], %[[J]]
// CHECK-DAG: arith.remsi %[[D]], %c3
// CHECK-NOT: scf.for
// CHECK: memref.store %{{.*}}, %[[Y]][%{{.*}}]
gpu.module @kernels {
  gpu.func @access(%x: memref<?xindex>, %y: memref<?xindex>, %b: index, %s: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %xv = tang.view %x : memref<?xindex> -> memref<3x50xindex>
    %yv = tang.view %y : memref<?xindex> -> memref<99xindex>
    %a = tang.load %xv at affine_map<(d0, d1)[s0] -> (d1 mod 3, d1 floordiv 2 + s0)>(%c0, %b, %s) : memref<3x50xindex> -> vector<1x8xindex>
    %i = tang.coord %b dim 1 : vector<1x8xindex>
    %p = arith.addi %a, %i : vector<1x8xindex>
    tang.store %p, %yv at affine_map<(d0, d1)[s0] -> (d1 + s0)>(%c0, %b, %s) counts(%c1, %c8) : vector<1x8xindex>, memref<99xindex>
    gpu.return
  }
}

// -----

// Out of range in any dimension, below 0 too, or with a false condition: zero, and no read.
// CHECK-LABEL: gpu.func @gather
// CHECK: %[[C:.*]] = arith.cmpi ne, %{{.*}}, %c7_i32
// CHECK: %[[A:.*]] = arith.cmpi ult, %[[R:.*]], %[[M:.*]] : index
// CHECK: %[[D:.*]] = arith.andi %[[C]], %[[A]]
// CHECK: %[[B:.*]] = arith.cmpi ult, %[[S:.*]], %c5
// CHECK: %[[IN:.*]] = arith.andi %[[D]], %[[B]]
// CHECK: %[[V:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK: memref.load
// CHECK: } else {
// CHECK-NEXT: scf.yield %cst
// CHECK: memref.store %[[V]]
gpu.module @kernels {
  gpu.func @gather(%x: memref<?xf32>, %k: memref<?xi32>, %y: memref<?xf32>, %m: index) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %xv = tang.view %x[%m] : memref<?xf32> -> memref<?x5xf32>
    %kv = tang.view %k : memref<?xi32> -> memref<8xi32>
    %yv = tang.view %y : memref<?xf32> -> memref<8xf32>
    %i = tang.load %kv at affine_map<(d0) -> (d0)>(%c0) : memref<8xi32> -> vector<8xi32>
    %r = arith.index_cast %i : vector<8xi32> to vector<8xindex>
    %s = tang.coord %c0 dim 0 : vector<8xindex>
    %z = arith.constant dense<7> : vector<8xi32>
    %c = arith.cmpi ne, %i, %z : vector<8xi32>
    %v = tang.gather_load %xv[%r, %s] if %c : memref<?x5xf32>, vector<8xindex>, vector<8xindex> if vector<8xi1> -> vector<8xf32>
    tang.store %v, %yv at affine_map<(d0) -> (d0)>(%c0) counts(%c8) : vector<8xf32>, memref<8xf32>
    gpu.return
  }
}

// -----

// A matrix product. The state is a local array, filled before and stored after the stream. In a step the folded
// dimension is outside of the last kept one, which is dense; an operand that does not have it is read once.
// CHECK-LABEL: gpu.func @fold
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[C:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK: %[[ACC:.*]] = memref.alloca() {tang.name = "{{.*}}"} : memref<4x64xf32>
// CHECK: memref.store %cst, %[[ACC]]
// CHECK: scf.for %[[K:.*]] = %c0 to %[[N]] step %c16 {
// CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[K]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[REST]], %c16
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK: scf.for %[[L:.*]] = %c0 to %[[COUNT]] step %c1 {
// CHECK: %[[X:.*]] = memref.load %[[A]]
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c1 {
// CHECK: %[[Y:.*]] = memref.load %[[B]]
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK: %[[OLD:.*]] = memref.load %[[ACC]][%[[I]], %[[J]]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[P]]
// CHECK: memref.store %[[NEW]], %[[ACC]][%[[I]], %[[J]]]
// CHECK: {tang.comment = "stream over d2"}
// CHECK: memref.load %[[ACC]]
// CHECK: memref.store %{{.*}}, %[[C]]
gpu.module @kernels {
  gpu.func @fold(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %av = tang.view %a[%n] : memref<?xf32> -> memref<4x?xf32>
    %bv = tang.view %b[%n] : memref<?xf32> -> memref<?x64xf32>
    %cv = tang.view %c : memref<?xf32> -> memref<4x64xf32>
    %zero = arith.constant dense<0.0> : vector<4x64xf32>
    %r = tang.stream %k = %c0 to %n step 16 carry(%acc = %zero : vector<4x64xf32>) attributes {comment = "d2"} {
      %rest = arith.subi %n, %k : index
      %count = arith.minsi %rest, %c16 : index
      %x = tang.load %av at affine_map<(d0, d1, d2) -> (d0, d2)>(%c0, %c0, %k) : memref<4x?xf32> -> vector<4x64x16xf32>
      %y = tang.load %bv at affine_map<(d0, d1, d2) -> (d2, d1)>(%c0, %c0, %k) : memref<?x64xf32> -> vector<4x64x16xf32>
      %p = arith.mulf %x, %y : vector<4x64x16xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c4, %c64, %count) : vector<4x64x16xf32> into vector<4x64xf32>
      tang.yield %f : vector<4x64xf32>
    }
    tang.store %r, %cv at affine_map<(d0, d1) -> (d0, d1)>(%c0, %c0) counts(%c4, %c64) : vector<4x64xf32>, memref<4x64xf32>
    gpu.return
  }
}

// -----

// In reverse the last step comes first, and it is the one that may be partial.
// CHECK-LABEL: gpu.func @reverse
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK-DAG: %[[LENGTH:.*]] = arith.subi %[[HI]], %[[LO]]
// CHECK-DAG: %[[STEPS:.*]] = arith.ceildivsi %[[LENGTH]], %c16
// CHECK: scf.for %[[T:.*]] = %c0 to %[[STEPS]] step %c1 {
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[STEPS]], %[[T]]
// CHECK-NEXT: %[[BACK:.*]] = arith.subi %[[LEFT]], %c1
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[BACK]], %c16
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[LO]], %[[OFFSET]]
// CHECK: arith.subi %[[HI]], %[[I]]
gpu.module @kernels {
  gpu.func @reverse(%x: memref<?xf32>, %lo: index, %hi: index) kernel {
    %c16 = arith.constant 16 : index
    %xv = tang.view %x[%hi] : memref<?xf32> -> memref<?xf32>
    %one = arith.constant dense<1.0> : vector<16xf32>
    tang.stream %i = %lo to %hi step 16 reverse {
      %rest = arith.subi %hi, %i : index
      %n = arith.minsi %rest, %c16 : index
      tang.store %one, %xv at affine_map<(d0) -> (d0)>(%i) counts(%n) : vector<16xf32>, memref<?xf32>
    }
    gpu.return
  }
}

// -----

// A scatter checks every index and the condition, then combines with what is there, all states at once.
// CHECK-LABEL: gpu.func @scatter
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>,
// CHECK: scf.for %[[I:.*]] = %c0 to %c8 step %c1 {
// CHECK: scf.if %{{.*}} {
// CHECK: %[[AT:.*]] = arith.addi
// CHECK: %[[A:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK: %[[B:.*]] = memref.load %[[Y]][%[[AT]]]
// CHECK: %[[C:.*]] = arith.mulf %{{.*}}, %[[A]]
// CHECK: %[[D:.*]] = arith.mulf %{{.*}}, %[[B]]
// CHECK: %[[E:.*]] = arith.addf %[[D]]
// CHECK: memref.store %[[C]], %[[X]][%[[AT]]]
// CHECK: memref.store %[[E]], %[[Y]][%[[AT]]]
gpu.module @kernels {
  gpu.func @scatter(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %s: f32, %t: i1) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %xv = tang.view %x[%n] : memref<?xf32> -> memref<?x7xf32>
    %yv = tang.view %y[%n] : memref<?xf32> -> memref<?x7xf32>
    %v = vector.broadcast %s : f32 to vector<8xf32>
    %c = vector.broadcast %t : i1 to vector<8xi1>
    %i = tang.coord %n dim 0 : vector<8xindex>
    tang.scatter_store #tang.monoid<affine> %v, %v into %xv, %yv[%i, %i] if %c counts(%c8) : vector<8xf32>, vector<8xf32> into memref<?x7xf32>, memref<?x7xf32>[vector<8xindex>, vector<8xindex>] if vector<8xi1>
    gpu.return
  }
}

// -----

// Of rank 0 there are no loops and the state is one number. Work within an scf.if stays there, on both sides.
// CHECK-LABEL: gpu.func @rank0
// CHECK: scf.if
// CHECK-NEXT: %[[V:.*]] = memref.load %[[X:.*]][%c0]
// CHECK-NEXT: memref.store %[[V]], %[[ACC:.*]][]
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[ACC]][]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %cst
// CHECK-NEXT: memref.store %[[NEW]], %[[ACC]][]
// CHECK-NEXT: %[[R:.*]] = memref.load %[[ACC]][]
// CHECK-NEXT: memref.store %[[R]], %[[X]][%c0]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store %cst, %[[X]][%c0]
gpu.module @kernels {
  gpu.func @rank0(%x: memref<?xf32>, %b: i1) kernel {
    %xv = tang.view %x : memref<?xf32> -> memref<1xf32>
    %one = arith.constant dense<1.0> : vector<f32>
    scf.if %b {
      %a = tang.load %xv at affine_map<() -> (0)>() : memref<1xf32> -> vector<f32>
      %f = tang.fold #tang.monoid<add> %one along [] into %a counts() : vector<f32> into vector<f32>
      tang.store %f, %xv at affine_map<() -> (0)>() counts() : vector<f32>, memref<1xf32>
    } else {
      tang.store %one, %xv at affine_map<() -> (0)>() counts() : vector<f32>, memref<1xf32>
    }
    gpu.return
  }
}

// -----

// Stores of tiles of one shape and counts share their loops; others do not.
// CHECK-LABEL: gpu.func @shared_loops
// CHECK: scf.for
// CHECK-NEXT: memref.store %cst, %{{.*}}[%[[I:.*]]]
// CHECK-NEXT: memref.store %cst, %{{.*}}[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
gpu.module @kernels {
  gpu.func @shared_loops(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %xv = tang.view %x[%n] : memref<?xf32> -> memref<?xf32>
    %yv = tang.view %y[%n] : memref<?xf32> -> memref<?xf32>
    %zv = tang.view %z[%n] : memref<?xf32> -> memref<?xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    tang.store %one, %xv at affine_map<(d0) -> (d0)>(%c0) counts(%n) : vector<8xf32>, memref<?xf32>
    tang.store %one, %yv at affine_map<(d0) -> (d0)>(%c0) counts(%n) : vector<8xf32>, memref<?xf32>
    tang.store %one, %zv at affine_map<(d0) -> (d0)>(%c0) counts(%m) : vector<8xf32>, memref<?xf32>
    gpu.return
  }
}
