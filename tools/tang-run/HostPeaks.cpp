//===- HostPeaks.cpp - What this machine's processor can do ---------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostPeaks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace tang_run {
namespace {

using Clock = std::chrono::steady_clock;

unsigned numThreads() {
  if (const char *text = std::getenv("TANG_NUM_THREADS"))
    if (int count = std::atoi(text); count > 0)
      return count;
  return std::max(1u, std::thread::hardware_concurrency());
}

/// The least seconds of a few rounds of `work(thread)` on all threads at once;
/// these wait for one another first, so that starting them does not count.
double bestOf(int rounds, unsigned threads,
              const std::function<void(unsigned)> &work) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<unsigned> ready{0};
    std::vector<Clock::time_point> starts(threads), ends(threads);
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        ++ready;
        while (ready < threads)
          std::this_thread::yield();
        starts[t] = Clock::now();
        work(t);
        ends[t] = Clock::now();
      });
    for (std::thread &thread : pool)
      thread.join();
    std::chrono::duration<double> took =
        *std::max_element(ends.begin(), ends.end()) -
        *std::min_element(starts.begin(), starts.end());
    best = std::min(best, took.count());
  }
  return best;
}

/// Chains of multiply-adds in `count` registers of 16 floats (or twice as many
/// of 8).
template <int count>
__attribute__((always_inline)) inline float chains(int64_t rounds,
                                                   float factor) {
  using Vector = float __attribute__((vector_size(64)));
  Vector values[count];
  for (int i = 0; i < count; ++i)
    values[i] = Vector{} + float(i);
  for (int64_t round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < count; ++i)
      values[i] = values[i] * factor + 1e-7f;
  Vector sum = values[0];
  for (int i = 1; i < count; ++i)
    sum += values[i];
  return sum[0] + sum[15];
}

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define TANG_CLONES                                                            \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TANG_CLONES
#endif

/// Eight chains hide the latency where registers hold 16 floats; twelve of half
/// that length are all that fit where they hold 8.
TANG_CLONES float eightChains(int64_t rounds, float factor) {
  return chains<8>(rounds, factor);
}
TANG_CLONES float sixChains(int64_t rounds, float factor) {
  return chains<6>(rounds, factor);
}

} // namespace

HostPeaks measureHostPeaks(uint64_t bytes) {
  unsigned threads = numThreads();
  HostPeaks peaks;
  // Half is read, half written; what is small is copied again and again.
  uint64_t half = std::clamp<uint64_t>(bytes / 2, 4096, 512 << 20) / threads;
  uint64_t times = std::max<uint64_t>(1, (8 << 20) / (half * threads));
  std::vector<std::vector<char>> from(threads), to(threads);
  for (unsigned t = 0; t < threads; ++t) {
    from[t].assign(half, 1);
    to[t].assign(half, 2);
  }
  double seconds = bestOf(7, threads, [&](unsigned t) {
    for (uint64_t i = 0; i < times; ++i) {
      std::memcpy(to[t].data(), from[t].data(), half);
      // Every copy is needed as far as the compiler knows.
      asm volatile("" : : "r"(to[t].data()) : "memory");
    }
  });
  peaks.bytesPerSecond = 2. * half * times * threads / seconds;

  constexpr int64_t kRounds = 400000;
  std::vector<float> sinks(threads);
  using Chains = float (*)(int64_t, float);
  for (auto [run, count] :
       {std::pair<Chains, int>(eightChains, 8), {sixChains, 6}}) {
    seconds = bestOf(5, threads,
                     [&](unsigned t) { sinks[t] = run(kRounds, 0.999f); });
    peaks.flopsPerSecond = std::max(
        peaks.flopsPerSecond, 2. * 16 * count * kRounds * threads / seconds);
  }
  return peaks;
}

} // namespace tang_run
