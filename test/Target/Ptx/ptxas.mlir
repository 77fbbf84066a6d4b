// REQUIRES: cuda-toolkit
// What ptxas says: its errors stop the compiler, and what it says about lost performance is a warning.
// RUN: split-file %s %t
// RUN: not tang-compile --target=h200 %t/error.mlir -o %t/out.tangb 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tang-compile --target=h200 %t/slow.mlir -o %t/out.tangb 2>&1 | FileCheck %s --check-prefix=SLOW

// ERROR: error: {{.*}}ptxas failed with exit code
// ERROR: nonsense
// SLOW: warning: {{.*}}(C7519) warpgroup.arrive is injected

//--- error.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel attributes {tang.native, tang.block = 128 : i64} {
      llvm.inline_asm has_side_effects asm_dialect = att "nonsense;", "" : () -> ()
      gpu.return
    }
  }
}
//--- slow.mlir
!acc = !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The accumulators are written before, and no wgmma.fence says so.
    gpu.func @k(%x: memref<?xf32>, %a: i64, %b: i64) kernel attributes {tang.native, tang.block = 128 : i64} {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xf32>
      %acc = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31}, $32, $33, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,l,l,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31" %a, %b, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v : (i64, i64, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) -> !acc
      %r = llvm.extractvalue %acc[3] : !acc
      memref.store %r, %x[%t] : memref<?xf32>
      gpu.return
    }
  }
}
