// A kernel lowered by another pass, `tang.native`: kernel-IR passes leave it alone, and the ptx backend gives it what
// gpu.func has no place for. One tile of C = A Bᵀ by a producer and a consumer warpgroup.
// RUN: tang-translate --tang-to-ptx --target=h200 %s | FileCheck %s
// RUN: tang-compile --target=h200 %s -o %t.bundle
// RUN: FileCheck --check-prefix=MANIFEST %s < %t.bundle/manifest.json
// The launch, by a CUDA driver that only takes notes and reads PTX.
// RUN: rm -f %t.bundle/kernels.cubin %t.log
// RUN: env FAKE_CUDA_LOG=%t.log LD_LIBRARY_PATH=%tang_build/test/unit/runtime/fake-cuda \
// RUN:   tang-run %t.bundle --input=48x64xbf16=1 --input=80x64xbf16=1
// RUN: FileCheck --check-prefix=LOG %s < %t.log

// CHECK: .target sm_90a
// CHECK: .extern .shared .align 1024 .b8 smem[];
// CHECK: .visible .entry tile(
// CHECK: .param .u64 .ptr .global {{[^,]*}}tile_param_0,
// CHECK: .param .u64 .ptr .global {{[^,]*}}tile_param_2,
// CHECK: .param .u64 tile_param_3,
// CHECK: .param .align 64 .b8 tile_param_4[128],
// CHECK: .param .align 64 .b8 tile_param_5[128]
// CHECK: .reqntid 256
// CHECK: .reqnctapercluster 2
// CHECK: mbarrier.init.shared
// CHECK: setmaxnreg.dec.sync.aligned.u32 24
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16

// MANIFEST:      "cluster": 2
// MANIFEST:      "dependent_launch": true
// MANIFEST:      "name": "tile"
// MANIFEST:      "shared_bytes": 66560
// MANIFEST:      "tensor_maps": [
// MANIFEST:      "box": [
// MANIFEST-NEXT:   64,
// MANIFEST-NEXT:   64
// MANIFEST:      "buffer": 0,
// MANIFEST:      "dims": [
// MANIFEST-NEXT:   64,
// MANIFEST-NEXT:   {
// MANIFEST-NEXT:     "scalar": 0
// MANIFEST:      "dtype": "bf16"
// MANIFEST:      "l2": 128
// MANIFEST:      "strides": [
// MANIFEST-NEXT:   128
// MANIFEST:      "swizzle": 128

// LOG: attribute tile 8 66560
// LOG: encode map1 type 9 m0 dims [64 48] strides [128] box [64 64] steps [1 1] interleave 0 swizzle 3 l2 2 fill 0
// LOG: encode map2 type 9 m1 dims [64 48] strides [128] box [64 64] steps [1 1] interleave 0 swizzle 3 l2 2 fill 0
// LOG: launch tile grid 2 block 256 shared 66560 cluster 2 dependent 1 args m0 m1 m2 30 map1 map2

!acc = !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
module attributes {gpu.container_module} {
  func.func @main(%a: memref<?x64xbf16>, %b: memref<?x64xbf16>) -> memref<?x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %n = memref.dim %a, %c0 : memref<?x64xbf16>
    %out = memref.alloc(%n) : memref<?x64xf32>
    %a1 = memref.collapse_shape %a [[0, 1]] : memref<?x64xbf16> into memref<?xbf16>
    %b1 = memref.collapse_shape %b [[0, 1]] : memref<?x64xbf16> into memref<?xbf16>
    %o1 = memref.collapse_shape %out [[0, 1]] : memref<?x64xf32> into memref<?xf32>
    %map = llvm.mlir.zero : !llvm.ptr
    gpu.launch_func @kernels::@tile blocks in (%c2, %c1, %c1) threads in (%c256, %c1, %c1)
      args(%a1 : memref<?xbf16>, %b1 : memref<?xbf16>, %o1 : memref<?xf32>, %n : index, %map : !llvm.ptr, %map : !llvm.ptr)
    return %out : memref<?x64xf32>
  }
  gpu.module @kernels {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @tile(%a: memref<?xbf16> {tang.name = "a", tang.readonly}, %b: memref<?xbf16> {tang.name = "b", tang.readonly},
                   %c: memref<?xf32> {tang.name = "c"}, %n: index {tang.name = "n"},
                   %ma: !llvm.ptr {tang.tensor_map = {buffer = 0, dims = [64, {scalar = 0}], strides = [128], box = [64, 64], swizzle = 128, l2 = 128}},
                   %mb: !llvm.ptr {tang.tensor_map = {buffer = 1, dims = [64, {scalar = 0}], strides = array<i64: 128>, box = array<i64: 64, 64>, swizzle = 128, l2 = 128}})
        kernel attributes {tang.native, tang.block = 256 : i64, tang.shared = 66560 : i64, tang.cluster = 2 : i64, tang.dependent_launch} {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %i0 = arith.constant 0 : i32
      %i1 = arith.constant 1 : i32
      %bytes = arith.constant 16384 : i32
      %ticks = arith.constant 10000000 : i32
      %tid = gpu.thread_id x
      %shared = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %base = llvm.ptrtoint %shared : !llvm.ptr<3> to i32
      %c1024 = arith.constant 1024 : i32
      %tile_a = arith.addi %base, %c1024 : i32
      %c8192 = arith.constant 8192 : i32
      %tile_b = arith.addi %tile_a, %c8192 : i32
      %bar = llvm.inttoptr %base : i32 to !llvm.ptr<3>
      %first = arith.cmpi eq, %tid, %c0 : index
      scf.if %first {
        nvvm.mbarrier.init %bar, %i1 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      %producer = arith.cmpi ult, %tid, %c128 : index
      scf.if %producer {
        nvvm.setmaxregister decrease 24
        scf.if %first {
          nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
          %pa = llvm.inttoptr %tile_a : i32 to !llvm.ptr<7>
          %pb = llvm.inttoptr %tile_b : i32 to !llvm.ptr<7>
          nvvm.cp.async.bulk.tensor.shared.cluster.global %pa, %ma, %bar, box[%i0, %i0] : !llvm.ptr<7>, !llvm.ptr
          nvvm.cp.async.bulk.tensor.shared.cluster.global %pb, %mb, %bar, box[%i0, %i0] : !llvm.ptr<7>, !llvm.ptr
        }
      } else {
        nvvm.setmaxregister increase 240
        nvvm.mbarrier.try_wait.parity %bar, %i0, %ticks : !llvm.ptr<3>, i32, i32
        // Swizzle 128 bytes, 1024 bytes between groups of eight rows.
        %high = arith.constant 4611686293305294848 : i64
        %c4 = arith.constant 4 : i32
        %sa = arith.shrui %tile_a, %c4 : i32
        %sb = arith.shrui %tile_b, %c4 : i32
        %la = arith.extui %sa : i32 to i64
        %lb = arith.extui %sb : i32 to i64
        %da = arith.ori %la, %high : i64
        %db = arith.ori %lb, %high : i64
        %acc = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31}, $32, $33, 0, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,l,l" %da, %db : (i64, i64) -> !acc
        %e0 = llvm.extractvalue %acc[0] : !acc
        %e1 = llvm.extractvalue %acc[1] : !acc
        %e2 = llvm.extractvalue %acc[2] : !acc
        %e3 = llvm.extractvalue %acc[3] : !acc
        %e4 = llvm.extractvalue %acc[4] : !acc
        %e5 = llvm.extractvalue %acc[5] : !acc
        %e6 = llvm.extractvalue %acc[6] : !acc
        %e7 = llvm.extractvalue %acc[7] : !acc
        %e8 = llvm.extractvalue %acc[8] : !acc
        %e9 = llvm.extractvalue %acc[9] : !acc
        %e10 = llvm.extractvalue %acc[10] : !acc
        %e11 = llvm.extractvalue %acc[11] : !acc
        %e12 = llvm.extractvalue %acc[12] : !acc
        %e13 = llvm.extractvalue %acc[13] : !acc
        %e14 = llvm.extractvalue %acc[14] : !acc
        %e15 = llvm.extractvalue %acc[15] : !acc
        %e16 = llvm.extractvalue %acc[16] : !acc
        %e17 = llvm.extractvalue %acc[17] : !acc
        %e18 = llvm.extractvalue %acc[18] : !acc
        %e19 = llvm.extractvalue %acc[19] : !acc
        %e20 = llvm.extractvalue %acc[20] : !acc
        %e21 = llvm.extractvalue %acc[21] : !acc
        %e22 = llvm.extractvalue %acc[22] : !acc
        %e23 = llvm.extractvalue %acc[23] : !acc
        %e24 = llvm.extractvalue %acc[24] : !acc
        %e25 = llvm.extractvalue %acc[25] : !acc
        %e26 = llvm.extractvalue %acc[26] : !acc
        %e27 = llvm.extractvalue %acc[27] : !acc
        %e28 = llvm.extractvalue %acc[28] : !acc
        %e29 = llvm.extractvalue %acc[29] : !acc
        %e30 = llvm.extractvalue %acc[30] : !acc
        %e31 = llvm.extractvalue %acc[31] : !acc
        %done = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31" %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15, %e16, %e17, %e18, %e19, %e20, %e21, %e22, %e23, %e24, %e25, %e26, %e27, %e28, %e29, %e30, %e31 : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) -> !acc
        %v = llvm.extractvalue %done[0] : !acc
        // The ways to a buffer's address.
        %p1 = builtin.unrealized_conversion_cast %c : memref<?xf32> to !llvm.ptr<1>
        %p0 = builtin.unrealized_conversion_cast %c : memref<?xf32> to !llvm.ptr
        %address = memref.extract_aligned_pointer_as_index %c : memref<?xf32> -> index
        %word = arith.index_cast %address : index to i64
        %p = llvm.inttoptr %word : i64 to !llvm.ptr<1>
        llvm.store %v, %p1 : f32, !llvm.ptr<1>
        llvm.store volatile %v, %p0 : f32, !llvm.ptr
        llvm.store volatile %v, %p : f32, !llvm.ptr<1>
        %at = arith.index_cast %tid : index to i64
        %slot = llvm.getelementptr %p1[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %last = llvm.extractvalue %done[31] : !acc
        llvm.store %last, %slot : f32, !llvm.ptr<1>
        memref.store %last, %c[%tid] : memref<?xf32>
      }
      gpu.return
    }
  }
}
