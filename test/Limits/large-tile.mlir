// A schedule may ask for a tile of 64 KiB, more than some GPU's workgroup memory: private storage of a thread has no such
// limit, and it runs right; one beyond what any kernel may hold is one error, the same on every target.
//
// RUN: %tang-everywhere %s
// RUN: sed 's/16384/33554432/g' %s > %t.mlir
// RUN: not tang-compile %t.mlir --target=c -o %t.out 2>&1 | FileCheck %s
// RUN: not tang-compile %t.mlir --target=opencl -o %t.out 2>&1 | FileCheck %s
// RUN: not tang-compile %t.mlir --target=vulkan -o %t.out 2>&1 | FileCheck %s
// RUN: not tang-compile %t.mlir --target=m1 -o %t.out 2>&1 | FileCheck %s
// RUN: not tang-compile %t.mlir --target=rtx3090 -o %t.out 2>&1 | FileCheck %s
// CHECK: error: schedule rule 'tile-size': a tile has at most 2^24 elements
// CHECK-NOT: error:
// INPUT: 3x16384xf32=random:1
func.func @main(%x: tensor<3x16384xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = tang.reduce #tang.monoid<add> [i] over [k = 16384] init(0.0 : f32) ins(%x[i, k] : tensor<3x16384xf32>) outs(%e : tensor<3xf32>) attributes {schedule = #tang.schedule<tile = [1, 16384], block = 1>} (%a: f32) {
    tang.yield %a : f32
  }
  return %r : tensor<3xf32>
}
