//===- TestUtils.h - Helpers of the runtime's tests ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TEST_UNIT_RUNTIME_TESTUTILS_H
#define TANG_TEST_UNIT_RUNTIME_TESTUTILS_H

#include "Tang/Runtime/Bundle.h"
#include "Tang/Runtime/HostTensor.h"
#include "Tang/Runtime/Runtime.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tang_rt::test {

/// A directory that goes away with the object.
class TempDir {
public:
  TempDir();
  ~TempDir();
  std::string operator/(const std::string &name) const {
    return (path / name).string();
  }
  std::filesystem::path path;
};

template <typename T>
HostTensor makeTensor(DType type, std::vector<int64_t> shape,
                      const std::vector<T> &values) {
  HostTensor tensor;
  std::string error;
  EXPECT_TRUE(HostTensor::create(type, std::move(shape), tensor, error))
      << error;
  EXPECT_EQ(size_t(tensor.numElements()), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if constexpr (std::is_floating_point_v<T>)
      tensor.setDouble(int64_t(i), values[i]);
    else
      tensor.setInt(int64_t(i), values[i]);
  return tensor;
}

std::vector<double> toDoubles(const HostTensor &tensor);

/// Compiles C to a shared library with the system's compiler; its contents.
std::string compileC(const std::string &source);

/// Kernels in C that the tests' manifests refer to, compiled once.
const std::string &testKernels();

/// A manifest whose one function `main` has these parts (JSON texts), with the
/// test kernels.
std::string makeManifest(const std::string &inputs, const std::string &outputs,
                         const std::string &body, const std::string &more = "");

/// The result of loading and calling a program, or an error.
struct Outcome {
  std::string error;
  std::vector<HostTensor> outputs;
};

/// Loads `files` on the CPU and calls `main`.
Outcome runFiles(const BundleFiles &files,
                 const std::vector<HostTensor> &inputs,
                 uint64_t stepLimit = 100000);

/// `runFiles` of a manifest with the test kernels.
Outcome runManifest(const std::string &manifest,
                    const std::vector<HostTensor> &inputs = {},
                    uint64_t stepLimit = 100000);

/// Calls function `name` of a loaded program.
Outcome callProgram(tang_rt_program *program, const std::string &name,
                    const std::vector<HostTensor> &inputs);

} // namespace tang_rt::test

#endif // TANG_TEST_UNIT_RUNTIME_TESTUTILS_H
