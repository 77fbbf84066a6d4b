// RUN: tang-opt %s --tang-apply-schedule --canonicalize --cse --split-input-file --verify-each | FileCheck %s

// A program finds its tile from its number, last dimension fastest; at the borders counts are less than the tile. The
// kernel takes linear buffers, then sizes and scalars; names lead back to the function.
// CHECK-LABEL: func @map
// CHECK-SAME: %[[X:.*]]: memref<10x?xf32>, %[[Y:.*]]: memref<?xf32>, %[[S:.*]]: f32, %[[O:.*]]: memref<10x?xf32>)
// CHECK-DAG: %[[N:.*]] = memref.dim %[[O]], %c1
// CHECK-DAG: %[[COLUMNS:.*]] = arith.ceildivui %[[N]], %c64
// CHECK-DAG: %[[P:.*]] = arith.muli %[[COLUMNS]], %c3
// CHECK: gpu.launch_func @kernels::@map_map0 blocks in (%[[P]], %c1, %c1) threads in (%c1, %c1, %c1)
// CHECK: gpu.func @map_map0(%[[A0:.*]]: memref<?xf32> {tang.name = "arg0", tang.readonly}, %{{.*}}: memref<?xf32> {tang.name = "arg1", tang.readonly},
// CHECK-SAME: %{{.*}}: memref<?xf32> {tang.name = "arg3"}, %[[N:[a-z0-9]+]]: index {tang.name = "n1", tang.size}, %[[C:[a-z0-9]+]]: f32 {tang.name = "c0"},
// CHECK-SAME: kernel attributes {tang.block = 1 : i64, tang.comment = "map, tile 4x64"}
// CHECK-DAG: %[[ID:.*]] = gpu.block_id x
// CHECK-DAG: %[[TILES:.*]] = arith.ceildivui %[[N]], %c64
// CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[ID]], %[[TILES]]
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[ID]], %[[TILES]]
// CHECK-DAG: %[[J:.*]] = arith.muli %[[COLUMN]], %c64
// CHECK-DAG: %[[REST:.*]] = arith.subi %[[N]], %[[J]]
// CHECK-DAG: %[[NJ:.*]] = arith.minsi %[[REST]], %c64
// CHECK-DAG: %[[I:.*]] = arith.muli %[[ROW]], %c4
// CHECK-DAG: %[[REST:.*]] = arith.subi %c10, %[[I]]
// CHECK-DAG: %[[NI:.*]] = arith.minsi %[[REST]], %c4
// CHECK: %[[A:.*]] = tang.load %{{.*}} at #{{.*}}(%[[I]], %[[J]]) : memref<10x?xf32> -> vector<4x64xf32>
// CHECK: %[[B:.*]] = tang.load %{{.*}} at #{{.*}}(%[[I]], %[[J]]) : memref<?xf32> -> vector<4x64xf32>
// CHECK: vector.broadcast %[[C]] : f32 to vector<4x64xf32>
// CHECK: arith.mulf %[[A]], %[[B]] : vector<4x64xf32>
// CHECK: tang.store %{{.*}}, %{{.*}} at #{{.*}}(%[[I]], %[[J]]) counts(%[[NI]], %[[NJ]]) : vector<4x64xf32>, memref<10x?xf32>
func.func @map(%x: memref<10x?xf32>, %y: memref<?xf32>, %s: f32, %o: memref<10x?xf32>) {
  tang.map [i, j] ins(%x[i, j], %y[j] : memref<10x?xf32>, memref<?xf32>) with(%s : f32) outs(%o : memref<10x?xf32>)
    attributes {schedule = #tang.schedule<tile = [4, 64], block = 1>} (%a: f32, %b: f32, %c: f32) {
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %c : f32
    tang.yield %q : f32
  }
  return
}

// -----

// Where several threads make a block, each runs one program and the last ones none.
// CHECK-LABEL: func @threads
// CHECK: gpu.launch_func @kernels::@threads_map0 blocks in (%c16, %c1, %c1) threads in (%c64, %c1, %c1)
// CHECK: gpu.func @threads_map0
// CHECK: %[[WHERE:.*]] = arith.addi
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[WHERE]], %c1000
// CHECK: scf.if %[[IN]] {
// CHECK: tang.load %{{.*}} at #{{.*}}(%[[WHERE]]) : memref<1000xf32> -> vector<1xf32>
func.func @threads(%x: memref<1000xf32>, %o: memref<1000xf32>) {
  tang.map [i] ins(%x[i] : memref<1000xf32>) outs(%o : memref<1000xf32>) attributes {schedule = #tang.schedule<tile = [1], block = 64>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// Symbols, constant and not, captures of buffers, tang.index, a buffer read twice and written: one argument each.
// CHECK-LABEL: func @operands
// CHECK: args(%{{[a-z0-9]+}} : memref<?xf32>, %{{[a-z0-9]+}} : memref<?xf32>, %arg2 : index)
// CHECK: gpu.func @operands_map0(%{{.*}}: memref<?xf32> {tang.name = "arg0", tang.readonly}, %{{.*}}: memref<?xf32> {tang.name = "arg1"}, %[[N:.*]]: index {tang.name = "s0"})
// CHECK: %[[V:.*]] = tang.view %{{.*}} : memref<?xf32> -> memref<99xf32>
// CHECK: %[[A:.*]] = tang.load %[[V]] at #{{.*}}(%[[B:.*]], %[[N]], %c3) : memref<99xf32> -> vector<8xf32>
// CHECK: %[[I:.*]] = tang.coord %[[B]] dim 0 : vector<8xindex>
// CHECK: tang.gather_load %[[V]][%[[I]]] if %{{.*}} : memref<99xf32>, vector<8xindex> if vector<8xi1> -> vector<8xf32>
func.func @operands(%x: memref<99xf32>, %o: memref<8xf32>, %n: index) {
  %three = arith.constant 3 : index
  %true = arith.constant true
  tang.map [i] symbols(m = %n, k = %three) ins(%x[i * 2 + m + k] : memref<99xf32>) with(%x, %true : memref<99xf32>, i1) outs(%o : memref<8xf32>)
    attributes {schedule = #tang.schedule<tile = [8], block = 1>} (%a: f32, %s: memref<99xf32>, %c: i1) {
    %i = tang.index 0
    %z = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %z : f32
    %q = arith.andi %p, %c : i1
    %v = tang.at %s[%i] if %q : memref<99xf32>
    tang.yield %v : f32
  }
  return
}

// -----

// A reduce carries its state through the streams of the reduced dimensions, in the domain's order.
// CHECK-LABEL: func @reduce
// CHECK: gpu.func @reduce_reduce0{{.*}}tang.comment = "reduce add over d1, d2, tile 4x1x16"
// CHECK: %[[T:.*]] = tang.load %[[O:.*]] at #{{.*}}(%c0) : memref<4xf32> -> vector<4xf32>
// CHECK: %[[R:.*]] = tang.stream %[[K:.*]] = %c0 to %c100 step 1 carry(%[[A:.*]] = %[[T]] : vector<4xf32>) attributes {comment = "d1"} {
// CHECK: %[[S:.*]] = tang.stream %[[L:.*]] = %c0 to %c9 step 16 carry(%[[B:.*]] = %[[A]] : vector<4xf32>) attributes {comment = "d2"} {
// CHECK: %[[REST:.*]] = arith.subi %c9, %[[L]]
// CHECK: %[[N:.*]] = arith.minsi %[[REST]], %c16
// CHECK: %[[V:.*]] = tang.load %{{.*}} at #{{.*}}(%c0, %[[K]], %[[L]]) : memref<4x100x9xf32> -> vector<4x1x16xf32>
// CHECK: %[[F:.*]] = tang.fold #tang.monoid<add> %[[V]] along [1, 2] into %[[B]] counts(%c4, %c1, %[[N]]) : vector<4x1x16xf32> into vector<4xf32>
// CHECK: tang.yield %[[F]]
// CHECK: tang.yield %[[S]]
// CHECK: tang.store %[[R]], %[[O]] at #{{.*}}(%c0) counts(%c4) : vector<4xf32>, memref<4xf32>
func.func @reduce(%x: memref<4x100x9xf32>, %o: memref<4xf32>) {
  tang.reduce #tang.monoid<add> [i] over [k = 100, l = 9] ins(%x[i, k, l] : memref<4x100x9xf32>) outs(%o : memref<4xf32>)
    attributes {schedule = #tang.schedule<tile = [4, 1, 16], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// With `init` nothing is read from `outs`. Of rank 0 the state is one element, a buffer of one.
// CHECK-LABEL: func @reduce_init
// CHECK: blocks in (%c1, %c1, %c1)
// CHECK-DAG: %[[I:.*]] = arith.constant dense<-1> : vector<i64>
// CHECK-DAG: %[[V:.*]] = arith.constant dense<0.000000e+00> : vector<f32>
// CHECK: tang.stream %{{.*}} = %c0 to %[[N:.*]] step 16 carry(%{{.*}} = %[[V]] : vector<f32>, %{{.*}} = %[[I]] : vector<i64>)
// CHECK: tang.fold #tang.monoid<argmax> %{{.*}}, %{{.*}} along [0] into
// CHECK: tang.store %{{.*}}, %{{.*}} at #[[MAP:.*]]() counts() : vector<f32>, memref<1xf32>
// CHECK: tang.store %{{.*}}, %{{.*}} at #[[MAP]]() counts() : vector<i64>, memref<1xi64>
func.func @reduce_init(%x: memref<?xf32>, %n: index, %o: memref<f32>, %q: memref<i64>) {
  tang.reduce #tang.monoid<argmax> [] over [k = %n] init(0.0 : f32, -1 : i64) ins(%x[k] : memref<?xf32>) outs(%o, %q : memref<f32>, memref<i64>)
    attributes {schedule = #tang.schedule<tile = [16], block = 1>} (%a: f32) {
    %i = tang.index 0
    %j = arith.index_cast %i : index to i64
    tang.yield %a, %j : f32, i64
  }
  return
}

// -----

// Nothing reduced is one fold without a stream.
// CHECK-LABEL: func @reduce_nothing
// CHECK-NOT: tang.stream
// CHECK: tang.fold #tang.monoid<add> %{{.*}} along [] into %{{.*}} counts(%{{.*}}) : vector<4xf32> into vector<4xf32>
func.func @reduce_nothing(%x: memref<10xf32>, %o: memref<10xf32>) {
  tang.reduce #tang.monoid<add> [i] over [] ins(%x[i] : memref<10xf32>) outs(%o : memref<10xf32>)
    attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// A prefix with its own point is what the fold gives.
// CHECK-LABEL: func @scan
// CHECK: %[[R:.*]] = tang.stream %[[T:.*]] = %c0 to %c100 step 1 carry(%[[A:.*]] = %{{.*}} : vector<4xf32>)
// CHECK: %[[V:.*]] = tang.load %{{.*}} at #{{.*}}(%c0, %[[T]]) : memref<4x100xf32> -> vector<4x1xf32>
// CHECK: %[[F:.*]] = tang.fold #tang.monoid<add> %[[V]] along [1] into %[[A]] counts(%c4, %c1)
// CHECK: tang.store %[[F]], %{{.*}} at #{{.*}}(%c0, %[[T]]) counts(%c4) : vector<4xf32>, memref<4x100xf32>
// CHECK: tang.yield %[[F]]
// CHECK: tang.store %[[R]], %{{.*}} at #{{.*}}(%c0) counts(%c4) : vector<4xf32>, memref<4xf32>
func.func @scan(%x: memref<4x100xf32>, %o: memref<4x100xf32>, %s: memref<4xf32>) {
  tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : memref<4x100xf32>) outs(%o, %s : memref<4x100xf32>, memref<4xf32>)
    attributes {schedule = #tang.schedule<tile = [4, 1], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// One without is what it starts from. In reverse the stream is.
// CHECK-LABEL: func @scan_reverse_exclusive
// CHECK: tang.stream %[[T:.*]] = %c0 to %c100 step 1 reverse carry(%[[A:.*]] = %{{.*}} : vector<f32>)
// CHECK: tang.store %[[A]], %{{.*}} at #{{.*}}(%[[T]]) counts() : vector<f32>, memref<100xf32>
// CHECK: tang.fold
func.func @scan_reverse_exclusive(%x: memref<100xf32>, %o: memref<100xf32>, %s: memref<f32>) {
  tang.scan #tang.monoid<add> [t] along t reverse exclusive ins(%x[t] : memref<100xf32>) outs(%o, %s : memref<100xf32>, memref<f32>)
    attributes {schedule = #tang.schedule<tile = [1], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// The second dimension is a coordinate of the destination, so that its points never meet; the first is serial.
// CHECK-LABEL: func @scatter
// CHECK: blocks in (%c2, %c1, %c1)
// CHECK: gpu.func @scatter_scatter0{{.*}}tang.comment = "scatter add over d0, tile 16x64"
// CHECK: %[[J:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[REST:.*]] = arith.subi %c100, %[[J]]
// CHECK: %[[N:.*]] = arith.minsi %[[REST]], %c64
// CHECK: tang.stream %[[I:.*]] = %c0 to %c32 step 16 attributes {comment = "d0"} {
// CHECK: %[[V:.*]] = tang.load %{{.*}} at #{{.*}}(%[[I]], %[[J]]) : memref<32x100xf32> -> vector<16x64xf32>
// CHECK: tang.scatter_store #tang.monoid<add> %[[V]] into %{{.*}}[%{{.*}}, %{{.*}}] counts(%c16, %[[N]])
func.func @scatter(%x: memref<32x100xf32>, %h: memref<4x100xf32>) {
  tang.scatter #tang.monoid<add> over [i = 32, j = 100] ins(%x[i, j] : memref<32x100xf32>) outs(%h : memref<4x100xf32>)
    attributes {schedule = #tang.schedule<tile = [16, 64], block = 1>} (%a: f32) {
    %i = tang.index 0
    %j = tang.index 1
    %c4 = arith.constant 4 : index
    %k = arith.remui %i, %c4 : index
    tang.yield %a, %k, %j : f32, index, index
  }
  return
}

// -----

// `unique` makes all parallel; without an index the destination is one element.
// CHECK-LABEL: func @scatter_unique
// CHECK: gpu.func @scatter_unique_scatter0
// CHECK-NOT: tang.stream
// CHECK: tang.scatter_store %{{.*}} into %{{.*}}[%{{.*}}] if %{{.*}} counts(
// CHECK: gpu.func @scatter_unique_scatter1
// CHECK: tang.stream
// CHECK: tang.scatter_store %{{.*}} into %{{.*}}[%cst{{.*}}] counts(
func.func @scatter_unique(%x: memref<32xf32>, %k: memref<32xindex>, %h: memref<32xf32>, %z: memref<f32>) {
  tang.scatter over [i = 32] unique ins(%x[i], %k[i] : memref<32xf32>, memref<32xindex>) outs(%h : memref<32xf32>)
    attributes {schedule = #tang.schedule<tile = [16], block = 1>} (%a: f32, %b: index) {
    %true = arith.constant true
    tang.yield %a, %b, %true : f32, index, i1
  }
  tang.scatter over [i = 32] ins(%x[i] : memref<32xf32>) outs(%z : memref<f32>)
    attributes {schedule = #tang.schedule<tile = [16], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// Rank 0 is one program; a dimension of size 0 is none, and one of a size not known then may be.
// CHECK-LABEL: func @sizes
// CHECK: gpu.launch_func @kernels::@sizes_map0 blocks in (%c1, %c1, %c1)
// CHECK: gpu.launch_func @kernels::@sizes_map1 blocks in (%c0, %c1, %c1)
// CHECK: gpu.func @sizes_map0
// CHECK: tang.store %{{.*}}, %{{.*}} at #{{.*}}() counts() : vector<f32>, memref<1xf32>
func.func @sizes(%x: memref<f32>, %y: memref<0x4xf32>) {
  tang.map [] outs(%x : memref<f32>) attributes {schedule = #tang.schedule<tile = [], block = 1>} () {
    %c = arith.constant 1.0 : f32
    tang.yield %c : f32
  }
  tang.map [i, j] outs(%y : memref<0x4xf32>) attributes {schedule = #tang.schedule<tile = [1, 4], block = 1>} () {
    %c = arith.constant 1.0 : f32
    tang.yield %c : f32
  }
  return
}

// -----

// Every function and every operation has its own kernel; without any there is no module of kernels.
// CHECK-LABEL: func @f
// CHECK: scf.for
// CHECK: gpu.launch_func @kernels::@f_map0
// CHECK: gpu.launch_func @kernels::@f_map1
// CHECK: gpu.launch_func @kernels::@g_map0
func.func @f(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  }
  tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}
func.func @g(%x: memref<4xf32>) {
  tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// CHECK-LABEL: func @nothing
// CHECK-NOT: gpu
func.func @nothing() {
  return
}
