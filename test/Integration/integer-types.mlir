// RUN: %tang-agree %s
// Integers of 8 to 64 bits: wrapping, shifts, signed and unsigned division, comparison, widening and narrowing.
// INPUT: 16xi8=nasty:1
// INPUT: 16xi16=nasty:2
// INPUT: 16xi32=nasty:3
// INPUT: 16xi64=nasty:4
// INPUT: 16xi1=random:5
// SET:
// INPUT: 16xi8=-128
// INPUT: 16xi16=-32768
// INPUT: 16xi32=-2147483648
// INPUT: 16xi64=-9223372036854775808
// INPUT: 16xi1=1
// EXPECT: 16xi8=0
// EXPECT: 16xi16=10922
// EXPECT: 16xi32=-130
// EXPECT: 16xi64=-2
// EXPECT: 16xi1=0
// EXPECT: 16xi32=-1
// EXPECT: 16xi8=0
func.func @main(%a: tensor<16xi8>, %b: tensor<16xi16>, %c: tensor<16xi32>, %d: tensor<16xi64>, %p: tensor<16xi1>)
    -> (tensor<16xi8>, tensor<16xi16>, tensor<16xi32>, tensor<16xi64>, tensor<16xi1>, tensor<16xi32>, tensor<16xi8>) {
  %three16 = arith.constant dense<3> : tensor<16xi16>
  %seven32 = arith.constant dense<7> : tensor<16xi32>
  %n127 = arith.constant dense<127> : tensor<16xi32>
  %two64 = arith.constant dense<2> : tensor<16xi64>
  %0 = arith.addi %a, %a : tensor<16xi8>
  %1 = arith.divui %b, %three16 : tensor<16xi16>
  %w = arith.extsi %a : tensor<16xi8> to tensor<16xi32>
  %r = arith.remsi %c, %seven32 : tensor<16xi32>
  %s = arith.maxui %r, %n127 : tensor<16xi32>
  %t = arith.minsi %w, %s : tensor<16xi32>
  %u = arith.addi %t, %s : tensor<16xi32>
  %x = arith.remsi %u, %n127 : tensor<16xi32>
  %y = arith.extui %p : tensor<16xi1> to tensor<16xi32>
  %z = arith.muli %n127, %y : tensor<16xi32>
  %2 = arith.subi %x, %z : tensor<16xi32>
  %h = arith.divsi %d, %two64 : tensor<16xi64>
  %k = arith.floordivsi %h, %two64 : tensor<16xi64>
  %m = arith.muli %k, %two64 : tensor<16xi64>
  %sixty = arith.constant dense<61> : tensor<16xi64>
  %3 = arith.shrsi %m, %sixty : tensor<16xi64>
  %q = arith.cmpi ult, %d, %two64 : tensor<16xi64>
  %4 = arith.andi %p, %q : tensor<16xi1>
  %5 = arith.extsi %p : tensor<16xi1> to tensor<16xi32>
  %6 = arith.trunci %d : tensor<16xi64> to tensor<16xi8>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<16xi8>, tensor<16xi16>, tensor<16xi32>, tensor<16xi64>, tensor<16xi1>, tensor<16xi32>, tensor<16xi8>
}
