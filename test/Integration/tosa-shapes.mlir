// RUN: %tang-agree %s
// The operations of TOSA that only move values.
// INPUT: 2x3xf32=1 2 3 4 5 6
// INPUT: 2x2xf32=7 8 9 10
// EXPECT: 2x5xf32=1 2 3 7 8 4 5 6 9 10
// EXPECT: 3x5xf32=0.5 1 2 3 0.5 0.5 4 5 6 0.5 0.5 0.5 0.5 0.5 0.5
// EXPECT: 1x2xf32=5 6
// EXPECT: 2x3xf32=3 2 1 6 5 4
// EXPECT: 4x3xf32=1 2 3 4 5 6 1 2 3 4 5 6
// EXPECT: 3x2xf32=1 4 2 5 3 6
// EXPECT: 3x2xf32=1 2 3 4 5 6
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>)
    -> (tensor<2x5xf32>, tensor<3x5xf32>, tensor<1x2xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = tosa.concat %x, %y {axis = 1 : i32} : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>
  %padding = tosa.const_shape {values = dense<[0, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %1 = tosa.pad %x, %padding, %half : (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<3x5xf32>
  %start = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %2 = tosa.slice %x, %start, %size : (tensor<2x3xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xf32>
  %3 = tosa.reverse %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %times = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %4 = tosa.tile %x, %times : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<4x3xf32>
  %5 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %shape = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %6 = tosa.reshape %x, %shape : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<3x2xf32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<2x5xf32>, tensor<3x5xf32>, tensor<1x2xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
