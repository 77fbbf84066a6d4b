// Each error of the parser and the verifiers, once; in the order of the sources.
// RUN: tang-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// expected-error@+1 {{schedule: tile sizes must be at least 1, got 0}}
module attributes {test.s = #tang.schedule<tile = [4, 0], block = 1>} {}

// -----

// expected-error@+1 {{schedule: a block has at least 1 thread, got 0}}
module attributes {test.s = #tang.schedule<tile = [4], block = 0>} {}

// -----

//===----------------------------------------------------------------------===//
// Text of structured operations
//===----------------------------------------------------------------------===//

func.func @named_twice(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'i' is named twice}}
  %r = tang.map [i, i] ins(%x[i, i] : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @symbol_named_like_dimension(%x: tensor<4xf32>, %n: index) {
  // expected-error@+1 {{'i' is named twice}}
  %r = tang.map [i] symbols(i = %n) ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @negative_size(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{a dimension's size cannot be negative}}
  %r = tang.reduce #tang.monoid<add> [] over [k = -4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @along_nothing(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{no dimension is named 't'}}
  %r:2 = tang.scan #tang.monoid<add> [i] along t ins(%x[i] : tensor<4xf32>) outs(%x, %s : tensor<4xf32>, tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @no_along(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{expected 'along' and the scanned dimension}}
  %r:2 = tang.scan #tang.monoid<add> [i] ins(%x[i] : tensor<4xf32>) outs(%x, %s : tensor<4xf32>, tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @no_body(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a body}}
  %r = tang.map [i] outs(%x : tensor<4xf32>) () {}
  return
}

// -----

//===----------------------------------------------------------------------===//
// What all structured operations share
//===----------------------------------------------------------------------===//

func.func @no_outs() {
  // expected-error@+1 {{needs at least one of 'outs'}}
  "tang.map"() <{in_maps = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({ "tang.yield"() : () -> () }) : () -> ()
  return
}

// -----

func.func @map_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 'ins' but 0 maps}}
  %r = "tang.map"(%x, %x) <{in_maps = [], operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({
  ^bb0(%a: f32):
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_of_other_domain(%x: tensor<4xf32>) {
  // expected-error@+1 {{map of 'ins' #0 must have 1 dimensions and 0 symbols}}
  %r = "tang.map"(%x, %x) <{in_maps = [affine_map<(d0, d1) -> (d0)>], operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({
  ^bb0(%a: f32):
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @too_few_indices(%x: tensor<4x4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'ins' #0 of type 'tensor<4x4xf32>' is read at 1 indices}}
  %r = tang.map [i] ins(%x[i] : tensor<4x4xf32>) outs(%e : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @reads_beyond(%x: tensor<4x3xf32>, %e: tensor<3x4xf32>) {
  // expected-error@+1 {{dimension 1 has size 4, but dimension 1 of 'ins' #0 has only 3}}
  %r = tang.map [i, j] ins(%x[i, j] : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @mixed_outs(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'outs' are either all tensors or all memrefs}}
  %r = tang.map [i] outs(%x, %y : tensor<4xf32>, memref<4xf32>) () {
    %a = arith.constant 1.0 : f32
    tang.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @result_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has one result for each tensor of 'outs'}}
  "tang.map"(%x) <{in_maps = [], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
    %a = arith.constant 1.0 : f32
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @result_of_other_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{result type 'tensor<?xf32>' differs from type 'tensor<4xf32>' of its 'outs'}}
  %r = "tang.map"(%x) <{in_maps = [], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
    %a = arith.constant 1.0 : f32
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @argument_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{body must have one argument for each of 'ins' and 'with', got 0}}
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) () {
    %a = arith.constant 1.0 : f32
    tang.yield %a : f32
  }
  return
}

// -----

func.func @argument_of_other_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{body argument #0 must be 'f32', got 'f64'}}
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f64) {
    %b = arith.truncf %a : f64 to f32
    tang.yield %b : f32
  }
  return
}

// -----

func.func @capture_of_other_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{body argument #1 must be 'tensor<4xf32>', got 'f32'}}
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) with(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32, %b: f32) {
    tang.yield %b : f32
  }
  return
}

// -----

func.func @no_yield(%x: tensor<4xf32>) {
  // expected-error@+1 {{body must end in tang.yield}}
  %r = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) {
    %b = arith.addf %a, %a : f32
  }
  return
}

// -----

func.func @outs_differ(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'outs' #1 of type 'tensor<5xf32>' does not fit the others}}
  %r:2 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x, %y : tensor<4xf32>, tensor<5xf32>) (%a: f32) {
    tang.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @yields_too_few(%x: tensor<4xf32>) {
  // expected-error@+1 {{body must yield 2 values, got 1}}
  %r:2 = tang.map [i] ins(%x[i] : tensor<4xf32>) outs(%x, %x : tensor<4xf32>, tensor<4xf32>) (%a: f32) {
    tang.yield %a : f32
  }
  return
}

// -----

func.func @yields_other_type(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error@+1 {{yielded value #0 must be 'f32', got 'f16'}}
  %r = tang.map [i] ins(%y[i] : tensor<4xf16>) outs(%x : tensor<4xf32>) (%a: f16) {
    tang.yield %a : f16
  }
  return
}

// -----

// The region sees nothing from outside.
func.func @captured_implicitly(%x: tensor<4xf32>, %s: f32) { // expected-note@+1 {{required by region isolation constraints}}
  %r = tang.map [i] outs(%x : tensor<4xf32>) () {
    // expected-error@+1 {{using value defined outside the region}}
    tang.yield %s : f32
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

func.func @size_missing(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{has 1 dynamic sizes but 0 operands for them}}
  %r = "tang.reduce"(%s) <{in_maps = [], monoid = #tang.monoid<add>, operandSegmentSizes = array<i32: 0, 0, 0, 0, 1>,
                           static_sizes = array<i64: -9223372036854775808>}> ({
    %a = arith.constant 1.0 : f32
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @static_size_negative(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{a dimension's size cannot be negative}}
  %r = "tang.reduce"(%s) <{in_maps = [], monoid = #tang.monoid<add>, operandSegmentSizes = array<i32: 0, 0, 0, 0, 1>,
                           static_sizes = array<i64: -4>}> ({
    %a = arith.constant 1.0 : f32
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @init_missing(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'init' must have one constant for each result}}
  %r = tang.reduce #tang.monoid<add> [] over [k = 4] init(0.0 : f32, 1.0 : f32) ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @init_of_other_type(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'init' constant 0 : i32 must be of type 'f32'}}
  %r = tang.reduce #tang.monoid<add> [] over [k = 4] init(0 : i32) ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @results_differ(%x: tensor<4xf32>, %s: tensor<2xf32>, %t: tensor<3xf32>) {
  // expected-error@+1 {{'outs' #1 of type 'tensor<3xf32>' does not fit the others}}
  %r:2 = tang.reduce #tang.monoid<logsumexp> [i] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s, %t : tensor<2xf32>, tensor<3xf32>) (%a: f32) { tang.yield %a, %a : f32, f32 }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Monoids in use
//===----------------------------------------------------------------------===//

func.func @no_such_monoid(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{no tang.monoid is named @nobody}}
  %r = tang.reduce @nobody [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

tang.monoid @m (%a: f32, %b: f32) { tang.yield %a : f32 }
func.func @declared_other_count(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid @m has 1 state values and combines 1, got 1 and 2}}
  %r = tang.reduce @m [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a, %a : f32, f32 }
  return
}

// -----

tang.monoid @m (%a: f32, %b: f16) { tang.yield %a : f32 }
func.func @declared_other_type(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid @m takes 'f16' as argument #1, got 'f32'}}
  %r = tang.reduce @m [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @topk_of_none(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid topk needs k of at least 1}}
  %r = tang.reduce #tang.monoid<topk, 0> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @state_too_small(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid argmax has a state of 2 values, got 1}}
  %r = tang.reduce #tang.monoid<argmax> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @value_of_other_type(%x: tensor<4xf16>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid add combines values of its state's types; yielded are 'f16', results are 'f32'}}
  %r = tang.reduce #tang.monoid<add> [] over [k = 4] ins(%x[k] : tensor<4xf16>) outs(%s : tensor<f32>) (%a: f16) { tang.yield %a : f16 }
  return
}

// -----

func.func @maximum_of_integers(%x: tensor<4xi32>, %s: tensor<i32>) {
  // expected-error@+1 {{monoid maximum works on floats of one type, got 'i32'}}
  %r = tang.reduce #tang.monoid<maximum> [] over [k = 4] ins(%x[k] : tensor<4xi32>) outs(%s : tensor<i32>) (%a: i32) { tang.yield %a : i32 }
  return
}

// -----

func.func @xor_of_floats(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid xor works on integers, got 'f32'}}
  %r = tang.reduce #tang.monoid<xor> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s : tensor<f32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @affine_of_two_types(%x: tensor<4xf32>, %y: tensor<4xf64>, %s: tensor<f32>, %t: tensor<f64>) {
  // expected-error@+1 {{monoid affine has two numbers of one type, got 'f32', 'f64'}}
  %r:2 = tang.reduce #tang.monoid<affine> [] over [k = 4] ins(%x[k], %y[k] : tensor<4xf32>, tensor<4xf64>) outs(%s, %t : tensor<f32>, tensor<f64>) (%a: f32, %b: f64) { tang.yield %a, %b : f32, f64 }
  return
}

// -----

func.func @argmin_with_float_index(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid argmin has an integer index second, got 'f32'}}
  %r:2 = tang.reduce #tang.monoid<argmin> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s, %s : tensor<f32>, tensor<f32>) (%a: f32) { tang.yield %a, %a : f32, f32 }
  return
}

// -----

func.func @topk_without_indices(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{monoid topk has k values of one type, then k integer indices}}
  %r:2 = tang.reduce #tang.monoid<topk> [] over [k = 4] ins(%x[k] : tensor<4xf32>) outs(%s, %s : tensor<f32>, tensor<f32>) (%a: f32) { tang.yield %a, %a : f32, f32 }
  return
}

// -----

func.func @add_of_complex(%x: tensor<4xcomplex<f32>>, %s: tensor<complex<f32>>) {
  // expected-error@+1 {{monoid add works on numbers, got 'complex<f32>'}}
  %r = tang.reduce #tang.monoid<add> [] over [k = 4] ins(%x[k] : tensor<4xcomplex<f32>>) outs(%s : tensor<complex<f32>>) (%a: complex<f32>) { tang.yield %a : complex<f32> }
  return
}

// -----

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

func.func @scan_without_state(%x: tensor<4xf32>) {
  // expected-error@+1 {{'outs' are the prefixes, then as many states}}
  %r = tang.scan #tang.monoid<add> [t] along t ins(%x[t] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @scan_along_nothing(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{dimension 1 is out of range}}
  %r:2 = "tang.scan"(%x, %s) <{dim = 1 : i64, in_maps = [], monoid = #tang.monoid<add>, operandSegmentSizes = array<i32: 0, 0, 0, 2>}> ({
    %a = arith.constant 1.0 : f32
    "tang.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

func.func @scan_state_of_other_shape(%x: tensor<3x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{'outs' #1 of type 'tensor<4xf32>' does not fit the others}}
  %r:2 = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<3x4xf32>) outs(%x, %s : tensor<3x4xf32>, tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @scan_state_of_other_type(%x: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{prefixes and states must have the same types}}
  %r:2 = tang.scan #tang.monoid<add> [t] along t ins(%x[t] : tensor<4xf32>) outs(%x, %s : tensor<4xf32>, tensor<f64>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

func.func @scatter_size_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 dynamic sizes but 0 operands for them}}
  %r = "tang.scatter"(%x) <{in_maps = [], operandSegmentSizes = array<i32: 0, 0, 0, 0, 1>, static_sizes = array<i64: -9223372036854775808>}> ({
    %a = arith.constant 1.0 : f32
    %i = arith.constant 0 : index
    "tang.yield"(%a, %i) : (f32, index) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_size_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{a dimension's size cannot be negative}}
  %r = "tang.scatter"(%x) <{in_maps = [], operandSegmentSizes = array<i32: 0, 0, 0, 0, 1>, static_sizes = array<i64: -4>}> ({
    %a = arith.constant 1.0 : f32
    %i = arith.constant 0 : index
    "tang.yield"(%a, %i) : (f32, index) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_without_index(%x: tensor<4xf32>) {
  // expected-error@+1 {{body must yield 1 values, 1 indices and optionally a condition, got 1}}
  %r = tang.scatter over [i = 4] ins(%x[i] : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32) { tang.yield %a : f32 }
  return
}

// -----

func.func @scatter_at_integer(%x: tensor<4xf32>, %k: tensor<4xi32>) {
  // expected-error@+1 {{destinations are indexed by index values, got 'i32'}}
  %r = tang.scatter over [i = 4] ins(%x[i], %k[i] : tensor<4xf32>, tensor<4xi32>) outs(%x : tensor<4xf32>) (%a: f32, %b: i32) { tang.yield %a, %b : f32, i32 }
  return
}

// -----

func.func @scatter_if_integer(%x: tensor<4xf32>, %k: tensor<4xindex>) {
  // expected-error@+1 {{the condition must be i1, got 'index'}}
  %r = tang.scatter over [i = 4] ins(%x[i], %k[i] : tensor<4xf32>, tensor<4xindex>) outs(%x : tensor<4xf32>) (%a: f32, %b: index) { tang.yield %a, %b, %b : f32, index, index }
  return
}

// -----

func.func @scatter_other_type(%x: tensor<4xf32>, %k: tensor<4xindex>) {
  // expected-error@+1 {{yielded value #0 must be 'f32', got 'index'}}
  %r = tang.scatter over [i = 4] ins(%k[i] : tensor<4xindex>) outs(%x : tensor<4xf32>) (%b: index) { tang.yield %b, %b : index, index }
  return
}

// -----

func.func @scatter_monoid_of_other_type(%x: tensor<4xf32>, %k: tensor<4xindex>) {
  // expected-error@+1 {{monoid maxs works on integers, got 'f32'}}
  %r = tang.scatter #tang.monoid<maxs> over [i = 4] ins(%x[i], %k[i] : tensor<4xf32>, tensor<4xindex>) outs(%x : tensor<4xf32>) (%a: f32, %b: index) { tang.yield %a, %b : f32, index }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Inside of bodies
//===----------------------------------------------------------------------===//

func.func @yield_alone() {
  // expected-error@+1 {{expects parent op to be one of}}
  tang.yield
}

// -----

func.func @index_outside() {
  // expected-error@+1 {{stands in the body of a structured operation}}
  %i = tang.index 0
  return
}

// -----

func.func @index_of_no_dimension(%x: tensor<4xindex>) {
  %r = tang.map [i] outs(%x : tensor<4xindex>) () {
    // expected-error@+1 {{dimension 1 is out of range: the domain has 1}}
    %i = tang.index 1
    tang.yield %i : index
  }
  return
}

// -----

func.func @index_negative(%x: tensor<4xindex>) {
  %r = tang.map [i] outs(%x : tensor<4xindex>) () {
    // expected-error@+1 {{attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0}}
    %i = tang.index -1
    tang.yield %i : index
  }
  return
}

// -----

func.func @at_too_few(%x: tensor<4x4xf32>, %e: tensor<4xf32>) {
  %r = tang.map [i] with(%x : tensor<4x4xf32>) outs(%e : tensor<4xf32>) (%s: tensor<4x4xf32>) {
    %i = tang.index 0
    // expected-error@+1 {{reads 'tensor<4x4xf32>' at 1 indices}}
    %v = tang.at %s[%i] : tensor<4x4xf32>
    tang.yield %v : f32
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// tang.monoid
//===----------------------------------------------------------------------===//

// expected-error@+1 {{expects a body}}
tang.monoid @empty () {}

// -----

// expected-error@+1 {{body must end in tang.yield}}
tang.monoid @no_yield (%a: f32, %b: f32) {
  %s = arith.addf %a, %b : f32
}

// -----

// expected-error@+1 {{takes the values of a state, then those combined into it, and yields a state; got 1 arguments and 2 yielded values}}
tang.monoid @too_many (%a: f32) { tang.yield %a, %a : f32, f32 }

// -----

// expected-error@+1 {{got 1 arguments and 0 yielded values}}
tang.monoid @stateless (%a: f32) { tang.yield }

// -----

// expected-error@+1 {{yielded value #0 must be 'f32', got 'f16'}}
tang.monoid @other_type (%a: f32, %b: f16) { tang.yield %b : f16 }

// -----

// expected-error@+1 {{an associative monoid combines two states of the same types}}
tang.monoid @mixed associative (%a: f32, %b: f16) { tang.yield %a : f32 }

// -----

// expected-error@+1 {{identity must have 1 values}}
tang.monoid @no_identity identity [] (%a: f32, %b: f32) { tang.yield %a : f32 }

// -----

// expected-error@+1 {{identity value 0 : i32 must be of type 'f32'}}
tang.monoid @integer_identity identity [0 : i32] (%a: f32, %b: f32) { tang.yield %a : f32 }

// -----

tang.monoid @effects (%a: f32, %b: f32) {
  // expected-error@+1 {{has side effects inside of a tang.monoid}}
  %m = memref.alloc() : memref<4xf32>
  tang.yield %a : f32
}

// -----

//===----------------------------------------------------------------------===//
// Indirect operations
//===----------------------------------------------------------------------===//

func.func @gather_axis(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{dimension 1 is out of range for rank 1}}
  %r = tang.gather %x[%i] axis 1 : tensor<4xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_at_floats(%x: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error@+1 {{indices must hold integers, got 'tensor<2xf32>'}}
  %r = tang.gather %x[%i] axis 0 : tensor<4xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_batch(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{batch must be between 0 and axis}}
  %r = tang.gather %x[%i] axis 0 batch 1 : tensor<4xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<4x5xf32>, %i: tensor<2x3xi32>) {
  // expected-error@+1 {{result must be 'tensor<2x3x5xf32>', got 'tensor<2x3xf32>'}}
  %r = tang.gather %x[%i] axis 0 : tensor<4x5xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  return
}

// -----

func.func @sort_dim(%x: tensor<4xf32>) {
  // expected-error@+1 {{dimension -1 is out of range for rank 1}}
  %r, %p = tang.sort %x dim -1 : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @sort_permutation(%x: tensor<4xf32>) {
  // expected-error@+1 {{permutation must hold integers, got 'tensor<4xf32>'}}
  %r, %p = tang.sort %x dim 0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sort_shape(%x: tensor<4xf32>) {
  // expected-error@+1 {{permutation must have the shape of the keys}}
  %r, %p = tang.sort %x dim 0 : tensor<4xf32> -> tensor<5xi32>
  return
}

// -----

func.func @top_k_dim(%x: tensor<4xf32>) {
  // expected-error@+1 {{dimension 1 is out of range for rank 1}}
  %r, %p = tang.top_k %x dim 1 : tensor<4xf32> -> tensor<2xf32>, tensor<2xi32>
  return
}

// -----

func.func @top_k_indices(%x: tensor<4xf32>) {
  // expected-error@+1 {{indices must hold integers, got 'tensor<2xf32>'}}
  %r, %p = tang.top_k %x dim 0 : tensor<4xf32> -> tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @top_k_rank(%x: tensor<4xf32>) {
  // expected-error@+1 {{results must have the rank of the keys}}
  %r, %p = tang.top_k %x dim 0 : tensor<4xf32> -> tensor<1x2xf32>, tensor<2xi32>
  return
}

// -----

func.func @top_k_dynamic(%x: tensor<4xf32>) {
  // expected-error@+1 {{k, the results' size along dimension 0, must be static}}
  %r, %p = tang.top_k %x dim 0 : tensor<4xf32> -> tensor<?xf32>, tensor<2xi32>
  return
}

// -----

func.func @top_k_shape(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{results must have the keys' shape but for dimension 1}}
  %r, %p = tang.top_k %x dim 1 : tensor<4x5xf32> -> tensor<4x2xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @group_by_rank(%x: tensor<4x5xi32>) {
  // expected-error@+1 {{keys must have rank 1}}
  %o, %m = tang.group_by %x : tensor<4x5xi32> -> tensor<5xi32>, tensor<4xi32>
  return
}

// -----

func.func @group_by_floats(%x: tensor<4xf32>) {
  // expected-error@+1 {{keys must hold integers, got 'tensor<4xf32>'}}
  %o, %m = tang.group_by %x : tensor<4xf32> -> tensor<5xi32>, tensor<4xi32>
  return
}

// -----

func.func @group_by_dynamic(%x: tensor<4xi32>) {
  // expected-error@+1 {{offsets must have the static size G + 1}}
  %o, %m = tang.group_by %x : tensor<4xi32> -> tensor<?xi32>, tensor<4xi32>
  return
}

// -----

func.func @group_by_members(%x: tensor<4xi32>) {
  // expected-error@+1 {{members must have the shape of the keys}}
  %o, %m = tang.group_by %x : tensor<4xi32> -> tensor<5xi32>, tensor<5xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tiles: streams and views
//===----------------------------------------------------------------------===//

func.func @stream_body(%n: index, %t: vector<4xf32>) {
  // expected-error@+1 {{body takes an index and the carried values}}
  %r = "tang.stream"(%n, %n, %t) <{step = 1 : i64}> ({
  ^bb0(%i: index):
    "tang.yield"() : () -> ()
  }) : (index, index, vector<4xf32>) -> vector<4xf32>
  return
}

// -----

func.func @stream_yields(%n: index, %t: vector<4xf32>) {
  // expected-error@+1 {{body must yield the carried types}}
  %r = tang.stream %i = %n to %n step 1 carry(%a = %t : vector<4xf32>) {
    tang.yield
  }
  return
}

// -----

func.func @stream_carries(%n: index, %t: vector<4xf32>, %u: vector<5xf32>) {
  // expected-error@+1 {{carried value of type 'vector<5xf32>' starts as 'vector<4xf32>'}}
  %r = "tang.stream"(%n, %n, %t) <{step = 1 : i64}> ({
  ^bb0(%i: index, %a: vector<5xf32>):
    "tang.yield"(%t) : (vector<4xf32>) -> ()
  }) : (index, index, vector<4xf32>) -> vector<4xf32>
  return
}

// -----

func.func @stream_step(%n: index) {
  // expected-error@+1 {{attribute 'step' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  tang.stream %i = %n to %n step 0 {
  }
  return
}

// -----

func.func @view_type(%x: memref<?xf32>) {
  // expected-error@+1 {{cannot change the element type}}
  %v = tang.view %x : memref<?xf32> -> memref<4xi32>
  return
}

// -----

func.func @view_strided(%x: memref<4xf32, strided<[2]>>) {
  // expected-error@+1 {{works on dense row-major buffers}}
  %v = tang.view %x : memref<4xf32, strided<[2]>> -> memref<4xf32>
  return
}

// -----

func.func @view_sizes(%x: memref<?xf32>) {
  // expected-error@+1 {{needs one size for each dynamic dimension of 'memref<?x4xf32>'}}
  %v = tang.view %x : memref<?xf32> -> memref<?x4xf32>
  return
}

// -----

func.func @coord(%n: index) {
  // expected-error@+1 {{dimension 1 is out of range}}
  %v = tang.coord %n dim 1 : vector<4xindex>
  return
}

// -----

func.func @coord_negative(%n: index) {
  // expected-error@+1 {{dimension -1 is out of range}}
  %v = tang.coord %n dim -1 : vector<4xindex>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tiles: reads and writes
//===----------------------------------------------------------------------===//

func.func @load_rank(%x: memref<4x4xf32>, %n: index) {
  // expected-error@+1 {{map has 1 results for 'memref<4x4xf32>'}}
  %v = tang.load %x at affine_map<(d0) -> (d0)>(%n) : memref<4x4xf32> -> vector<4xf32>
  return
}

// -----

func.func @load_coords(%x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{map must have one dimension for each of the tile and one operand for each dimension and symbol}}
  %v = tang.load %x at affine_map<(d0)[s0] -> (d0)>(%n) : memref<4xf32> -> vector<4xf32>
  return
}

// -----

func.func @load_type(%x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{cannot access 'memref<4xf32>' with a tile of 'vector<4xi32>'}}
  %v = tang.load %x at affine_map<(d0) -> (d0)>(%n) : memref<4xf32> -> vector<4xi32>
  return
}

// -----

func.func @store_counts(%x: memref<4xf32>, %n: index, %t: vector<4xf32>) {
  // expected-error@+1 {{needs one count for each dimension of the tile}}
  tang.store %t, %x at affine_map<(d0) -> (d0)>(%n) counts() : vector<4xf32>, memref<4xf32>
  return
}

// -----

func.func @store_type(%x: memref<4xf32>, %n: index, %t: vector<4xf64>) {
  // expected-error@+1 {{cannot access 'memref<4xf32>' with a tile of 'vector<4xf64>'}}
  tang.store %t, %x at affine_map<(d0) -> (d0)>(%n) counts(%n) : vector<4xf64>, memref<4xf32>
  return
}

// -----

func.func @gather_load_rank(%x: memref<4x4xf32>, %i: vector<4xindex>) {
  // expected-error@+1 {{needs one index for each dimension of 'memref<4x4xf32>'}}
  %v = tang.gather_load %x[%i] : memref<4x4xf32>, vector<4xindex> -> vector<4xf32>
  return
}

// -----

func.func @gather_load_shape(%x: memref<4xf32>, %i: vector<5xindex>) {
  // expected-error@+1 {{tiles must have the same shape, got 'vector<5xindex>' beside 'vector<4xf32>'}}
  %v = tang.gather_load %x[%i] : memref<4xf32>, vector<5xindex> -> vector<4xf32>
  return
}

// -----

func.func @gather_load_condition(%x: memref<4xf32>, %i: vector<4xindex>, %c: vector<i1>) {
  // expected-error@+1 {{tiles must have the same shape, got 'vector<i1>' beside 'vector<4xf32>'}}
  %v = tang.gather_load %x[%i] if %c : memref<4xf32>, vector<4xindex> if vector<i1> -> vector<4xf32>
  return
}

// -----

func.func @gather_load_type(%x: memref<4xf32>, %i: vector<4xindex>) {
  // expected-error@+1 {{cannot access 'memref<4xf32>' with a tile of 'vector<4xf16>'}}
  %v = tang.gather_load %x[%i] : memref<4xf32>, vector<4xindex> -> vector<4xf16>
  return
}

// -----

func.func @scatter_store_nothing(%x: memref<4xf32>, %i: vector<4xindex>, %t: vector<4xf32>, %n: index) {
  // expected-error@+1 {{needs one destination for each value}}
  tang.scatter_store %t, %t into %x[%i] counts(%n) : vector<4xf32>, vector<4xf32> into memref<4xf32>[vector<4xindex>]
  return
}

// -----

func.func @scatter_store_rank(%x: memref<4x4xf32>, %i: vector<4xindex>, %t: vector<4xf32>, %n: index) {
  // expected-error@+1 {{needs one index for each dimension of 'memref<4x4xf32>'}}
  tang.scatter_store %t into %x[%i] counts(%n) : vector<4xf32> into memref<4x4xf32>[vector<4xindex>]
  return
}

// -----

func.func @scatter_store_counts(%x: memref<4xf32>, %i: vector<4xindex>, %t: vector<4xf32>, %n: index) {
  // expected-error@+1 {{needs one count for each dimension of the tile}}
  tang.scatter_store %t into %x[%i] counts(%n, %n) : vector<4xf32> into memref<4xf32>[vector<4xindex>]
  return
}

// -----

func.func @scatter_store_values(%x: memref<4xf32>, %i: vector<4xindex>, %t: vector<4xf32>, %u: vector<5xf32>, %n: index) {
  // expected-error@+1 {{tiles must have the same shape, got 'vector<5xf32>' beside 'vector<4xf32>'}}
  tang.scatter_store %t, %u into %x, %x[%i] counts(%n) : vector<4xf32>, vector<5xf32> into memref<4xf32>, memref<4xf32>[vector<4xindex>]
  return
}

// -----

func.func @scatter_store_indices(%x: memref<4xf32>, %i: vector<5xindex>, %t: vector<4xf32>, %n: index) {
  // expected-error@+1 {{tiles must have the same shape, got 'vector<5xindex>' beside 'vector<4xf32>'}}
  tang.scatter_store %t into %x[%i] counts(%n) : vector<4xf32> into memref<4xf32>[vector<5xindex>]
  return
}

// -----

func.func @scatter_store_condition(%x: memref<4xf32>, %i: vector<4xindex>, %t: vector<4xf32>, %c: vector<5xi1>, %n: index) {
  // expected-error@+1 {{tiles must have the same shape, got 'vector<5xi1>' beside 'vector<4xf32>'}}
  tang.scatter_store %t into %x[%i] if %c counts(%n) : vector<4xf32> into memref<4xf32>[vector<4xindex>] if vector<5xi1>
  return
}

// -----

func.func @scatter_store_type(%x: memref<4xf32>, %i: vector<4xindex>, %t: vector<4xf64>, %n: index) {
  // expected-error@+1 {{cannot access 'memref<4xf32>' with a tile of 'vector<4xf64>'}}
  tang.scatter_store %t into %x[%i] counts(%n) : vector<4xf64> into memref<4xf32>[vector<4xindex>]
  return
}

// -----

func.func @scatter_store_monoid(%x: memref<4xf32>, %i: vector<4xindex>, %t: vector<4xf32>, %n: index) {
  // expected-error@+1 {{no tang.monoid is named @nobody}}
  tang.scatter_store @nobody %t into %x[%i] counts(%n) : vector<4xf32> into memref<4xf32>[vector<4xindex>]
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tiles: folds
//===----------------------------------------------------------------------===//

func.func @fold_nothing(%n: index) {
  // expected-error@+1 {{folds at least one value}}
  "tang.fold"() <{dims = array<i64>, monoid = #tang.monoid<add>, operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  return
}

// -----

func.func @fold_counts(%t: vector<4xf32>, %a: vector<f32>) {
  // expected-error@+1 {{needs one count for each dimension of the tile}}
  %r = tang.fold #tang.monoid<add> %t along [0] into %a counts() : vector<4xf32> into vector<f32>
  return
}

// -----

func.func @fold_twice(%t: vector<4xf32>, %a: vector<f32>, %n: index) {
  // expected-error@+1 {{folded dimensions must be distinct and in range}}
  %r = tang.fold #tang.monoid<add> %t along [0, 0] into %a counts(%n) : vector<4xf32> into vector<f32>
  return
}

// -----

func.func @fold_out_of_range(%t: vector<4xf32>, %a: vector<4xf32>, %n: index) {
  // expected-error@+1 {{folded dimensions must be distinct and in range}}
  %r = tang.fold #tang.monoid<add> %t along [1] into %a counts(%n) : vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @fold_values(%t: vector<4xf32>, %u: vector<5xf32>, %a: vector<f32>, %n: index) {
  // expected-error@+1 {{values must have the same shape}}
  %r:2 = tang.fold #tang.monoid<logsumexp> %t, %u along [0] into %a, %a counts(%n) : vector<4xf32>, vector<5xf32> into vector<f32>, vector<f32>
  return
}

// -----

func.func @fold_state(%t: vector<4x8xf32>, %a: vector<8xf32>, %n: index) {
  // expected-error@+1 {{state of type 'vector<8xf32>' must have the shape of the dimensions that are kept}}
  %r = tang.fold #tang.monoid<add> %t along [1] into %a counts(%n, %n) : vector<4x8xf32> into vector<8xf32>
  return
}

// -----

func.func @fold_monoid(%t: vector<4xf32>, %a: vector<f32>, %n: index) {
  // expected-error@+1 {{no tang.monoid is named @nobody}}
  %r = tang.fold @nobody %t along [0] into %a counts(%n) : vector<4xf32> into vector<f32>
  return
}

// -----

func.func @fold_types(%t: vector<4xf32>, %a: vector<f64>, %n: index) {
  // expected-error@+1 {{monoid add combines values of its state's types; yielded are 'f32', results are 'f64'}}
  %r = tang.fold #tang.monoid<add> %t along [0] into %a counts(%n) : vector<4xf32> into vector<f64>
  return
}

// -----

func.func @fold_state_one(%t: vector<4x8xf32>, %a: vector<1x8xf32>, %n: index) {
  // expected-error@+1 {{state of type 'vector<1x8xf32>' must have the shape of the dimensions that are kept}}
  %r = tang.fold #tang.monoid<add> %t along [1] into %a counts(%n, %n) : vector<4x8xf32> into vector<1x8xf32>
  return
}

// -----

func.func @fold_state_all(%t: vector<4x8xf32>, %a: vector<1x1xf32>, %n: index) {
  // expected-error@+1 {{state of type 'vector<1x1xf32>' must have the shape of the dimensions that are kept}}
  %r = tang.fold #tang.monoid<add> %t along [1] into %a counts(%n, %n) : vector<4x8xf32> into vector<1x1xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tiles: tang.keep
//===----------------------------------------------------------------------===//

func.func @keep_counts(%t: vector<4x8xf32>, %n: index) {
  // expected-error@+1 {{needs one count for each dimension of the tile}}
  %k = tang.keep %t counts(%n) : vector<4x8xf32>
  return
}

// -----

func.func @keep_type(%t: vector<4x8xf32>, %n: index) {
  // expected-error@+1 {{all of {value, result} have same type}}
  %k = "tang.keep"(%t, %n, %n) : (vector<4x8xf32>, index, index) -> vector<4x9xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

func.func @kernel_no_body(%x: tensor<8xf32>) {
  // expected-error@+1 {{expects a body}}
  %r = tang.kernel () outs(%x : tensor<8xf32>) {}
  return
}

// -----

func.func @kernel_arguments(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 inputs and 0 arguments}}
  %r = "tang.kernel"(%x, %x) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0:
    %e = "tensor.empty"() : () -> tensor<8xf32>
    "tang.yield"(%e) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @kernel_argument_type(%x: tensor<8xf32>) {
  // expected-error@+1 {{takes 'tensor<8xf32>' as 'tensor<9xf32>'}}
  %r = "tang.kernel"(%x, %x) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<9xf32>):
    %e = "tensor.empty"() : () -> tensor<8xf32>
    "tang.yield"(%e) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @kernel_buffer_argument(%x: memref<8xf32>) {
  // expected-error@+1 {{takes 'memref<8xf32>' as 'memref<8xf32>'}}
  "tang.kernel"(%x, %x) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: memref<8xf32>):
    %e = "tensor.empty"() : () -> tensor<8xf32>
    "tang.yield"(%e) : (tensor<8xf32>) -> ()
  }) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func @kernel_writes_nothing(%x: tensor<8xf32>) {
  // expected-error@+1 {{writes nothing}}
  "tang.kernel"(%x) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<8xf32>):
    "tang.yield"() : () -> ()
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @kernel_yields_two(%x: tensor<8xf32>) {
  // expected-error@+1 {{yields 2 values for 1 destinations}}
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
    tang.yield %a, %a : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_yield_element(%x: tensor<8xf32>) {
  // expected-error@+1 {{yields 'tensor<8xf16>' for 'tensor<8xf32>'}}
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf16>
    tang.yield %e : tensor<8xf16>
  }
  return
}

// -----

func.func @kernel_yield_shape(%x: tensor<8xf32>) {
  // expected-error@+1 {{yields 'tensor<9xf32>' for 'tensor<8xf32>'}}
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
    %e = tensor.empty() : tensor<9xf32>
    tang.yield %e : tensor<9xf32>
  }
  return
}

// -----

func.func @kernel_yield_rank(%x: tensor<8xf32>) {
  // expected-error@+1 {{yields 'tensor<8x1xf32>' for 'tensor<8xf32>'}}
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
    %e = tensor.empty() : tensor<8x1xf32>
    tang.yield %e : tensor<8x1xf32>
  }
  return
}

// -----

func.func @kernel_yield_scalar(%x: tensor<8xf32>, %s: f32) {
  // expected-error@+1 {{yields 'f32' for 'tensor<8xf32>'}}
  %r = tang.kernel (%a = %x : tensor<8xf32>, %t = %s : f32) outs(%x : tensor<8xf32>) {
    tang.yield %t : f32
  }
  return
}

// -----

func.func @kernel_chunk_rank(%x: tensor<8xf32>, %y: tensor<8x2xf32>) {
  // expected-error@+1 {{yields 'tensor<8xf32>' for 'tensor<8x2xf32>'}}
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%y : tensor<8x2xf32>) attributes {chunk = 4} {
    tang.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_chunk(%x: tensor<8xf32>) {
  // expected-error@+1 {{cuts chunks of at least one point}}
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%x : tensor<8xf32>) attributes {chunk = 0} {
    tang.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_foreign(%x: tensor<8xf32>) {
  %r = tang.kernel (%a = %x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
    // expected-error@+1 {{does not belong into a tang.kernel: maps, reductions and sizes do}}
    %e = math.exp %a : tensor<8xf32>
    tang.yield %e : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_scalar_work(%x: tensor<8xf32>, %s: f32) {
  %r = tang.kernel (%a = %x : tensor<8xf32>, %t = %s : f32) outs(%x : tensor<8xf32>) {
    // expected-error@+1 {{does not belong into a tang.kernel}}
    %e = arith.addf %t, %t : f32
    tang.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_scan(%x: tensor<8xf32>, %s: tensor<f32>) {
  %r = tang.kernel (%a = %x : tensor<8xf32>, %t = %s : tensor<f32>) outs(%x : tensor<8xf32>) {
    // expected-error@+1 {{does not belong into a tang.kernel}}
    %p:2 = tang.scan #tang.monoid<add> [i] along i ins(%a[i] : tensor<8xf32>) outs(%a, %t : tensor<8xf32>, tensor<f32>) (%u: f32) { tang.yield %u : f32 }
    tang.yield %p#0 : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_results(%x: tensor<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  "tang.kernel"(%x, %x) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<8xf32>):
    %e = "tensor.empty"() : () -> tensor<8xf32>
    "tang.yield"(%e) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

func.func @kernel_above(%x: tensor<8xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %r = tang.kernel () outs(%x : tensor<8xf32>) {
    // expected-error@+1 {{using value defined outside the region}}
    tang.yield %x : tensor<8xf32>
  }
  return
}
