// f16 as CUDA's header of this name has it: converted with the compiler's _Float16, every NaN made the same one.
#pragma once
#include "cuda_emulation.h"
struct __half {
  unsigned short bits;
};
inline __half __ushort_as_half(unsigned short x) { return {x}; }
inline __half __short_as_half(short x) { return {static_cast<unsigned short>(x)}; }
inline short __half_as_short(__half x) { return static_cast<short>(x.bits); }
inline float __half2float(__half x) { return static_cast<float>(bits_to<_Float16>(x.bits)); }
inline __half __float2half_rn(float x) {
  return {static_cast<unsigned short>(x != x ? 0x7fff : bits_to<unsigned short>(static_cast<_Float16>(x)))};
}
