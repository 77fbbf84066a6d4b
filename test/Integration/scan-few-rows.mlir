// RUN: %tang-agree %s
// Scans of few rows: chunks of 256 points have programs of their own. Sums from a state, backwards and without the own
// element, affine maps (two results, not commutative), integers, maxima; no points, a chunk, one more and one less, primes.
// INPUT: 3x0xf32=random:1
// INPUT: 3x0xf32=range:2:-0.98:0.98
// INPUT: 3x0xi32=full:3
// INPUT: 3xf32=random:4
// SET:
// INPUT: 3x1xf32=random:2
// INPUT: 3x1xf32=range:3:-0.98:0.98
// INPUT: 3x1xi32=full:4
// INPUT: 3xf32=random:5
// SET:
// INPUT: 3x255xf32=random:256
// INPUT: 3x255xf32=range:257:-0.98:0.98
// INPUT: 3x255xi32=full:258
// INPUT: 3xf32=random:259
// SET:
// INPUT: 3x257xf32=random:258
// INPUT: 3x257xf32=range:259:-0.98:0.98
// INPUT: 3x257xi32=full:260
// INPUT: 3xf32=random:261
// SET:
// INPUT: 3x512xf32=random:513
// INPUT: 3x512xf32=range:514:-0.98:0.98
// INPUT: 3x512xi32=full:515
// INPUT: 3xf32=random:516
// SET:
// INPUT: 3x1279xf32=random:1280
// INPUT: 3x1279xf32=range:1281:-0.98:0.98
// INPUT: 3x1279xi32=full:1282
// INPUT: 3xf32=random:1283
// TOLERANCE: f32 rtol=1e-5 atol=4e-4 (sums of up to 1,300 numbers of size 1 in f32, in any order)
func.func @main(%x: tensor<3x?xf32>, %w: tensor<3x?xf32>, %k: tensor<3x?xi32>, %s: tensor<3xf32>)
    -> (tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>, tensor<3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x?xi32>, tensor<3x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %ei = tensor.empty(%n) : tensor<3x?xi32>
  %r = tensor.empty() : tensor<3xf32>
  %ri = tensor.empty() : tensor<3xi32>
  %zero = arith.constant 0 : i32
  %izeros = linalg.fill ins(%zero : i32) outs(%ri : tensor<3xi32>) -> tensor<3xi32>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %nought = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%nought : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>

  // Sums from given states; of what a body makes of an element and its index.
  %sums, %last = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<3x?xf32>) outs(%e, %s : tensor<3x?xf32>, tensor<3xf32>) (%a: f32) {
    tang.yield %a : f32
  }
  %back, %first = tang.scan #tang.monoid<add> [i, t] along t reverse exclusive ins(%x[i, t] : tensor<3x?xf32>) outs(%e, %zeros : tensor<3x?xf32>, tensor<3xf32>) (%a: f32) {
    %t = tang.index 1
    %i = arith.index_cast %t : index to i32
    %c3 = arith.constant 3 : i32
    %m = arith.andi %i, %c3 : i32
    %f = arith.sitofp %m : i32 to f32
    %p = arith.mulf %a, %f : f32
    tang.yield %p : f32
  }
  // Affine maps, which do not commute: h = w h + x.
  %p:4 = tang.scan #tang.monoid<affine> [i, t] along t ins(%w[i, t], %x[i, t] : tensor<3x?xf32>, tensor<3x?xf32>) outs(%e, %e, %ones, %s : tensor<3x?xf32>, tensor<3x?xf32>, tensor<3xf32>, tensor<3xf32>) (%a: f32, %b: f32) {
    tang.yield %a, %b : f32, f32
  }
  %ints, %unused = tang.scan #tang.monoid<add> [i, t] along t exclusive ins(%k[i, t] : tensor<3x?xi32>) outs(%ei, %izeros : tensor<3x?xi32>, tensor<3xi32>) (%a: i32) {
    tang.yield %a : i32
  }
  %most, %unused2 = tang.scan #tang.monoid<maximum> [i, t] along t reverse ins(%x[i, t] : tensor<3x?xf32>) outs(%e, %s : tensor<3x?xf32>, tensor<3xf32>) (%a: f32) {
    tang.yield %a : f32
  }
  return %sums, %last, %back, %first, %p#0, %p#1, %p#2, %p#3, %ints, %most
      : tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>, tensor<3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x?xi32>, tensor<3x?xf32>
}
