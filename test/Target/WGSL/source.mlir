// RUN: tang-translate --tang-to-wgsl %s | FileCheck %s
// A kernel as a person reads it: a header, its interface, and WGSL's own ways with 16-bit elements, 64-bit integers,
// comparisons that know NaN, and infinity.

// CHECK: // Kernels emitted by Tang: WGSL.

// What kernels do not call is not there.
// CHECK-NOT: fn tang_sin
// CHECK: fn tang_i16_of(word: u32, at: i32) -> i32
// CHECK: fn tang_add64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32>
// CHECK: fn tang_is_nan(x: f32) -> bool
// CHECK: fn tang_expm1_near_0

// CHECK: // rows, scaled
// CHECK-NEXT: // scale(bf16 x[], i64 count[], f32 y[], index n, f32 factor)
// CHECK-NEXT: // 64 invocations a workgroup; args.blocks workgroups, in rows of at most 65535
// CHECK-NEXT: struct scale_arguments {
// CHECK-NEXT:   n: i32,
// CHECK-NEXT:   factor: f32,
// CHECK-NEXT:   blocks: u32,
// CHECK-NEXT: }
// CHECK-NEXT: @group(0) @binding(0) var<storage, read> x: array<u32>; // bf16, two a word
// CHECK-NEXT: @group(0) @binding(1) var<storage, read_write> count: array<vec2<u32>>; // i64, low word first
// CHECK-NEXT: @group(0) @binding(2) var<storage, read_write> y: array<f32>;
// CHECK-NEXT: @group(0) @binding(3) var<uniform> scale_args: scale_arguments;
// CHECK: @compute @workgroup_size(64)
// CHECK-NEXT: fn scale(@builtin(workgroup_id) group: vec3<u32>,
// CHECK-NEXT:          @builtin(num_workgroups) groups: vec3<u32>,
// CHECK-NEXT:          @builtin(local_invocation_id) local: vec3<u32>) {
// CHECK-NEXT:   if (group.y * groups.x + group.x >= scale_args.blocks) { return; }
// CHECK-NEXT:   let n = scale_args.n;
// CHECK-NEXT:   let factor = scale_args.factor;
// CHECK-NEXT:   let block: i32 = i32(group.y * groups.x + group.x);
// CHECK-NEXT:   let thread: i32 = i32(local.x);
// CHECK-NEXT:   let at: i32 = block * 64 + thread;
// CHECK-NEXT:   if (at < n) {
// CHECK-NEXT:     let t: f32 = tang_bf16_to_f32(tang_i16_of(x[at >> 1], at));
// CHECK-NEXT:     y[at] = select(tang_exp(t * factor), tang_f32(0xff800000u), tang_is_nan(t));
// CHECK-NEXT:     count[at] = tang_add64(count[at], vec2<u32>(0x1u, 0x0u));
// CHECK-NEXT:   }
// CHECK-NEXT: }
gpu.module @kernels {
  gpu.func @scale(%x: memref<?xbf16> {tang.name = "x", tang.readonly}, %count: memref<?xi64> {tang.name = "count"},
                  %y: memref<?xf32> {tang.name = "y"}, %n: index {tang.name = "n"}, %factor: f32 {tang.name = "factor"})
      kernel attributes {tang.block = 64 : i64, tang.comment = "rows, scaled"} {
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %thread = gpu.thread_id x
    %start = arith.muli %block, %size : index
    %at = arith.addi %start, %thread : index
    %inside = arith.cmpi slt, %at, %n : index
    scf.if %inside {
      %one = arith.constant 1 : i64
      %low = arith.constant 0xFF800000 : f32
      %small = memref.load %x[%at] : memref<?xbf16>
      %v = arith.extf %small : bf16 to f32
      %scaled = arith.mulf %v, %factor : f32
      %e = math.exp %scaled : f32
      %isnan = arith.cmpf une, %v, %v : f32
      %r = arith.select %isnan, %low, %e : f32
      memref.store %r, %y[%at] : memref<?xf32>
      %c = memref.load %count[%at] : memref<?xi64>
      %c1 = arith.addi %c, %one : i64
      memref.store %c1, %count[%at] : memref<?xi64>
    }
    gpu.return
  }
}
