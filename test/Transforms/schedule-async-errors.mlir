// Schedules of agents that are given are refused where they cannot be meant.
// RUN: split-file %s %t
// RUN: not tang-opt %t/product.mlir --tang-schedule=target=c 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=error:
// RUN: not tang-opt %t/product.mlir --tang-schedule=target=cuda 2>&1 | FileCheck %s --check-prefix=CUDA --implicit-check-not=error:
// RUN: not tang-opt %t/product.mlir "--tang-schedule=target=h200 numerics=exact" 2>&1 | FileCheck %s --check-prefix=EXACT --implicit-check-not=error:
// RUN: tang-opt %t/product.mlir --tang-schedule=target=h200 | FileCheck %s --check-prefix=KEPT
// RUN: not tang-opt %t/map.mlir --tang-schedule=target=h200 2>&1 | FileCheck %s --check-prefix=MAP --implicit-check-not=error:

// TARGET: error: 'tang.kernel' op schedule rule 'async': target 'c' has no matrix unit
// CUDA: error: 'tang.kernel' op schedule rule 'async': target 'cuda' has no matrix unit
// EXACT: error: 'tang.kernel' op schedule rule 'async': a matrix unit does not sum in order, as numerics 'exact' wants
// KEPT: schedule = #tang.schedule<tile = [64, 64, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>
// MAP: error: 'tang.map' op schedule rule 'async': no kernel, which alone can be run by agents

//--- product.mlir
func.func @main(%a: tensor<64x256xbf16>, %b: tensor<64x256xbf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = tang.kernel (%x = %a : tensor<64x256xbf16>, %y = %b : tensor<64x256xbf16>) outs(%e : tensor<64x64xf32>)
      attributes {schedule = #tang.schedule<tile = [64, 64, 64], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} {
    %f = tensor.empty() : tensor<64x64xf32>
    %s = tang.reduce #tang.monoid<add> [i, j] over [k = 256] init(0.0 : f32) ins(%x[i, k], %y[j, k] : tensor<64x256xbf16>, tensor<64x256xbf16>) outs(%f : tensor<64x64xf32>) (%p: bf16, %q: bf16) {
      %u = arith.extf %p : bf16 to f32
      %v = arith.extf %q : bf16 to f32
      %w = arith.mulf %u, %v : f32
      tang.yield %w : f32
    }
    tang.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
//--- map.mlir
func.func @main(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %r = tang.map [i, j] ins(%x[i, j] : tensor<8x40xf32>) outs(%x : tensor<8x40xf32>) attributes {schedule = #tang.schedule<tile = [8, 40], block = 256, async = <consumers = 1, stages = 2, skew = 0, raster = 1>>} (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<8x40xf32>
}
