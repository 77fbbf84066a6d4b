// RUN: %tang-agree %s
// Folds whose results stand in vector registers: sizes 0, 1, primes, one off a block of 6 rows by 16 columns, a tile of
// 252 rows by 256 columns and 256 points; transposed operands, 8-bit weights, f64, batches, and special values.
// REFUSES: webgpu f64
// INPUT: 7x257xf32=random:1
// INPUT: 257x263xf32=random:2
// INPUT: 263x257xf32=random:3
// INPUT: 263x257xi8=random:4
// INPUT: 2x13x31xf64=random:5
// INPUT: 2x31x17xf64=random:6
// SET:
// INPUT: 1x1xf32=nasty:1
// INPUT: 1x1xf32=nasty:2
// INPUT: 1x1xf32=nasty:3
// INPUT: 1x1xi8=full:4
// INPUT: 2x13x31xf64=nasty:5
// INPUT: 2x31x17xf64=nasty:6
// SET:
// INPUT: 253x0xf32=1
// INPUT: 0x33xf32=1
// INPUT: 33x0xf32=1
// INPUT: 33x0xi8=1
// INPUT: 2x13x31xf64=random:5
// INPUT: 2x31x17xf64=random:6
// SET:
// INPUT: 13x19xf32=nasty:11
// INPUT: 19x33xf32=range:12:0:0.01
// INPUT: 33x19xf32=range:13:0:0.01
// INPUT: 33x19xi8=range:14:0:1
// INPUT: 2x13x31xf64=nasty:15
// INPUT: 2x31x17xf64=nasty:16
// SET:
// INPUT: 0x19xf32=1
// INPUT: 19x33xf32=random:12
// INPUT: 33x19xf32=random:13
// INPUT: 33x19xi8=random:14
// INPUT: 2x13x31xf64=random:15
// INPUT: 2x31x17xf64=random:16
// (Where the largest number is among the inputs, products stay below it: f64 would not overflow.)
// TOLERANCE: f32 rtol=2e-5 atol=1e-3 (sums of 257 products near 1, in order; weights up to 8)
// TOLERANCE: f64 rtol=1e-12 atol=1e-12 (sums of 31 products near 1)
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %t: tensor<?x?xf32>, %q: tensor<?x?xi8>,
                %x: tensor<2x13x31xf64>, %y: tensor<2x31x17xf64>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x13x17xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %plain = tang.reduce #tang.monoid<add> [i, j] over [l = %k] init(0.0 : f32) ins(%a[i, l], %b[l, j] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }
  %transposed = tang.reduce #tang.monoid<add> [i, j] over [l = %k] init(0.0 : f32) ins(%a[i, l], %t[j, l] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) (%u: f32, %v: f32) {
    %p = arith.mulf %u, %v : f32
    %s = arith.subf %p, %v : f32
    tang.yield %s : f32
  }
  %weights = tang.reduce #tang.monoid<add> [i, j] over [l = %k] init(1.0 : f32) ins(%a[i, l], %q[j, l] : tensor<?x?xf32>, tensor<?x?xi8>) outs(%e : tensor<?x?xf32>) (%u: f32, %v: i8) {
    %w = arith.sitofp %v : i8 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }
  %f = tensor.empty() : tensor<2x13x17xf64>
  %batch = tang.reduce #tang.monoid<add> [i, j, h] over [l = 31] init(0.0 : f64) ins(%x[i, j, l], %y[i, l, h] : tensor<2x13x31xf64>, tensor<2x31x17xf64>) outs(%f : tensor<2x13x17xf64>) (%u: f64, %v: f64) {
    %p = arith.mulf %u, %v : f64
    tang.yield %p : f64
  }
  return %plain, %transposed, %weights, %batch : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x13x17xf64>
}
