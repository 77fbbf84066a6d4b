// More blocks than a dimension of the grid may have (65,535), so that there are two rows, the second of them not full.
// REQUIRES: target-vulkan
// RUN: tang-run %s --target=cpu --input=5000000xf32=random:1 --output=@%t.npy
// RUN: tang-run %s --target=vulkan --input=5000000xf32=random:1 --expected-output=@%t.npy --rtol=0 --atol=0
func.func @main(%x: tensor<5000000xf32>) -> tensor<5000000xf32> {
  %empty = tensor.empty() : tensor<5000000xf32>
  %twice = linalg.add ins(%x, %x : tensor<5000000xf32>, tensor<5000000xf32>)
      outs(%empty : tensor<5000000xf32>) -> tensor<5000000xf32>
  return %twice : tensor<5000000xf32>
}
