// RUN: tang-opt %s --tang-import --split-input-file --verify-diagnostics

// One error, at the argument.
// expected-error @below {{argument #0 of @unranked: tensor<*xf32> is unranked; only ranked tensors are supported}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<4xf32> {
  %r = tensor.cast %x : tensor<*xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @below {{argument #0 of @buffer: memref<4xf32> is a buffer; only tensors are imported}}
func.func @buffer(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{complex numbers are not supported: tensor<4xcomplex<f32>>; Tang has f64, f32,}}
func.func @complex_argument(%x: tensor<4xcomplex<f32>>) {
  return
}

// -----

func.func @complex_value(%x: f32) -> f32 {
  // expected-error @below {{'complex.create' op cannot be imported: complex numbers are not supported: complex<f32>}}
  %c = complex.create %x, %x : complex<f32>
  %r = complex.re %c : complex<f32>
  return %r : f32
}

// -----

// expected-error @below {{vectors are not supported: tensor<4xvector<2xf32>>}}
func.func @vector(%x: tensor<4xvector<2xf32>>) {
  return
}

// -----

#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
// expected-error @below {{has an encoding; only dense tensors are supported}}
func.func @sparse(%x: tensor<4x4xf32, #csr>) {
  return
}

// -----

// expected-error @below {{this element type is not supported: tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>}}
func.func @quantized(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  return
}

// -----

// expected-error @below {{this element type is not supported: tensor<4xui8>}}
func.func @unsigned(%x: tensor<4xui8>) {
  return
}

// -----

func.func @odd_width(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{'arith.trunci' op cannot be imported: this element type is not supported: tensor<4xi3>}}
  %a = arith.trunci %x : tensor<4xi32> to tensor<4xi3>
  %b = arith.extsi %a : tensor<4xi3> to tensor<4xi32>
  return %b : tensor<4xi32>
}

// -----

func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op cannot be imported: the call of @recursive is recursive}}
  %r = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @elsewhere(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @external(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op cannot be imported: @elsewhere has no body}}
  %r = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @parallel_without_index(%x: tensor<4x5xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'linalg.generic' op cannot be imported: loop 1 is parallel, but the index of result #0 does not depend on it}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// One error for each kind of operation.
func.func @loop_in_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'linalg.generic' op cannot be imported: its body holds 'scf.for', which has no pointwise form}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%e: f32):
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %e) -> f32 {
      %n = arith.addf %a, %a : f32
      scf.yield %n : f32
    }
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%r : tensor<4xf32>) {
  ^bb0(%e: f32):
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %e) -> f32 {
      %n = arith.mulf %a, %a : f32
      scf.yield %n : f32
    }
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

func.func @reads_at_state(%x: tensor<4xindex>, %s: tensor<index>) -> tensor<index> {
  // expected-error @below {{its body reads a tensor at an index that depends on the value that it folds into}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xindex>) outs(%s : tensor<index>) {
  ^bb0(%e: index, %o: index):
    %n = tensor.extract %x[%o] : tensor<4xindex>
    linalg.yield %n : index
  } -> tensor<index>
  return %r : tensor<index>
}

// -----

func.func @parallel_loop(%x: tensor<4xf32>, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'scf.parallel' op cannot be imported: loops of this kind are not imported}}
  %s = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%z) -> f32 {
    %e = tensor.extract %x[%i] : tensor<4xf32>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      scf.reduce.return %r : f32
    }
  }
  return %s : f32
}

// -----

func.func @other_dialect(%x: tensor<?xf32>) -> tensor<1xindex> {
  // expected-error @below {{'shape.shape_of' op cannot be imported: there is no rule for the dialect 'shape'}}
  %s = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  return %s : tensor<1xindex>
}

// -----

func.func @tosa_custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tosa.custom' op cannot be imported: there is no rule for the dialect 'tosa'}}
  %r = tosa.custom %x {domain_name = "a", operator_name = "b", implementation_attrs = "c"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = tosa.add %r, %r : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

func.func @many_dimensions(%x: tensor<256xf32>) -> tensor<256xf32> {
  // expected-error @below {{'tensor.expand_shape' op cannot be imported: tensor<2x2x2x2x2x2x2x2x1xf32> has more than 8 dimensions}}
  %a = tensor.expand_shape %x [[0, 1, 2, 3, 4, 5, 6, 7, 8]] output_shape [2, 2, 2, 2, 2, 2, 2, 2, 1] : tensor<256xf32> into tensor<2x2x2x2x2x2x2x2x1xf32>
  %c = tensor.collapse_shape %a [[0, 1, 2, 3, 4, 5, 6, 7, 8]] : tensor<2x2x2x2x2x2x2x2x1xf32> into tensor<256xf32>
  return %c : tensor<256xf32>
}

// -----

func.func @missing_resource(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'arith.constant' op cannot be imported: its resource 'blob' has no data}}
  %c = arith.constant dense_resource<blob> : tensor<4xf32>
  %r = arith.addf %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
