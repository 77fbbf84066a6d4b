// RUN: %tang-everywhere %s
// More than 131,072 workgroups of 64 threads (65,536 of 128): beyond 65,535, which is all that one dimension of a grid has
// in Vulkan, Metal and CUDA's y and z. The integers differ from place to place, so that a group that is not run shows.
// INPUT: 8388736xi32=iota
func.func @main(%x: tensor<8388736xi32>) -> tensor<8388736xi32> {
  %e = tensor.empty() : tensor<8388736xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8388736xi32>) outs(%e : tensor<8388736xi32>) {
  ^bb0(%a: i32, %out: i32):
    %c = arith.constant 3 : i32
    %m = arith.muli %a, %c : i32
    linalg.yield %m : i32
  } -> tensor<8388736xi32>
  return %r : tensor<8388736xi32>
}
