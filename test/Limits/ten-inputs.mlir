// RUN: %tang-everywhere %s
// One map of ten inputs: eleven buffers, where an API may guarantee eight. Each input has its own weight.
// INPUT: 100xf32=random:1
// INPUT: 100xf32=random:2
// INPUT: 100xf32=random:3
// INPUT: 100xf32=random:4
// INPUT: 100xf32=random:5
// INPUT: 100xf32=random:6
// INPUT: 100xf32=random:7
// INPUT: 100xf32=random:8
// INPUT: 100xf32=random:9
// INPUT: 100xf32=random:10
#i = affine_map<(i) -> (i)>
func.func @main(%x0: tensor<100xf32>, %x1: tensor<100xf32>, %x2: tensor<100xf32>, %x3: tensor<100xf32>, %x4: tensor<100xf32>, %x5: tensor<100xf32>, %x6: tensor<100xf32>, %x7: tensor<100xf32>, %x8: tensor<100xf32>, %x9: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %r = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i, #i, #i, #i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9 : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %out: f32):
    %w0 = arith.constant 1.0 : f32
    %p0 = arith.mulf %a0, %w0 : f32
    %w1 = arith.constant 2.0 : f32
    %p1 = arith.mulf %a1, %w1 : f32
    %w2 = arith.constant 3.0 : f32
    %p2 = arith.mulf %a2, %w2 : f32
    %w3 = arith.constant 4.0 : f32
    %p3 = arith.mulf %a3, %w3 : f32
    %w4 = arith.constant 5.0 : f32
    %p4 = arith.mulf %a4, %w4 : f32
    %w5 = arith.constant 6.0 : f32
    %p5 = arith.mulf %a5, %w5 : f32
    %w6 = arith.constant 7.0 : f32
    %p6 = arith.mulf %a6, %w6 : f32
    %w7 = arith.constant 8.0 : f32
    %p7 = arith.mulf %a7, %w7 : f32
    %w8 = arith.constant 9.0 : f32
    %p8 = arith.mulf %a8, %w8 : f32
    %w9 = arith.constant 10.0 : f32
    %p9 = arith.mulf %a9, %w9 : f32
    %s1 = arith.addf %p0, %p1 : f32
    %s2 = arith.addf %s1, %p2 : f32
    %s3 = arith.addf %s2, %p3 : f32
    %s4 = arith.addf %s3, %p4 : f32
    %s5 = arith.addf %s4, %p5 : f32
    %s6 = arith.addf %s5, %p6 : f32
    %s7 = arith.addf %s6, %p7 : f32
    %s8 = arith.addf %s7, %p8 : f32
    %s9 = arith.addf %s8, %p9 : f32
    linalg.yield %s9 : f32
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}
