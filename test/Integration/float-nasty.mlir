// RUN: %tang-agree %s
// Infinities, NaN, -0, denormals and the largest numbers through single operations: both flavours of minimum and
// maximum, comparisons, sign operations, and functions at their limits.
// INPUT: 96xf32=nasty:1
// INPUT: 96xf32=nasty:2
// SET:
// INPUT: 96xf32=nan
// INPUT: 96xf32=1
// EXPECT: 96xf32=nan
// EXPECT: 96xf32=1
// EXPECT: 96xf32=nan
// EXPECT: 96xf32=1
// EXPECT: 96xi1=0
// EXPECT: 96xi1=1
// EXPECT: 96xf32=1
// EXPECT: 96xf32=nan
// EXPECT: 96xf32=nan
// EXPECT: 96xf32=nan
// EXPECT: 96xf32=nan
// SET:
// INPUT: 96xf32=-inf
// INPUT: 96xf32=-inf
// EXPECT: 96xf32=-inf
// EXPECT: 96xf32=-inf
// EXPECT: 96xf32=-inf
// EXPECT: 96xf32=-inf
// EXPECT: 96xi1=0
// EXPECT: 96xi1=0
// EXPECT: 96xf32=-inf
// EXPECT: 96xf32=0
// EXPECT: 96xf32=-1
// EXPECT: 96xf32=nan
// EXPECT: 96xf32=nan
// TOLERANCE: f32 rtol=1e-5 atol=2e-38 (a target may flush denormals to 0)
func.func @main(%x: tensor<96xf32>, %y: tensor<96xf32>)
    -> (tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xi1>, tensor<96xi1>, tensor<96xf32>, tensor<96xf32>,
        tensor<96xf32>, tensor<96xf32>, tensor<96xf32>) {
  %0 = arith.maximumf %x, %y : tensor<96xf32>
  %1 = arith.maxnumf %x, %y : tensor<96xf32>
  %2 = arith.minimumf %x, %y : tensor<96xf32>
  %3 = arith.minnumf %x, %y : tensor<96xf32>
  %4 = arith.cmpf olt, %x, %y : tensor<96xf32>
  %5 = arith.cmpf une, %x, %y : tensor<96xf32>
  %n = arith.negf %x : tensor<96xf32>
  %6 = math.copysign %y, %x : tensor<96xf32>
  %7 = math.exp %x : tensor<96xf32>
  %8 = math.tanh %x : tensor<96xf32>
  %9 = math.sqrt %x : tensor<96xf32>
  %10 = arith.addf %n, %y : tensor<96xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
      : tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xi1>, tensor<96xi1>, tensor<96xf32>, tensor<96xf32>,
        tensor<96xf32>, tensor<96xf32>, tensor<96xf32>
}
