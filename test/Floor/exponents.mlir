// The exponents that are known, as --tang-floor prints them.
// RUN: tang-opt %s --split-input-file --tang-floor="target=h200 as-written=true" -o %t.mlir 2>&1 | FileCheck %s

// CHECK: remark: matvec_reduce0: exponent = 1;
func.func @matvec(%a: tensor<640x480xf32>, %x: tensor<480xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = tang.reduce #tang.monoid<add> [i] over [k = 480] init(0.0 : f32)
         ins(%a[i, k], %x[k] : tensor<640x480xf32>, tensor<480xf32>) outs(%e : tensor<640xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  return %r : tensor<640xf32>
}

// -----

// CHECK: remark: matmul_reduce0: exponent = 3/2;
func.func @matmul(%a: tensor<64x48xf32>, %b: tensor<48x56xf32>) -> tensor<64x56xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x56xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<64x56xf32>) -> tensor<64x56xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x56xf32>) outs(%f : tensor<64x56xf32>) -> tensor<64x56xf32>
  return %r : tensor<64x56xf32>
}

// -----

// Two dimensions of each operand remain, two are summed.
// CHECK: remark: contraction_reduce0: exponent = 3/2;
func.func @contraction(%a: tensor<6x7x8x9xf32>, %b: tensor<8x9x5x4xf32>) -> tensor<6x7x5x4xf32> {
  %e = tensor.empty() : tensor<6x7x5x4xf32>
  %r = tang.reduce #tang.monoid<add> [i, j, m, n] over [k = 8, l = 9] init(0.0 : f32)
         ins(%a[i, j, k, l], %b[k, l, m, n] : tensor<6x7x8x9xf32>, tensor<8x9x5x4xf32>)
         outs(%e : tensor<6x7x5x4xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  return %r : tensor<6x7x5x4xf32>
}

// -----

// A tensor times a Khatri-Rao product.
// CHECK: remark: mttkrp_reduce0: exponent = 5/3;
func.func @mttkrp(%x: tensor<20x21x22xf32>, %b: tensor<21x8xf32>, %c: tensor<22x8xf32>) -> tensor<20x8xf32> {
  %e = tensor.empty() : tensor<20x8xf32>
  %r = tang.reduce #tang.monoid<add> [i, r] over [j = 21, k = 22] init(0.0 : f32)
         ins(%x[i, j, k], %b[j, r], %c[k, r] : tensor<20x21x22xf32>, tensor<21x8xf32>, tensor<22x8xf32>)
         outs(%e : tensor<20x8xf32>) (%u: f32, %v: f32, %w: f32) {
    %p = arith.mulf %v, %w : f32
    %q = arith.mulf %u, %p : f32
    tang.yield %q : f32
  }
  return %r : tensor<20x8xf32>
}

// -----

// CHECK: remark: nbody_reduce0: exponent = 2;
func.func @nbody(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = tang.reduce #tang.monoid<add> [i] over [j = 1000] init(0.0 : f32)
         ins(%x[i], %x[j] : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) (%u: f32, %v: f32) {
    %p = arith.subf %u, %v : f32
    tang.yield %p : f32
  }
  return %r : tensor<1000xf32>
}

// -----

// CHECK: remark: threebody_reduce0: exponent = 3;
func.func @threebody(%x: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %r = tang.reduce #tang.monoid<add> [i] over [j = 100, k = 100] init(0.0 : f32)
         ins(%x[i], %x[j], %x[k] : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>)
         outs(%e : tensor<100xf32>) (%u: f32, %v: f32, %w: f32) {
    %p = arith.subf %u, %v : f32
    %q = arith.mulf %p, %w : f32
    tang.yield %q : f32
  }
  return %r : tensor<100xf32>
}

// -----

// CHECK: remark: conv1d_reduce0: exponent = 2;
func.func @conv1d(%x: tensor<1007xf32>, %w: tensor<8xf32>) -> tensor<1000xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %r = linalg.conv_1d ins(%x, %w : tensor<1007xf32>, tensor<8xf32>) outs(%f : tensor<1000xf32>) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// -----

// CHECK: remark: cnn_reduce0: exponent = 2;
func.func @cnn(%x: tensor<2x18x20x5xf32>, %w: tensor<3x3x5x6xf32>) -> tensor<2x16x18x6xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16x18x6xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<2x16x18x6xf32>) -> tensor<2x16x18x6xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x18x20x5xf32>, tensor<3x3x5x6xf32>)
         outs(%f : tensor<2x16x18x6xf32>) -> tensor<2x16x18x6xf32>
  return %r : tensor<2x16x18x6xf32>
}

// -----

// Six loops, six arrays: 15/7.
// CHECK: remark: six_reduce0: exponent = 15/7;
func.func @six(%a1: tensor<4x6x9xf32>, %a2: tensor<4x5x7xf32>, %a3: tensor<5x6x8xf32>, %a4: tensor<6x7x9xf32>,
               %a5: tensor<5x9xf32>) -> tensor<4x7x8xf32> {
  %e = tensor.empty() : tensor<4x7x8xf32>
  %r = tang.reduce #tang.monoid<add> [i1, i4, i5] over [i2 = 5, i3 = 6, i6 = 9] init(0.0 : f32)
         ins(%a1[i1, i3, i6], %a2[i1, i2, i4], %a3[i2, i3, i5], %a4[i3, i4, i6], %a5[i2, i6]
             : tensor<4x6x9xf32>, tensor<4x5x7xf32>, tensor<5x6x8xf32>, tensor<6x7x9xf32>, tensor<5x9xf32>)
         outs(%e : tensor<4x7x8xf32>) (%v: f32, %w: f32, %x: f32, %y: f32, %z: f32) {
    %p = arith.mulf %v, %w : f32
    %q = arith.mulf %x, %y : f32
    %s = arith.mulf %p, %q : f32
    %t = arith.mulf %s, %z : f32
    tang.yield %t : f32
  }
  return %r : tensor<4x7x8xf32>
}

// -----

// Heads that share keys: h floordiv 4 is a loop of its own, and the contraction
// is one of matrices.
// CHECK: remark: grouped_reduce0: exponent = 3/2;
func.func @grouped(%q: tensor<8x100x16xf32>, %k: tensor<2x90x16xf32>) -> tensor<8x100x90xf32> {
  %e = tensor.empty() : tensor<8x100x90xf32>
  %r = tang.reduce #tang.monoid<add> [h, t, s] over [d = 16] init(0.0 : f32)
         ins(%q[h, t, d], %k[h floordiv 4, s, d] : tensor<8x100x16xf32>, tensor<2x90x16xf32>)
         outs(%e : tensor<8x100x90xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  return %r : tensor<8x100x90xf32>
}

// -----

// PolyBench's doitgen, whose leading term is that of a matrix product.
// CHECK: remark: doitgen_reduce0: exponent = 3/2;
func.func @doitgen(%a: tensor<20x21x22xf32>, %c: tensor<22x23xf32>) -> tensor<20x21x23xf32> {
  %e = tensor.empty() : tensor<20x21x23xf32>
  %r = tang.reduce #tang.monoid<add> [r, q, p] over [s = 22] init(0.0 : f32)
         ins(%a[r, q, s], %c[s, p] : tensor<20x21x22xf32>, tensor<22x23xf32>) outs(%e : tensor<20x21x23xf32>) (%u: f32, %v: f32) {
    %m = arith.mulf %u, %v : f32
    tang.yield %m : f32
  }
  return %r : tensor<20x21x23xf32>
}

// -----

// A value that no array bounds: any number of iterations need no memory.
// CHECK: remark: total_reduce0: exponent = 1;
func.func @total(%x: tensor<1000xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = tang.reduce #tang.monoid<add> [] over [k = 1000] init(0.0 : f32)
         ins(%x[k] : tensor<1000xf32>) outs(%e : tensor<f32>) (%u: f32) {
    tang.yield %u : f32
  }
  return %r : tensor<f32>
}

// -----

// A negative size, which a run refuses.
// CHECK: remark: negative_reduce0: exponent = 1;
func.func @negative(%x: tensor<?xf32>) -> tensor<f32> {
  %n = arith.constant -1 : index
  %e = tensor.empty() : tensor<f32>
  %r = tang.reduce #tang.monoid<add> [] over [k = %n] init(0.0 : f32)
         ins(%x[k] : tensor<?xf32>) outs(%e : tensor<f32>) (%u: f32) {
    tang.yield %u : f32
  }
  return %r : tensor<f32>
}
