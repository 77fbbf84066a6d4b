//===- HostPeaks.h - What this machine's processor can do -------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_HOSTPEAKS_H
#define TANG_TOOLS_TANG_RUN_HOSTPEAKS_H

#include <cstdint>

namespace tang_run {

struct HostPeaks {
  /// Bytes read plus bytes written.
  double bytesPerSecond = 0;
  /// f32; a multiply-add is two.
  double flopsPerSecond = 0;
};

/// Measures with as many threads as the runtime uses (TANG_NUM_THREADS, else
/// all): copies that read and write `bytes` in all, so that what fits a cache
/// is copied within it, and multiply-adds in registers. The best of a few
/// rounds; takes some tenths of a second.
HostPeaks measureHostPeaks(uint64_t bytes);

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_HOSTPEAKS_H
