//===- OpenCLLoader.h - The functions of libOpenCL -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_RUNTIME_OPENCLLOADER_H
#define TANG_LIB_RUNTIME_OPENCLLOADER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace tang_rt {

/// Every OpenCL function that the runtime calls, without the prefix `cl`.
#define TANG_OPENCL_FUNCTIONS(F)                                               \
  F(GetPlatformIDs)                                                            \
  F(GetDeviceIDs)                                                              \
  F(GetDeviceInfo)                                                             \
  F(CreateContext)                                                             \
  F(ReleaseContext)                                                            \
  F(CreateCommandQueue)                                                        \
  F(ReleaseCommandQueue)                                                       \
  F(CreateBuffer)                                                              \
  F(ReleaseMemObject)                                                          \
  F(EnqueueWriteBuffer)                                                        \
  F(EnqueueReadBuffer)                                                         \
  F(EnqueueCopyBuffer)                                                         \
  F(EnqueueNDRangeKernel)                                                      \
  F(Finish)                                                                    \
  F(CreateProgramWithSource)                                                   \
  F(BuildProgram)                                                              \
  F(GetProgramBuildInfo)                                                       \
  F(ReleaseProgram)                                                            \
  F(CreateKernel)                                                              \
  F(GetKernelInfo)                                                             \
  F(GetKernelWorkGroupInfo)                                                    \
  F(SetKernelArg)                                                              \
  F(ReleaseKernel)

/// libOpenCL.so.1, loaded when first asked for.
class OpenCL {
public:
  /// Throws if the library is missing.
  static const OpenCL &get();

#define F(name) decltype(&::cl##name) name = nullptr;
  TANG_OPENCL_FUNCTIONS(F)
#undef F

  static std::string errorText(cl_int code);
  /// Throws `WHAT: ERROR` unless `code` is success.
  static void check(cl_int code, const std::string &what);
  std::string deviceText(cl_device_id device, cl_device_info what) const;

private:
  OpenCL();
};

} // namespace tang_rt

#endif // TANG_LIB_RUNTIME_OPENCLLOADER_H
