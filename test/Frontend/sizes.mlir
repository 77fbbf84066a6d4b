// RUN: tang-opt %s --tang-import --split-input-file | FileCheck %s

// Each dimension once, against the first of its class.
// CHECK-LABEL: func.func @three
// CHECK: cf.assert %{{.*}}, "argument #1 dimension 0 must equal argument #0 dimension 0"
// CHECK: cf.assert %{{.*}}, "argument #2 dimension 0 must equal argument #0 dimension 0"
// CHECK-NOT: cf.assert
func.func @three(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %a = arith.addf %y, %z : tensor<?x4xf32>
  %b = arith.addf %x, %a : tensor<?x4xf32>
  %c = arith.mulf %b, %z : tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

// -----

// The reduced size of a product, through what was made from an argument.
// CHECK-LABEL: func.func @product
// CHECK: cf.assert %{{.*}}, "argument #1 dimension 0 must equal argument #0 dimension 1"
func.func @product(%x: tensor<4x?xf32>, %y: tensor<?x5xf32>, %o: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %n = arith.negf %x : tensor<4x?xf32>
  %r = linalg.matmul ins(%n, %y : tensor<4x?xf32>, tensor<?x5xf32>) outs(%o : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @against_static
// CHECK: cf.assert %{{.*}}, "argument #0 dimension 0 must be 8"
func.func @against_static(%x: tensor<?xf32>) -> tensor<8xf32> {
  %c = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// A size that is no argument's is checked in place.
// CHECK-LABEL: func.func @computed
// CHECK: cf.assert %{{.*}}, "tensor.cast: dimension 0 must be 8"
func.func @computed(%n: index, %v: f32) -> tensor<8xf32> {
  %s = tensor.splat %v[%n] : tensor<?xf32>
  %c = tensor.cast %s : tensor<?xf32> to tensor<8xf32>
  return %c : tensor<8xf32>
}
