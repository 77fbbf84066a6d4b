// bf16 as CUDA's header of this name has it: rounded to nearest even, every NaN made the same one.
#pragma once
#include "cuda_emulation.h"
struct __nv_bfloat16 {
  unsigned short bits;
};
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return {x}; }
inline __nv_bfloat16 __short_as_bfloat16(short x) { return {static_cast<unsigned short>(x)}; }
inline short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.bits); }
inline float __bfloat162float(__nv_bfloat16 x) { return bits_to<float>(static_cast<unsigned>(x.bits) << 16); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  unsigned bits = bits_to<unsigned>(x);
  unsigned rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return {static_cast<unsigned short>(x != x ? 0x7fff : rounded)};
}
