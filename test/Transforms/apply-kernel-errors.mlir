// What stands in a kernel is checked again where tiles are made of it.
// RUN: tang-opt %s --tang-schedule=target=cpu --tang-bufferize --tang-apply-schedule --split-input-file --verify-diagnostics

// #tang.fold claims a gauge; the body says otherwise.
#f = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
func.func @no_gauge(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    // expected-error@+1 {{does not follow its gauges: is not linear in what the gauge scales}}
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) attributes {tang.fold = #f} (%u: f32, %w: f32) {
      %d = arith.divf %u, %w : f32
      %p = math.roundeven %d : f32
      tang.yield %p : f32
    }
    tang.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @chunk(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %r = tensor.empty() : tensor<64x100xf32>
  // expected-error@+1 {{cannot be folded in chunks: it is not one pass over one dimension}}
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64x100xf32>) attributes {chunk = 32 : i64} {
    %e = tensor.empty() : tensor<64xf32>
    %f = tensor.empty() : tensor<64x100xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.map [i, k] ins(%a[i, k], %s[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%f : tensor<64x100xf32>) (%u: f32, %v: f32) {
      %d = arith.divf %u, %v : f32
      tang.yield %d : f32
    }
    tang.yield %q : tensor<64x100xf32>
  }
  return %y : tensor<64x100xf32>
}

// -----

func.func @control_flow(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) {
      %true = arith.constant true
      // expected-error@+1 {{has no form on tiles: bodies are made of elementwise operations on scalars}}
      %b = scf.if %true -> f32 {
        scf.yield %u : f32
      } else {
        scf.yield %u : f32
      }
      tang.yield %b : f32
    }
    tang.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Squares follow their gauge by translation along one dimension, and not in chunks.
#fold = #tang.fold<accumulate = f32, block = 0, bound = "", gauges = [1]>
func.func @squares_two(%x: tensor<64x10x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  %y = tang.kernel (%a = %x : tensor<64x10x100xf32>) outs(%r : tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [j = 10, k = 100] init(0.0 : f32) ins(%a[i, j, k] : tensor<64x10x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    // expected-error@+1 {{follows its gauge by translation, which is done along one dimension}}
    %q = tang.reduce #tang.monoid<add> [i] over [j = 10, k = 100] init(0.0 : f32) ins(%a[i, j, k], %s[i] : tensor<64x10x100xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %t = arith.mulf %d, %d : f32
      tang.yield %t : f32
    }
    tang.yield %q : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

#fold = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
func.func @squares_chunks(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{cannot be folded in chunks: a fold follows its gauge by translation}}
  %y = tang.kernel (%a = %x : tensor<64x1000xf32>) outs(%r : tensor<64xf32>) attributes {chunk = 256 : i64} {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 1000] init(0.0 : f32) ins(%a[i, k] : tensor<64x1000xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.reduce #tang.monoid<add> [i] over [k = 1000] init(0.0 : f32) ins(%a[i, k], %s[i] : tensor<64x1000xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) attributes {tang.fold = #fold} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %t = arith.mulf %d, %d : f32
      tang.yield %t : f32
    }
    tang.yield %q : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
