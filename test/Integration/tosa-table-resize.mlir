// RUN: %tang-agree %s
// tosa.table looks bytes up; tosa.resize doubles an image, by the nearest pixel and bilinearly.
// INPUT: 5xi8=-128 -127 0 1 127
// INPUT: 1x2x2x1xf32=0 2 4 6
// EXPECT: 5xi8=127 126 -1 -2 -128
// EXPECT: 1x3x3x1xf32=0 2 2 4 6 6 4 6 6
// EXPECT: 1x3x3x1xf32=0 1 2 2 3 4 4 5 6
func.func @main(%x: tensor<5xi8>, %image: tensor<1x2x2x1xf32>) -> (tensor<5xi8>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>) {
  %table = "tosa.const"() <{values = dense<"0x7F7E7D7C7B7A797877767574737271706F6E6D6C6B6A696867666564636261605F5E5D5C5B5A595857565554535251504F4E4D4C4B4A494847464544434241403F3E3D3C3B3A393837363534333231302F2E2D2C2B2A292827262524232221201F1E1D1C1B1A191817161514131211100F0E0D0C0B0A09080706050403020100FFFEFDFCFBFAF9F8F7F6F5F4F3F2F1F0EFEEEDECEBEAE9E8E7E6E5E4E3E2E1E0DFDEDDDCDBDAD9D8D7D6D5D4D3D2D1D0CFCECDCCCBCAC9C8C7C6C5C4C3C2C1C0BFBEBDBCBBBAB9B8B7B6B5B4B3B2B1B0AFAEADACABAAA9A8A7A6A5A4A3A2A1A09F9E9D9C9B9A999897969594939291908F8E8D8C8B8A89888786858483828180"> : tensor<256xi8>}> : () -> tensor<256xi8>
  %0 = tosa.table %x, %table : (tensor<5xi8>, tensor<256xi8>) -> tensor<5xi8>
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %1 = tosa.resize %image, %scale, %offset, %border {mode = NEAREST_NEIGHBOR}
      : (tensor<1x2x2x1xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x3x3x1xf32>
  %2 = tosa.resize %image, %scale, %offset, %border {mode = BILINEAR}
      : (tensor<1x2x2x1xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x3x3x1xf32>
  return %0, %1, %2 : tensor<5xi8>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>
}
