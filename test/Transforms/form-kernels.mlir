// Which operations become one kernel, and which folds of it follow a gauge; under exact numerics none does.
// RUN: tang-opt %s --tang-form-kernels --canonicalize --cse --split-input-file --verify-each | FileCheck %s
// RUN: tang-opt %s --tang-form-kernels=numerics=exact --canonicalize --cse --split-input-file --verify-each | FileCheck %s --check-prefix=EXACT --implicit-check-not=gauges
// RUN: tang-opt %s --tang-form-kernels=numerics=fast --canonicalize --cse --split-input-file --verify-each | FileCheck %s --check-prefix=FAST

//===----------------------------------------------------------------------===//
// What fuses
//===----------------------------------------------------------------------===//

// A sum of exp(x - max x) needs no final maximum: it reads the running one, which is its gauge. One pass in blocks of 32.
// CHECK-LABEL: func @cascade
// CHECK-SAME: %[[X:.*]]: tensor<64x100xf32>
// CHECK: %[[K:.*]] = tang.kernel (%[[A:.*]] = %[[X]] : tensor<64x100xf32>) outs(
// CHECK-NOT: passes:
// CHECK: %[[M:.*]] = tang.reduce #tang.monoid<maximum> [d0] over [d1 = 100] {{.*}} ins(%[[A]][d0, d1] :
// CHECK-SAME: tang.fold = #tang.fold<accumulate = f32, block = 0, bound = "exact">
// CHECK: %[[S:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}} ins(%[[A]][d0, d1], %[[M]][d0] :
// CHECK-SAME: tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "{{[^"]*}}", gauges = [1]>
// CHECK-SAME: cascade: follows its gauge by the factor exp(r - r')
// CHECK: tang.yield %[[S]]
// CHECK: return %[[K]]
// It is one kernel under exact numerics too, of two passes, each in the order that is written.
// EXACT-LABEL: func @cascade
// EXACT: tang.kernel
// EXACT-SAME: passes: the kernel runs 2 times over its points
func.func @cascade(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  return %s : tensor<64xf32>
}

// -----

// With the minimum and the signs reversed.
// CHECK-LABEL: func @minimum
// CHECK: tang.kernel
// CHECK: tang.reduce #tang.monoid<minimum>
// CHECK: tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "{{[^"]*}}", gauges = [1]>
// CHECK-SAME: exp(r' - r)
func.func @minimum(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<minimum> [i] over [k = 100] init(0x7F800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %b, %a : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  return %s : tensor<64xf32>
}

// -----

// A mask that does not look at the gauge selects between a value that the gauge scales and zero.
// CHECK-LABEL: func @masked
// CHECK: tang.kernel
// CHECK: tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "{{[^"]*}}", gauges = [1]>
// CHECK: arith.select %{{.*}}, %{{.*}}, %cst : f32
func.func @masked(%x: tensor<64x100xf32>, %c: tensor<64x100xi1>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i], %c[i, k] : tensor<64x100xf32>, tensor<64xf32>, tensor<64x100xi1>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32, %w: i1) {
    %z = arith.constant 0.0 : f32
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %f = arith.select %w, %e, %z : f32
    tang.yield %f : f32
  }
  return %s : tensor<64xf32>
}

// -----

// The gauge theorem along a chain: the rounding to bf16 stands between the exponential and the sum.
// CHECK-LABEL: func @rounded
// CHECK: tang.kernel
// CHECK: tang.fold = #tang.fold<accumulate = f32, block = 32, bound = "{{[^"]*}}", gauges = [1]>
// CHECK-SAME: a rounding moves past the factor
func.func @rounded(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %h = arith.truncf %e : f32 to bf16
    %f = arith.extf %h : bf16 to f32
    tang.yield %f : f32
  }
  return %s : tensor<64xf32>
}

// -----

// Folds over the same points are one fold of tuples.
// CHECK-LABEL: func @product
// CHECK: %[[K:.*]]:2 = tang.kernel
// CHECK-SAME: product: 2 folds over the same points
// CHECK: %[[S:.*]] = tang.reduce #tang.monoid<add>
// CHECK-SAME: block = 0, bound = "99 u"
// CHECK: %[[T:.*]] = tang.reduce #tang.monoid<maximum>
// CHECK-SAME: block = 0, bound = "exact"
// CHECK: tang.yield %[[S]], %[[T]]
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @product(%x: tensor<64x100xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %t = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) {
    %q = math.absf %a : f32
    tang.yield %q : f32
  }
  return %s, %t : tensor<64xf32>, tensor<64xf32>
}

// -----

// Projections of one input that are equally wide share the loop over columns, which is then parallel: any width will do.
// CHECK-LABEL: func @alike
// CHECK: tang.kernel
// CHECK-SAME: product: 3 folds over the same points
// CHECK-COUNT-3: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 32]
// CHECK: return
// EXACT-LABEL: func @alike
// EXACT: tang.kernel
// EXACT-SAME: product: 3 folds over the same points
func.func @alike(%x: tensor<64x32xf32>, %p: tensor<32x1000xf32>, %q: tensor<32x1000xf32>, %r: tensor<32x1000xf32>) -> (tensor<64x1000xf32>, tensor<64x1000xf32>, tensor<64x1000xf32>) {
  %e = tensor.empty() : tensor<64x1000xf32>
  %a = tang.reduce #tang.monoid<add> [i, j] over [k = 32] init(0.0 : f32) ins(%x[i, k], %p[k, j] : tensor<64x32xf32>, tensor<32x1000xf32>) outs(%e : tensor<64x1000xf32>) (%u: f32, %v: f32) {
    %m = arith.mulf %u, %v : f32
    tang.yield %m : f32
  }
  %b = tang.reduce #tang.monoid<add> [i, j] over [k = 32] init(0.0 : f32) ins(%x[i, k], %q[k, j] : tensor<64x32xf32>, tensor<32x1000xf32>) outs(%e : tensor<64x1000xf32>) (%u: f32, %v: f32) {
    %m = arith.mulf %u, %v : f32
    tang.yield %m : f32
  }
  %c = tang.reduce #tang.monoid<add> [i, j] over [k = 32] init(0.0 : f32) ins(%x[i, k], %r[k, j] : tensor<64x32xf32>, tensor<32x1000xf32>) outs(%e : tensor<64x1000xf32>) (%u: f32, %v: f32) {
    %m = arith.mulf %u, %v : f32
    tang.yield %m : f32
  }
  return %a, %b, %c : tensor<64x1000xf32>, tensor<64x1000xf32>, tensor<64x1000xf32>
}

// -----

// Of another width, the columns of each would be whole in every program: too many of them.
// CHECK-LABEL: func @unequal
// CHECK-NOT: tang.kernel
// CHECK: tang.missed = ["kernel: the state of add over 32 at {{[0-9:]+}} does not fit one program: 1000 elements for each point of the parallel dimensions, 512 at most (beside add over 32 at {{[0-9:]+}})"]
func.func @unequal(%x: tensor<64x32xf32>, %p: tensor<32x1000xf32>, %q: tensor<32x900xf32>) -> (tensor<64x1000xf32>, tensor<64x900xf32>) {
  %e = tensor.empty() : tensor<64x1000xf32>
  %f = tensor.empty() : tensor<64x900xf32>
  %a = tang.reduce #tang.monoid<add> [i, j] over [k = 32] init(0.0 : f32) ins(%x[i, k], %p[k, j] : tensor<64x32xf32>, tensor<32x1000xf32>) outs(%e : tensor<64x1000xf32>) (%u: f32, %v: f32) {
    %m = arith.mulf %u, %v : f32
    tang.yield %m : f32
  }
  %b = tang.reduce #tang.monoid<add> [i, j] over [k = 32] init(0.0 : f32) ins(%x[i, k], %q[k, j] : tensor<64x32xf32>, tensor<32x900xf32>) outs(%f : tensor<64x900xf32>) (%u: f32, %v: f32) {
    %m = arith.mulf %u, %v : f32
    tang.yield %m : f32
  }
  return %a, %b : tensor<64x1000xf32>, tensor<64x900xf32>
}

// -----

// What is made of a fold's result is its projection; a row that needs it whole is read a second time.
// CHECK-LABEL: func @projection
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce
// CHECK: math.rsqrt
// CHECK: tang.map [d0, d1]
// CHECK: return
func.func @projection(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x100xf32>
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) {
    %q = arith.mulf %a, %a : f32
    tang.yield %q : f32
  }
  %f = tang.map [i] ins(%s[i] : tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32) {
    %q = math.rsqrt %a : f32
    tang.yield %q : f32
  }
  %y = tang.map [i, j] ins(%x[i, j], %f[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32) {
    %q = arith.mulf %a, %b : f32
    tang.yield %q : f32
  }
  return %y : tensor<64x100xf32>
}

// -----

// The epilogue of a contraction.
// CHECK-LABEL: func @epilogue
// CHECK: tang.kernel
// CHECK-SAME: projection:
// CHECK-NOT: passes:
// CHECK: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 32]
// CHECK: math.tanh
// CHECK: return
func.func @epilogue(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %c: tensor<48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %m = tang.reduce #tang.monoid<add> [i, j] over [k = 32] init(0.0 : f32) ins(%a[i, k], %b[k, j] : tensor<64x32xf32>, tensor<32x48xf32>) outs(%e : tensor<64x48xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %y = tang.map [i, j] ins(%m[i, j], %c[j] : tensor<64x48xf32>, tensor<48xf32>) outs(%e : tensor<64x48xf32>) (%u: f32, %v: f32) {
    %p = arith.addf %u, %v : f32
    %t = math.tanh %p : f32
    tang.yield %t : f32
  }
  return %y : tensor<64x48xf32>
}

// -----

// The inner product is folded away again: it is computed where it is needed, scaled there, and never stored.
// CHECK-LABEL: func @recomputed
// CHECK: tang.kernel (%{{.*}} = %arg0 : tensor<64x16xf32>, %{{.*}} = %arg1 : tensor<100x16xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK-SAME: recompute:
// CHECK: %[[S:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 16]
// CHECK: %[[M:.*]] = tang.reduce #tang.monoid<maximum> [d0] over [d1 = 100] {{.*}} ins(%[[S]][d0, d1] :
// CHECK: arith.mulf
// CHECK: tang.yield %[[M]]
func.func @recomputed(%q: tensor<64x16xf32>, %k: tensor<100x16xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [d = 16] init(0.0 : f32) ins(%q[i, d], %k[j, d] : tensor<64x16xf32>, tensor<100x16xf32>) outs(%e : tensor<64x100xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %w = tang.map [i, j] ins(%s[i, j] : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) (%u: f32) {
    %h = arith.constant 0.25 : f32
    %p = arith.mulf %u, %h : f32
    tang.yield %p : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [i] over [j = 100] init(0xFF800000 : f32) ins(%w[i, j] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  return %m : tensor<64xf32>
}

// -----

// Of 8 terms it is computed in both passes of one kernel.
// CHECK-LABEL: func @two_passes_of_8
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 8]
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @two_passes_of_8(%q: tensor<64x8xf32>, %k: tensor<100x8xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [d = 8] init(0.0 : f32) ins(%q[i, d], %k[j, d] : tensor<64x8xf32>, tensor<100x8xf32>) outs(%e : tensor<64x100xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [i] over [j = 100] init(0xFF800000 : f32) ins(%s[i, j] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %t = tang.reduce #tang.monoid<add> [i] over [j = 100] init(0.0 : f32) ins(%s[i, j], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.divf %a, %b : f32
    %c = math.roundeven %d : f32
    tang.yield %c : f32
  }
  return %t : tensor<64xf32>
}

// -----

// Somebody else reads the score: the same pass also stores it.
// CHECK-LABEL: func @score_leaves
// CHECK: tang.kernel
// CHECK: %[[S:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 16]
// CHECK: %[[M:.*]] = tang.reduce #tang.monoid<maximum> {{.*}} ins(%[[S]][d0, d1] :
// CHECK: tang.yield %[[S]], %[[M]]
func.func @score_leaves(%q: tensor<64x16xf32>, %k: tensor<100x16xf32>) -> (tensor<64x100xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [d = 16] init(0.0 : f32) ins(%q[i, d], %k[j, d] : tensor<64x16xf32>, tensor<100x16xf32>) outs(%e : tensor<64x100xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %w = tang.map [i, j] ins(%s[i, j] : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) (%u: f32) {
    %h = arith.constant 0.25 : f32
    %p = arith.mulf %u, %h : f32
    tang.yield %p : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [i] over [j = 100] init(0xFF800000 : f32) ins(%w[i, j] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  return %s, %m : tensor<64x100xf32>, tensor<64xf32>
}

// -----

// All of it together. The map between the folds is computed in both readers; three folds share a pass and two follow
// one gauge; the inner product stands once. The division is the projection.
// CHECK-LABEL: func @three
// CHECK: tang.kernel (%[[Q:.*]] = %arg0 : tensor<64x16xf32>, %[[K:.*]] = %arg1 : tensor<100x16xf32>, %[[V:.*]] = %arg2 : tensor<100x16xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK-SAME: 3 folds over the same points
// CHECK: %[[S:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 16] {{.*}} ins(%[[Q]][d0, d2], %[[K]][d1, d2] :
// CHECK: %[[M:.*]] = tang.reduce #tang.monoid<maximum> [d0] over [d1 = 100] {{.*}} ins(%[[S]][d0, d1] :
// CHECK: %[[L:.*]] = tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}} ins(%[[S]][d0, d1], %[[M]][d0] :
// CHECK-SAME: block = 32, bound = "{{[^"]*}}", gauges = [1]
// CHECK: %[[O:.*]] = tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 100] {{.*}} ins(%[[V]][d2, d1], %[[S]][d0, d2], %[[M]][d0] :
// CHECK-SAME: block = 32, bound = "{{[^"]*}}", gauges = [2]
// CHECK: tang.map [d0, d1] ins(%[[O]][d0, d1], %[[L]][d0] :
// CHECK: arith.divf
// CHECK: return
// A score of 16 terms would be computed in each of three passes: this is more than one kernel.
// EXACT-LABEL: func @three
// EXACT-COUNT-2: tang.kernel
func.func @three(%q: tensor<64x16xf32>, %k: tensor<100x16xf32>, %v: tensor<100x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [d = 16] init(0.0 : f32) ins(%q[i, d], %k[j, d] : tensor<64x16xf32>, tensor<100x16xf32>) outs(%e : tensor<64x100xf32>) (%u: f32, %w: f32) {
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [i] over [j = 100] init(0xFF800000 : f32) ins(%s[i, j] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %w = tang.map [i, j] ins(%s[i, j], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %x = math.exp %d : f32
    tang.yield %x : f32
  }
  %l = tang.reduce #tang.monoid<add> [i] over [j = 100] init(0.0 : f32) ins(%w[i, j] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %t = tang.reduce #tang.monoid<add> [i, d] over [j = 100] init(0.0 : f32) ins(%w[i, j], %v[j, d] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %p = arith.mulf %a, %b : f32
    tang.yield %p : f32
  }
  %y = tang.map [i, d] ins(%t[i, d], %l[i] : tensor<64x16xf32>, tensor<64xf32>) outs(%o : tensor<64x16xf32>) (%a: f32, %b: f32) {
    %p = arith.divf %a, %b : f32
    tang.yield %p : f32
  }
  return %y : tensor<64x16xf32>
}

// -----

//===----------------------------------------------------------------------===//
// One kernel, but no gauge: a later pass reads the final value
//===----------------------------------------------------------------------===//

// What is rounded to integers is not a factor times a smaller one.
// CHECK-LABEL: func @round
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}is not linear in what the gauge scales: roundeven(x0 / r)
func.func @round(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.divf %a, %b : f32
    %c = math.roundeven %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}

// -----

// exp(x * m) grows by another factor for each x.
// CHECK-LABEL: func @scaled
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}the exponent is not a difference with the gauge
func.func @scaled(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.mulf %a, %b : f32
    %c = math.exp %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}

// -----

// The maximum of x bounds no y.
// CHECK-LABEL: func @other
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}the gauge is no running bound of the exponent
func.func @other(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i], %y[i, k] : tensor<64x100xf32>, tensor<64xf32>, tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32, %c: f32) {
    %q = arith.subf %c, %b : f32
    %d = math.exp %q : f32
    %e = arith.mulf %d, %a : f32
    tang.yield %e : f32
  }
  return %s : tensor<64xf32>
}

// -----

// The sign is the wrong one: every exponent is positive.
// CHECK-LABEL: func @reversed_max
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}the gauge is no running bound of the exponent
func.func @reversed_max(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %b, %a : f32
    %c = math.exp %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}

// -----

// By algebra any sum is a gauge; but exp(x - s) may overflow while s is not complete.
// CHECK-LABEL: func @mean
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}the gauge is no running bound of the exponent
func.func @mean(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %a, %b : f32
    %c = math.exp %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}

// -----

// (x - m)³ is a polynomial of the gauge, neither a factor nor a square.
// CHECK-LABEL: func @cube
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}the gauge itself is summed: (x0 - r) * (x0 - r) * (x0 - r)
func.func @cube(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %a, %b : f32
    %c = arith.mulf %q, %q : f32
    %d = arith.mulf %c, %q : f32
    tang.yield %d : f32
  }
  return %s : tensor<64xf32>
}

// -----

// (x - m)² summed follows m by translation, whatever m is. 100 terms have 86 u then, in order 99 u; of 64 terms the bound
// would be worse, and of a dynamic number it may be. Squares along two dimensions wait.
// CHECK-LABEL: func @variance
// CHECK: tang.kernel
// CHECK-NOT: passes:
// CHECK: block = 32, bound = "86 u", gauges = [1]>, tang.rules = ["cascade: follows its gauge by translation, carried about the mean so far; summed in blocks, about that mean"]
// EXACT-LABEL: func @variance
// EXACT: passes: the kernel runs 2 times
// CHECK-LABEL: func @variance_short
// CHECK: tang.missed = ["cascade: the error of its blocks would exceed that of the order as written: 80 u for 63 u"]
// FAST-LABEL: func @variance_short
// FAST: block = 32, bound = "80 u", gauges = [1]>
// CHECK-LABEL: func @variance_dynamic
// CHECK: tang.missed = ["cascade: the error of its blocks may exceed that of the order as written"]
// FAST-LABEL: func @variance_dynamic
// FAST: block = 32, bound = "(77 + 3 n/32) u", gauges = [1]>
// CHECK-LABEL: func @variance_two
// CHECK: tang.missed = ["cascade: waits for the final value of an earlier fold (squares follow it along one dimension only)"]
func.func @variance(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %a, %b : f32
    %c = arith.mulf %q, %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}

func.func @variance_short(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<add> [i] over [k = 64] init(0.0 : f32) ins(%x[i, k] : tensor<64x64xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 64] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x64xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %b, %a : f32
    %c = arith.mulf %q, %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}
func.func @variance_dynamic(%x: tensor<64x?xf32>, %n: index) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<add> [i] over [k = %n] init(0.0 : f32) ins(%x[i, k] : tensor<64x?xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = %n] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x?xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %b, %a : f32
    %c = arith.mulf %q, %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}
func.func @variance_two(%x: tensor<64x10x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<add> [i] over [j = 10, k = 100] init(0.0 : f32) ins(%x[i, j, k] : tensor<64x10x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [j = 10, k = 100] init(0.0 : f32) ins(%x[i, j, k], %m[i] : tensor<64x10x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %b, %a : f32
    %c = arith.mulf %q, %q : f32
    tang.yield %c : f32
  }
  return %s : tensor<64xf32>
}

// -----

// A comparison with the gauge may turn later.
// CHECK-LABEL: func @condition
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}a condition depends on the gauge
func.func @condition(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %z = arith.constant 0.0 : f32
    %g = arith.cmpf olt, %a, %b : f32
    %q = arith.select %g, %a, %z : f32
    tang.yield %q : f32
  }
  return %s : tensor<64xf32>
}

// -----

// The reciprocal of an exponential grows.
// CHECK-LABEL: func @divides
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}divides by what the gauge scales
func.func @divides(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %a, %b : f32
    %c = math.exp %q : f32
    %d = arith.divf %a, %c : f32
    tang.yield %d : f32
  }
  return %s : tensor<64xf32>
}

// -----

// One term is scaled and the other is not.
// CHECK-LABEL: func @sum_of_two
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}adds differently scaled values
func.func @sum_of_two(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %q = arith.subf %a, %b : f32
    %c = math.exp %q : f32
    %d = arith.addf %a, %c : f32
    tang.yield %d : f32
  }
  return %s : tensor<64xf32>
}

// -----

// What the sum starts from would be rescaled too.
// CHECK-LABEL: func @started
// CHECK: tang.kernel
// CHECK-SAME: passes: the kernel runs 2 times
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 100] {{.*}}(%{{.*}}[d0, d1], %{{.*}}[d0]
// CHECK-NOT: gauges
// CHECK-SAME: block = 0
// CHECK-SAME: tang.missed = ["cascade: {{.*}}the sum does not start from zero
func.func @started(%x: tensor<64x100xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 100] ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%o : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  return %s : tensor<64xf32>
}

// -----

//===----------------------------------------------------------------------===//
// No kernel, or not one alone
//===----------------------------------------------------------------------===//

// The two run through the matrix in different ways, and one program for all of it is too few.
// CHECK-LABEL: func @domains
// CHECK-NOT: tang.kernel
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = 100]
// CHECK: tang.reduce #tang.monoid<add> [d0] over [d1 = 64]
// CHECK-SAME: tang.missed
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @domains(%x: tensor<64x100xf32>) -> tensor<100xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<100xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [k] over [i = 64] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%o : tensor<100xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  return %s : tensor<100xf32>
}

// -----

// Two programs would leave a machine idle, and what is written in a second pass cannot be split.
// CHECK-LABEL: func @few_programs
// CHECK: tang.kernel
// CHECK-SAME: chunk = 256
// CHECK: tang.yield
// CHECK: tang.map
// CHECK-SAME: tang.missed = ["kernel: too few programs would do too much work (beside
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @few_programs(%x: tensor<2x65536xf32>) -> (tensor<2x65536xf32>) {
  %r = tensor.empty() : tensor<2xf32>
  %f = tensor.empty() : tensor<2x65536xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 65536] init(0xFF800000 : f32) ins(%x[i, k] : tensor<2x65536xf32>) outs(%r : tensor<2xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 65536] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<2x65536xf32>, tensor<2xf32>) outs(%r : tensor<2xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  %y = tang.map [i, k] ins(%x[i, k], %s[i] : tensor<2x65536xf32>, tensor<2xf32>) outs(%f : tensor<2x65536xf32>) (%a: f32, %b: f32) {
    %q = arith.divf %a, %b : f32
    tang.yield %q : f32
  }
  return %y : tensor<2x65536xf32>
}

// -----

// One long pass with a gauge: folded in chunks, which may have programs of their own. The bound falls from n u.
// CHECK-LABEL: func @chunks
// CHECK: tang.kernel
// CHECK-SAME: chunk = 256
// CHECK-SAME: split: the pass is folded in chunks of 256, merged in order by the same monoid
// CHECK: tang.reduce #tang.monoid<maximum>
// CHECK-SAME: bound = "exact"
// CHECK: tang.reduce #tang.monoid<add>
// CHECK-SAME: block = 32, bound = "1079 u", gauges =
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @chunks(%x: tensor<2x65536xf32>) -> (tensor<2xf32>) {
  %r = tensor.empty() : tensor<2xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 65536] init(0xFF800000 : f32) ins(%x[i, k] : tensor<2x65536xf32>) outs(%r : tensor<2xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i] over [k = 65536] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<2x65536xf32>, tensor<2xf32>) outs(%r : tensor<2xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  return %s : tensor<2xf32>
}

// -----

// tanh would be computed 48 times an element.
// CHECK-LABEL: func @wider
// CHECK-NOT: tang.kernel
// CHECK: math.tanh
// CHECK: tang.reduce
// CHECK-SAME: tang.missed = ["kernel: {{.+}} at {{[0-9:]+}} would be computed again for every tile of another dimension (beside
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @wider(%x: tensor<64x100xf32>, %w: tensor<100x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %o = tensor.empty() : tensor<64x48xf32>
  %h = tang.map [i, k] ins(%x[i, k] : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) (%a: f32) {
    %t = math.tanh %a : f32
    tang.yield %t : f32
  }
  %y = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%h[i, k], %w[k, j] : tensor<64x100xf32>, tensor<100x48xf32>) outs(%o : tensor<64x48xf32>) (%a: f32, %b: f32) {
    %p = arith.mulf %a, %b : f32
    tang.yield %p : f32
  }
  return %y : tensor<64x48xf32>
}

// -----

// A computed index may ask for what another program computes.
// CHECK-LABEL: func @at
// CHECK-NOT: tang.kernel
// CHECK: tang.map
// CHECK-SAME: tang.missed = ["kernel: {{.+}} at {{[0-9:]+}} is read at computed indices (beside
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @at(%x: tensor<64x100xf32>, %id: tensor<64xi32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i] ins(%id[i], %m[i] : tensor<64xi32>, tensor<64xf32>) with(%m : tensor<64xf32>) outs(%r : tensor<64xf32>) (%n: i32, %v: f32, %t: tensor<64xf32>) {
    %j = arith.index_cast %n : i32 to index
    %a = tang.at %t[%j] : tensor<64xf32>
    %d = arith.subf %v, %a : f32
    tang.yield %d : f32
  }
  return %s : tensor<64xf32>
}

// -----

// A neighbour belongs to another program.
// CHECK-LABEL: func @shifted
// CHECK-NOT: tang.kernel
// CHECK: tang.map
// CHECK-SAME: tang.missed = ["kernel: {{.+}} at {{[0-9:]+}} is read at an index that is not a dimension (beside
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @shifted(%x: tensor<64x100xf32>) -> tensor<64x99xf32> {
  %r = tensor.empty() : tensor<64x100xf32>
  %e = tensor.empty() : tensor<64x99xf32>
  %m = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%x[i, k] : tensor<64x100xf32>) outs(%r : tensor<64x100xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.map [i, j] ins(%m[i, j + 1], %m[i, j] : tensor<64x100xf32>, tensor<64x100xf32>) outs(%e : tensor<64x99xf32>) (%a: f32, %b: f32) {
    %d = arith.subf %a, %b : f32
    tang.yield %d : f32
  }
  return %s : tensor<64x99xf32>
}

// -----

// 1024 numbers a row are more than a program carries: 512.
// CHECK-LABEL: func @large_state
// CHECK-NOT: tang.kernel
// CHECK: tang.reduce #tang.monoid<add>
// CHECK-SAME: tang.missed = ["kernel: the state of add over 100 at {{[0-9:]+}} does not fit one program: 1024 elements for each point of the parallel dimensions, 512 at most (beside maximum over 100 at {{[0-9:]+}})"]
// CHECK-NOT: tang.kernel
// CHECK: return
func.func @large_state(%x: tensor<8x100xf32>, %v: tensor<100x1024xf32>) -> tensor<8x1024xf32> {
  %r = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<8x1024xf32>
  %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%x[i, k] : tensor<8x100xf32>) outs(%r : tensor<8xf32>) (%a: f32) { tang.yield %a : f32 }
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%x[i, k], %m[i], %v[k, j] : tensor<8x100xf32>, tensor<8xf32>, tensor<100x1024xf32>) outs(%o : tensor<8x1024xf32>) (%a: f32, %b: f32, %c: f32) {
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %f = arith.mulf %e, %c : f32
    tang.yield %f : f32
  }
  return %s : tensor<8x1024xf32>
}

// -----

// The score is needed in two passes, and has more than 8 terms: two kernels, each with a score of its own.
// CHECK-LABEL: func @two_passes
// CHECK: tang.kernel
// CHECK-NOT: passes:
// CHECK: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 16]
// CHECK: tang.reduce #tang.monoid<maximum> [d0] over [d1 = 100]
// CHECK: tang.kernel
// CHECK-NOT: passes:
// CHECK: tang.reduce #tang.monoid<add> [d0, d1] over [d2 = 16]
// CHECK: math.roundeven
// CHECK: return
func.func @two_passes(%q: tensor<64x16xf32>, %k: tensor<100x16xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = tensor.empty() : tensor<64xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [d = 16] init(0.0 : f32) ins(%q[i, d], %k[j, d] : tensor<64x16xf32>, tensor<100x16xf32>) outs(%e : tensor<64x100xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %m = tang.reduce #tang.monoid<maximum> [i] over [j = 100] init(0xFF800000 : f32) ins(%s[i, j] : tensor<64x100xf32>) outs(%r : tensor<64xf32>) (%a: f32) { tang.yield %a : f32 }
  %t = tang.reduce #tang.monoid<add> [i] over [j = 100] init(0.0 : f32) ins(%s[i, j], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%r : tensor<64xf32>) (%a: f32, %b: f32) {
    %d = arith.divf %a, %b : f32
    %c = math.roundeven %d : f32
    tang.yield %c : f32
  }
  return %t : tensor<64xf32>
}
