// What a person reads of two kernels: names, a header, the kernels under guards (GLSL has one main), the sizes in one block,
// and the check that the last row of the grid needs.
// RUN: tang-translate --tang-to-glsl %s | FileCheck %s --check-prefix=GLSL
// RUN: tang-translate --tang-to-metal %s | FileCheck %s --check-prefix=METAL

// GLSL:      #version 450
// GLSL:      #if defined(KERNEL_scale)
// GLSL-NEXT: // scale(bf16 x[], bf16 y[], f32 factor, index n)
// GLSL-NEXT: // twice
// GLSL-NEXT: // as much
// GLSL-NEXT: // 64 invocations a workgroup; args.blocks workgroups, in rows of at most 65535
// GLSL:      layout(set = 0, binding = 1, std430) buffer y_buffer
// GLSL:      layout(set = 0, binding = 0, std430) readonly buffer x_buffer
// GLSL-NEXT: {
// GLSL-NEXT:     uint16_t data[];
// GLSL-NEXT: } x;
// GLSL:      layout(push_constant, std430) uniform Arguments
// GLSL-NEXT: {
// GLSL-NEXT:     float factor;
// GLSL-NEXT:     uint64_t n;
// GLSL-NEXT:     uint blocks;
// GLSL-NEXT: } args;
// GLSL:      float tang_bf16_to_f32(
// GLSL:      if ({{.*}} < args.blocks)
// GLSL:      precise float [[P:.*]] = tang_bf16_to_f32(x.data[{{.*}}]) * args.factor;
// GLSL:      y.data[
// GLSL:      #else // KERNEL_sum
// GLSL:      #endif

// METAL:      #include <metal_stdlib>
// METAL:      #pragma clang fp contract(off)
// METAL:      // sum(f32 x[], f32 y[], index n)
// METAL:      kernel void sum(const device sum_x_buffer& x {{\[\[buffer\(0\)\]\]}}, device sum_y_buffer& y {{\[\[buffer\(1\)\]\]}}, constant sum_Arguments& args {{\[\[buffer\(2\)\]\]}}
// METAL:      if ({{.*}} < args.blocks)
// METAL:      y.data[
// METAL-COUNT-1: float tang_bf16_to_f32(
// METAL:      kernel void scale(
// METAL:      tang_bf16_to_f32(x.data[{{.*}}]) * args.factor
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sum(%x: memref<?xf32> {tang.name = "x", tang.readonly}, %y: memref<?xf32> {tang.name = "y"},
                  %n: index {tang.name = "n"}) kernel attributes {tang.block = 64 : i64} {
      %block = gpu.block_id x
      %c64 = arith.constant 64 : index
      %t = gpu.thread_id x
      %start = arith.muli %block, %c64 : index
      %i = arith.addi %start, %t : index
      %inside = arith.cmpi slt, %i, %n : index
      scf.if %inside {
        %a = memref.load %x[%i] : memref<?xf32>
        %b = memref.load %y[%i] : memref<?xf32>
        %c = arith.addf %a, %b : f32
        memref.store %c, %y[%i] : memref<?xf32>
      }
      gpu.return
    }
    gpu.func @scale(%x: memref<?xbf16> {tang.name = "x", tang.readonly}, %y: memref<?xbf16> {tang.name = "y"},
                    %factor: f32 {tang.name = "factor"}, %n: index {tang.name = "n"})
        kernel attributes {tang.block = 64 : i64, tang.comment = "twice\nas much"} {
      %block = gpu.block_id x
      %c64 = arith.constant 64 : index
      %t = gpu.thread_id x
      %start = arith.muli %block, %c64 : index
      %i = arith.addi %start, %t : index
      %inside = arith.cmpi slt, %i, %n : index
      scf.if %inside {
        %a = memref.load %x[%i] : memref<?xbf16>
        %wide = arith.extf %a : bf16 to f32
        %b = arith.mulf %wide, %factor : f32
        %c = arith.truncf %b : f32 to bf16
        memref.store %c, %y[%i] : memref<?xbf16>
      }
      gpu.return
    }
  }
}
