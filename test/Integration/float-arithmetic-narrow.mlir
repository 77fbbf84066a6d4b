// RUN: %tang-agree %s
// Single operations in bf16 and f16: computed as if exactly, rounded once; and in f64.
// REFUSES: webgpu f64
// INPUT: 50xbf16=random:1
// INPUT: 50xbf16=random:2
// INPUT: 50xf16=random:3
// INPUT: 50xf16=random:4
// INPUT: 50xf64=random:5
// INPUT: 50xf64=random:6
func.func @main(%a: tensor<50xbf16>, %b: tensor<50xbf16>, %c: tensor<50xf16>, %d: tensor<50xf16>, %e: tensor<50xf64>,
                %f: tensor<50xf64>) -> (tensor<50xbf16>, tensor<50xbf16>, tensor<50xf16>, tensor<50xf16>, tensor<50xf64>, tensor<50xf64>) {
  %0 = arith.mulf %a, %b : tensor<50xbf16>
  %1 = math.exp %a : tensor<50xbf16>
  %2 = arith.divf %c, %d : tensor<50xf16>
  %g = arith.subf %c, %d : tensor<50xf16>
  %3 = arith.maximumf %g, %c : tensor<50xf16>
  %4 = arith.divf %e, %f : tensor<50xf64>
  %h = math.absf %e : tensor<50xf64>
  %5 = math.sqrt %h : tensor<50xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<50xbf16>, tensor<50xbf16>, tensor<50xf16>, tensor<50xf16>, tensor<50xf64>, tensor<50xf64>
}
