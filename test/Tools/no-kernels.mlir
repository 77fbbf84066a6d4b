// A function that computes nothing compiles and runs on every target: there is nothing to launch.
// RUN: tang-run %s --input=4xf32=1.5 --input=i32=-7 | FileCheck %s
// RUN: tang-run %s --target=c --input=4xf32=1.5 --input=i32=-7 | FileCheck %s
// RUN: tang-compile %s -o %t.tangb
// RUN: tang-run %t.tangb --input=4xf32=1.5 --input=i32=-7 | FileCheck %s
// CHECK: [1.5 1.5 1.5 1.5]
// CHECK: -7
// CHECK: [ 1 -2]
func.func @main(%a: tensor<4xf32>, %i: i32) -> (tensor<4xf32>, i32, tensor<2xi8>) {
  %c = arith.constant dense<[1, -2]> : tensor<2xi8>
  return %a, %i, %c : tensor<4xf32>, i32, tensor<2xi8>
}
