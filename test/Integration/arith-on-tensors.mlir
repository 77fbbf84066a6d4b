// RUN: %tang-agree %s
// arith and math applied to whole tensors, without linalg around them.
// INPUT: 5x9xf32=range:1:-3:3
// INPUT: 5x9xf32=range:2:0.5:3
// INPUT: 5x9xi32=full:3
// TOLERANCE: f32 rtol=2e-5 atol=1e-5 (three functions in a row, each two units off at most)
func.func @main(%x: tensor<5x9xf32>, %y: tensor<5x9xf32>, %n: tensor<5x9xi32>) -> (tensor<5x9xf32>, tensor<5x9xi32>, tensor<5x9xi1>) {
  %half = arith.constant dense<0.5> : tensor<5x9xf32>
  %a = math.sin %x : tensor<5x9xf32>
  %b = math.cos %y : tensor<5x9xf32>
  %c = math.fma %a, %b, %half : tensor<5x9xf32>
  %d = math.log1p %y : tensor<5x9xf32>
  %e = math.expm1 %x : tensor<5x9xf32>
  %f = arith.divf %e, %d : tensor<5x9xf32>
  %g = math.exp2 %x : tensor<5x9xf32>
  %h = arith.addf %f, %g : tensor<5x9xf32>
  %p = arith.cmpf ogt, %x, %c : tensor<5x9xf32>
  %0 = arith.select %p, %h, %c : tensor<5x9xi1>, tensor<5x9xf32>
  %seven = arith.constant dense<7> : tensor<5x9xi32>
  %i = arith.fptosi %x : tensor<5x9xf32> to tensor<5x9xi32>
  %j = arith.xori %n, %seven : tensor<5x9xi32>
  %k = arith.shrsi %j, %seven : tensor<5x9xi32>
  %l = arith.addi %k, %i : tensor<5x9xi32>
  %1 = math.absi %l : tensor<5x9xi32>
  return %0, %1, %p : tensor<5x9xf32>, tensor<5x9xi32>, tensor<5x9xi1>
}
