// RUN: %tang-agree %s
// Tensors of rank 0: computed, broadcast, folded to, extracted from and made of scalars.
// INPUT: f32=3
// INPUT: i32=-4
// INPUT: 5xf32=1 2 3 4 5
// EXPECT: f32=10
// EXPECT: 5xf32=3 6 9 12 15
// EXPECT: f32=18
// EXPECT: i32=16
// EXPECT: 1x1xf32=3
func.func @main(%x: tensor<f32>, %n: tensor<i32>, %v: tensor<5xf32>)
    -> (tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<i32>, tensor<1x1xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %xx = arith.mulf %x, %x : tensor<f32>
  %0 = arith.addf %xx, %one : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%v, %x : tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<5xf32>
  %2 = linalg.reduce {arith.addf} ins(%v : tensor<5xf32>) outs(%x : tensor<f32>) dimensions = [0]
  %s = tensor.extract %n[] : tensor<i32>
  %t = arith.muli %s, %s : i32
  %3 = tensor.from_elements %t : tensor<i32>
  %4 = tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<i32>, tensor<1x1xf32>
}
