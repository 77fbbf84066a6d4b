// What AgentAlgebra.cpp does to tiles, one law a kernel, seen in how often an operation is left in the code of a consumer:
// a thread holds 8 numbers of the 64 x 16 tile and 2 of a row. Beside each law is a case where it must not be used.
// RUN: tang-opt %s --tang-warp-specialize --canonicalize --cse --split-input-file | FileCheck %s

// f(broadcast x, broadcast y): two additions of rows, then eight of the tile.
// CHECK-LABEL: gpu.func @rows
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-10: arith.addf {{.*}} : f32
// CHECK-NOT: arith.addf {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @rows(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %r1: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %rv1 = tang.view %r1 : memref<?xf32> -> memref<64xf32>
    %row1 = tang.load %rv1 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %b0 = vector.broadcast %row0 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %b1 = vector.broadcast %row1 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %t = arith.addf %b0, %b1 : vector<64x16x1xf32>
    %z = arith.addf %s, %t : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// select(c, x, x · a) with c and a of a row: the factor is selected.
// CHECK-LABEL: gpu.func @scale_by_row
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-2: arith.select {{.*}} : f32
// CHECK-COUNT-8: arith.mulf {{.*}} : f32
// CHECK-NOT: arith.{{select|mulf}} {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @scale_by_row(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %nil = arith.constant dense<0.0> : vector<64x1x1xf32>
    %c = arith.cmpf oeq, %row0, %nil : vector<64x1x1xf32>
    %cb = vector.broadcast %c : vector<64x1x1xi1> to vector<64x16x1xi1>
    %ab = vector.broadcast %row0 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %t = arith.mulf %s, %ab : vector<64x16x1xf32>
    %z = arith.select %cb, %s, %t : vector<64x16x1xi1>, vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// A condition of the tile itself stays one.
// CHECK-LABEL: gpu.func @scale_by_element
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-8: arith.mulf {{.*}} : f32
// CHECK-COUNT-8: arith.select {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @scale_by_element(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %c = arith.cmpf oeq, %s, %zero : vector<64x16x1xf32>
    %ab = vector.broadcast %row0 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %t = arith.mulf %s, %ab : vector<64x16x1xf32>
    %z = arith.select %c, %s, %t : vector<64x16x1xi1>, vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// max(k · x) = k · max(x) for k > 0: two products. Of a row: 3 maxima among 4 columns, 2 among lanes, one with the state.
// CHECK-LABEL: gpu.func @maximum_of_scaled
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: arith.mulf
// CHECK: nvvm.shfl.sync bfly
// CHECK-COUNT-2: arith.mulf {{.*}} : f32
// CHECK-NOT: arith.mulf {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @maximum_of_scaled(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %k = arith.constant dense<0.5> : vector<64x16x1xf32>
    %t = arith.mulf %s, %k : vector<64x16x1xf32>
    %z = tang.fold #tang.monoid<maximum> %t along [1] into %row0 counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
    tang.store %z, %ov at #r(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Also where the tile is masked with -inf.
// CHECK-LABEL: gpu.func @maximum_of_masked
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: arith.mulf
// CHECK: arith.select {{.*}} : f32
// CHECK-NOT: arith.mulf
// CHECK: nvvm.shfl.sync bfly
// CHECK-COUNT-2: arith.mulf {{.*}} : f32
// CHECK-NOT: arith.mulf {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @maximum_of_masked(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %k = arith.constant dense<0.5> : vector<64x16x1xf32>
    %t = arith.mulf %s, %k : vector<64x16x1xf32>
    %inf = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %c = arith.cmpf oeq, %s, %zero : vector<64x16x1xf32>
    %masked = arith.select %c, %t, %inf : vector<64x16x1xi1>, vector<64x16x1xf32>
    %z = tang.fold #tang.monoid<maximum> %masked along [1] into %row0 counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
    tang.store %z, %ov at #r(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Not for a negative factor.
// CHECK-LABEL: gpu.func @maximum_of_negated
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-8: arith.mulf {{.*}} : f32
// CHECK: nvvm.shfl.sync bfly
// CHECK-NOT: arith.mulf {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @maximum_of_negated(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %k = arith.constant dense<-0.5> : vector<64x16x1xf32>
    %t = arith.mulf %s, %k : vector<64x16x1xf32>
    %z = tang.fold #tang.monoid<maximum> %t along [1] into %row0 counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
    tang.store %z, %ov at #r(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// exp(k · x - r) = 2^(x · k log2(e) - r log2(e)), r a running maximum: a product and a negation a row, then one fma an element. 0.5 log2(e) = 0.72134751.
// CHECK-LABEL: gpu.func @exponent
// CHECK: %[[K:.*]] = arith.constant 0.72134751 : f32
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-8: math.fma %{{.*}}, %[[K]], %{{.*}} : f32
// CHECK-NOT: math.exp
// CHECK-NOT: arith.subf
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @exponent(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %k = arith.constant dense<0.5> : vector<64x16x1xf32>
    %t = arith.mulf %s, %k : vector<64x16x1xf32>
    %m = tang.fold #tang.monoid<maximum> %t along [1] into %row0 counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
    %rb = vector.broadcast %m : vector<64x1x1xf32> to vector<64x16x1xf32>
    %d = arith.subf %t, %rb : vector<64x16x1xf32>
    %z = math.exp %d : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// Where r is no running maximum nothing would cancel the rounding of r log2(e): the difference is taken first.
// CHECK-LABEL: gpu.func @loaded_exponent
// CHECK: %[[L:.*]] = arith.constant 1.44269502 : f32
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-8: arith.subf {{.*}} : f32
// CHECK: arith.mulf %{{.*}}, %[[L]] : f32
// CHECK-NOT: math.{{fma|exp}}
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @loaded_exponent(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %k = arith.constant dense<0.5> : vector<64x16x1xf32>
    %t = arith.mulf %s, %k : vector<64x16x1xf32>
    %rb = vector.broadcast %row0 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %d = arith.subf %t, %rb : vector<64x16x1xf32>
    %z = math.exp %d : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// An exponential of anything else is what math.exp is.
// CHECK-LABEL: gpu.func @other_exponent
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: math.exp
// CHECK-NOT: ex2.approx
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @other_exponent(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = math.exp %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// x / r = x · (1 / r) where the result is rounded to 16 bits.
// CHECK-LABEL: gpu.func @divide_by_row
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-2: arith.divf {{.*}} : f32
// CHECK-COUNT-8: arith.mulf {{.*}} : f32
// CHECK-NOT: arith.divf
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @divide_by_row(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xbf16>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xbf16> -> memref<64x16xbf16>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %rb = vector.broadcast %row0 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %q = arith.divf %s, %rb : vector<64x16x1xf32>
    %z = arith.truncf %q : vector<64x16x1xf32> to vector<64x16x1xbf16>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xbf16>, memref<64x16xbf16>
    gpu.return
  }
}

// -----

// Not where the result is f32.
// CHECK-LABEL: gpu.func @divide_in_f32
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-8: arith.divf {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @divide_in_f32(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %rb = vector.broadcast %row0 : vector<64x1x1xf32> to vector<64x16x1xf32>
    %z = arith.divf %s, %rb : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// x + a sum from 0 is the sum from x: the matrix unit adds to its accumulator (scale-d is 1, or the predicate of the first
// step), and no addition is left. Then the stream is a chain: at most one step is under way when the next is issued.
// CHECK-LABEL: gpu.func @sum_into_accumulator
// CHECK: setp.ne.b32 p, ${{[0-9]+}}, 0; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 0;
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: arith.addf
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @sum_into_accumulator(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %sum = arith.addf %acc, %f : vector<64x16x1xf32>
      tang.yield %sum : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// A sum that something else reads, too, starts from 0.
// CHECK-LABEL: gpu.func @sum_used_twice
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{.*}} 0, 1, 1, 0, 0;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-8: arith.addf {{.*}} : f32
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  gpu.func @sum_used_twice(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %sum = arith.addf %acc, %f : vector<64x16x1xf32>
      %again = arith.mulf %sum, %f : vector<64x16x1xf32>
      tang.yield %again : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}
