// RUN: %tang-derive %s
// Sums under a running bound that may end infinite or NaN, of rows of any length: what is NaN by proof (a plain sum, a
// weighted one, one under a minimum), and what is not and is folded again: a mask that drops the NaN, a guarded maximum, a
// floor, and a maximum that starts from +inf, which no point attains. Without points all are 0.
// INPUT: 40x45xf32=odd:1:0:50
// INPUT: 45xf32=random:2
// SET:
// INPUT: 30x300xf32=odd:3:0:50
// INPUT: 300xf32=nasty:4
// SET:
// INPUT: 3x0xf32=0
// INPUT: 0xf32=0
// EXPECT: 3xf32=0
// EXPECT: 3xf32=0
// EXPECT: 3xf32=0
// EXPECT: 3xf32=0
// EXPECT: 3xf32=0
// EXPECT: 3xf32=0
// EXPECT: 3xf32=0
// SET:
// INPUT: 10x1xf32=odd:5:0:50
// INPUT: 1xf32=inf
// TOLERANCE: f32 rtol=2e-5 atol=1e-5 (exp some units off, in another order of sums)
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %size = tensor.dim %x, %c1 : tensor<?x?xf32>
  %row = tensor.empty(%n) : tensor<?xf32>
  %max = tang.reduce #tang.monoid<maximum> [i] over [k = %size] init(0xFF800000 : f32)
         ins(%x[i, k] : tensor<?x?xf32>) outs(%row : tensor<?xf32>) (%a: f32) { tang.yield %a : f32 }
  %min = tang.reduce #tang.monoid<minimum> [i] over [k = %size] init(0x7F800000 : f32)
         ins(%x[i, k] : tensor<?x?xf32>) outs(%row : tensor<?xf32>) (%a: f32) { tang.yield %a : f32 }
  %plain = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
           ins(%x[i, k], %max[i] : tensor<?x?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%a: f32, %m: f32) {
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  %weighted = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
              ins(%x[i, k], %max[i], %w[k] : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>)
              (%a: f32, %m: f32, %b: f32) {
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %p = arith.mulf %b, %e : f32
    tang.yield %p : f32
  }
  %least = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
           ins(%x[i, k], %min[i] : tensor<?x?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%a: f32, %m: f32) {
    %d = arith.subf %m, %a : f32
    %e = math.exp2 %d : f32
    tang.yield %e : f32
  }
  %masked = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
            ins(%x[i, k], %max[i] : tensor<?x?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%a: f32, %m: f32) {
    %k = tang.index 1
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpi sge, %k, %c9 : index
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %s = arith.select %c, %e, %zero : f32
    tang.yield %s : f32
  }
  %guard = tang.map [i] ins(%max[i] : tensor<?xf32>) outs(%row : tensor<?xf32>) (%m: f32) {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf oeq, %m, %low : f32
    %s = arith.select %c, %zero, %m : f32
    tang.yield %s : f32
  }
  %guarded = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
             ins(%x[i, k], %guard[i] : tensor<?x?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%a: f32, %m: f32) {
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  %floor = tang.map [i] ins(%max[i] : tensor<?xf32>) outs(%row : tensor<?xf32>) (%m: f32) {
    %low = arith.constant -10.0 : f32
    %s = arith.maximumf %m, %low : f32
    tang.yield %s : f32
  }
  %floored = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
             ins(%x[i, k], %floor[i] : tensor<?x?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%a: f32, %m: f32) {
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  %top = tang.reduce #tang.monoid<maximum> [i] over [k = %size] init(0x7F800000 : f32)
         ins(%x[i, k] : tensor<?x?xf32>) outs(%row : tensor<?xf32>) (%a: f32) { tang.yield %a : f32 }
  %under = tang.reduce #tang.monoid<add> [i] over [k = %size] init(0.0 : f32)
           ins(%x[i, k], %top[i] : tensor<?x?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%a: f32, %m: f32) {
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tang.yield %e : f32
  }
  return %plain, %weighted, %least, %masked, %guarded, %floored, %under
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
