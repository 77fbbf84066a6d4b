// RUN: tang-opt %s --tang-import | FileCheck %s

// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant dense_resource<blob> : tensor<4xf32>
// CHECK-DAG: arith.constant dense<[0x7FC00000, 0xFF800000, 0.000000e+00, -0.000000e+00]>
// CHECK: tang.map
// CHECK: tang.map
// A tensor filled with one number is that number in the body.
// CHECK: constant 2.0
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense_resource<blob> : tensor<4xf32>
  %d = arith.constant dense<[0x7FC00000, 0xFF800000, 0.0, -0.0]> : tensor<4xf32>
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %r = arith.addf %x, %c : tensor<4xf32>
  %s = arith.addf %r, %d : tensor<4xf32>
  %t = arith.mulf %s, %two : tensor<4xf32>
  return %t : tensor<4xf32>
}

{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F000000400000404000008040" } }
#-}
