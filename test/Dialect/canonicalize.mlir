// RUN: tang-opt %s --canonicalize --split-input-file | FileCheck %s

// An element that the body does not use is not read, and one that it reads twice is read once.
// CHECK-LABEL: func @operands
// CHECK: tang.map [d0, d1] ins(%[[X:.*]][d0, d1] : tensor<4x5xf32>) outs(%{{.*}} : tensor<4x5xf32>) (%[[A:.*]]: f32) {
// CHECK-NEXT: arith.mulf %[[A]], %[[A]]
func.func @operands(%x: tensor<4x5xf32>, %unused: tensor<4xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = tang.map [i, j] ins(%x[i, j], %unused[i], %x[i, j] : tensor<4x5xf32>, tensor<4xf32>, tensor<4x5xf32>)
         outs(%e : tensor<4x5xf32>) (%a: f32, %b: f32, %c: f32) {
    %p = arith.mulf %a, %c : f32
    tang.yield %p : f32
  }
  return %r : tensor<4x5xf32>
}

// At another place it is another element.
// CHECK-LABEL: func @same_tensor_other_map
// CHECK: ins(%[[X:.*]][d0, d1], %[[X]][d1, d0] :
func.func @same_tensor_other_map(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = tang.map [i, j] ins(%x[i, j], %x[j, i] : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) (%a: f32, %b: f32) {
    %p = arith.mulf %a, %b : f32
    tang.yield %p : f32
  }
  return %r : tensor<4x4xf32>
}

// The same for captures; what is also read through a map stays both.
// CHECK-LABEL: func @captures
// CHECK: ins(%[[X:.*]][d0] : tensor<4xf32>) with(%[[X]], %{{.*}} : tensor<4xf32>, f32) outs(
func.func @captures(%x: tensor<4xf32>, %s: f32, %u: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) with(%u, %x, %s, %x, %s : f32, tensor<4xf32>, f32, tensor<4xf32>, f32)
         outs(%e : tensor<4xf32>) (%a: f32, %0: f32, %1: tensor<4xf32>, %2: f32, %3: tensor<4xf32>, %4: f32) {
    %i = tang.index 0
    %v = tang.at %1[%i] : tensor<4xf32>
    %w = tang.at %3[%i] : tensor<4xf32>
    %p = arith.mulf %v, %w : f32
    %q = arith.mulf %2, %4 : f32
    %w2 = arith.addf %p, %q : f32
    %t = arith.addf %w2, %a : f32
    tang.yield %t : f32
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @constants
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 8] ins(%{{.*}}[d0, d1] : tensor<4x8xf32>) outs(
// CHECK-DAG: arith.constant 2.000000e+00 : f32
// CHECK-DAG: arith.constant 3.000000e+00 : f32
func.func @constants(%x: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %splat = arith.constant dense<2.0> : tensor<8xf32>
  %three = arith.constant 3.0 : f32
  %r = tang.reduce #tang.monoid<add> [i] over [k = 8] ins(%x[i, k], %splat[k] : tensor<4x8xf32>, tensor<8xf32>)
         with(%three : f32) outs(%o : tensor<4xf32>) (%a: f32, %b: f32, %c: f32) {
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    tang.yield %q : f32
  }
  return %r : tensor<4xf32>
}

// Other constants are data; an empty one has no element.
// CHECK-LABEL: func @no_splat
// CHECK: ins(%{{.*}}[d0] : tensor<2xf32>)
// CHECK: ins(%{{.*}}[d0] : tensor<0xf32>)
func.func @no_splat() -> (tensor<2xf32>, tensor<0xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = arith.constant dense<> : tensor<0xf32>
  %e = tensor.empty() : tensor<2xf32>
  %f = tensor.empty() : tensor<0xf32>
  %r = tang.map [i] ins(%c[i] : tensor<2xf32>) outs(%e : tensor<2xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i] ins(%d[i] : tensor<0xf32>) outs(%f : tensor<0xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<2xf32>, tensor<0xf32>
}

// -----

// Constant and equal symbols leave, and those of no map.
// CHECK-LABEL: func @symbols
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<9xf32>, %[[N:[a-z0-9]*]]: index
// CHECK: symbols(s0 = %[[N]]) ins(%[[X]][d0 + s0 * 2 + 3] : tensor<9xf32>)
func.func @symbols(%x: tensor<9xf32>, %n: index, %m: index) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %three = arith.constant 3 : index
  %r = tang.map [i] symbols(a = %n, b = %three, c = %n, d = %m) ins(%x[i + a + b + c] : tensor<9xf32>) outs(%e : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @sizes
// CHECK: tang.reduce #tang.monoid<add> [] over [d0 = 8, d1 = %arg{{.*}}] ins(
// CHECK: tang.scatter over [d0 = 3, d1 = 2] outs(
func.func @sizes(%x: tensor<8x?xf32>, %n: index, %s: tensor<f32>, %o: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %r = tang.reduce #tang.monoid<add> [] over [k = %c8, l = %n] ins(%x[k, l] : tensor<8x?xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  %t = tang.scatter over [i = %c3, j = 2] outs(%o : tensor<4xf32>) () {
    %v = arith.constant 1.0 : f32
    %i = tang.index 0
    tang.yield %v, %i : f32, index
  }
  return %r, %t : tensor<f32>, tensor<4xf32>
}

// No size is negative; this stays what it is.
// CHECK-LABEL: func @negative_size
// CHECK: over [d0 = %c-1]
func.func @negative_size(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %n = arith.constant -1 : index
  %r = tang.reduce #tang.monoid<add> [] over [k = %n] ins(%x[k] : tensor<?xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<f32>
}

// -----

// Initial states that are one constant everywhere become `init`, whether filled or constant.
// CHECK-LABEL: func @init
// CHECK-NOT: tang.map
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: tang.reduce #tang.monoid<argmax> [d0] over [d1 = 8] init(0.000000e+00 : f32, 7 : i32) ins(
// CHECK-SAME: outs(%[[E]], %{{.*}} : tensor<?xf32>, tensor<?xi32>)
func.func @init(%x: tensor<?x8xf32>, %n: index) -> (tensor<?xf32>, tensor<?xi32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xi32>
  %a = tang.map [i] outs(%e : tensor<?xf32>) () {
    %z = arith.constant 0.0 : f32
    tang.yield %z : f32
  }
  %b = tang.map [i] outs(%f : tensor<?xi32>) () {
    %z = arith.constant 7 : i32
    tang.yield %z : i32
  }
  %r:2 = tang.reduce #tang.monoid<argmax> [i] over [k = 8] ins(%x[i, k] : tensor<?x8xf32>) outs(%a, %b : tensor<?xf32>, tensor<?xi32>) (%v: f32) {
    %k = tang.index 1
    %l = arith.index_cast %k : index to i32
    tang.yield %v, %l : f32, i32
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}

// All of them, or none.
// CHECK-LABEL: func @init_of_one
// CHECK: tang.reduce #tang.monoid<argmax> [] over [d0 = 8] ins(
// CHECK-SAME: outs(%cst, %arg1 : tensor<f32>, tensor<i32>)
func.func @init_of_one(%x: tensor<8xf32>, %i: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %a = arith.constant dense<0.0> : tensor<f32>
  %r:2 = tang.reduce #tang.monoid<argmax> [] over [k = 8] ins(%x[k] : tensor<8xf32>) outs(%a, %i : tensor<f32>, tensor<i32>) (%v: f32) {
    %k = tang.index 0
    %l = arith.index_cast %k : index to i32
    tang.yield %v, %l : f32, i32
  }
  return %r#0, %r#1 : tensor<f32>, tensor<i32>
}

// -----

// `outs` of a map and of a reduce with `init` give a shape only, so that what computes them can go.
// CHECK-LABEL: func @outs
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index)
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK-NOT: math.exp
// CHECK: tang.map {{.*}} outs(%[[E]] :
// CHECK: tang.reduce {{.*}} outs(%{{[0-9]*}} : tensor<f32>)
func.func @outs(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<f32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %o = tang.map [i] ins(%x[i] : tensor<?xf32>) outs(%e : tensor<?xf32>) (%a: f32) {
    %b = math.exp %a : f32
    tang.yield %b : f32
  }
  %c = arith.constant dense<3.0> : tensor<f32>
  %r = tang.map [i] ins(%x[i] : tensor<?xf32>) outs(%o : tensor<?xf32>) (%a: f32) {
    %b = arith.negf %a : f32
    tang.yield %b : f32
  }
  %s = tang.reduce #tang.monoid<add> [] over [k = 4] init(0.0 : f32) ins(%x[k] : tensor<?xf32>) outs(%c : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<?xf32>, tensor<f32>
}

// -----

// A destination that is not computed is a place to write to, such as a slice that a loop carries.
// CHECK-LABEL: func @given_outs
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[O:.*]]: tensor<8xf32>)
// CHECK: %[[S:.*]] = tensor.extract_slice %[[O]]
// CHECK: tang.map {{.*}} outs(%[[S]] :
func.func @given_outs(%x: tensor<4xf32>, %o: tensor<8xf32>) -> tensor<4xf32> {
  %s = tensor.extract_slice %o[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%s : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @at
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V:.*]] = tang.at %{{.*}}[%{{.*}}] : tensor<4xf32>
// CHECK: %[[W:.*]] = tang.at %{{.*}}[%{{.*}}] if %{{.*}} : tensor<4xf32>
// CHECK: tang.yield %[[V]], %[[Z]], %[[W]] : f32, f32, f32
func.func @at(%x: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r:3 = tang.map [i] ins(%b[i] : tensor<4xi1>) with(%x : tensor<4xf32>) outs(%e, %e, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) (%c: i1, %s: tensor<4xf32>) {
    %true = arith.constant true
    %false = arith.constant false
    %i = tang.index 0
    %v = tang.at %s[%i] if %true : tensor<4xf32>
    %w = tang.at %s[%i] if %false : tensor<4xf32>
    %u = tang.at %s[%i] if %c : tensor<4xf32>
    tang.yield %v, %w, %u : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The only index of a dimension of size 1 is 0, in maps and in the body; the others stay.
// CHECK-LABEL: func @unit_dimensions
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[N:.*]]: index)
// CHECK: tang.map [d0, d1, d2] symbols(s0 = %[[N]]) ins(%[[X]][d1, s0] : tensor<?x?xf32>)
// CHECK-NOT: tang.index 0
// CHECK: %[[J:.*]] = tang.index 1
// CHECK-NOT: tang.index 0
// CHECK: arith.addi %[[J]], %{{.*}}
// CHECK-NEXT: tang.yield
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 1, d2 = 5] init({{.*}}) ins(%[[X]][d0 + 2, d2] : tensor<?x?xf32>)
func.func @unit_dimensions(%x: tensor<?x?xf32>, %n: index) -> (tensor<1x4x1xindex>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<1x4x1xindex>
  %f = tensor.empty() : tensor<4xf32>
  %r = tang.map [i, j, k] symbols(o = %n) ins(%x[i + j, k * 3 + o] : tensor<?x?xf32>) outs(%e : tensor<1x4x1xindex>) (%a: f32) {
    %i = tang.index 0
    %j = tang.index 1
    %b = arith.fptosi %a : f32 to i32
    %c = arith.index_cast %b : i32 to index
    %d = arith.muli %c, %c : index
    %p = arith.addi %j, %i : index
    %q = arith.addi %p, %d : index
    tang.yield %q : index
  }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 1, l = 5] init(0.0 : f32) ins(%x[i + k * 7 + 2, l] : tensor<?x?xf32>) outs(%f : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r, %s : tensor<1x4x1xindex>, tensor<4xf32>
}

// A dynamic size may be 1 and is not known to be.
// CHECK-LABEL: func @no_unit_dimensions
// CHECK: tang.map [d0, d1] ins(%{{.*}}[d0, d1] : tensor<?x4xf32>)
func.func @no_unit_dimensions(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = tang.map [i, j] ins(%x[i, j] : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<?x4xf32>
}

// -----

// Buffers are read and written where they are; nothing here may change.
// CHECK-LABEL: func @buffers
// CHECK: tang.map [d0] ins(%arg0[d0], %arg0[d0] : memref<4xf32>, memref<4xf32>) with(%cst : f32) outs(%arg0 : memref<4xf32>)
func.func @buffers(%x: memref<4xf32>) {
  %c = arith.constant 1.0 : f32
  tang.map [i] ins(%x[i], %x[i] : memref<4xf32>, memref<4xf32>) with(%c : f32) outs(%x : memref<4xf32>) (%a: f32, %b: f32, %s: f32) {
    tang.yield %s : f32
  }
  return
}
