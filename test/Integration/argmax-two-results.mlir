// RUN: %tang-agree %s
// One generic that folds value and index together, preferring NaN and then the lower index.
// INPUT: 3x5xf32=1 7 3 7 2 -1 -5 -1 -9 -1 nan 2 nan 4 5
// EXPECT: 3xf32=7 -1 nan
// EXPECT: 3xi32=1 0 0
// SET:
// INPUT: 3x5xf32=nasty:1
// SET:
// INPUT: 3x5xf32=-inf
// EXPECT: 3xf32=-inf
// EXPECT: 3xi32=0
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %low = arith.constant dense<0xFF800000> : tensor<3xf32>
  %zero = arith.constant dense<0> : tensor<3xi32>
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x5xf32>) outs(%low, %zero : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%v: f32, %best: f32, %at: i32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %gt = arith.cmpf ogt, %v, %best : f32
    %nan = arith.cmpf uno, %v, %v : f32
    %was = arith.cmpf uno, %best, %best : f32
    %true = arith.constant true
    %not = arith.xori %was, %true : i1
    %new = arith.andi %nan, %not : i1
    %take = arith.ori %gt, %new : i1
    %same = arith.cmpf oeq, %v, %best : f32
    %lower = arith.cmpi slt, %i, %at : i32
    %tie = arith.andi %same, %lower : i1
    %use = arith.ori %take, %tie : i1
    %b = arith.select %use, %v, %best : f32
    %k = arith.select %use, %i, %at : i32
    linalg.yield %b, %k : f32, i32
  } -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}
