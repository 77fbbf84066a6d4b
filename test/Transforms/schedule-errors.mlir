// A schedule that could change the result is refused, by the name of the rule.
// RUN: tang-opt %s --tang-schedule --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  // expected-error@+1 {{schedule rule 'tile-rank': the domain has 2 dimensions, the schedule tiles 1}}
  %r = tang.map [i, j] ins(%x[i, j] : tensor<8x40xf32>) outs(%x : tensor<8x40xf32>) attributes {schedule = #tang.schedule<tile = [3], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<8x40xf32>
}

// -----

func.func @scan(%x: tensor<4x100xf32>, %s: tensor<4xf32>) -> tensor<4x100xf32> {
  // expected-error@+1 {{schedule rule 'scan-step': the scanned dimension 1 advances by 1, the schedule says 2}}
  %r:2 = tang.scan #tang.monoid<add> [i, t] along t ins(%x[i, t] : tensor<4x100xf32>) outs(%x, %s : tensor<4x100xf32>, tensor<4xf32>) attributes {schedule = #tang.schedule<tile = [4, 2], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return %r#0 : tensor<4x100xf32>
}

// -----

func.func @size(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{schedule rule 'tile-size': a tile has at most 2^24 elements}}
  %r = tang.map [i, j] ins(%x[i, j] : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) attributes {schedule = #tang.schedule<tile = [9223372036854775807, 4], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<?x?xf32>
}

// -----

// Rounding shows in which order a sum of floats was formed.
func.func @order(%x: tensor<8x40xf32>, %o: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{schedule rule 'fold-order': dimension 0 must advance by 1, since one below it is cut into steps}}
  %r = tang.reduce #tang.monoid<add> [] over [k = 8, l = 40] ins(%x[k, l] : tensor<8x40xf32>) outs(%o : tensor<f32>) attributes {schedule = #tang.schedule<tile = [2, 20], block = 1>} (%a: f32) { tang.yield %a : f32 }
  return %r : tensor<f32>
}

// -----

// The last writer wins. Dimension 1 is parallel and may be cut.
func.func @scatter_order(%x: tensor<8x40x?xf32>, %o: tensor<40xf32>, %n: index) -> tensor<40xf32> {
  // expected-error@+1 {{schedule rule 'fold-order': dimension 0 must advance by 1}}
  %r = tang.scatter over [k = 8, j = 40, l = %n] ins(%x[k, j, l] : tensor<8x40x?xf32>) outs(%o : tensor<40xf32>) attributes {schedule = #tang.schedule<tile = [2, 3, 4], block = 1>} (%a: f32) {
    %j = tang.index 1
    tang.yield %a, %j : f32, index
  }
  return %r : tensor<40xf32>
}
