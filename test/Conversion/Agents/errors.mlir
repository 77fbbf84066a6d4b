// What an asynchronous schedule cannot be used for: one error, by the name of the rule.
// RUN: tang-opt %s --tang-warp-specialize --split-input-file --verify-diagnostics

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a program has 64 rows, 2 consumers work on 128}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 384, async = <consumers = 2, stages = 2, skew = 0, raster = 1>>} {
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
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': rings and staging take 328960 bytes of shared memory, the target has 232448}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 16, skew = 0, raster = 1>>} {
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
    %s = tang.stream %i = %c0 to %c128 step 128 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x128xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x128xbf16>
      %aw = arith.extf %a : vector<64x1x128xbf16> to vector<64x1x128xf32>
      %bw = arith.extf %b : vector<1x16x128xbf16> to vector<1x16x128xf32>
      %ab = vector.broadcast %aw : vector<64x1x128xf32> to vector<64x16x128xf32>
      %bb = vector.broadcast %bw : vector<1x16x128xf32> to vector<64x16x128xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x128xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c128) : vector<64x16x128xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': no fold is a sum of products of two 16-bit tiles}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
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
      %f = tang.fold #tang.monoid<maximum> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': no fold is a sum of products of two 16-bit tiles}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
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
      %p = arith.addf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a contraction has 24 columns; with 1 consumers multiples of 16 up to 256 are possible}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x24x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<24x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x24xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x24x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<24x128xbf16> -> vector<1x24x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x24x64xbf16> to vector<1x24x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x24x64xf32>
      %bb = vector.broadcast %bw : vector<1x24x64xf32> to vector<64x24x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x24x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x24x64xf32> into vector<64x24x1xf32>
      tang.yield %f : vector<64x24x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x24x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x24x1xf32>, memref<64x24xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a contraction has 272 columns; with 1 consumers}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 272 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x272x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<272x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x272xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x272x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<272x128xbf16> -> vector<1x272x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x272x64xbf16> to vector<1x272x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x272x64xf32>
      %bb = vector.broadcast %bw : vector<1x272x64xf32> to vector<64x272x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x272x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x272x64xf32> into vector<64x272x1xf32>
      tang.yield %f : vector<64x272x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x272x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x272x1xf32>, memref<64x272xf32>
    gpu.return
  }
}

// -----

// The registers that a thread of three consumers starts with hold no more.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a contraction has 208 columns; with 3 consumers multiples of 16 up to 192 are possible}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 512 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 512, async = <consumers = 3, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 208 : index
    %c64 = arith.constant 192 : index
    %d64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<192x208x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<192x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<208x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<192x208xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<192xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<192xf32> -> vector<192x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<192x208x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<192x128xbf16> -> vector<192x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<208x128xbf16> -> vector<1x208x64xbf16>
      %aw = arith.extf %a : vector<192x1x64xbf16> to vector<192x1x64xf32>
      %bw = arith.extf %b : vector<1x208x64xbf16> to vector<1x208x64xf32>
      %ab = vector.broadcast %aw : vector<192x1x64xf32> to vector<192x208x64xf32>
      %bb = vector.broadcast %bw : vector<1x208x64xf32> to vector<192x208x64xf32>
      %p = arith.mulf %ab, %bb : vector<192x208x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %d64) : vector<192x208x64xf32> into vector<192x208x1xf32>
      tang.yield %f : vector<192x208x1xf32>
    }
    %z = arith.mulf %s, %s : vector<192x208x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<192x208x1xf32>, memref<192x208xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a contraction sums 24 products in a step, not a multiple of 16}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c24 = arith.constant 24 : index
    %c96 = arith.constant 96 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x128xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c96 step 24 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x24xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x24xbf16>
      %aw = arith.extf %a : vector<64x1x24xbf16> to vector<64x1x24xf32>
      %bw = arith.extf %b : vector<1x16x24xbf16> to vector<1x16x24xf32>
      %ab = vector.broadcast %aw : vector<64x1x24xf32> to vector<64x16x24xf32>
      %bb = vector.broadcast %bw : vector<1x16x24xf32> to vector<64x16x24xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x24xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c24) : vector<64x16x24xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// Zeros beyond the end of memory stand for what a step leaves out, and nothing for what memory has.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a contraction leaves out products that memory has}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
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
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c16) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// A pitch of 200 bytes is no multiple of 16.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': an operand's memory has no form that copies of boxes take}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : vector<64x16x1xf32>
    %xv = tang.view %x : memref<?xbf16> -> memref<64x100xbf16>
    %yv = tang.view %y : memref<?xbf16> -> memref<16x128xbf16>
    %ov = tang.view %o : memref<?xf32> -> memref<64x16xf32>
    %rv0 = tang.view %r0 : memref<?xf32> -> memref<64xf32>
    %row0 = tang.load %rv0 at #r(%c0, %c0, %c0) : memref<64xf32> -> vector<64x1x1xf32>
    %s = tang.stream %i = %c0 to %c128 step 64 carry(%acc = %zero : vector<64x16x1xf32>) {
      %a = tang.load %xv at #a(%c0, %c0, %i) : memref<64x100xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// Every second element is no box.
#a2 = affine_map<(i, j, k) -> (i, k * 2)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': an operand's memory has no form that copies of boxes take}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
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
      %a = tang.load %xv at #a2(%c0, %c0, %i) : memref<64x128xbf16> -> vector<64x1x64xbf16>
      %b = tang.load %yv at #b(%c0, %c0, %i) : memref<16x128xbf16> -> vector<1x16x64xbf16>
      %aw = arith.extf %a : vector<64x1x64xbf16> to vector<64x1x64xf32>
      %bw = arith.extf %b : vector<1x16x64xbf16> to vector<1x16x64xf32>
      %ab = vector.broadcast %aw : vector<64x1x64xf32> to vector<64x16x64xf32>
      %bb = vector.broadcast %bw : vector<1x16x64xf32> to vector<64x16x64xf32>
      %p = arith.mulf %ab, %bb : vector<64x16x64xf32>
      %f = tang.fold #tang.monoid<add> %p along [2] into %acc counts(%c64, %c16, %c64) : vector<64x16x64xf32> into vector<64x16x1xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

// The tile lies in shared memory; nothing reads it to registers.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a loaded operand of a contraction is used otherwise}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>, %q: memref<?xf32>) kernel
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
    %qv = tang.view %q : memref<?xf32> -> memref<64xf32>
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
      %sq = arith.mulf %aw, %aw : vector<64x1x64xf32>
      %other = tang.fold #tang.monoid<add> %sq along [2] into %row0 counts(%c64, %c1, %c64) : vector<64x1x64xf32> into vector<64x1x1xf32>
      tang.store %other, %qv at #r(%c0, %c0, %c0) counts(%c64, %c1, %c1) : vector<64x1x1xf32>, memref<64xf32>
      tang.yield %f : vector<64x16x1xf32>
    }
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a tile of an element type without registers}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
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
    %d = arith.extf %s : vector<64x16x1xf32> to vector<64x16x1xf64>
    %d2 = arith.mulf %d, %d : vector<64x16x1xf64>
    %z = arith.truncf %d2 : vector<64x16x1xf64> to vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': a fold along rows, or of several numbers}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
      attributes {tang.block = 256 : i64, tang.schedule = #tang.schedule<tile = [64, 16, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %cols = arith.constant dense<0.0> : vector<1x16x1xf32>
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
    %y0 = tang.fold #tang.monoid<add> %s along [0] into %cols counts(%c64, %c16, %c1) : vector<64x16x1xf32> into vector<1x16x1xf32>
    %z = vector.broadcast %y0 : vector<1x16x1xf32> to vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#r = affine_map<(i, j, k) -> (i)>
gpu.module @kernels {
  // expected-error@+1 {{schedule rule 'async': streams within streams, or reversed ones}}
  gpu.func @k(%x: memref<?xbf16> {tang.readonly}, %y: memref<?xbf16> {tang.readonly}, %r0: memref<?xf32> {tang.readonly}, %o: memref<?xf32>) kernel
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
    %s = tang.stream %i = %c0 to %c128 step 64 reverse carry(%acc = %zero : vector<64x16x1xf32>) {
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
    %z = arith.mulf %s, %s : vector<64x16x1xf32>
    tang.store %z, %ov at #c(%c0, %c0, %c0) counts(%c64, %c16, %c1) : vector<64x16x1xf32>, memref<64x16xf32>
    gpu.return
  }
}
