// RUN: %tang-agree %s
// tensor.concat, and the form frontends emit: a generic without inputs that extracts by index.
// INPUT: 2x3xf32=1 2 3 4 5 6
// INPUT: 2x2xf32=7 8 9 10
// EXPECT: 2x5xf32=1 2 3 7 8 4 5 6 9 10
// EXPECT: 2x5xf32=1 2 3 7 8 4 5 6 9 10
// EXPECT: 6x3xf32=1 2 3 4 5 6 1 2 3 4 5 6 1 2 3 4 5 6
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<6x3xf32>) {
  %0 = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>
  %e = tensor.empty() : tensor<2x5xf32>
  %c3 = arith.constant 3 : index
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<2x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c3 : index
    %v = scf.if %first -> f32 {
      %a = tensor.extract %x[%i, %j] : tensor<2x3xf32>
      scf.yield %a : f32
    } else {
      %k = arith.subi %j, %c3 : index
      %a = tensor.extract %y[%i, %k] : tensor<2x2xf32>
      scf.yield %a : f32
    }
    linalg.yield %v : f32
  } -> tensor<2x5xf32>
  %2 = tensor.concat dim(0) %x, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  return %0, %1, %2 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<6x3xf32>
}
