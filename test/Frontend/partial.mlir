// RUN: tang-opt %s --tang-import=allow-partial --verify-diagnostics | FileCheck %s
// RUN: tang-opt %s --tang-import=allow-partial --allow-unregistered-dialect --verify-diagnostics

// What cannot be imported stays, the rest is imported.
// CHECK-LABEL: func.func @partial
// CHECK: tang.map
// CHECK: tosa.custom
// CHECK: tang.map
func.func @partial(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{'tosa.custom' op cannot be imported}}
  %r = tosa.custom %a {domain_name = "a", operator_name = "b", implementation_attrs = "c"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = arith.addf %r, %r : tensor<4xf32>
  return %s : tensor<4xf32>
}
