// Text and bytecode keep everything: every operation, attribute, rank and element type.
// RUN: tang-opt %s -o %t.text
// RUN: FileCheck %s < %t.text
// RUN: tang-opt %t.text | diff %t.text -
// RUN: tang-opt %s --emit-bytecode | tang-opt | diff %t.text -
// RUN: tang-opt %s --mlir-print-op-generic | tang-opt | diff %t.text -

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// k is only written where it is not 1.
// CHECK: test.monoids = [#tang.monoid<add>, #tang.monoid<mul>, #tang.monoid<maximum>, #tang.monoid<minimum>,
// CHECK-SAME: #tang.monoid<maxnum>, #tang.monoid<minnum>, #tang.monoid<maxs>, #tang.monoid<mins>,
// CHECK-SAME: #tang.monoid<maxu>, #tang.monoid<minu>, #tang.monoid<and>, #tang.monoid<or>, #tang.monoid<xor>,
// CHECK-SAME: #tang.monoid<argmax>, #tang.monoid<argmin>, #tang.monoid<argmaxnum>, #tang.monoid<argminnum>,
// CHECK-SAME: #tang.monoid<logsumexp>, #tang.monoid<moments>, #tang.monoid<affine>, #tang.monoid<topk>,
// CHECK-SAME: #tang.monoid<topk, 4>]
// CHECK-SAME: test.schedules = [#tang.schedule<tile = [], block = 1>, #tang.schedule<tile = [4, 64], block = 32>]
// CHECK-SAME: test.target = #tang.target<"cpu", language = "llvm", lanes = 8, register_bytes = 512, cache_bytes = 32768, block = 1, units = 2>
module attributes {
  test.monoids = [#tang.monoid<add>, #tang.monoid<mul>, #tang.monoid<maximum>, #tang.monoid<minimum>,
    #tang.monoid<maxnum>, #tang.monoid<minnum>, #tang.monoid<maxs>, #tang.monoid<mins>, #tang.monoid<maxu>,
    #tang.monoid<minu>, #tang.monoid<and>, #tang.monoid<or>, #tang.monoid<xor>, #tang.monoid<argmax>,
    #tang.monoid<argmin>, #tang.monoid<argmaxnum>, #tang.monoid<argminnum>, #tang.monoid<logsumexp>,
    #tang.monoid<moments>, #tang.monoid<affine>, #tang.monoid<topk, 1>, #tang.monoid<topk, 4>],
  // A schedule of rank 0 has an empty tile.
  test.schedules = [#tang.schedule<tile = [], block = 1>, #tang.schedule<tile = [4, 64], block = 32>],
  test.target = #tang.target<"cpu", language = "llvm", lanes = 8, register_bytes = 512, cache_bytes = 32768, block = 1, units = 2>
} {

//===----------------------------------------------------------------------===//
// Monoids by symbol
//===----------------------------------------------------------------------===//

// CHECK: tang.monoid @absmax identity [0.000000e+00 : f32] associative commutative idempotent (%{{[a-z0-9_]+}}: f32, %{{[a-z0-9_]+}}: f32) {
tang.monoid @absmax identity [0.0 : f32] associative commutative idempotent (%a: f32, %b: f32) {
  %x = math.absf %b : f32
  %m = arith.maximumf %a, %x : f32
  tang.yield %m : f32
}
// A left fold: two values of state, one of another type is combined; laws and identity are left out.
// CHECK: tang.monoid @left attributes {sym_visibility = "private", test.note} (%{{[a-z0-9_]+}}: f64, %{{[a-z0-9_]+}}: i32, %{{[a-z0-9_]+}}: bf16) {
tang.monoid @left attributes {sym_visibility = "private", test.note} (%s: f64, %n: i32, %v: bf16) {
  %w = arith.extf %v : bf16 to f64
  %t = arith.addf %s, %w : f64
  %one = arith.constant 1 : i32
  %m = arith.addi %n, %one : i32
  tang.yield %t, %m : f64, i32
}

//===----------------------------------------------------------------------===//
// tang.map
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @rank0
// CHECK: tang.map [] ins(%{{[a-z0-9_]+}}[] : tensor<f32>) outs(%{{[a-z0-9_]+}} : tensor<f32>) attributes {schedule = #tang.schedule<tile = [], block = 1>} (
func.func @rank0(%x: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = tang.map [] ins(%x[] : tensor<f32>) outs(%e : tensor<f32>)
         attributes {schedule = #tang.schedule<tile = [], block = 1>} (%a: f32) {
    tang.yield %a : f32
  }
  return %r : tensor<f32>
}

// CHECK-LABEL: func @rank8
// CHECK: tang.map [d0, d1, d2, d3, d4, d5, d6, d7] ins(%{{[a-z0-9_]+}}[d7, d6, d5, d4, d3, d2, d1, d0] :
func.func @rank8(%x: tensor<8x7x6x5x4x3x2x1xi8>, %o: tensor<1x2x3x4x5x6x7x8xi8>) -> tensor<1x2x3x4x5x6x7x8xi8> {
  %r = tang.map [a, b, c, d, e, f, g, h] ins(%x[h, g, f, e, d, c, b, a] : tensor<8x7x6x5x4x3x2x1xi8>)
         outs(%o : tensor<1x2x3x4x5x6x7x8xi8>) (%v: i8) {
    tang.yield %v : i8
  }
  return %r : tensor<1x2x3x4x5x6x7x8xi8>
}

// Two results of different types, a capture of each kind, symbols, affine reads, an attribute of someone else.
// CHECK-LABEL: func @everything
// CHECK: %{{[a-z0-9_]+}}:2 = tang.map [d0, d1] symbols(s0 = %{{[a-z0-9_]+}}, s1 = %{{[a-z0-9_]+}})
// CHECK-SAME: ins(%{{[a-z0-9_]+}}[d0 * 2 + s0, d1 mod 4], %{{[a-z0-9_]+}}[-d1 + s1], %{{[a-z0-9_]+}}[3] : tensor<?x4xf16>, tensor<?xf64>, tensor<9xi1>)
// CHECK-SAME: with(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<?xbf16>, index)
// CHECK-SAME: outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<?x8xf16>, tensor<?x8xbf16>) attributes {test.tag = 7 : i64} (
// CHECK-SAME: %{{[a-z0-9_]+}}: f16, %{{[a-z0-9_]+}}: f64, %{{[a-z0-9_]+}}: i1, %{{[a-z0-9_]+}}: tensor<?xbf16>, %{{[a-z0-9_]+}}: index) {
// CHECK: tang.index 1
// CHECK: tang.at %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}] if %{{[a-z0-9_]+}} : tensor<?xbf16>
// CHECK: tang.yield %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : f16, bf16
func.func @everything(%x: tensor<?x4xf16>, %y: tensor<?xf64>, %b: tensor<9xi1>, %t: tensor<?xbf16>, %n: index,
                      %p: tensor<?x8xf16>, %q: tensor<?x8xbf16>) -> (tensor<?x8xf16>, tensor<?x8xbf16>) {
  %r:2 = tang.map [i, j] symbols(o = %n, m = %n)
           ins(%x[i * 2 + o, j mod 4], %y[m - j], %b[3] : tensor<?x4xf16>, tensor<?xf64>, tensor<9xi1>)
           with(%t, %n : tensor<?xbf16>, index) outs(%p, %q : tensor<?x8xf16>, tensor<?x8xbf16>)
           attributes {test.tag = 7 : i64} (%u: f16, %v: f64, %c: i1, %s: tensor<?xbf16>, %k: index) {
    %j = tang.index 1
    %w = tang.at %s[%j] if %c : tensor<?xbf16>
    tang.yield %u, %w : f16, bf16
  }
  return %r#0, %r#1 : tensor<?x8xf16>, tensor<?x8xbf16>
}

// CHECK-LABEL: func @element_types
// CHECK: ins(%{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[], %{{[a-z0-9_]+}}[] :
// CHECK-SAME: tensor<f64>, tensor<f32>, tensor<f16>, tensor<bf16>, tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<i64>,
// CHECK-SAME: tensor<i32>, tensor<i16>, tensor<i8>, tensor<i4>, tensor<i1>, tensor<index>)
func.func @element_types(%a: tensor<f64>, %b: tensor<f32>, %c: tensor<f16>, %d: tensor<bf16>, %e: tensor<f8E4M3FN>,
                         %f: tensor<f8E5M2>, %g: tensor<i64>, %h: tensor<i32>, %i: tensor<i16>, %j: tensor<i8>,
                         %k: tensor<i4>, %l: tensor<i1>, %m: tensor<index>, %o: tensor<i4>) -> tensor<i4> {
  %r = tang.map [] ins(%a[], %b[], %c[], %d[], %e[], %f[], %g[], %h[], %i[], %j[], %k[], %l[], %m[] :
           tensor<f64>, tensor<f32>, tensor<f16>, tensor<bf16>, tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<i64>,
           tensor<i32>, tensor<i16>, tensor<i8>, tensor<i4>, tensor<i1>, tensor<index>)
         outs(%o : tensor<i4>)
         (%0: f64, %1: f32, %2: f16, %3: bf16, %4: f8E4M3FN, %5: f8E5M2, %6: i64, %7: i32, %8: i16, %9: i8, %10: i4,
          %11: i1, %12: index) {
    tang.yield %10 : i4
  }
  return %r : tensor<i4>
}

//===----------------------------------------------------------------------===//
// tang.reduce, tang.scan, tang.scatter
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @reduce
// CHECK: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 8, d3 = %{{[a-z0-9_]+}}] init(0.000000e+00 : f32) ins(%{{[a-z0-9_]+}}[d0, d2], %{{[a-z0-9_]+}}[d2, d1 + d3] :
func.func @reduce(%a: tensor<4x8xbf16>, %b: tensor<8x?xbf16>, %n: index, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = tang.reduce #tang.monoid<add> [i, j] over [k = 8, l = %n] init(0.0 : f32)
         ins(%a[i, k], %b[k, j + l] : tensor<4x8xbf16>, tensor<8x?xbf16>) outs(%c : tensor<4x6xf32>) (%x: bf16, %y: bf16) {
    %xf = arith.extf %x : bf16 to f32
    tang.yield %xf : f32
  }
  return %r : tensor<4x6xf32>
}

// No dimension is reduced: each point is combined once. A declared left fold has a state of two values.
// CHECK-LABEL: func @reduce_nothing
// CHECK: tang.reduce @left [d0] over [] ins(%{{[a-z0-9_]+}}[d0] : tensor<4xbf16>) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<4xf64>, tensor<4xi32>)
func.func @reduce_nothing(%x: tensor<4xbf16>, %s: tensor<4xf64>, %n: tensor<4xi32>) -> (tensor<4xf64>, tensor<4xi32>) {
  %r:2 = tang.reduce @left [i] over [] ins(%x[i] : tensor<4xbf16>) outs(%s, %n : tensor<4xf64>, tensor<4xi32>) (%a: bf16) {
    tang.yield %a : bf16
  }
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xi32>
}

// CHECK-LABEL: func @scan
// CHECK: tang.scan #tang.monoid<affine> [d0, d1] along d1 reverse exclusive ins(
func.func @scan(%x: tensor<4x37xf32>, %p: tensor<4x37xf32>, %s: tensor<4xf32>)
    -> (tensor<4x37xf32>, tensor<4x37xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:4 = tang.scan #tang.monoid<affine> [i, t] along t reverse exclusive ins(%x[i, t] : tensor<4x37xf32>)
           outs(%p, %p, %s, %s : tensor<4x37xf32>, tensor<4x37xf32>, tensor<4xf32>, tensor<4xf32>) (%a: f32) {
    tang.yield %a, %a : f32, f32
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<4x37xf32>, tensor<4x37xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @scatter
// CHECK: tang.scatter #tang.monoid<add> over [d0 = 100] ins(
// CHECK: tang.scatter over [d0 = 100, d1 = %{{[a-z0-9_]+}}] unique ins(
// CHECK: tang.scatter over [] outs(
func.func @scatter(%bin: tensor<100xi32>, %h: tensor<16xi32>, %z: tensor<i32>, %n: index)
    -> (tensor<16xi32>, tensor<16xi32>, tensor<i32>) {
  %r = tang.scatter #tang.monoid<add> over [i = 100] ins(%bin[i] : tensor<100xi32>) outs(%h : tensor<16xi32>) (%b: i32) {
    %k = arith.index_cast %b : i32 to index
    tang.yield %b, %k : i32, index
  }
  %s = tang.scatter over [i = 100, j = %n] unique ins(%bin[i] : tensor<100xi32>) outs(%h : tensor<16xi32>) (%b: i32) {
    %k = arith.index_cast %b : i32 to index
    %c = arith.constant true
    tang.yield %b, %k, %c : i32, index, i1
  }
  %t = tang.scatter over [] outs(%z : tensor<i32>) () {
    %one = arith.constant 1 : i32
    tang.yield %one : i32
  }
  return %r, %s, %t : tensor<16xi32>, tensor<16xi32>, tensor<i32>
}

// Buffers: no results, captures are buffers too.
// CHECK-LABEL: func @buffers
// CHECK: {{^}}    tang.map [d0] ins(%{{[a-z0-9_]+}}[d0] : memref<?xf32>) with(%{{[a-z0-9_]+}} : memref<4xf32, strided<[2]>>) outs(%{{[a-z0-9_]+}} : memref<?xf32>) (
// CHECK: {{^}}    tang.reduce #tang.monoid<maximum> [] over [d0 = %{{[a-z0-9_]+}}] ins(
// CHECK: {{^}}    tang.scan #tang.monoid<add> [d0] along d0 ins(
// CHECK: {{^}}    tang.scatter over [d0 = 4] outs(
func.func @buffers(%x: memref<?xf32>, %y: memref<4xf32, strided<[2]>>, %z: memref<f32>, %n: index) {
  tang.map [i] ins(%x[i] : memref<?xf32>) with(%y : memref<4xf32, strided<[2]>>) outs(%x : memref<?xf32>)
    (%a: f32, %s: memref<4xf32, strided<[2]>>) {
    %i = tang.index 0
    %v = tang.at %s[%i] : memref<4xf32, strided<[2]>>
    tang.yield %v : f32
  }
  tang.reduce #tang.monoid<maximum> [] over [k = %n] ins(%x[k] : memref<?xf32>) outs(%z : memref<f32>) (%a: f32) {
    tang.yield %a : f32
  }
  tang.scan #tang.monoid<add> [t] along t ins(%x[t] : memref<?xf32>) outs(%x, %z : memref<?xf32>, memref<f32>) (%a: f32) {
    tang.yield %a : f32
  }
  tang.scatter over [i = 4] outs(%x : memref<?xf32>) () {
    %v = arith.constant 1.0 : f32
    %i = tang.index 0
    tang.yield %v, %i : f32, index
  }
  return
}

//===----------------------------------------------------------------------===//
// Indirect operations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @indirect
// CHECK: tang.gather %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}] axis 1 batch 1 : tensor<2x?x8xf16>, tensor<2x3xi32> -> tensor<2x3x8xf16>
// CHECK: tang.gather %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}] axis 0 : tensor<2x?x8xf16>, tensor<2x3xi32> -> tensor<2x3x?x8xf16>
// CHECK: tang.sort %{{[a-z0-9_]+}} dim 1 : tensor<2x3xi32> -> tensor<2x3xindex>
// CHECK: tang.sort %{{[a-z0-9_]+}} dim 0 descending : tensor<2x3xi32> -> tensor<2x3xi64>
// CHECK: tang.top_k %{{[a-z0-9_]+}} dim 1 : tensor<2x3xi32> -> tensor<2x2xi32>, tensor<2x2xi64>
// CHECK: tang.group_by %{{[a-z0-9_]+}} : tensor<?xi32> -> tensor<5xi32>, tensor<?xi64>
func.func @indirect(%x: tensor<2x?x8xf16>, %i: tensor<2x3xi32>, %k: tensor<?xi32>) {
  %a = tang.gather %x[%i] axis 1 batch 1 : tensor<2x?x8xf16>, tensor<2x3xi32> -> tensor<2x3x8xf16>
  %b = tang.gather %x[%i] axis 0 : tensor<2x?x8xf16>, tensor<2x3xi32> -> tensor<2x3x?x8xf16>
  %s, %p = tang.sort %i dim 1 : tensor<2x3xi32> -> tensor<2x3xindex>
  %t, %q = tang.sort %i dim 0 descending : tensor<2x3xi32> -> tensor<2x3xi64>
  %v, %w = tang.top_k %i dim 1 : tensor<2x3xi32> -> tensor<2x2xi32>, tensor<2x2xi64>
  %o, %m = tang.group_by %k : tensor<?xi32> -> tensor<5xi32>, tensor<?xi64>
  return
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

// CHECK-LABEL: gpu.func @tiles
// CHECK: tang.view %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}] : memref<?xf32> -> memref<?x?xf32>
// CHECK: tang.view %{{[a-z0-9_]+}} : memref<?xi32> -> memref<4x4xi32>
// CHECK: tang.load %{{[a-z0-9_]+}} at #{{.*}}(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) : memref<?x?xf32> -> vector<4xf32>
// CHECK: tang.stream %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}} to %{{[a-z0-9_]+}} step 16 reverse carry(%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}} : vector<4xf32>) attributes {comment = "d1"} {
// CHECK: tang.coord %{{[a-z0-9_]+}} dim 1 : vector<4x16xindex>
// CHECK: tang.gather_load %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}] : memref<?x?xf32>, vector<4x16xindex>, vector<4x16xindex> -> vector<4x16xf32>
// CHECK: tang.gather_load %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}] if %{{[a-z0-9_]+}} : memref<?x?xf32>, vector<4x16xindex>, vector<4x16xindex> if vector<4x16xi1> -> vector<4x16xf32>
// CHECK: tang.fold #tang.monoid<add> %{{[a-z0-9_]+}} along [1] into %{{[a-z0-9_]+}} counts(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) : vector<4x16xf32> into vector<4xf32>
// CHECK: tang.scatter_store #tang.monoid<affine> %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} into %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}] if %{{[a-z0-9_]+}} counts(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) : vector<4x16xf32>, vector<4x16xf32> into memref<?x?xf32>, memref<?x?xf32>[vector<4x16xindex>, vector<4x16xindex>] if vector<4x16xi1>
// CHECK: tang.scatter_store %{{[a-z0-9_]+}} into %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}] counts(
// CHECK: tang.yield %{{[a-z0-9_]+}} : vector<4xf32>
// CHECK: tang.stream %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}} to %{{[a-z0-9_]+}} step 1 {
// CHECK: tang.store %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} at #{{.*}}(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) counts(%{{[a-z0-9_]+}}) : vector<4xf32>, memref<?x?xf32>
// A tile of rank 0 is a vector too.
// CHECK: tang.store %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} at #{{.*}}() counts() : vector<f32>, memref<?x?xf32>
gpu.module @kernels {
  gpu.func @tiles(%x: memref<?xf32>, %y: memref<?xi32>, %n: index) kernel {
    %zero = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %v = tang.view %x[%n, %n] : memref<?xf32> -> memref<?x?xf32>
    %w = tang.view %y : memref<?xi32> -> memref<4x4xi32>
    %t = tang.load %v at affine_map<(d0)[s0] -> (d0, s0)>(%zero, %n) : memref<?x?xf32> -> vector<4xf32>
    %s = tang.stream %i = %zero to %n step 16 reverse carry(%a = %t : vector<4xf32>) attributes {comment = "d1"} {
      %p = tang.coord %zero dim 0 : vector<4x16xindex>
      %q = tang.coord %i dim 1 : vector<4x16xindex>
      %b = arith.cmpi slt, %p, %q : vector<4x16xindex>
      %g = tang.gather_load %v[%p, %q] : memref<?x?xf32>, vector<4x16xindex>, vector<4x16xindex> -> vector<4x16xf32>
      %h = tang.gather_load %v[%p, %q] if %b : memref<?x?xf32>, vector<4x16xindex>, vector<4x16xindex> if vector<4x16xi1> -> vector<4x16xf32>
      %f = tang.fold #tang.monoid<add> %g along [1] into %a counts(%c4, %c16) : vector<4x16xf32> into vector<4xf32>
      tang.scatter_store #tang.monoid<affine> %g, %h into %v, %v[%p, %q] if %b counts(%c4, %c16) : vector<4x16xf32>, vector<4x16xf32> into memref<?x?xf32>, memref<?x?xf32>[vector<4x16xindex>, vector<4x16xindex>] if vector<4x16xi1>
      tang.scatter_store %g into %v[%p, %q] counts(%c4, %c16) : vector<4x16xf32> into memref<?x?xf32>[vector<4x16xindex>, vector<4x16xindex>]
      tang.yield %f : vector<4xf32>
    }
    tang.stream %i = %zero to %n step 1 {
      tang.store %s, %v at affine_map<(d0)[s0] -> (d0, s0)>(%zero, %i) counts(%c4) : vector<4xf32>, memref<?x?xf32>
    }
    %one = arith.constant dense<1.0> : vector<f32>
    tang.store %one, %v at affine_map<() -> (0, 0)>() counts() : vector<f32>, memref<?x?xf32>
    gpu.return
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// Tensors, scalars of three types, dynamic sizes; a fold's contract with and without gauges; sizes in the body.
// CHECK-LABEL: func @kernel
// CHECK: %{{[a-z0-9_]+}}:2 = tang.kernel (%[[A:.*]] = %{{[a-z0-9_]+}} : tensor<?x?xf32>, %[[N:.*]] = %{{[a-z0-9_]+}} : index, %[[B:.*]] = %{{[a-z0-9_]+}} : i1, %[[S:.*]] = %{{[a-z0-9_]+}} : f32) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<?xf32>, tensor<?x?xf32>) attributes {schedule = #tang.schedule<tile = [8, 32], block = 1>, test.note} {
// CHECK: tensor.dim %[[A]], %{{[a-z0-9_]+}} : tensor<?x?xf32>
// CHECK: arith.muli %[[N]], %{{[a-z0-9_]+}} : index
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = %[[N]]] init(0xFF800000 : f32) ins(%[[A]][d0, d1] : tensor<?x?xf32>) outs(%{{[a-z0-9_]+}} : tensor<?xf32>) attributes {tang.fold = #tang.fold<accumulate = f32, block = 0, bound = "exact">} (
// CHECK: tang.reduce #tang.monoid<add> {{.*}} with(%[[S]], %[[B]] : f32, i1) {{.*}} attributes {tang.fold = #tang.fold<accumulate = f64, block = 32, bound = "(31 + 4 n/32) u", gauges = [0, 1]>} (
// CHECK: tang.yield %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<?xf32>, tensor<?x?xf32>
func.func @kernel(%x: tensor<?x?xf32>, %m: index, %n: index, %b: i1, %s: f32) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %r = tensor.empty(%m) : tensor<?xf32>
  %q = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y:2 = tang.kernel (%a = %x : tensor<?x?xf32>, %columns = %n : index, %c = %b : i1, %t = %s : f32) outs(%r, %q : tensor<?xf32>, tensor<?x?xf32>)
      attributes {schedule = #tang.schedule<tile = [8, 32], block = 1>, test.note} {
    %zero = arith.constant 0 : index
    %rows = tensor.dim %a, %zero : tensor<?x?xf32>
    %two = arith.constant 2 : index
    %twice = arith.muli %columns, %two : index
    %half = arith.divui %twice, %two : index
    %e = tensor.empty(%rows) : tensor<?xf32>
    %f = tensor.empty(%rows, %half) : tensor<?x?xf32>
    %max = tang.reduce #tang.monoid<maximum> [i] over [k = %columns] init(0xFF800000 : f32) ins(%a[i, k] : tensor<?x?xf32>) outs(%e : tensor<?xf32>)
             attributes {tang.fold = #tang.fold<accumulate = f32, block = 0, bound = "exact">} (%u: f32) { tang.yield %u : f32 }
    %sum = tang.reduce #tang.monoid<add> [i] over [k = %columns] init(0.0 : f32) ins(%a[i, k], %max[i] : tensor<?x?xf32>, tensor<?xf32>) with(%t, %c : f32, i1) outs(%e : tensor<?xf32>)
             attributes {tang.fold = #tang.fold<accumulate = f64, block = 32, bound = "(31 + 4 n/32) u", gauges = [0, 1]>} (%u: f32, %v: f32, %w: f32, %z: i1) {
      %p = arith.select %z, %u, %w : f32
      tang.yield %p : f32
    }
    %all = tang.map [i, k] ins(%sum[i] : tensor<?xf32>) outs(%f : tensor<?x?xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %sum, %all : tensor<?xf32>, tensor<?x?xf32>
  }
  return %y#0, %y#1 : tensor<?xf32>, tensor<?x?xf32>
}

// In chunks: an order, no other result.
// CHECK-LABEL: func @kernel_chunks
// CHECK: tang.kernel (%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}} : tensor<8x100xf32>) outs(%{{[a-z0-9_]+}} : tensor<8xf32>) attributes {chunk = 32 : i64} {
func.func @kernel_chunks(%x: tensor<8x100xf32>) -> tensor<8xf32> {
  %r = tensor.empty() : tensor<8xf32>
  %y = tang.kernel (%a = %x : tensor<8x100xf32>) outs(%r : tensor<8xf32>) attributes {chunk = 32} {
    %e = tensor.empty() : tensor<8xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<8x100xf32>) outs(%e : tensor<8xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %s : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// Buffers: no results, and the body still works on tensors, captured ones too.
// CHECK-LABEL: func @kernel_buffers
// CHECK: {{^}}    tang.kernel (%[[A:.*]] = %{{[a-z0-9_]+}} : memref<?x8xf32>, %[[T:.*]] = %{{[a-z0-9_]+}} : memref<9xf32>, %[[M:.*]] = %{{[a-z0-9_]+}} : index) outs(%{{[a-z0-9_]+}} : memref<?xf32>) {
// CHECK: tang.reduce {{.*}} ins(%[[A]][d0, d1] : tensor<?x8xf32>) with(%[[T]] : tensor<9xf32>) outs(
func.func @kernel_buffers(%x: memref<?x8xf32>, %t: memref<9xf32>, %m: index, %y: memref<?xf32>) {
  tang.kernel (%a = %x : memref<?x8xf32>, %b = %t : memref<9xf32>, %rows = %m : index) outs(%y : memref<?xf32>) {
    %e = tensor.empty(%rows) : tensor<?xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 8] init(0.0 : f32) ins(%a[i, k] : tensor<?x8xf32>) with(%b : tensor<9xf32>) outs(%e : tensor<?xf32>) (%u: f32, %v: tensor<9xf32>) {
      %k = tang.index 1
      %w = tang.at %v[%k] : tensor<9xf32>
      %p = arith.mulf %u, %w : f32
      tang.yield %p : f32
    }
    tang.yield %s : tensor<?xf32>
  }
  return
}

// CHECK-LABEL: func @keep
// CHECK: tang.keep %{{[a-z0-9_]+}} counts(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) : vector<4x8xf32>
// CHECK: tang.keep %{{[a-z0-9_]+}} counts() {test.note} : vector<i1>
func.func @keep(%t: vector<4x8xf32>, %f: vector<i1>, %n: index, %m: index) -> (vector<4x8xf32>, vector<i1>) {
  %a = tang.keep %t counts(%n, %m) : vector<4x8xf32>
  %b = tang.keep %f counts() {test.note} : vector<i1>
  return %a, %b : vector<4x8xf32>, vector<i1>
}

// The folded dimensions may also stay, with size 1.
// CHECK-LABEL: func @fold_in_place
// CHECK: tang.fold #tang.monoid<add> %{{[a-z0-9_]+}} along [1] into %{{[a-z0-9_]+}} counts(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) : vector<4x8xf32> into vector<4x1xf32>
func.func @fold_in_place(%t: vector<4x8xf32>, %a: vector<4x1xf32>, %n: index, %m: index) -> vector<4x1xf32> {
  %r = tang.fold #tang.monoid<add> %t along [1] into %a counts(%n, %m) : vector<4x8xf32> into vector<4x1xf32>
  return %r : vector<4x1xf32>
}

}
