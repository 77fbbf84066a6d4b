//===- Peaks.cpp - How fast a device can be -------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Floor/Peaks.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace mlir::tang;
using llvm::StringRef;

/// NVIDIA H200 SXM.
/// - Memory 4.8 TB/s; bf16 and f16 989.4, f8 and i8 1978.9, tf32 494.7, f64 on
///   the matrix unit 66.9, f64 33.5, f32 66.9 Tflop/s, all dense (H200 and H100
///   data sheets; the architecture whitepaper has the digits). f16 and bf16
///   outside of the matrix unit: twice f32 (whitepaper).
/// - 132 multiprocessors with 256 KiB of registers and 228 KiB of shared memory
///   each; 50 MiB of L2 (H100 whitepaper; 60 MB are physically there).
/// - L2: 5,120 bytes a cycle are published for the A100 (its whitepaper), of
///   its successor nothing; at the greatest boost clock, 1.98 GHz. A greater
///   rate than true only lowers the floor.
/// - 16 special functions and 64 integer operations a cycle and multiprocessor
///   (CUDA programming guide, "Arithmetic Instructions", compute capability
///   9.0), at the 1.83 GHz to which 989.4 Tflop/s belong.
static Peaks h200() {
  Peaks peaks;
  peaks.memoryPerSecond = 4.8e12;
  peaks.cacheBytes = 60'000'000;
  peaks.cachePerSecond = 5120 * 1.98e9;
  peaks.unitBytes = (256 + 228) * 1024;
  peaks.matrix = {{"bf16", 989.4e12},      {"f16", 989.4e12},
                  {"f8E4M3FN", 1978.9e12}, {"f8E5M2", 1978.9e12},
                  {"i8", 1978.9e12},       {"f64", 66.9e12}};
  peaks.arithmetic = {{"f32", 66.9e12},
                      {"f64", 33.5e12},
                      {"f16", 133.8e12},
                      {"bf16", 133.8e12}};
  peaks.specialPerSecond = 16. * 132 * 1.83e9;
  peaks.integerPerSecond = 64. * 132 * 1.83e9;
  return peaks;
}

/// NVIDIA GeForce RTX 3090 (GA102 whitepaper, appendix A: 936 GB/s, 82
/// multiprocessors at 1.695 GHz, f32 and f16 35.58 Tflop/s, matrix unit with
/// f32 sums 71 Tflop/s, i8 284 Top/s, f64 1/64 of f32, 6 MiB of L2; 256 KiB of
/// registers and 128 KiB of L1 and shared memory each). 16 special functions a
/// cycle and multiprocessor (CUDA programming guide, compute capability 8.6).
/// L2: as for the H200.
static Peaks rtx3090() {
  Peaks peaks;
  peaks.memoryPerSecond = 936e9;
  peaks.cacheBytes = 6 << 20;
  peaks.cachePerSecond = 5120 * 1.695e9;
  peaks.unitBytes = (256 + 128) * 1024;
  peaks.matrix = {{"bf16", 71e12}, {"f16", 71e12}, {"i8", 284e12}};
  peaks.arithmetic = {{"f32", 35.58e12},
                      {"f16", 35.58e12},
                      {"bf16", 35.58e12},
                      {"f64", 35.58e12 / 64}};
  peaks.specialPerSecond = 16. * 82 * 1.695e9;
  peaks.integerPerSecond = 64. * 82 * 1.695e9;
  return peaks;
}

/// Apple M1: 68.25 GB/s (128 bits of LPDDR4X-4266), 2.6 Tflop/s f32 (Apple's
/// announcement, November 2020). Nothing is published of its caches.
static Peaks m1() {
  Peaks peaks;
  peaks.memoryPerSecond = 68.25e9;
  peaks.arithmetic = {{"f32", 2.6e12}};
  return peaks;
}

/// Qualcomm Adreno 740 in the Snapdragon 8 Gen 2: 64 bits of LPDDR5X at
/// 4,200 MHz (its product brief). Rates of arithmetic are not published.
static Peaks adreno740() {
  Peaks peaks;
  peaks.memoryPerSecond = 67.2e9;
  return peaks;
}

Peaks mlir::tang::lookupPeaks(StringRef target) {
  // Of `cuda` the facts are the H200's by default. Mali-G715: memory is its
  // system's, nothing is published of the rest.
  return llvm::StringSwitch<Peaks (*)()>(target)
      .Cases({"h200", "cuda"}, h200)
      .Case("rtx3090", rtx3090)
      .Case("m1", m1)
      .Case("adreno740", adreno740)
      .Default([] { return Peaks(); })();
}

double Peaks::arithmeticPerSecond(StringRef type) const {
  if (auto it = arithmetic.find(type.str()); it != arithmetic.end())
    return it->second;
  // Narrower types are computed as f32.
  auto f32 = arithmetic.find("f32");
  return f32 == arithmetic.end() || type == "f64" ? 0 : f32->second;
}

double Peaks::contractionsPerSecond(StringRef type) const {
  if (auto it = matrix.find(type.str()); it != matrix.end())
    return std::max(it->second, arithmeticPerSecond(type));
  if (type.starts_with("i"))
    return integerPerSecond;
  return arithmeticPerSecond(type);
}
