//===- Targets.cpp - Facts about targets ----------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Targets.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
struct Row {
  StringRef name, language;
  int64_t lanes, registerBytes, cacheBytes, block, units;
  StringRef matrix = "";
  int64_t sharedBytes = 0;
};
} // namespace

// The CPU rows describe the least machine that they should run well on:
// - lanes: 8 f32 in a 256-bit AVX2 register (Intel SDM vol. 1, chapter 14).
// - register_bytes: 16 such registers of 32 bytes.
// - cache_bytes: 32 KiB of L1 data cache, the size of every x86-64 core since
//   2006 and of the smaller Arm cores.
// OpenCL rows: what the specification guarantees (OpenCL 1.2, table 4.3:
// CL_DEVICE_LOCAL_MEM_SIZE ≥ 32 KiB); 64 work items are a whole number of
// subgroups on every current GPU.
// Vulkan row: what the specification guarantees ("Required Limits": 16 KiB of
// maxComputeSharedMemorySize, 128 of maxComputeWorkGroupInvocations).
// Metal row: 32 KiB of threadgroup memory (Metal Feature Set Tables, every GPU
// family since Apple4).
// WebGPU row: what the specification guarantees ("Limits": 16 KiB of
// maxComputeWorkgroupStorageSize, 256 of maxComputeInvocationsPerWorkgroup).
// CUDA rows:
// - block: a multiple of the warp's 32 threads; 128 keep the four schedulers of
//   a multiprocessor busy and leave room for 16 blocks on it.
// - register_bytes: 255 registers of 4 bytes a thread (CUDA programming guide,
//   "Technical Specifications per Compute Capability").
// - cache_bytes: shared memory of a block, 48 KiB for any chip, 227 KiB for
//   compute capability 9.0 (the same table).
// - units: 132 multiprocessors of an H200 SXM (NVIDIA Hopper architecture
//   whitepaper); a fair guess for others.
// - matrix: the instruction of compute capability 9.0 (PTX ISA, wgmma).
static const Row rows[] = {
    {"cpu", "llvm", 8, 512, 32768, 1, 2},
    {"c", "c", 8, 512, 32768, 1, 2},
    {"opencl", "opencl", 1, 256, 32768, 64, 16},
    {"vulkan", "spirv", 1, 256, 16384, 64, 16},
    {"metal", "metal", 1, 256, 32768, 64, 16},
    {"webgpu", "wgsl", 1, 256, 16384, 64, 16},
    {"cuda", "ptx", 1, 1020, 49152, 128, 132},
    {"h200", "ptx", 1, 1020, 232448, 128, 132, "wgmma", 232448},
};

FailureOr<TargetAttr> mlir::tang::lookupTarget(MLIRContext *context,
                                               StringRef name) {
  context->getOrLoadDialect<TangDialect>();
  for (const Row &row : rows)
    if (row.name == name)
      return TargetAttr::get(
          context, row.name, row.language, row.lanes, row.registerBytes,
          row.cacheBytes, row.block, row.units,
          row.matrix.empty() ? StringAttr()
                             : StringAttr::get(context, row.matrix),
          row.sharedBytes);
  return failure();
}

SmallVector<StringRef> mlir::tang::getTargetNames() {
  return llvm::map_to_vector(rows, [](const Row &row) { return row.name; });
}
