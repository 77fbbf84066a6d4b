// RUN: %tang-everywhere %s
// Constants that are infinite or NaN, which languages spell with a macro, a cast or not at all.
// INPUT: 5xf32=0 1 -1 inf -inf
// EXPECT: 5xf32=inf inf inf inf nan
// EXPECT: 5xf32=-inf -inf -inf nan -inf
// EXPECT: 5xf32=nan
func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<5xf32>
  %r:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%e, %e, %e : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32, %q: f32):
    %inf = arith.constant 0x7F800000 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %s = arith.addf %a, %inf : f32
    %t = arith.addf %a, %ninf : f32
    %u = arith.addf %a, %nan : f32
    linalg.yield %s, %t, %u : f32, f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %r#0, %r#1, %r#2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
