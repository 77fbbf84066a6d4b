// RUN: %tang-agree %s
// Widening and narrowing between f64, f32, f16, bf16 and the 8-bit floats: to nearest, ties to even, exactly.
// REFUSES: webgpu f64
// INPUT: 64xf32=random:1
// INPUT: 64xf16=random:2
// INPUT: 64xbf16=random:3
// INPUT: 64xf8E4M3FN=random:4
// INPUT: 64xf8E5M2=random:5
// INPUT: 64xf64=random:6
// SET:
// INPUT: 64xf32=range:1:-400:400
// INPUT: 64xf16=nasty:2
// INPUT: 64xbf16=nasty:3
// INPUT: 64xf8E4M3FN=nasty:4
// INPUT: 64xf8E5M2=nasty:5
// INPUT: 64xf64=range:6:-1e-3:1e-3
// SET:
// INPUT: 64xf32=1.00390625
// INPUT: 64xf16=2.5
// INPUT: 64xbf16=-3
// INPUT: 64xf8E4M3FN=448
// INPUT: 64xf8E5M2=-0.0625
// INPUT: 64xf64=257
// EXPECT: 64xbf16=1
// EXPECT: 64xf16=1.00390625
// EXPECT: 64xf8E4M3FN=1
// EXPECT: 64xf8E5M2=1
// EXPECT: 64xf32=2.5
// EXPECT: 64xf32=-3
// EXPECT: 64xf16=448
// EXPECT: 64xbf16=-0.0625
// EXPECT: 64xbf16=256
// TOLERANCE: f32 rtol=0 atol=0 (conversions are exact or rounded once, and so are those below)
// TOLERANCE: f16 rtol=0 atol=0
// TOLERANCE: bf16 rtol=0 atol=0
// TOLERANCE: f8E4M3FN rtol=0 atol=0
// TOLERANCE: f8E5M2 rtol=0 atol=0
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf16>, %c: tensor<64xbf16>, %d: tensor<64xf8E4M3FN>, %e: tensor<64xf8E5M2>,
                %f: tensor<64xf64>)
    -> (tensor<64xbf16>, tensor<64xf16>, tensor<64xf8E4M3FN>, tensor<64xf8E5M2>, tensor<64xf32>, tensor<64xf32>, tensor<64xf16>,
        tensor<64xbf16>, tensor<64xbf16>) {
  %0 = arith.truncf %a : tensor<64xf32> to tensor<64xbf16>
  %1 = arith.truncf %a : tensor<64xf32> to tensor<64xf16>
  %2 = arith.truncf %a : tensor<64xf32> to tensor<64xf8E4M3FN>
  %3 = arith.truncf %a : tensor<64xf32> to tensor<64xf8E5M2>
  %4 = arith.extf %b : tensor<64xf16> to tensor<64xf32>
  %5 = arith.extf %c : tensor<64xbf16> to tensor<64xf32>
  %6 = arith.extf %d : tensor<64xf8E4M3FN> to tensor<64xf16>
  %w = arith.extf %e : tensor<64xf8E5M2> to tensor<64xf32>
  %7 = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
  %8 = arith.truncf %f : tensor<64xf64> to tensor<64xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<64xbf16>, tensor<64xf16>, tensor<64xf8E4M3FN>, tensor<64xf8E5M2>, tensor<64xf32>, tensor<64xf32>, tensor<64xf16>,
        tensor<64xbf16>, tensor<64xbf16>
}
