// RUN: %tang-agree %s
// Recurrences y = a y + b whose chunks have no finite state of their own, where that of the whole row is: factors of 2 over
// 256 points overflow, beside zeros (until position 600, then b). And an infinite start, which 256 factors of 1/4 would make
// 0 * inf: it stays infinite. In few rows, whose chunks have programs of their own, and in many.
// INPUT: 3x700xf32=2
// INPUT: 3x700xf32=1
// INPUT: 3xf32=0
// INPUT: 70x700xf32=2
// INPUT: 70x700xf32=range:1:0:1
// INPUT: 70xf32=0
// SET:
// INPUT: 3x700xf32=0.25
// INPUT: 3x700xf32=random:2
// INPUT: 3xf32=inf
// INPUT: 70x700xf32=0.25
// INPUT: 70x700xf32=random:3
// INPUT: 70xf32=-inf
// SET:
// INPUT: 3x700xf32=0.25
// INPUT: 3x700xf32=nasty:4
// INPUT: 3xf32=1 nan -inf
// INPUT: 70x700xf32=range:5:-0.5:0.5
// INPUT: 70x700xf32=random:6
// INPUT: 70xf32=0
// TOLERANCE: f32 rtol=1e-4 atol=1e-6 (chains of 700 points)
func.func @main(%a0: tensor<3x700xf32>, %b0: tensor<3x700xf32>, %s0: tensor<3xf32>,
                %a1: tensor<?x700xf32>, %b1: tensor<?x700xf32>, %s1: tensor<?xf32>)
    -> (tensor<3x700xf32>, tensor<3xf32>, tensor<?x700xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a1, %c0 : tensor<?x700xf32>
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<3x700xf32>
  %r0 = tensor.empty() : tensor<3xf32>
  %ones0 = linalg.fill ins(%one : f32) outs(%r0 : tensor<3xf32>) -> tensor<3xf32>
  %p0:4 = tang.scan #tang.monoid<affine> [i, t] along t ins(%a0[i, t], %b0[i, t] : tensor<3x700xf32>, tensor<3x700xf32>) outs(%e0, %e0, %ones0, %s0 : tensor<3x700xf32>, tensor<3x700xf32>, tensor<3xf32>, tensor<3xf32>) (%a: f32, %b: f32) {
    %t = tang.index 1
    %c600 = arith.constant 600 : index
    %zero = arith.constant 0.0 : f32
    %late = arith.cmpi sge, %t, %c600 : index
    %c = arith.select %late, %b, %zero : f32
    tang.yield %a, %c : f32, f32
  }
  %e1 = tensor.empty(%n) : tensor<?x700xf32>
  %r1 = tensor.empty(%n) : tensor<?xf32>
  %ones1 = linalg.fill ins(%one : f32) outs(%r1 : tensor<?xf32>) -> tensor<?xf32>
  %p1:4 = tang.scan #tang.monoid<affine> [i, t] along t ins(%a1[i, t], %b1[i, t] : tensor<?x700xf32>, tensor<?x700xf32>) outs(%e1, %e1, %ones1, %s1 : tensor<?x700xf32>, tensor<?x700xf32>, tensor<?xf32>, tensor<?xf32>) (%a: f32, %b: f32) {
    %t = tang.index 1
    %c600 = arith.constant 600 : index
    %zero = arith.constant 0.0 : f32
    %late = arith.cmpi sge, %t, %c600 : index
    %c = arith.select %late, %b, %zero : f32
    tang.yield %a, %c : f32, f32
  }
  return %p0#1, %p0#3, %p1#1, %p1#3 : tensor<3x700xf32>, tensor<3xf32>, tensor<?x700xf32>, tensor<?xf32>
}
