// RUN: %tang-agree %s
// A row softmax spelled out, with both sizes dynamic: a maximum, a sum and maps between them.
// INPUT: 3x17xf32=random:1
// SET:
// INPUT: 1x1xf32=42
// EXPECT: 1x1xf32=1
// EXPECT: 1xf32=42
// SET:
// INPUT: 65x129xf32=range:2:-50:50
// SET:
// INPUT: 2x0xf32=0
// EXPECT: 2x0xf32=0
// EXPECT: 2xf32=-inf
// SET:
// INPUT: 0x9xf32=0
// EXPECT: 0x9xf32=0
// EXPECT: 0xf32=0
// TOLERANCE: f32 rtol=2e-5 atol=1e-7 (exp two units off, in another order of sums)
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fl = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce {arith.maximumf} ins(%x : tensor<?x?xf32>) outs(%fl : tensor<?xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %q = math.exp %d : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce {arith.addf} ins(%p : tensor<?x?xf32>) outs(%fz : tensor<?xf32>) dimensions = [1]
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %0, %max : tensor<?x?xf32>, tensor<?xf32>
}
