//===- CudaLoader.h - The functions of the CUDA driver -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares what the runtime uses of the driver API itself, so that Tang builds
// on machines without CUDA. Names, numbers and layouts are those of cuda.h
// (CUDA 12 and later); the ABI of the driver does not change them.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_CUDALOADER_H
#define TANG_LIB_RUNTIME_CUDALOADER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tang_rt::cuda {

using Result = int;
using DeviceId = int;
using Pointer = uint64_t;
using Context = struct ContextTag *;
using Stream = struct StreamTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Event = struct EventTag *;

/// CUtensorMap: how the copy engine sees a tensor.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// CUlaunchAttribute.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    uint32_t words[16];
    uint64_t align;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  uint32_t numAttributes;
};

enum : int {
  kSuccess = 0,
  kErrorNoDevice = 100,
  // CUdevice_attribute
  kDeviceComputeMajor = 75,
  kDeviceComputeMinor = 76,
  kDeviceMaxSharedBytesOptIn = 97,
  // CUfunction_attribute
  kFunctionMaxThreadsPerBlock = 0,
  kFunctionMaxDynamicSharedBytes = 8,
  kFunctionNonPortableClusterAllowed = 14,
  // CUlaunchAttributeID
  kLaunchClusterDimension = 4,
  kLaunchProgrammaticStreamSerialization = 6,
  // CUjit_option
  kJitErrorLogBuffer = 5,
  kJitErrorLogBufferBytes = 6,
  // CUstream_flags, CUevent_flags
  kStreamNonBlocking = 1,
  kEventDefault = 0,
};

// clang-format off
/// Every function that the runtime calls: the member's name, the exported
/// symbol (with the version that the signature is of), and its parameters.
#define TANG_CUDA_FUNCTIONS(F)                                                 \
  F(GetErrorName, cuGetErrorName, (Result, const char **))                     \
  F(GetErrorString, cuGetErrorString, (Result, const char **))                 \
  F(Init, cuInit, (unsigned))                                                  \
  F(DriverGetVersion, cuDriverGetVersion, (int *))                             \
  F(DeviceGetCount, cuDeviceGetCount, (int *))                                 \
  F(DeviceGet, cuDeviceGet, (DeviceId *, int))                                 \
  F(DeviceGetName, cuDeviceGetName, (char *, int, DeviceId))                   \
  F(DeviceGetAttribute, cuDeviceGetAttribute, (int *, int, DeviceId))          \
  F(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, DeviceId))   \
  F(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceId))         \
  F(CtxSetCurrent, cuCtxSetCurrent, (Context))                                 \
  F(StreamCreate, cuStreamCreate, (Stream *, unsigned))                        \
  F(StreamDestroy, cuStreamDestroy_v2, (Stream))                               \
  F(StreamSynchronize, cuStreamSynchronize, (Stream))                          \
  F(MemAlloc, cuMemAlloc_v2, (Pointer *, size_t))                              \
  F(MemFree, cuMemFree_v2, (Pointer))                                          \
  F(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                     \
    (Pointer, const void *, size_t, Stream))                                   \
  F(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *, Pointer, size_t, Stream))  \
  F(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (Pointer, Pointer, size_t, Stream)) \
  F(MemsetD32Async, cuMemsetD32Async, (Pointer, unsigned, size_t, Stream))     \
  F(ModuleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module *, const void *, unsigned, int *, void **))                        \
  F(ModuleUnload, cuModuleUnload, (Module))                                    \
  F(ModuleGetFunction, cuModuleGetFunction, (Function *, Module, const char *))\
  F(FuncGetAttribute, cuFuncGetAttribute, (int *, int, Function))              \
  F(FuncSetAttribute, cuFuncSetAttribute, (Function, int, int))                \
  F(LaunchKernelEx, cuLaunchKernelEx,                                          \
    (const LaunchConfig *, Function, void **, void **))                        \
  F(EventCreate, cuEventCreate, (Event *, unsigned))                           \
  F(EventDestroy, cuEventDestroy_v2, (Event))                                  \
  F(EventRecord, cuEventRecord, (Event, Stream))                               \
  F(EventElapsedTime, cuEventElapsedTime, (float *, Event, Event))

/// Those that older drivers lack; null there.
#define TANG_CUDA_OPTIONAL_FUNCTIONS(F)                                        \
  F(FuncGetParamInfo, cuFuncGetParamInfo,                                      \
    (Function, size_t, size_t *, size_t *))                                    \
  F(TensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (TensorMap *, int, uint32_t, void *, const uint64_t *, const uint64_t *,   \
     const uint32_t *, const uint32_t *, int, int, int, int))
// clang-format on

/// libcuda.so.1, loaded when first asked for.
class Driver {
public:
  /// Throws if the library or a device is missing.
  static const Driver &get();

#define F(name, symbol, parameters) Result(*name) parameters = nullptr;
  TANG_CUDA_FUNCTIONS(F)
  TANG_CUDA_OPTIONAL_FUNCTIONS(F)
#undef F

  /// The driver's name and description of an error.
  std::string errorText(Result code) const;
  /// Throws `WHAT: ERROR` unless `code` is success.
  void check(Result code, const std::string &what) const;
  int attribute(DeviceId device, int which) const;
  /// `NVIDIA H200`
  std::string deviceName(DeviceId device) const;
  /// `compute capability 9.0, CUDA 13.0`
  std::string deviceDriver(DeviceId device) const;

private:
  Driver();
};

} // namespace tang_rt::cuda

#endif // TANG_LIB_RUNTIME_CUDALOADER_H
