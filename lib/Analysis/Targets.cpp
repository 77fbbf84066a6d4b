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
  StringRef matrix;
  int64_t sharedBytes;
  /// Where each number comes from; printed in docs/Targets.md.
  StringRef sources;
};
} // namespace

// Two rows share theirs.
static constexpr StringLiteral cpuSources =
    "The least machine that it should run well on. lanes: f32 in a 256-bit "
    "AVX2 register (Intel SDM vol. 1, chapter 14). register_bytes: 16 such "
    "registers of 32 bytes. cache_bytes: 32 KiB of L1 data cache, the size of "
    "every x86-64 core since 2006 and of the smaller Arm cores. units: "
    "assumed.";

// Every number has its source in the row; what nobody published is said to be
// assumed. `lanes` is 1 where a thread is a program that owns one point.
static const Row rows[] = {
    {"cpu", "llvm", 8, 512, 32768, 1, 2, "", 0, cpuSources},
    {"c", "c", 8, 512, 32768, 1, 2, "", 0, cpuSources},
    {"opencl", "opencl", 1, 256, 32768, 64, 16, "", 0,
     "What the specification guarantees. cache_bytes: OpenCL 1.2, table 4.3, "
     "CL_DEVICE_LOCAL_MEM_SIZE. block: a whole number of subgroups on every "
     "current GPU. register_bytes, units: assumed."},
    {"vulkan", "spirv", 1, 256, 16384, 64, 16, "", 0,
     "What the specification guarantees (\"Required Limits\"). cache_bytes: "
     "maxComputeSharedMemorySize. block: at most the 128 of "
     "maxComputeWorkGroupInvocations. register_bytes, units: assumed."},
    {"metal", "metal", 1, 256, 32768, 64, 16, "", 0,
     "cache_bytes: threadgroup memory of every GPU family since Apple4 (Metal "
     "Feature Set Tables). block: two SIMD groups of 32. register_bytes, "
     "units: assumed."},
    {"webgpu", "wgsl", 1, 256, 16384, 64, 16, "", 0,
     "What the specification guarantees (\"Limits\"). cache_bytes: "
     "maxComputeWorkgroupStorageSize. block: at most the 256 of "
     "maxComputeInvocationsPerWorkgroup. register_bytes, units: assumed."},
    {"cuda", "ptx", 1, 1020, 49152, 128, 132, "", 0,
     "Compute capability 7.0 and later. register_bytes: 255 registers of 4 "
     "bytes a thread. cache_bytes: shared memory that a block of any chip has "
     "without asking, 48 KiB (both: CUDA programming guide, \"Technical "
     "Specifications per Compute Capability\"). block: a multiple of the "
     "warp's 32 threads; 128 keep the four schedulers of a multiprocessor "
     "busy and leave room for 16 blocks on it. units: those of h200, a fair "
     "guess for others."},
    {"h200", "ptx", 1, 1020, 232448, 128, 132, "wgmma", 232448,
     "Compute capability 9.0. register_bytes, block: as cuda. cache_bytes, "
     "shared_bytes: 227 KiB that a block may have (CUDA programming guide, "
     "\"Technical Specifications per Compute Capability\"). units: 132 "
     "multiprocessors of an SXM module (NVIDIA Hopper architecture "
     "whitepaper). matrix: the instruction of this compute capability (PTX "
     "ISA, wgmma)."},
    {"rtx3090", "ptx", 1, 1020, 101376, 128, 82, "", 0,
     "Compute capability 8.6. register_bytes, block: as cuda. cache_bytes: "
     "99 KiB that a block may have (CUDA programming guide, \"Technical "
     "Specifications per Compute Capability\"). units: 82 multiprocessors "
     "(NVIDIA Ampere GA102 GPU architecture whitepaper, GeForce RTX 3090). "
     "Its matrix unit (mma.sync) has no emitter here and is not used."},
    {"m1", "metal", 1, 256, 32768, 64, 8, "", 0,
     "GPU family Apple7. cache_bytes: threadgroup memory (Metal Feature Set "
     "Tables). block: two SIMD groups of 32, below the 1024 threads of a "
     "threadgroup (same tables). units: the 8 cores of the larger variant "
     "(Apple's announcement of M1, 10 November 2020). Registers of a thread "
     "are not published: register_bytes is assumed."},
    {"adreno740", "spirv", 1, 256, 16384, 64, 16, "", 0,
     "The GPU of Snapdragon 8 Gen 2. Qualcomm publishes neither its number of "
     "units nor its registers or memories: all numbers are those of vulkan, "
     "which any driver grants. No shaderFloat64 is assumed, so that functions "
     "are the device's own and f64 is refused."},
    {"mali-g715", "spirv", 1, 256, 16384, 64, 7, "", 0,
     "register_bytes: 64 registers of 4 bytes that a thread of the Valhall "
     "architecture may have (Mali Offline Compiler user guide, \"Work "
     "registers\"). units: the least of 7 to 9 shader cores (Arm GPU "
     "datasheet). Memory of a workgroup is not published as such: cache_bytes "
     "and block are those of vulkan, which any driver grants; 64 are four "
     "warps of 16. No shaderFloat64 is assumed, so that functions are the "
     "device's own and f64 is refused."},
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

void mlir::tang::printTargets(llvm::raw_ostream &os) {
  os << "| target | language | lanes | register_bytes | cache_bytes | block | "
        "units | matrix | shared_bytes |\n|---|---|---|---|---|---|---|---|"
        "---|\n";
  for (const Row &row : rows) {
    os << "| `" << row.name << "` | " << row.language;
    for (int64_t number :
         {row.lanes, row.registerBytes, row.cacheBytes, row.block, row.units})
      os << " | " << number;
    os << " | " << row.matrix << " | ";
    if (row.sharedBytes)
      os << row.sharedBytes;
    os << " |\n";
  }
  for (const Row &row : rows)
    os << "\n- **" << row.name << "**: " << row.sources;
  os << "\n";
}
