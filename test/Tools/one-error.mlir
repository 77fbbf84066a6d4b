// A refusal is one error, with the place and the rule, and no dump of the operation.
// RUN: not tang-compile %s --target=c -o %t.tangb 2>&1 | FileCheck %s --implicit-check-not=note:
// CHECK: one-error.mlir:[[#@LINE+2]]:{{.*}}error: schedule rule 'tile-rank': the domain has 1 dimensions, the schedule tiles 2
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = tang.map [i] ins(%x[i] : tensor<8xf32>) outs(%x : tensor<8xf32>) attributes {schedule = #tang.schedule<tile = [3, 3], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<8xf32>
}
