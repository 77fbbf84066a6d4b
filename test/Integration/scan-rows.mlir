// RUN: %tang-agree %s
// The same for any number of rows: one program runs the chunks of its rows.
// INPUT: 65x300xf32=random:301
// INPUT: 65x300xf32=range:302:-0.98:0.98
// INPUT: 65x300xi32=full:303
// INPUT: 65xf32=random:304
// SET:
// INPUT: 3x1025xf32=random:1026
// INPUT: 3x1025xf32=range:1027:-0.98:0.98
// INPUT: 3x1025xi32=full:1028
// INPUT: 3xf32=random:1029
// SET:
// INPUT: 1x257xf32=random:258
// INPUT: 1x257xf32=range:259:-0.98:0.98
// INPUT: 1x257xi32=full:260
// INPUT: 1xf32=random:261
// SET:
// INPUT: 0x40xf32=random:41
// INPUT: 0x40xf32=range:42:-0.98:0.98
// INPUT: 0x40xi32=full:43
// INPUT: 0xf32=random:44
// SET:
// INPUT: 20x0xf32=random:1
// INPUT: 20x0xf32=range:2:-0.98:0.98
// INPUT: 20x0xi32=full:3
// INPUT: 20xf32=random:4
// TOLERANCE: f32 rtol=1e-5 atol=4e-4 (sums of up to 1,300 numbers of size 1 in f32, in any order)
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %k: tensor<?x?xi32>, %s: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xi32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %n) : tensor<?x?xf32>
  %ei = tensor.empty(%rows, %n) : tensor<?x?xi32>
  %r = tensor.empty(%rows) : tensor<?xf32>
  %ri = tensor.empty(%rows) : tensor<?xi32>
  %zero = arith.constant 0 : i32
  %izeros = linalg.fill ins(%zero : i32) outs(%ri : tensor<?xi32>) -> tensor<?xi32>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %nought = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%nought : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>

  // Sums from given states; of what a body makes of an element and its index.
  %sums, %last = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<?x?xf32>) outs(%e, %s : tensor<?x?xf32>, tensor<?xf32>) (%a: f32) {
    tang.yield %a : f32
  }
  %back, %first = tang.scan #tang.monoid<add> [i, t] along t reverse exclusive ins(%x[i, t] : tensor<?x?xf32>) outs(%e, %zeros : tensor<?x?xf32>, tensor<?xf32>) (%a: f32) {
    %t = tang.index 1
    %i = arith.index_cast %t : index to i32
    %c3 = arith.constant 3 : i32
    %m = arith.andi %i, %c3 : i32
    %f = arith.sitofp %m : i32 to f32
    %p = arith.mulf %a, %f : f32
    tang.yield %p : f32
  }
  // Affine maps, which do not commute: h = w h + x.
  %p:4 = tang.scan #tang.monoid<affine> [i, t] along t ins(%w[i, t], %x[i, t] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e, %e, %ones, %s : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) (%a: f32, %b: f32) {
    tang.yield %a, %b : f32, f32
  }
  %ints, %unused = tang.scan #tang.monoid<add> [i, t] along t exclusive ins(%k[i, t] : tensor<?x?xi32>) outs(%ei, %izeros : tensor<?x?xi32>, tensor<?xi32>) (%a: i32) {
    tang.yield %a : i32
  }
  %most, %unused2 = tang.scan #tang.monoid<maximum> [i, t] along t reverse ins(%x[i, t] : tensor<?x?xf32>) outs(%e, %s : tensor<?x?xf32>, tensor<?xf32>) (%a: f32) {
    tang.yield %a : f32
  }
  return %sums, %last, %back, %first, %p#0, %p#1, %p#2, %p#3, %ints, %most
      : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xi32>, tensor<?x?xf32>
}
