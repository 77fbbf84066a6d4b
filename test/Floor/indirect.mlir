// Rows drawn from a table: of 100 rows 64 uniform draws touch
// 100 (1 - 0.99^64) = 47.4 on average, 256 bytes each.
// RUN: tang-opt %s --tang-floor=target=h200 2>&1 | FileCheck %s
// CHECK: tang.floor = {{.*}}bytes = 28785 : i64
func.func @main(%table: tensor<100x64xf32>, %ids: tensor<64xi32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = tang.map [i, j] ins(%ids[i] : tensor<64xi32>) with(%table : tensor<100x64xf32>)
         outs(%e : tensor<64x64xf32>) (%id: i32, %src: tensor<100x64xf32>) {
    %row = arith.index_cast %id : i32 to index
    %col = tang.index 1
    %v = tang.at %src[%row, %col] : tensor<100x64xf32>
    tang.yield %v : f32
  }
  return %r : tensor<64x64xf32>
}
