// RUN: %tang-everywhere %s
// 64-bit integers, also beyond 32 bits and beyond what an f64 holds exactly.
// INPUT: 12xi64=0 1 -1 2147483648 -2147483649 4294967296 9007199254740993 -9007199254740993 9223372036854775807 -9223372036854775808 5 -5
// EXPECT: 12xi64=1 4 -2 6442450945 -6442450946 12884901889 27021597764222980 -27021597764222978 9223372036854775806 -9223372036854775807 16 -14
func.func @main(%x: tensor<12xi64>) -> tensor<12xi64> {
  %e = tensor.empty() : tensor<12xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<12xi64>) outs(%e : tensor<12xi64>) {
  ^bb0(%a: i64, %out: i64):
    %three = arith.constant 3 : i64
    %one = arith.constant 1 : i64
    %m = arith.muli %a, %three : i64
    %s = arith.addi %m, %one : i64
    linalg.yield %s : i64
  } -> tensor<12xi64>
  return %r : tensor<12xi64>
}
