// Row factors leave sums, and which stay.
// RUN: tang-opt %s --tang-pull-out --canonicalize --cse --split-input-file --verify-each | FileCheck %s
// RUN: tang-opt %s --tang-pull-out=numerics=fast --canonicalize --cse --split-input-file --verify-each | FileCheck %s --check-prefix=FAST
// RUN: tang-opt %s --tang-derive=numerics=exact --split-input-file | FileCheck %s --check-prefix=EXACT

// Under exact numerics every term is divided.
// EXACT-NOT: pull-out
// EXACT-NOT: gauges

//===----------------------------------------------------------------------===//
// What leaves
//===----------------------------------------------------------------------===//

// p / l summed is the sum of p divided by l: the sum no longer waits for l, and the map that divided is gone.
// CHECK-LABEL: func @divides
// CHECK: %[[L:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100]
// CHECK: %[[T:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 100]
// CHECK-SAME: tang.rules = ["pull-out: {{.*}}one rounding in place of
// CHECK-NOT: arith.divf
// CHECK: tang.yield
// CHECK: tang.map [d0, d1] ins(%[[T]][d0, d1], %[[L]][d0] : tensor<64x16xf32>, tensor<64xf32>)
// CHECK-NEXT: arith.divf
func.func @divides(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// The rounding of p / l becomes one of p.
// CHECK-LABEL: func @rounded
// CHECK: %[[L:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100]
// CHECK: %[[T:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 100]
// CHECK-SAME: tang.rules = ["pull-out: {{.*}}one rounding in place of
// CHECK-NOT: arith.divf
// CHECK: math.exp
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to bf16
// CHECK: tang.yield
// CHECK: tang.map [d0, d1] ins(%[[T]][d0, d1], %[[L]][d0] : tensor<64x16xf32>, tensor<64xf32>)
// CHECK-NEXT: arith.divf
func.func @rounded(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xbf16>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xbf16>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    %h = arith.truncf %q : f32 to bf16
    tang.yield %h : bf16
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xbf16>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: bf16, %b: f32) {
    %w = arith.extf %a : bf16 to f32
    %t = arith.mulf %w, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// A product with what is computed from rows only; the expression leaves as a whole.
// CHECK-LABEL: func @multiplies
// CHECK: %[[L:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100]
// CHECK: %[[T:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 100]
// CHECK-SAME: tang.rules = ["pull-out: {{.*}}one rounding in place of
// CHECK-NOT: math.rsqrt
// CHECK: tang.yield
// CHECK: tang.map [d0, d1] ins(%[[T]][d0, d1], %[[L]][d0] : tensor<64x16xf32>, tensor<64xf32>)
// CHECK-NEXT: %[[G:.*]] = math.rsqrt
// CHECK-NEXT: arith.mulf %{{.*}}, %[[G]]
func.func @multiplies(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %g = math.rsqrt %c : f32
    %q = arith.mulf %t, %g : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// Masked terms are 0 on both sides.
// CHECK-LABEL: func @masked
// CHECK: %[[L:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100]
// CHECK: %[[T:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 100]
// CHECK-SAME: tang.rules = ["pull-out: {{.*}}one rounding in place of
// CHECK-NOT: arith.divf
// CHECK: arith.select
// CHECK: tang.yield
// CHECK: tang.map [d0, d1] ins(%[[T]][d0, d1], %[[L]][d0] : tensor<64x16xf32>, tensor<64xf32>)
// CHECK-NEXT: arith.divf
func.func @masked(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>, %mask: tensor<64x100xi1>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i], %mask[i, k] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x100xi1>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32, %w: i1) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %z = arith.constant 0.0 : f32
    %f = arith.select %w, %t, %z : f32
    %q = arith.divf %f, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

//===----------------------------------------------------------------------===//
// What does not
//===----------------------------------------------------------------------===//

// A divisor for each column is none for the row.
// CHECK-LABEL: func @column
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @column(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>, %z: tensor<100xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %z[k] : tensor<64x100xf32>, tensor<64xf32>, tensor<100xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// Without a factor of at most 1 the sum of the rest may overflow where the whole would not.
// CHECK-LABEL: func @unbounded
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @unbounded(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %q = arith.divf %d, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// exp(x - l) is not known to be at most 1.
// CHECK-LABEL: func @no_maximum
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @no_maximum(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %c : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// A summand is not a factor.
// CHECK-LABEL: func @addition
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @addition(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %q, %one : f32
    tang.yield %s : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// A comparison looks at the value after the division.
// CHECK-LABEL: func @threshold
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @threshold(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    %z = arith.constant 0.01 : f32
    %g = arith.cmpf ogt, %q, %z : f32
    %s = arith.select %g, %q, %z : f32
    tang.yield %s : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// l / p is no multiple of p.
// CHECK-LABEL: func @divisor
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @divisor(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %c, %t : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// A factor that is there already keeps no sum waiting.
// CHECK-LABEL: func @argument
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @argument(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>, %z: tensor<64xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %z[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// What the sum starts from would be divided too.
// CHECK-LABEL: func @started
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @started(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(1.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// max(p / l) is max(p) / l for positive l only.
// CHECK-LABEL: func @maximum
// CHECK-NOT: tang.rules
// CHECK: arith.divf
// CHECK: tang.reduce {{.*}} [d0, d1] over [d2 = 100]
// CHECK-NOT: tang.map
// CHECK: return
func.func @maximum(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %p = tang.map [i, k] ins(%x[i, k], %m[i], %l[i] : tensor<64x100xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    %q = arith.divf %t, %c : f32
    tang.yield %q : f32
  }
  %y = tang.reduce #tang.monoid<maximum> [i, j] over [k = 100] init(0.0 : f32) ins(%p[i, k], %v[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %t = arith.mulf %a, %b : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

// The factor of a square is there twice: it stays.
// CHECK-LABEL: func @square
// CHECK: tang.reduce #tang.monoid<add> {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>)
// CHECK: %[[P:.*]] = arith.divf
// CHECK: arith.mulf %[[P]], %[[P]]
// CHECK-NOT: tang.map
// CHECK: return
func.func @square(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 8] init(0xFF800000 : f32) ins(%x[i, k] : tensor<4x8xf32>) outs(%r : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %p = tang.map [i, k] ins(%x[i, k], %m[i] : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    tang.yield %t : f32
  }
  %l = tang.reduce #tang.monoid<add> [i] over [k = 8] init(0.0 : f32) ins(%p[i, k] : tensor<4x8xf32>) outs(%r : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 8] init(0.0 : f32) ins(%p[i, k], %l[i] : tensor<4x8xf32>, tensor<4xf32>) outs(%r : tensor<4xf32>) (%a: f32, %b: f32) {
    %q = arith.divf %a, %b : f32
    %t = arith.mulf %q, %q : f32
    tang.yield %t : f32
  }
  return %s : tensor<4xf32>
}

// -----

// The root of a mean square bounds nothing that can be seen in the graph: it stays in front of a contraction, but under
// fast numerics, where the range of the sum counts as its effect.
// CHECK-LABEL: func @norm
// CHECK-NOT: tang.rules
// CHECK: return
// FAST-LABEL: func @norm
// FAST: %[[S:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100]
// FAST: %[[T:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 100] {{.*}}tang.rules = ["pull-out: the sum of h * g is h times the sum of g; one rounding in place of one a term, and the range of the sum of g"]
// FAST: tang.map [d0, d1] ins(%[[T]][d0, d1], %[[S]][d0] :
// FAST: math.rsqrt
// A factor that is an input stays even then: it waits for nothing.
// FAST-LABEL: func @input
// FAST-NOT: pull-out
func.func @norm(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %q = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) {
    %s = arith.mulf %a, %a : f32
    tang.yield %s : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%x[i, k], %q[i], %v[k, j] : tensor<64x100xf32>, tensor<64xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32, %c: f32) {
    %h = math.rsqrt %b : f32
    %n = arith.mulf %a, %h : f32
    %t = arith.mulf %n, %c : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}
func.func @input(%x: tensor<64x100xf32>, %h: tensor<64xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %o = tensor.empty() : tensor<64x16xf32>
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%x[i, k], %h[i], %v[k, j] : tensor<64x100xf32>, tensor<64xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32, %c: f32) {
    %n = arith.mulf %a, %b : f32
    %t = arith.mulf %n, %c : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x16xf32>
}
