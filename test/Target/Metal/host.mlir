// A bundle for metal has a function for each kernel that launches it, in Objective-C that a compiler takes.
//
// REQUIRES: target-metal
// RUN: tang-compile %s --target=m1 -o %t
// RUN: FileCheck %s < %t/host.m
// RUN: clang++-22 -x objective-c -fsyntax-only -Wall -Wextra -Werror -isystem %S/host %t/host.m
//
// CHECK: options.fastMathEnabled = NO;
// CHECK: void encode_main_{{.*}}(id<MTLComputeCommandEncoder> encoder,
// CHECK-NEXT: id<MTLComputePipelineState> pipeline, id<MTLBuffer> [[X:[a-z0-9]+]], id<MTLBuffer> [[OUT:[a-z0-9_]+]], {{.*}}float [[S:[a-z0-9_]+]]
// CHECK: struct {
// CHECK: float [[S]];
// CHECK-NEXT: uint32_t blocks;
// CHECK: [encoder setBuffer:[[X]] offset:0 atIndex:0];
// CHECK: [encoder setBuffer:[[OUT]] offset:0 atIndex:1];
// CHECK: [encoder setBytes:&args length:sizeof(args) atIndex:2];
// CHECK: threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
func.func @main(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
