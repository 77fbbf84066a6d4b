// RUN: tang-opt %s --tang-apply-schedule --split-input-file --verify-diagnostics

func.func @schedule(%x: memref<4xf32>) {
  // expected-error@+1 {{has no schedule; run --tang-schedule first}}
  tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{works on tensors; run --tang-bufferize first}}
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<4xf32>
}

// -----

func.func @control_flow(%x: memref<4xf32>) {
  tang.map [i] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) {
    %true = arith.constant true
    // expected-error@+1 {{has no form on tiles: bodies are made of elementwise operations on scalars}}
    %b = scf.if %true -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %a : f32
    }
    tang.yield %b : f32
  }
  return
}

// -----

func.func @buffers_in_the_body(%x: memref<4xf32>) {
  tang.map [i] with(%x : memref<4xf32>) outs(%x : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%s: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{has no form on tiles}}
    %b = memref.load %s[%c0] : memref<4xf32>
    tang.yield %b : f32
  }
  return
}

// -----

func.func @at_of_a_constant(%x: memref<4xf32>) {
  tang.map [i] outs(%x : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} () {
    %i = tang.index 0
    // expected-error@+1 {{has no form on tiles}}
    %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = tang.at %t[%i] : tensor<4xf32>
    tang.yield %b : f32
  }
  return
}

// -----

func.func @strided(%x: memref<4xf32, strided<[2]>>, %y: memref<4xf32>) {
  // expected-error@+1 {{works on dense row-major buffers}}
  tang.map [i] ins(%x[i] : memref<4xf32, strided<[2]>>) outs(%y : memref<4xf32>) attributes {schedule = #tang.schedule<tile = [4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

// A claim to scan in chunks needs the identity that a chunk starts from.
tang.monoid @m attributes {associative} (%a: f32, %b: f32) {
  %s = arith.addf %a, %b : f32
  tang.yield %s : f32
}
func.func @no_identity(%x: memref<900xf32>, %s: memref<f32>) {
  // expected-error@+1 {{#tang.fold: only an associative monoid with a known identity is scanned in chunks}}
  tang.scan @m [t] along t ins(%x[t] : memref<900xf32>) outs(%x, %s : memref<900xf32>, memref<f32>) attributes {schedule = #tang.schedule<tile = [1], block = 1>, tang.fold = #tang.fold<accumulate = f32, block = 256, bound = "">} (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @split(%x: memref<900xf32>, %s: memref<f32>) {
  // expected-error@+1 {{tang.split of a scan is how many chunks a program runs at once, from 1 to 1024}}
  tang.scan #tang.monoid<add> [t] along t ins(%x[t] : memref<900xf32>) outs(%x, %s : memref<900xf32>, memref<f32>) attributes {schedule = #tang.schedule<tile = [1], block = 1>, tang.split, tang.fold = #tang.fold<accumulate = f32, block = 256, bound = "">} (%a: f32) { tang.yield %a : f32 }
  return
}
