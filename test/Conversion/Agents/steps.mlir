// Which steps StepBounds.cpp finds to need no mask, and which none at all. Scores of 64 rows t and 256 columns s, 16 steps of
// 16; where steps are masked they run last to first: a loop over those with selects, then one over the others, without.
// A producer fills slots for just as many.
// RUN: tang-opt %s --tang-warp-specialize --canonicalize --cse --split-input-file | FileCheck %s

// s <= t: the last row sees steps 0 to 3; no step is seen whole by the first.
// CHECK-LABEL: gpu.func @sle(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @sle(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// s <= t + 32: of 6 steps 0 and 1 need no mask (row 0 sees s = 31).
// CHECK-LABEL: gpu.func @offset(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @offset(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %off = arith.constant dense<32> : vector<64x16x1xindex>
      %toff = arith.addi %t, %off : vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %toff : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// s < t + 32: step 1 still is seen whole (s = 31 < 32), and 95 = 63 + 32 is not seen: the same.
// CHECK-LABEL: gpu.func @slt(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @slt(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %off = arith.constant dense<32> : vector<64x16x1xindex>
      %toff = arith.addi %t, %off : vector<64x16x1xindex>
      %c = arith.cmpi slt, %s, %toff : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// s < t + 33 is s <= t + 32, as is t + 33 > s.
// CHECK-LABEL: gpu.func @sgt(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @sgt(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %off = arith.constant dense<33> : vector<64x16x1xindex>
      %toff = arith.addi %t, %off : vector<64x16x1xindex>
      %c = arith.cmpi sgt, %toff, %s : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// t + 32 >= s.
// CHECK-LABEL: gpu.func @sge(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @sge(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %off = arith.constant dense<32> : vector<64x16x1xindex>
      %toff = arith.addi %t, %off : vector<64x16x1xindex>
      %c = arith.cmpi sge, %toff, %s : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// s - 32 <= t: the offset on the other side.
// CHECK-LABEL: gpu.func @minus(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %c4_i32 to %c6_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @minus(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %off = arith.constant dense<32> : vector<64x16x1xindex>
      %soff = arith.subi %s, %off : vector<64x16x1xindex>
      %c = arith.cmpi sle, %soff, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Known as a number of 32 bits.
// CHECK-LABEL: gpu.func @cast(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @cast(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %s32 = arith.index_cast %s : vector<64x16x1xindex> to vector<64x16x1xi32>
      %t32 = arith.index_cast %t : vector<64x16x1xindex> to vector<64x16x1xi32>
      %c = arith.cmpi sle, %s32, %t32 : vector<64x16x1xi32>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// A masked score of -1e30 may be the maximum: no step is left out, but those after step 1 only are masked.
// CHECK-LABEL: gpu.func @finite(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c14_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c14_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c14_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %c14_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @finite(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<-1.0e30> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %off = arith.constant dense<32> : vector<64x16x1xindex>
      %toff = arith.addi %t, %off : vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %toff : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// The last steps are true, the first ones false: not a bound, all steps are masked.
// CHECK-LABEL: gpu.func @lower(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @lower(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi sge, %s, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Nor is inequality.
// CHECK-LABEL: gpu.func @unequal(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @unequal(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi ne, %s, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Unsigned comparisons are not taken for signed ones.
// CHECK-LABEL: gpu.func @unsigned(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @unsigned(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi ule, %s, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Twice the step is no form that grows with it by one.
// CHECK-LABEL: gpu.func @twice(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @twice(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %ss = arith.addi %s, %s : vector<64x16x1xindex>
      %c = arith.cmpi sle, %ss, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Two conditions: steps without masks are those where both hold; none is left out.
// CHECK-LABEL: gpu.func @two(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-16: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @two(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %t : vector<64x16x1xindex>
      %off = arith.constant dense<32> : vector<64x16x1xindex>
      %toff = arith.addi %t, %off : vector<64x16x1xindex>
      %d = arith.cmpi sle, %s, %toff : vector<64x16x1xindex>
      %x1 = arith.select %d, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %x = arith.select %c, %x1, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// A sum of exponentials: exp(-inf - r) = 0 adds nothing.
// CHECK-LABEL: gpu.func @sum(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @sum(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0.0> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %t : vector<64x16x1xindex>
      %x0 = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %r = arith.constant dense<1.0> : vector<64x16x1xf32>
      %x1 = arith.subf %x0, %r : vector<64x16x1xf32>
      %x = math.exp %x1 : vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<add> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// A sum of the masked scores themselves does not stay what it is.
// CHECK-LABEL: gpu.func @sum_of_masked(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @sum_of_masked(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0.0> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<add> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// Where 0 is summed instead, it does.
// CHECK-LABEL: gpu.func @sum_of_zeros(
// CHECK: nvvm.setmaxregister decrease
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @sum_of_zeros(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0.0> : vector<64x16x1xf32>
    %start = arith.constant dense<0.0> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<256x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<256x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %c = arith.cmpi sle, %s, %t : vector<64x16x1xindex>
      %x = arith.select %c, %score, %other : vector<64x16x1xi1>, vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<add> %x along [1] into %acc counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// 250 columns: the last step has 10. It runs first, and masks what lies beyond.
// CHECK-LABEL: gpu.func @ragged(
// CHECK: nvvm.setmaxregister decrease
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for %{{.*}} = %c1_i32 to %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT: scf.for
// CHECK: nvvm.setmaxregister increase
// CHECK: wgmma.mma_async
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK: scf.for %{{.*}} = %c1_i32 to %c16_i32
// CHECK: wgmma.mma_async
// CHECK-NOT: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @ragged(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 250 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<250x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<250x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %left = arith.subi %upper, %i : index
      %n = arith.minsi %left, %c16 : index
      %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %n, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %x = arith.addf %score, %zero : vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %n, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}

// -----

// 10 columns, in one step: what range analysis has made a constant is masked likewise.
// CHECK-LABEL: gpu.func @short(
// CHECK: nvvm.setmaxregister increase
// CHECK: wgmma.mma_async
// CHECK: arith.cmpi slt, %{{.*}}, %c10_i32
// CHECK-COUNT-8: arith.select {{.*}} : f32
// CHECK-NOT: scf.for
#q = affine_map<(t, s, d) -> (t, d)>
#k = affine_map<(t, s, d) -> (s, d)>
#t = affine_map<(t, s, d) -> (t)>
gpu.module @kernels {
  gpu.func @short(%q: memref<?xbf16> {tang.readonly}, %k: memref<?xbf16> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %upper = arith.constant 10 : index
    %n = arith.constant 10 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %other = arith.constant dense<0xFF800000> : vector<64x16x1xf32>
    %start = arith.constant dense<0xFF800000> : vector<64x1x1xf32>
    %qv = tang.view %q : memref<?xbf16> -> memref<64x64xbf16>
    %kv = tang.view %k : memref<?xbf16> -> memref<10x64xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64xf32>
    %m = tang.stream %i = %c0 to %upper step 16 carry(%acc = %start : vector<64x1x1xf32>) {
      %a = tang.load %qv at #q(%c0, %i, %c0) : memref<64x64xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %kv at #k(%c0, %i, %c0) : memref<10x64xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
            %score = tang.fold #tang.monoid<add> %p along [2] into %zero counts(%c64, %n, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      %t1 = tang.coord %c0 dim 0 : vector<64x1x1xindex>
      %s1 = tang.coord %i dim 1 : vector<1x16x1xindex>
      %t = vector.broadcast %t1 : vector<64x1x1xindex> to vector<64x16x1xindex>
      %s = vector.broadcast %s1 : vector<1x16x1xindex> to vector<64x16x1xindex>
      %x = arith.addf %score, %zero : vector<64x16x1xf32>
      %f = tang.fold #tang.monoid<maximum> %x along [1] into %acc counts(%c64, %n, %c1) : vector<64x16x1xf32> into vector<64x1x1xf32>
      tang.yield %f : vector<64x1x1xf32>
    }
    tang.store %m, %ov at #t(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
    gpu.return
  }
}
