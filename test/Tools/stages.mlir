// Compilation can be looked at after every stage, and goes on from there: what a person edited by hand is compiled.
// RUN: tang-compile %s --target=c --emit=source -o %t.c
// RUN: tang-compile %s --target=c --emit=graph -o %t.graph.mlir
// RUN: tang-compile %s --target=c --emit=derived -o %t.derived.mlir
// RUN: tang-compile %s --target=c --emit=scheduled -o %t.scheduled.mlir
// RUN: tang-compile %s --target=c --emit=tile -o %t.tile.mlir
// RUN: tang-compile %s --target=c --emit=kernel -o %t.kernel.mlir
// RUN: tang-compile %t.graph.mlir --target=c --emit=source | diff %t.c -
// RUN: tang-compile %t.derived.mlir --target=c --emit=source | diff %t.c -
// RUN: tang-compile %t.scheduled.mlir --target=c --emit=source | diff %t.c -
// RUN: tang-compile %t.tile.mlir --target=c --emit=source | diff %t.c -
// RUN: tang-compile %t.kernel.mlir --target=c --emit=source | diff %t.c -
// RUN: FileCheck %s --check-prefix=GRAPH < %t.graph.mlir
// RUN: FileCheck %s --check-prefix=DERIVED < %t.derived.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULED < %t.scheduled.mlir
// RUN: FileCheck %s --check-prefix=TILE < %t.tile.mlir
// RUN: FileCheck %s --check-prefix=KERNEL < %t.kernel.mlir

// The stages are files of a dump, in order.
// RUN: rm -rf %t.dump
// RUN: tang-compile %s --target=c --emit=source --dump-dir=%t.dump
// RUN: ls %t.dump | FileCheck %s --check-prefix=DUMP
// DUMP: 1-graph.mlir
// DUMP-NEXT: 2-derived.mlir
// DUMP-NEXT: 3-scheduled.mlir
// DUMP-NEXT: 4-tile.mlir
// DUMP-NEXT: 5-kernel.mlir

// tang-opt's pipeline and tang-translate do the same.
// RUN: tang-opt %s --tang-compile=target=c | tang-translate --tang-to-c | diff %t.c -

// GRAPH: tang.map
// GRAPH: tang.reduce
// DERIVED-NOT: tang.map
// DERIVED: tang.reduce
// DERIVED-NEXT: math.exp
// SCHEDULED: tang.reduce {{.*}} attributes {schedule = #tang.schedule<tile = [4, 8], block = 1>
// TILE: gpu.launch_func
// TILE: tang.stream
// TILE: tang.fold
// KERNEL: gpu.func
// KERNEL-NOT: tang.{{load|stream|fold|store}}
// KERNEL: scf.for

func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %e = math.exp %x : tensor<4x8xf32>
  %r = linalg.reduce ins(%e : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return %r : tensor<4xf32>
}
