// A sum of squares about a number that is no mean, for any number of points: under fast numerics it follows that number by
// translation all the same. No points, one, a block and one more, many.
// RUN: tang-opt %s --tang-derive=numerics=fast | FileCheck %s
// CHECK: gauges = [1]>{{.*}}tang.rules = ["cascade: follows its gauge by translation
// RUN: tang-run %s --target=reference --input=3x0xbf16=random:1 --output=@%t.0.npy
// RUN: tang-run %s --target=cpu --numerics=fast --input=3x0xbf16=random:1 --expected-output=@%t.0.npy --rtol=1e-5 --atol=1e-6
// RUN: tang-run %s --target=reference --input=3x1xbf16=random:1 --output=@%t.1.npy
// RUN: tang-run %s --target=cpu --numerics=fast --input=3x1xbf16=random:1 --expected-output=@%t.1.npy --rtol=1e-5 --atol=1e-6
// RUN: tang-run %s --target=reference --input=3x33xbf16=random:1 --output=@%t.33.npy
// RUN: tang-run %s --target=cpu --numerics=fast --input=3x33xbf16=random:1 --expected-output=@%t.33.npy --rtol=1e-5 --atol=1e-6
// RUN: tang-run %s --target=reference --input=3x700xbf16=random:1 --output=@%t.700.npy
// RUN: tang-run %s --target=cpu --numerics=fast --input=3x700xbf16=random:1 --expected-output=@%t.700.npy --rtol=1e-5 --atol=1e-6
func.func @main(%x: tensor<?x?xbf16>) -> (tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %r = tensor.empty(%rows) : tensor<?xf32>
  %s = tang.reduce #tang.monoid<add> [i] over [k = %n] init(0.0 : f32) ins(%x[i, k] : tensor<?x?xbf16>) outs(%r : tensor<?xf32>) (%a: bf16) { 
    %f = arith.extf %a : bf16 to f32
    tang.yield %f : f32 }
  %m = tang.map [i] ins(%s[i] : tensor<?xf32>) outs(%r : tensor<?xf32>) (%a: f32) {
    %f = arith.constant 50.0 : f32
    %d = arith.divf %a, %f : f32
    tang.yield %d : f32
  }
  %q = tang.reduce #tang.monoid<add> [i] over [k = %n] init(0.0 : f32) ins(%x[i, k], %m[i] : tensor<?x?xbf16>, tensor<?xf32>) outs(%r : tensor<?xf32>) (%a: bf16, %b: f32) {
    %f = arith.extf %a : bf16 to f32
    %q = arith.subf %b, %f : f32
    %c = arith.mulf %q, %q : f32
    tang.yield %c : f32
  }
  return %q : tensor<?xf32>
}
