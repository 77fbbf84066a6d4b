// CUDA C++ of a fold over bf16: native types in buffers, a product that is not fused with the sum, a thread a row. The
// source of a chip with a matrix unit is the same, without it.
//
// RUN: tang-translate --tang-to-cuda %s | FileCheck %s
// RUN: tang-translate --tang-to-cuda --target=h200 %s | FileCheck %s
// RUN: not tang-translate --tang-to-cuda --target=opencl %s 2>&1 | FileCheck %s --check-prefix=OTHER
//
// OTHER: error: --target=opencl is not a target of this language
// OTHER-NOT: error:

// CHECK:      // Kernels emitted by Tang: CUDA C++17
// CHECK:      #include <cuda_bf16.h>
// CHECK:      static __device__ inline __nv_bfloat16 tang_to_bfloat16(float x) {
// CHECK:      // kernel of 1 pass: fold add over d1
// CHECK-NEXT: // ceil(n0 / 128) blocks of 128 threads
// CHECK-NEXT: extern "C" __global__ __launch_bounds__(128)
// CHECK-NEXT: void dot_kernel0(const __nv_bfloat16 *__restrict__ a,
// CHECK-NEXT:                  const __nv_bfloat16 *__restrict__ b,
// CHECK-NEXT:                  __nv_bfloat16 *__restrict__ out,
// CHECK-NEXT:                  long long n0) {
// CHECK-NEXT:   const long long block = blockIdx.x;
// CHECK-NEXT:   const long long thread = threadIdx.x;
// CHECK-NEXT:   const long long at = block * 128 + thread;
// CHECK-NEXT:   if (at < n0) {
// CHECK-NEXT:     float sum = 0.0f;
// CHECK:            const float t = __fmul_rn(__bfloat162float(a[{{.*}}]), __bfloat162float(b[{{.*}}]));
// CHECK-NEXT:       sum += t;
// CHECK:          out[at] = tang_to_bfloat16(sum);
func.func @dot(%a: tensor<?x64xbf16> loc("a"), %b: tensor<64xbf16> loc("b")) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<?x64xbf16>, tensor<64xbf16>) outs(%start : tensor<?xf32>) {
  ^bb0(%x: bf16, %w: bf16, %out: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %w : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = tensor.empty(%n) : tensor<?xbf16>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%r : tensor<?xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?xbf16>
  return %z : tensor<?xbf16>
}
