//===- Runner.h - Something that can be called ---------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TOOLS_TANG_RUN_RUNNER_H
#define TANG_TOOLS_TANG_RUN_RUNNER_H

#include "Common.h"
#include "Module.h"

#include "Tang/Pipelines/Compile.h"
#include "Tang/Runtime/Runtime.h"

namespace tang_run {

/// What a benchmark measured.
struct Timing {
  /// Of each run, in order.
  std::vector<double> seconds;
  /// Inputs and outputs.
  uint64_t bytes = 0;
  /// The most memory on the device at a time; 0 if not known.
  uint64_t peakBytes = 0;
};

/// A function of a program on a device, or of a module in the interpreter.
/// Functions that can fail print an error and return false.
class Runner {
public:
  virtual ~Runner();

  const tang_rt::FunctionInfo &function() const { return info; }
  virtual std::string deviceName() const = 0;
  virtual std::string driverName() const = 0;
  /// The program's manifest; empty in the interpreter.
  virtual std::string manifest() const { return ""; }

  using Tensors = std::vector<tang_rt::HostTensor>;

  virtual bool call(const Tensors &inputs, Tensors &outputs) = 0;

  /// Calls `repetitions` times after a warm-up; inputs stay on the device,
  /// but with `flush` not in its caches.
  virtual bool benchmark(const Tensors &inputs, unsigned repetitions,
                         bool flush, Tensors &outputs, Timing &timing) = 0;

protected:
  tang_rt::FunctionInfo info;
};

/// Runs bundles through libtang_runtime.
class BundleRunner : public Runner {
public:
  ~BundleRunner() override;

  bool openDevice(const std::string &target, int index);
  /// A bundle from a directory or a .tangb file.
  bool load(const std::string &path, const std::string &function);
  bool load(mlir::tang::CompiledBundle bundle, const std::string &function);

  std::string numerics() const { return tang_rt_numerics(program); }
  std::string manifest() const override { return tang_rt_manifest(program); }

  std::string deviceName() const override;
  std::string driverName() const override;
  bool call(const Tensors &inputs, Tensors &outputs) override;
  bool benchmark(const Tensors &inputs, unsigned repetitions, bool flush,
                 Tensors &outputs, Timing &timing) override;

private:
  bool selectFunction(const std::string &name);
  void adopt(std::vector<tang_rt_tensor> &raw, Tensors &outputs);

  /// Kernels of the JIT must outlive the program.
  mlir::tang::CompiledBundle compiled;
  tang_rt_device *device = nullptr;
  tang_rt_program *program = nullptr;
  size_t number = 0;
};

/// Runs a module in the f64 interpreter.
class ReferenceRunner : public Runner {
public:
  ReferenceRunner(Module &module, tang_rt::FunctionInfo function, bool exact);

  std::string deviceName() const override { return "reference interpreter"; }
  std::string driverName() const override { return exact ? "exact" : "f64"; }
  bool call(const Tensors &inputs, Tensors &outputs) override;
  bool benchmark(const Tensors &inputs, unsigned repetitions, bool flush,
                 Tensors &outputs, Timing &timing) override;

private:
  Module &module;
  bool exact;
};

} // namespace tang_run

#endif // TANG_TOOLS_TANG_RUN_RUNNER_H
