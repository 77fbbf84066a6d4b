// RUN: not tang-opt %s --tang-import --allow-unregistered-dialect 2>&1 | FileCheck %s

// CHECK: unregistered.mlir:[[#@LINE+2]]:8: error: tang-import: 'some.op' op cannot be imported: its dialect is not registered
func.func @unregistered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "some.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
