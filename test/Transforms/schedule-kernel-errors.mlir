// A schedule that a kernel cannot have, and a kernel that cannot be run as one, are refused with one error each.
// RUN: tang-opt %s --tang-schedule=target=cpu --split-input-file --verify-diagnostics

func.func @tile_rank(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{schedule rule 'tile-rank': the kernel has 2 dimensions, the schedule tiles 1}}
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64xf32>) attributes {schedule = #tang.schedule<tile = [8], block = 1>} {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.map [i] ins(%s[i] : tensor<64xf32>) outs(%e : tensor<64xf32>) (%u: f32) {
      %v = math.sqrt %u : f32
      tang.yield %v : f32
    }
    tang.yield %q : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @inner_whole(%x: tensor<64x100xf32>, %v: tensor<100x16xf32>) -> (tensor<64xf32>, tensor<64x16xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  // expected-error@+1 {{schedule rule 'inner-whole': dimension 2 is part of a state and must be whole (16), the schedule says 8}}
  %y:2 = tang.kernel (%a = %x : tensor<64x100xf32>, %b = %v : tensor<100x16xf32>) outs(%r, %o : tensor<64xf32>, tensor<64x16xf32>) attributes {schedule = #tang.schedule<tile = [8, 32, 8], block = 1>} {
    %e = tensor.empty() : tensor<64xf32>
    %f = tensor.empty() : tensor<64x16xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %s = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%a[i, k], %b[k, j] : tensor<64x100xf32>, tensor<100x16xf32>) outs(%f : tensor<64x16xf32>) (%u: f32, %w: f32) {
      %p = arith.mulf %u, %w : f32
      tang.yield %p : f32
    }
    tang.yield %m, %s : tensor<64xf32>, tensor<64x16xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64x16xf32>
}

// -----

func.func @fold_order(%x: tensor<64x10x10xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{schedule rule 'fold-order': dimension 1 must advance by 1, since a fold runs through one below it and the order of the fold shows in the result}}
  %y = tang.kernel (%a = %x : tensor<64x10x10xf32>) outs(%r : tensor<64xf32>) attributes {schedule = #tang.schedule<tile = [8, 2, 5], block = 1>} {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 10, l = 10] init(0.0 : f32) ins(%a[i, k, l] : tensor<64x10x10xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// The block is a property of the fold: another step would round differently.
#f = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
func.func @fold_block(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{schedule rule 'fold-block': dimension 1 is summed in blocks of 32, the schedule says 64}}
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64xf32>) attributes {schedule = #tang.schedule<tile = [8, 64], block = 1>} {
    %e = tensor.empty() : tensor<64xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) attributes {tang.fold = #f} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %p = math.exp %d : f32
      tang.yield %p : f32
    }
    tang.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @tile_size(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %r = tensor.empty(%n) : tensor<?xf32>
  // expected-error@+1 {{schedule rule 'tile-size': a tile has at most 2^24 elements}}
  %y = tang.kernel (%a = %x : tensor<?x?xf32>, %rows = %n : index, %columns = %m : index) outs(%r : tensor<?xf32>) attributes {schedule = #tang.schedule<tile = [4096, 8192], block = 1>} {
    %e = tensor.empty(%rows) : tensor<?xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = %columns] init(0.0 : f32) ins(%a[i, k] : tensor<?x?xf32>) outs(%e : tensor<?xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %s : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

func.func @at(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error-re@+1 {{cannot be run as one kernel: {{.+}} at {{[0-9:]+}} is read at computed indices}}
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.map [i] with(%s : tensor<64xf32>) outs(%e : tensor<64xf32>) (%t: tensor<64xf32>) {
      %c = arith.constant 0 : index
      %v = tang.at %t[%c] : tensor<64xf32>
      tang.yield %v : f32
    }
    tang.yield %q : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @transposed(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = tensor.empty() : tensor<64x64xf32>
  // expected-error-re@+1 {{cannot be run as one kernel: {{.+}} at {{[0-9:]+}} is read at two different places}}
  %y = tang.kernel (%a = %x : tensor<64x64xf32>) outs(%r : tensor<64x64xf32>) {
    %e = tensor.empty() : tensor<64x64xf32>
    %s = tang.map [i, j] ins(%a[i, j] : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) (%u: f32) {
      %v = math.exp %u : f32
      tang.yield %v : f32
    }
    %q = tang.map [i, j] ins(%s[i, j], %s[j, i] : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) (%u: f32, %w: f32) {
      %v = arith.addf %u, %w : f32
      tang.yield %v : f32
    }
    tang.yield %q : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

// Of 64 rows one is read.
func.func @part(%x: tensor<64x100xf32>) -> tensor<1x100xf32> {
  %r = tensor.empty() : tensor<1x100xf32>
  // expected-error-re@+1 {{cannot be run as one kernel: only a part of {{.+}} is read}}
  %y = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r : tensor<1x100xf32>) {
    %e = tensor.empty() : tensor<64x100xf32>
    %f = tensor.empty() : tensor<1x100xf32>
    %s = tang.map [i, j] ins(%a[i, j] : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) (%u: f32) {
      %v = math.exp %u : f32
      tang.yield %v : f32
    }
    %q = tang.map [i, j] ins(%s[i, j] : tensor<64x100xf32>) outs(%f : tensor<1x100xf32>) (%u: f32) {
      %v = arith.negf %u : f32
      tang.yield %v : f32
    }
    tang.yield %q : tensor<1x100xf32>
  }
  return %y : tensor<1x100xf32>
}

// -----

func.func @shifted(%x: tensor<64xf32>) -> tensor<63xf32> {
  %r = tensor.empty() : tensor<63xf32>
  // expected-error-re@+1 {{cannot be run as one kernel: {{.+}} at {{[0-9:]+}} is read at an index that is not a dimension}}
  %y = tang.kernel (%a = %x : tensor<64xf32>) outs(%r : tensor<63xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %f = tensor.empty() : tensor<63xf32>
    %s = tang.map [i] ins(%a[i] : tensor<64xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.map [i] ins(%s[i + 1] : tensor<64xf32>) outs(%f : tensor<63xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %q : tensor<63xf32>
  }
  return %y : tensor<63xf32>
}

// -----

func.func @yields_argument(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{cannot be run as one kernel: yields what it does not compute}}
  %y = tang.kernel (%a = %x : tensor<64xf32>) outs(%r : tensor<64xf32>) {
    tang.yield %a : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

func.func @in_place(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error-re@+1 {{cannot be run as one kernel: {{.+}} is updated in place}}
  %y = tang.kernel (%a = %x : tensor<64xf32>) outs(%r : tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %s = tang.map [i] ins(%a[i] : tensor<64xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %q = tang.reduce #tang.monoid<add> [i] over [] ins(%a[i] : tensor<64xf32>) outs(%s : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %q : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// One pass has one step.
#f = #tang.fold<accumulate = f32, block = 32, bound = "", gauges = [1]>
#g = #tang.fold<accumulate = f32, block = 16, bound = "", gauges = [1]>
func.func @blocks(%x: tensor<64x100xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  // expected-error@+1 {{cannot be run as one kernel: folds of one pass have different blocks}}
  %y:2 = tang.kernel (%a = %x : tensor<64x100xf32>) outs(%r, %r : tensor<64xf32>, tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %s = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) attributes {tang.fold = #f} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %p = math.exp %d : f32
      tang.yield %p : f32
    }
    %t = tang.reduce #tang.monoid<add> [i] over [k = 100] init(0.0 : f32) ins(%a[i, k], %m[i] : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) attributes {tang.fold = #g} (%u: f32, %w: f32) {
      %d = arith.subf %u, %w : f32
      %p = math.exp2 %d : f32
      tang.yield %p : f32
    }
    tang.yield %s, %t : tensor<64xf32>, tensor<64xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @dynamic_state(%x: tensor<64x100xf32>, %v: tensor<100x?xf32>, %n: index) -> (tensor<64xf32>, tensor<64x?xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty(%n) : tensor<64x?xf32>
  // expected-error@+1 {{cannot be run as one kernel: a fold's state has a dynamic size or none}}
  %y:2 = tang.kernel (%a = %x : tensor<64x100xf32>, %b = %v : tensor<100x?xf32>, %c = %n : index) outs(%r, %o : tensor<64xf32>, tensor<64x?xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %f = tensor.empty(%c) : tensor<64x?xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %s = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%a[i, k], %b[k, j] : tensor<64x100xf32>, tensor<100x?xf32>) outs(%f : tensor<64x?xf32>) (%u: f32, %w: f32) {
      %p = arith.mulf %u, %w : f32
      tang.yield %p : f32
    }
    tang.yield %m, %s : tensor<64xf32>, tensor<64x?xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64x?xf32>
}

// -----

// 512 numbers is the most.
func.func @state_513(%x: tensor<64x100xf32>, %v: tensor<100x513xf32>) -> (tensor<64xf32>, tensor<64x513xf32>) {
  %r = tensor.empty() : tensor<64xf32>
  %o = tensor.empty() : tensor<64x513xf32>
  // expected-error-re@+1 {{cannot be run as one kernel: the state of add over 100 at {{[0-9:]+}} does not fit one program: 513 elements}}
  %y:2 = tang.kernel (%a = %x : tensor<64x100xf32>, %b = %v : tensor<100x513xf32>) outs(%r, %o : tensor<64xf32>, tensor<64x513xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %f = tensor.empty() : tensor<64x513xf32>
    %m = tang.reduce #tang.monoid<maximum> [i] over [k = 100] init(0xFF800000 : f32) ins(%a[i, k] : tensor<64x100xf32>) outs(%e : tensor<64xf32>) (%u: f32) { tang.yield %u : f32 }
    %s = tang.reduce #tang.monoid<add> [i, j] over [k = 100] init(0.0 : f32) ins(%a[i, k], %b[k, j] : tensor<64x100xf32>, tensor<100x513xf32>) outs(%f : tensor<64x513xf32>) (%u: f32, %w: f32) {
      %p = arith.mulf %u, %w : f32
      tang.yield %p : f32
    }
    tang.yield %m, %s : tensor<64xf32>, tensor<64x513xf32>
  }
  return %y#0, %y#1 : tensor<64xf32>, tensor<64x513xf32>
}
