// What kernels in CUDA C++ use of CUDA, for this machine: a header for tests only.
#ifndef TANG_TEST_CUDA_EMULATION
#define TANG_TEST_CUDA_EMULATION
#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>

#define __device__
#define __launch_bounds__(threads)

struct Index {
  unsigned x;
};
inline thread_local Index threadIdx, blockIdx;

using std::isfinite;
using std::isinf;
using std::isnan;

template <typename To, typename From> To bits_to(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}
inline float __uint_as_float(unsigned x) { return bits_to<float>(x); }
inline unsigned __float_as_uint(float x) { return bits_to<unsigned>(x); }
inline double __longlong_as_double(long long x) { return bits_to<double>(x); }
inline long long __double_as_longlong(double x) { return bits_to<long long>(x); }
// Not fused with anything: the kernels are compiled without contraction.
inline float __fmul_rn(float x, float y) { return x * y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

namespace emulation {
struct Arguments {
  void *const *buffers;
  const int64_t *scalars;
  template <typename P> P next() {
    if constexpr (std::is_pointer_v<P>) {
      return static_cast<P>(*buffers++);
    } else {
      P value; // Little-endian: the low bytes of a wider integer, and a float's bits stand in the low half.
      std::memcpy(&value, scalars++, sizeof(value));
      return value;
    }
  }
};
template <typename... P>
void launch(void (*kernel)(P...), unsigned threads, void *const *buffers, const int64_t *scalars, int64_t first,
            int64_t last) {
  Arguments arguments{buffers, scalars};
  std::tuple<P...> values{arguments.next<P>()...};
  for (int64_t block = first; block < last; ++block)
    for (unsigned thread = 0; thread < threads; ++thread) {
      blockIdx.x = static_cast<unsigned>(block);
      threadIdx.x = thread;
      std::apply(kernel, values);
    }
}
} // namespace emulation
#endif
