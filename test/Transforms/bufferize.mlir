// RUN: tang-opt %s --tang-bufferize --canonicalize --cse --split-input-file --verify-each | FileCheck %s

// Tensors are values: an argument of a public function is copied before it is written.
// CHECK-LABEL: func @argument
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[S:.*]]: memref<f32>) -> memref<f32> {
// CHECK: %[[A:.*]] = memref.alloc() {{.*}}: memref<f32>
// CHECK: memref.copy %[[S]], %[[A]]
// CHECK: tang.reduce #tang.monoid<add> [] over [d0 = 4] ins(%[[X]][d0] : memref<4xf32>) outs(%[[A]] : memref<f32>)
// CHECK: return %[[A]]
func.func @argument(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<f32> {
  %r = tang.reduce #tang.monoid<add> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<f32>
}

// Where `outs` give only a shape, there is nothing to copy.
// CHECK-LABEL: func @shapes
// CHECK-NOT: memref.copy
// CHECK: return
func.func @shapes(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %m = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %r = tang.reduce #tang.monoid<add> [] over [k = 4] init(0.0 : f32) ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %m, %r : tensor<4xf32>, tensor<f32>
}

// -----

// Of a scan the prefixes are not read, the states are.
// CHECK-LABEL: func @scan
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[S:.*]]: memref<f32>)
// CHECK: %[[P:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK: %[[Q:.*]] = memref.alloc() {{.*}}: memref<f32>
// CHECK-NOT: memref.copy %[[X]]
// CHECK: memref.copy %[[S]], %[[Q]]
// CHECK-NOT: memref.copy %[[X]]
// CHECK: tang.scan {{.*}} ins(%[[X]][d0] : memref<4xf32>) outs(%[[P]], %[[Q]] :
func.func @scan(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<4xf32>
  %p, %q = tang.scan #tang.monoid<add> [t] along t ins(%x[t] : tensor<4xf32>) outs(%e, %s : tensor<4xf32>, tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return %p, %q : tensor<4xf32>, tensor<f32>
}

// -----

// A loop's state is updated in place: one copy before it, none in it.
// CHECK-LABEL: func @in_place
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: memref.copy %{{.*}}, %[[A]]
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloc
// CHECK: tang.scatter {{.*}} outs(%[[A]] : memref<16xi32>)
// CHECK-NOT: memref.copy
// CHECK: return %[[A]]
func.func @in_place(%bin: tensor<100xi32>, %h: tensor<16xi32>, %n: index) -> tensor<16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %h) -> tensor<16xi32> {
    %z = tang.scatter #tang.monoid<add> over [j = 100] ins(%bin[j] : tensor<100xi32>) outs(%y : tensor<16xi32>) (%b: i32) {
      %k = arith.index_cast %b : i32 to index
      tang.yield %b, %k : i32, index
    }
    scf.yield %z : tensor<16xi32>
  }
  return %r : tensor<16xi32>
}

// -----

// Who reads the old value later, gets the old value.
// CHECK-LABEL: func @update_while_used
// CHECK: %[[T:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK: tang.map {{.*}} outs(%[[T]] :
// CHECK: %[[U:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK: memref.copy %[[T]], %[[U]]
// CHECK: tang.scatter {{.*}} outs(%[[U]] :
// CHECK: tang.map [d0] ins(%[[T]][d0], %[[U]][d0] :
func.func @update_while_used(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %t = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32) {
    %b = arith.negf %a : f32
    tang.yield %b : f32
  }
  %u = tang.scatter over [i = 2] outs(%t : tensor<4xf32>) () {
    %v = arith.constant 1.0 : f32
    %i = tang.index 0
    tang.yield %v, %i : f32, index
  }
  %f = tensor.empty() : tensor<4xf32>
  %r = tang.map [i] ins(%t[i], %u[i] : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tang.yield %s : f32
  }
  return %r : tensor<4xf32>
}

// -----

// Who reads in the same operation what it writes, elsewhere or as a capture, reads the old value too.
// CHECK-LABEL: func @reads_what_it_writes
// CHECK: tang.map {{.*}} outs(%[[T:[a-z0-9_]+]] :
// CHECK: memref.copy %[[T]], %[[U:[a-z0-9_]+]]
// CHECK: tang.scatter over [d0 = 4] ins(%[[T]][-d0 + 3] : memref<4xf32>) outs(%[[U]] :
// CHECK: memref.copy %[[U]], %[[V:[a-z0-9_]+]]
// CHECK: tang.scatter over [d0 = 4] with(%[[U]] : memref<4xf32>) outs(%[[V]] : memref<4xf32>) (%[[C:.*]]: memref<4xf32>) {
// CHECK: tang.at %[[C]][%{{.*}}] : memref<4xf32>
func.func @reads_what_it_writes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %t = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32) {
    %b = arith.negf %a : f32
    tang.yield %b : f32
  }
  %u = tang.scatter over [i = 4] ins(%t[3 - i] : tensor<4xf32>) outs(%t : tensor<4xf32>) (%a: f32) {
    %i = tang.index 0
    tang.yield %a, %i : f32, index
  }
  %v = tang.scatter over [i = 4] with(%u : tensor<4xf32>) outs(%u : tensor<4xf32>) (%s: tensor<4xf32>) {
    %i = tang.index 0
    %c3 = arith.constant 3 : index
    %j = arith.subi %c3, %i : index
    %a = tang.at %s[%j] : tensor<4xf32>
    tang.yield %a, %i : f32, index
  }
  return %v : tensor<4xf32>
}

// -----

// Two results in one empty tensor are two buffers.
// CHECK-LABEL: func @one_empty_twice
// CHECK: tang.map {{.*}} outs(%[[A:[a-z0-9_]+]], %[[B:[a-z0-9_]+]] : memref<4xf32>, memref<4xf32>)
// CHECK: return %[[A]], %[[B]]
func.func @one_empty_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) (%a: f32) {
    %b = arith.negf %a : f32
    tang.yield %a, %b : f32, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Sizes, symbols, schedules and scalars stay as they are.
// CHECK-LABEL: func @attributes
// CHECK: tang.reduce #tang.monoid<add> [] over [d0 = %arg1] init(0.000000e+00 : f32) symbols(s0 = %arg1) ins(%arg0[d0 + s0] : memref<?xf32>) with(%arg2 : f32) outs(%{{.*}} : memref<f32>) attributes {schedule = #tang.schedule<tile = [16], block = 1>} (%{{.*}}: f32, %{{.*}}: f32) {
func.func @attributes(%x: tensor<?xf32>, %n: index, %s: f32) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = tang.reduce #tang.monoid<add> [] over [k = %n] init(0.0 : f32) symbols(o = %n) ins(%x[k + o] : tensor<?xf32>) with(%s : f32) outs(%e : tensor<f32>) attributes {schedule = #tang.schedule<tile = [16], block = 1>} (%a: f32, %b: f32) {
    %p = arith.mulf %a, %b : f32
    tang.yield %p : f32
  }
  return %r : tensor<f32>
}

// -----

// Arguments of private functions belong to this module; a caller that needs the old value copies.
// CHECK-LABEL: func private @callee
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @callee(%h: tensor<16xi32>) -> tensor<16xi32> {
  %r = tang.scatter over [i = 4] outs(%h : tensor<16xi32>) () {
    %i = tang.index 0
    %v = arith.index_cast %i : index to i32
    tang.yield %v, %i : i32, index
  }
  return %r : tensor<16xi32>
}
// CHECK-LABEL: func @caller
// CHECK: memref.copy
// CHECK: call @callee
func.func @caller(%h: tensor<16xi32>) -> tensor<16xi32> {
  %r = func.call @callee(%h) : (tensor<16xi32>) -> tensor<16xi32>
  return %r : tensor<16xi32>
}
