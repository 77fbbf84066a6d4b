//===- Harness.h - Running kernel IR on every target -----------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TEST_TARGET_HARNESS_H
#define TANG_TEST_TARGET_HARNESS_H

#include "Tang/Target/Cpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tangtest {

/// A buffer as bytes.
using Bytes = std::vector<uint8_t>;

template <typename T> Bytes toBytes(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T> std::vector<T> fromBytes(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

enum class Target {
  Cpu,
  Gcc,
  Clang,
  OpenCL,
  Cuda,
  Vulkan,
  WebGpu,
  CudaSource,
  Metal
};
const char *name(Target target);

/// Targets that this machine has.
std::vector<Target> availableTargets();

/// While one lives, the targets also are those whose source a script compiles
/// for this machine (emulate.py), where it can. That takes a second a module.
struct WithEmulated {
  WithEmulated() { ++count; }
  ~WithEmulated() { --count; }
  static inline int count = 0;
};

/// Files of a bundle.
using Files = std::vector<std::pair<std::string, std::string>>;

/// How often a kernel runs and on what. Scalars are encoded as the kernel ABI
/// of the cpu target says.
struct Launch {
  std::string kernel;
  std::vector<Bytes> buffers;
  std::vector<int64_t> scalars;
  int64_t blocks = 1;
};

/// A module after emulation and legalisation.
class Program {
public:
  /// Parses `text` and runs the passes. Diagnostics go to `errors()`.
  explicit Program(const std::string &text);
  ~Program();

  bool ok() const { return isOk; }
  const std::string &errors() const { return messages; }
  mlir::ModuleOp module() { return *ref; }

  std::string emitC();
  std::string emitOpenCL();
  std::string emitPtx();
  std::string emitCuda();
  std::string emitMetal();
  /// Each kernel as `NAME.spv`.
  Files emitSpirv();
  std::string emitWgsl();

  /// Targets that this machine has and that have the types of this program:
  /// WebGPU has no f64.
  std::vector<Target> targets();

  /// The buffers after the launch; a test failure and nothing if it did not
  /// run.
  std::vector<Bytes> run(Target target, const Launch &launch);

private:
  void *lookup(Target target, const std::string &kernel);
  void *emulate(Target target);

  mlir::MLIRContext context;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> ref;
  std::string messages;
  bool isOk = false;
  std::shared_ptr<mlir::tang::CpuKernels> jit;
  void *libraries[4] = {nullptr, nullptr, nullptr, nullptr};
  std::string ptx, wgsl;
  Files spirv;
};

/// Runs on all targets, expects the same bytes everywhere, and returns them.
/// The last buffer has elements of `type` ("f32", …): there, one NaN is as good
/// as another, since which operand's NaN wins is up to the compiler.
std::vector<Bytes> runEverywhere(Program &program, const Launch &launch,
                                 const std::string &type = "");

/// Whether the bytes at `data` are a NaN of `type`; false for integer types.
bool isNaN(const std::string &type, const uint8_t *data);
size_t sizeOf(const std::string &type);

/// Wraps `body`, which defines %r from %a (and %b, %c) of type `in`, into a
/// kernel over n elements that ends in a store of %r of type `out`.
std::string elementwise(const std::string &in, const std::string &out,
                        const std::string &body, unsigned inputs = 1,
                        const std::string &kernel = "k");

/// Runs an elementwise kernel on all targets.
std::vector<Bytes> runElementwise(const std::string &in, const std::string &out,
                                  const std::string &body,
                                  std::vector<Bytes> inputs, size_t count,
                                  size_t outBytes);

/// An elementwise computation of `out` from `inputs` operands of type `in`.
struct Case {
  std::string in, out, body;
  unsigned inputs = 1;
};

/// Runs many computations, compiled as one module, on the same input bytes (a
/// list of operands for each `in` type by its name). The results are those of
/// the last buffer.
std::vector<Bytes>
runCases(const std::vector<Case> &cases,
         const std::function<std::vector<Bytes>(const Case &)> &inputs);

/// The same on each target, without comparing them.
std::vector<Bytes>
runCasesOn(Target target, Program &program, const std::vector<Case> &cases,
           const std::function<std::vector<Bytes>(const Case &)> &inputs);
std::string moduleOf(const std::vector<Case> &cases);

// The OpenCL side.
bool hasOpenCL();
std::vector<Bytes> runOpenCL(const std::string &source, const Launch &launch,
                             const std::vector<std::string> &scalarTypes,
                             int64_t block);

// Devices of the runtime, by the name of the target.
bool hasDevice(const std::string &target);
std::vector<Bytes> runOnDevice(const std::string &target, mlir::ModuleOp module,
                               const Files &code, const Launch &launch);

} // namespace tangtest

#endif // TANG_TEST_TARGET_HARNESS_H
